import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Doc, useDatabase } from './database.ts';

const database = useDatabase();
const CLIENTS = 16;
const clients: MongoClient[] = [];

beforeAll(async () => {
  for (let i = 0; i < CLIENTS; i++) clients.push(new MongoClient(database.uri, { maxPoolSize: 2 }));
  await Promise.all(clients.map((client) => client.connect()));
});

afterAll(() => Promise.all(clients.map((client) => client.close())));

const byAllClients = <T>(
  work: (collection: ReturnType<typeof collectionOf>, i: number) => Promise<T>,
  name: string,
) => Promise.all(clients.map((client, i) => work(collectionOf(client, name), i)));
const collectionOf = (client: MongoClient, name: string) =>
  client.db(database.db.databaseName).collection<Doc>(name);

test('$inc by many clients yields the exact total', async () => {
  await byAllClients(async (c) => {
    for (let i = 0; i < 20; i++) await c.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { upsert: true });
  }, 'counter');
  expect(await database.db.collection<Doc>('counter').find().toArray()).toEqual([
    { _id: 1, n: CLIENTS * 20 },
  ]);
});

test('concurrent upserts on a unique key create one document', async () => {
  await database.db.collection<Doc>('upserts').createIndex({ key: 1 }, { unique: true });
  const results = await byAllClients(
    (c) => c.updateOne({ key: 'k' }, { $inc: { n: 1 } }, { upsert: true }),
    'upserts',
  );
  expect(results.reduce((sum, { upsertedCount }) => sum + upsertedCount, 0)).toBe(1);
  expect(await database.db.collection<Doc>('upserts').find().project({ _id: 0 }).toArray()).toEqual([
    { key: 'k', n: CLIENTS },
  ]);
});

test('one of several concurrent inserts of a unique key succeeds', async () => {
  await database.db
    .collection('race')
    .createIndex({ email: 1 }, { unique: true, collation: { locale: 'en', strength: 2 } });
  const codes = await byAllClients(
    (c, i) =>
      c.insertOne({ email: i % 2 ? 'A@B.C' : 'a@b.c' }).then(
        () => 0,
        (error) => error.code as number,
      ),
    'race',
  );
  expect(codes.filter((code) => code === 0)).toHaveLength(1);
  expect(codes.filter((code) => code === 11000)).toHaveLength(CLIENTS - 1);
  expect(await database.db.collection<Doc>('race').countDocuments()).toBe(1);
});

test('a claim with its precondition in the filter succeeds once', async () => {
  const jobs = database.db.collection<Doc>('jobs');
  await jobs.insertMany(Array.from({ length: 100 }, (_, i) => ({ _id: i, owner: null })));
  const claimed = await byAllClients(async (c, i) => {
    const mine: unknown[] = [];
    for (;;) {
      const job = await c.findOneAndUpdate({ owner: null }, { $set: { owner: i } }, { sort: { _id: 1 } });
      if (!job) return mine;
      mine.push(job._id);
    }
  }, 'jobs');
  expect(claimed.flat().sort((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: 100 }, (_, i) => i),
  );
});

test('an open cursor does not block writes', async () => {
  const c = database.db.collection<Doc>('open');
  await c.insertMany(Array.from({ length: 2000 }, (_, i) => ({ _id: i })));
  const cursors = clients.map((client) => collectionOf(client, 'open').find({}, { batchSize: 10 }));
  await Promise.all(cursors.map((cursor) => cursor.next()));
  await c.insertOne({ _id: 5000 });
  expect(await c.countDocuments()).toBe(2001);
  await Promise.all(cursors.map((cursor) => cursor.close()));
});
