import { Binary, type Document, Long } from 'mongodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Doc, refusal, useDatabase } from './database.ts';

const database = useDatabase();

beforeAll(async () => {
  await database.db
    .collection<Doc>('many')
    .insertMany(Array.from({ length: 1000 }, (_, i) => ({ _id: i, big: 'x'.repeat(100) })));
});

const find = (options: Document) =>
  database.db.command({ find: 'many', ...options }, { promoteLongs: false });
const more = (id: Long, options: Document = {}) =>
  database.db.command({ getMore: id, collection: 'many', ...options }, { promoteLongs: false });

describe('batches', () => {
  test('returns 101 documents in the first batch and all others in the next', async () => {
    const first = await find({});
    expect(first.cursor.firstBatch).toHaveLength(101);
    expect(first.cursor.ns).toBe(`${database.db.databaseName}.many`);
    const second = await more(first.cursor.id);
    expect(second.cursor.nextBatch).toHaveLength(899);
    expect(second.cursor.id.isZero()).toBe(true);
    expect((await refusal(more(first.cursor.id))).code).toBe(43);
  });

  test('honors batchSize and singleBatch', async () => {
    const first = await find({ batchSize: 0 });
    expect(first.cursor.firstBatch).toEqual([]);
    const second = await more(first.cursor.id, { batchSize: 3 });
    expect(second.cursor.nextBatch.map(({ _id }: Document) => _id)).toEqual([0, 1, 2]);
    const single = await find({ batchSize: 5, singleBatch: true });
    expect(single.cursor.firstBatch).toHaveLength(5);
    expect(single.cursor.id.isZero()).toBe(true);
  });

  test('iterates over all documents in order', async () => {
    const docs = await database.db.collection<Doc>('many').find().batchSize(7).toArray();
    expect(docs.map(({ _id }) => _id as unknown)).toEqual(Array.from({ length: 1000 }, (_, i) => i));
    const sorted = await database.db
      .collection<Doc>('many')
      .find()
      .sort({ _id: -1 })
      .batchSize(300)
      .toArray();
    expect(sorted.map(({ _id }) => _id as unknown)).toEqual(Array.from({ length: 1000 }, (_, i) => 999 - i));
    const limited = await database.db.collection<Doc>('many').find().limit(250).batchSize(100).toArray();
    expect(limited).toHaveLength(250);
  });

  test('limits a batch to 16 MB', async () => {
    const c = database.db.collection<Doc>('huge');
    const bytes = new Binary(Buffer.alloc(6 * 1024 * 1024));
    for (let i = 0; i < 3; i++) await c.insertOne({ _id: i, bytes });
    const first = await database.db.command({ find: 'huge' }, { promoteLongs: false });
    expect(first.cursor.firstBatch).toHaveLength(2);
    const second = await database.db.command({ getMore: first.cursor.id, collection: 'huge' });
    expect(second.cursor.nextBatch).toHaveLength(1);
  });

  test('returns an aggregation in batches', async () => {
    const pipeline = [{ $project: { n: { $add: ['$_id', 1] } } }];
    const docs = await database.db.collection<Doc>('many').aggregate(pipeline, { batchSize: 64 }).toArray();
    expect(docs).toHaveLength(1000);
    expect(docs.at(-1)).toEqual({ _id: 999, n: 1000 });
  });
});

describe('the lifetime of a cursor', () => {
  test('ends with killCursors', async () => {
    const first = await find({});
    const { id } = first.cursor;
    const kill = () => database.db.command({ killCursors: 'many', cursors: [id] });
    expect(await kill()).toMatchObject({ cursorsNotFound: [], cursorsAlive: [], ok: 1 });
    expect((await refusal(more(id))).code).toBe(43);
    expect((await kill()).cursorsNotFound).toHaveLength(1);
  });

  test('is bound to its collection', async () => {
    const first = await find({});
    const stolen = database.db.command({ getMore: first.cursor.id, collection: 'other' });
    expect((await refusal(stolen)).code).toBe(13);
  });

  test('spans writes, and returns each document at most once', async () => {
    const c = database.db.collection<Doc>('moving');
    await c.createIndex({ n: 1 });
    await c.insertMany(Array.from({ length: 500 }, (_, i) => ({ _id: i, n: i })));
    const cursor = c.find({}, { batchSize: 50 });
    const seen: unknown[] = [];
    for await (const { _id } of cursor) {
      seen.push(_id);
      if (seen.length === 50) await c.updateMany({}, { $inc: { n: 1000 } });
      if (seen.length === 100) await c.deleteMany({ _id: { $gte: 400 } });
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.slice(0, 400)).toEqual(Array.from({ length: 400 }, (_, i) => i));
  });

  test('ends when its collection is dropped', async () => {
    const c = database.db.collection<Doc>('dropped');
    await c.insertMany(Array.from({ length: 500 }, (_, i) => ({ _id: i })));
    const first = await database.db.command({ find: 'dropped' }, { promoteLongs: false });
    await c.drop();
    await database.db.command({ getMore: first.cursor.id, collection: 'dropped' }).catch(() => undefined);
    expect(await c.countDocuments()).toBe(0);
  });

  test('refuses an unknown cursor', async () => {
    expect(await refusal(more(Long.fromString('123456789')))).toEqual({
      code: 43,
      message: 'cursor id 123456789 not found',
    });
  });
});
