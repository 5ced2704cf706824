import { collection, connect, isDuplicateKey } from '@gatehouse/shared/data/connect';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dropDatabase, freshMongodbUri } from '../../fixtures/database.ts';

interface Thing {
  name: string;
  size?: number;
}

let uri: string;
beforeEach(async () => {
  uri = await freshMongodbUri();
});
afterEach(() => dropDatabase(uri));

/** Runs `work` with a plain client, outside the connection under test. */
async function withClient<T>(work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(uri);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
const open = (things = collection<Thing>('things', [{ key: { name: 1 }, unique: true }])) =>
  connect(uri, { things }, { appName: 'test' });
const storeDuplicates = () =>
  withClient((client) =>
    client
      .db()
      .collection('things')
      .insertMany([{ name: 'a' }, { name: 'a' }]),
  );

describe('connect', () => {
  test('builds the indexes of the given collections and nothing else', async () => {
    const db = await connect(
      uri,
      {
        things: collection<Thing>('things', [{ key: { name: 1 }, unique: true }, { key: { size: -1 } }]),
        notes: collection('my_notes', []),
      },
      { appName: 'test' },
    );
    expect(Object.keys(db).toSorted()).toEqual(['close', 'notes', 'ping', 'things']);
    expect(db.notes.collectionName).toBe('my_notes');
    const indexes = await db.things.indexes();
    expect(indexes.map(({ key, unique = false }) => ({ key, unique }))).toEqual([
      { key: { _id: 1 }, unique: false },
      { key: { name: 1 }, unique: true },
      { key: { size: -1 }, unique: false },
    ]);
    const stored = await withClient((client) => client.db().listCollections().toArray());
    expect(stored.map(({ name }) => name)).toEqual(['things']);
    await db.close();
  });

  test('keeps existing indexes and documents', async () => {
    const first = await open();
    await first.things.insertOne({ name: 'a' });
    await first.close();
    const second = await open();
    expect(await second.things.countDocuments()).toBe(1);
    expect(await second.things.indexes()).toHaveLength(2);
    await second.close();
  });

  test('explains why a unique index cannot be built', async () => {
    await storeDuplicates();
    const things = collection<Thing>('things', [
      {
        key: { name: 1 },
        unique: true,
        explainDuplicates: async (stored) => `${await stored.countDocuments()} things share a name`,
      },
    ]);
    await expect(open(things)).rejects.toThrow(/^2 things share a name$/);
  });

  test('passes on the error of the server when there is no explanation', async () => {
    await storeDuplicates();
    await expect(open()).rejects.toSatisfy((error) => isDuplicateKey(error));
  });

  test('names an unreachable server without its credentials', async () => {
    const unreachable = 'mongodb://root:hunter2@127.0.0.1:1,127.0.0.1:2/gatehouse?replicaSet=rs';
    const error = await connect(unreachable, {}, { appName: 'test', timeout: 50 }).catch((reason) => reason);
    expect(error.message).toMatch(/^MongoDB at 127\.0\.0\.1:1, 127\.0\.0\.1:2 cannot be reached: /);
    expect(error.message).not.toMatch(/root|hunter2/);
  });

  test.each(['mongodb://', 'mongodb://127.0.0.1/?nonsense=1', 'http://127.0.0.1'])(
    'names the setting for the invalid URI %s',
    async (invalid) => {
      await expect(connect(invalid, {}, { appName: 'test' })).rejects.toThrow(/^MONGODB_URI ./);
    },
  );

  test('ping succeeds while the connection is open and fails after it is closed', async () => {
    const db = await open();
    await expect(db.ping()).resolves.toMatchObject({ ok: 1 });
    await db.close();
    await expect(db.ping()).rejects.toThrow();
  });
});

test('isDuplicateKey tells which field is taken', async () => {
  const db = await open();
  await db.things.insertOne({ name: 'a' });
  const error = await db.things.insertOne({ name: 'a' }).catch((reason: unknown) => reason);
  expect(isDuplicateKey(error)).toBe(true);
  expect(isDuplicateKey(error, 'name')).toBe(true);
  expect(isDuplicateKey(error, 'size')).toBe(false);
  expect(isDuplicateKey(new Error('E11000'))).toBe(false);
  await db.close();
});
