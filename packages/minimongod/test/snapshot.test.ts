import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MongoServer, startMongoServer } from '../src/server.ts';
import type { Doc } from './database.ts';

const HOUR = 3_600_000;
let at = Date.now();
let server: MongoServer;
let client: MongoClient;

beforeAll(async () => {
  server = await startMongoServer({ port: 0, data: ':memory:', now: () => at });
  client = await new MongoClient(server.uri).connect();
});

afterAll(async () => {
  await client.close();
  await server.close();
});

test('restores documents, collections and indexes, for clients that stay connected', async () => {
  const db = client.db('restored');
  const orders = db.collection<Doc>('orders');
  await orders.createIndex({ number: 1 }, { unique: true });
  await orders.insertMany([
    { _id: 1, number: 1, tags: ['a', 'b'] },
    { _id: 2, number: 2 },
  ]);
  const snapshot = server.snapshot();
  await orders.updateOne({ _id: 1 }, { $set: { number: 7 } });
  await orders.deleteOne({ _id: 2 });
  await orders.dropIndex('number_1');
  await db.collection('later').insertOne({});

  server.restore(snapshot);
  expect(await orders.find().sort({ _id: 1 }).toArray()).toEqual([
    { _id: 1, number: 1, tags: ['a', 'b'] },
    { _id: 2, number: 2 },
  ]);
  expect(await db.listCollections({}, { nameOnly: true }).toArray()).toEqual([
    { name: 'orders', type: 'collection' },
  ]);
  await expect(orders.insertOne({ _id: 3, number: 2 })).rejects.toThrow('E11000');
  // A snapshot is not used up, and writes after it do not change it.
  await orders.deleteMany({});
  server.restore(snapshot);
  expect(await orders.countDocuments({})).toBe(2);
});

test('ends the cursors that were open', async () => {
  const numbers = client.db('cursors').collection<Doc>('numbers');
  await numbers.insertMany(Array.from({ length: 10 }, (_, _id) => ({ _id })));
  const cursor = numbers.find({}, { batchSize: 2 });
  await cursor.next();
  server.restore(server.snapshot());
  await expect(cursor.toArray()).rejects.toThrow('not found');
});

test('expires documents and sets $$NOW by the given clock', async () => {
  const codes = client.db('clock').collection<Doc>('codes');
  await codes.createIndex({ until: 1 }, { expireAfterSeconds: 0 });
  await codes.insertOne({ _id: 1, until: new Date(at + HOUR) });
  server.sweepExpired();
  expect(await codes.countDocuments({})).toBe(1);
  at += HOUR + 1;
  await codes.updateOne({ _id: 1 }, [{ $set: { at: '$$NOW' } }]);
  expect(await codes.findOne()).toEqual({ _id: 1, until: new Date(at - 1), at: new Date(at) });
  server.sweepExpired();
  expect(await codes.countDocuments({})).toBe(0);
});

test('refuses to restore data in a file', async () => {
  const stored = await startMongoServer({ port: 0, data: 'file:shared?mode=memory' });
  expect(() => stored.restore(server.snapshot())).toThrow('Only data in memory can be restored');
  await stored.close();
});
