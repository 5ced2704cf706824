import type { Document } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { type Doc, refusal, useDatabase } from './database.ts';

const database = useDatabase();
let next = 0;
const fresh = () => database.db.collection<Doc>(`c${next++}`);

describe('createIndexes and dropIndexes', () => {
  test('ignores an identical index', async () => {
    const c = fresh();
    const create = () =>
      database.db.command({
        createIndexes: c.collectionName,
        indexes: [{ key: { a: 1 }, name: 'a_1', unique: true }],
      });
    expect(await create()).toMatchObject({
      numIndexesBefore: 1,
      numIndexesAfter: 2,
      createdCollectionAutomatically: true,
    });
    expect(await create()).toMatchObject({
      numIndexesBefore: 2,
      numIndexesAfter: 2,
      note: 'all indexes already exist',
    });
    expect(await c.indexes()).toEqual([
      { v: 2, key: { _id: 1 }, name: '_id_' },
      { v: 2, key: { a: 1 }, name: 'a_1', unique: true },
    ]);
  });

  test.each<[string, Document, Document, Document, Document, number]>([
    ['unique under the same name', { a: 1 }, {}, { a: 1 }, { unique: true }, 86],
    ['another key under the same name', { a: 1 }, { name: 'x' }, { b: 1 }, { name: 'x' }, 86],
    [
      'another collation under the same name',
      { a: 1 },
      {},
      { a: 1 },
      { collation: { locale: 'en', strength: 2 } },
      86,
    ],
    ['an identical index under another name', { a: 1 }, { name: 'x' }, { a: 1 }, { name: 'y' }, 85],
    ['another expiry', { a: 1 }, { expireAfterSeconds: 10 }, { a: 1 }, { expireAfterSeconds: 20 }, 85],
  ])('refuses %s', async (_name, key, options, otherKey, otherOptions, code) => {
    const c = fresh();
    await c.createIndex(key as never, options);
    expect((await refusal(c.createIndex(otherKey as never, otherOptions))).code).toBe(code);
    expect(await c.indexes()).toHaveLength(2);
  });

  test.each<[string, Document, Document, number]>([
    ['an empty key', {}, { name: 'x' }, 67],
    ['an unknown option', { a: 1 }, { frobnicate: 1 }, 197],
    ['direction 0', { a: 0 }, {}, 67],
    ['a compound TTL', { a: 1, b: 1 }, { expireAfterSeconds: 1 }, 67],
    ['$ne in a partial filter', { a: 1 }, { partialFilterExpression: { a: { $ne: 1 } } }, 67],
    ['partial and sparse', { a: 1 }, { sparse: true, partialFilterExpression: { a: 1 } }, 67],
  ])('refuses %s', async (_name, key, options, code) => {
    const c = fresh();
    const index = { key, name: Object.keys(key).join('_') || 'x', ...options };
    expect(
      (await refusal(database.db.command({ createIndexes: c.collectionName, indexes: [index] }))).code,
    ).toBe(code);
  });

  test('drops indexes by name, by key pattern, or all', async () => {
    const c = fresh();
    await c.createIndexes([{ key: { a: 1 } }, { key: { b: -1 } }, { key: { c: 1, d: 1 } }]);
    expect((await c.indexes()).map(({ name }) => name)).toEqual(['_id_', 'a_1', 'b_-1', 'c_1_d_1']);
    await c.dropIndex('a_1');
    await database.db.command({ dropIndexes: c.collectionName, index: { b: -1 } });
    expect((await c.indexes()).map(({ name }) => name)).toEqual(['_id_', 'c_1_d_1']);
    expect((await refusal(c.dropIndex('a_1'))).code).toBe(27);
    expect((await refusal(c.dropIndex('_id_'))).code).toBe(72);
    await c.dropIndexes();
    expect(await c.indexes()).toHaveLength(1);
  });

  test('refuses to list the indexes of a missing collection', async () => {
    expect((await refusal(database.db.collection<Doc>('nowhere').indexes())).code).toBe(26);
  });
});

describe('sparse and partial indexes', () => {
  test('a sparse unique index allows missing fields, and hides no document', async () => {
    const c = fresh();
    await c.createIndex({ a: 1 }, { unique: true, sparse: true });
    await c.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3, a: 1 }]);
    expect((await refusal(c.insertOne({ a: 1 }))).code).toBe(11000);
    expect(await c.countDocuments({ a: null })).toBe(2);
    expect(await c.find({ a: { $exists: false } }).toArray()).toHaveLength(2);
    expect(await c.find().sort({ a: 1, _id: 1 }).toArray()).toEqual([
      { _id: 1 },
      { _id: 2 },
      { _id: 3, a: 1 },
    ]);
  });

  test('a partial unique index applies only to documents that match its filter', async () => {
    const c = fresh();
    await c.createIndex({ user_id: 1 }, { unique: true, partialFilterExpression: { user_id: { $gt: '' } } });
    await c.insertMany([
      { user_id: null },
      { user_id: null },
      {},
      { user_id: 7 },
      { user_id: 7 },
      { _id: 1, user_id: 'u' },
    ]);
    expect((await refusal(c.insertOne({ user_id: 'u' }))).code).toBe(11000);
    expect(await c.countDocuments({ user_id: null })).toBe(3);
    expect(await c.countDocuments({ user_id: 7 })).toBe(2);
    expect(await c.countDocuments({ user_id: 'u' })).toBe(1);
    // A document that no longer matches the filter releases its key.
    await c.updateOne({ _id: 1 }, { $set: { user_id: null } });
    await c.insertOne({ user_id: 'u' });
    expect((await refusal(c.updateOne({ _id: 1 }, { $set: { user_id: 'u' } }))).code).toBe(11000);
  });
});

test.each([
  [{ $type: 'string' }, { a: 'u' }, 'COLLSCAN'],
  [{ $type: 'string' }, { a: { $type: 'string' } }, 'IXSCAN'],
  [{ $type: 'string' }, { a: { $type: ['string', 'int'] } }, 'COLLSCAN'],
  [{ $gt: '' }, { a: 'u' }, 'IXSCAN'],
  [{ $gt: '' }, { a: { $in: ['u', 'v'] } }, 'IXSCAN'],
  [{ $gt: '' }, { a: { $in: ['u', 7] } }, 'COLLSCAN'],
  [{ $gt: '' }, { a: 7 }, 'COLLSCAN'],
  [{ $exists: true }, { a: 'u' }, 'IXSCAN'],
  [{ $exists: true }, { a: { $type: 'string' } }, 'IXSCAN'],
  [{ $exists: true }, { a: null }, 'COLLSCAN'],
])('plans a query with a partial index on %j for %j as %s', async (partial, query, stage) => {
  const c = fresh();
  await c.createIndex({ a: 1 }, { partialFilterExpression: { a: partial } });
  await c.insertMany([{ a: 'u' }, { a: 7 }, {}]);
  const { queryPlanner } = await c.find(query as Doc).explain();
  expect(JSON.stringify(queryPlanner.winningPlan)).toContain(`"${stage}"`);
});

describe('multikey indexes', () => {
  test('index each element, unique across documents', async () => {
    const c = fresh();
    await c.createIndex({ tags: 1 }, { unique: true });
    await c.insertOne({ _id: 1, tags: ['a', 'b', 'a'] });
    expect((await refusal(c.insertOne({ tags: ['b', 'c'] }))).code).toBe(11000);
    await c.insertOne({ _id: 2, tags: ['c'] });
    await c.updateOne({ _id: 1 }, { $pull: { tags: 'b' } as Doc });
    await c.updateOne({ _id: 2 }, { $push: { tags: 'b' } as Doc });
    expect(await c.find({ tags: 'b' }).toArray()).toEqual([{ _id: 2, tags: ['c', 'b'] }]);
    expect(await c.find({ tags: ['a', 'a'] }).toArray()).toEqual([{ _id: 1, tags: ['a', 'a'] }]);
  });

  test('return a document with several matching keys once', async () => {
    const c = fresh();
    await c.createIndex({ n: 1 });
    await c.insertMany([
      { _id: 1, n: [1, 2, 3] },
      { _id: 2, n: 2 },
    ]);
    expect(await c.find({ n: { $gte: 1 } }).toArray()).toHaveLength(2);
    expect(await c.countDocuments({ n: { $in: [1, 2, 3] } })).toBe(2);
    expect(await c.countDocuments({ n: { $gt: 2, $lt: 2 } })).toBe(1);
  });

  test('find documents whose conditions different elements satisfy', async () => {
    const c = fresh();
    await c.createIndex({ 'm.user': 1, 'm.role': 1 });
    await c.insertMany([
      {
        _id: 1,
        m: [
          { user: 1, role: 'x' },
          { user: 2, role: 'y' },
        ],
      },
      { _id: 2, m: [{ user: 1, role: 'y' }] },
    ]);
    expect(await c.countDocuments({ 'm.user': 1, 'm.role': 'y' })).toBe(2);
    expect(await c.countDocuments({ m: { $elemMatch: { user: 1, role: 'y' } } })).toBe(1);
  });

  test('refuse parallel arrays', async () => {
    const c = fresh();
    await c.createIndex({ a: 1, b: 1 });
    expect((await refusal(c.insertOne({ a: [1], b: [2] }))).code).toBe(171);
  });
});

describe('compound indexes', () => {
  test('serve prefixes, ranges and sorts in both directions', async () => {
    const c = fresh();
    await c.createIndex({ t: 1, n: -1 });
    await c.insertMany(
      Array.from({ length: 20 }, (_, i) => ({ _id: i, t: i % 2, n: i % 7 === 0 ? null : i })),
    );
    const ids = async (filter: Document, sort: Document) =>
      (
        await c
          .find(filter)
          .sort(sort as never)
          .toArray()
      ).map(({ _id }) => _id);
    expect(await ids({ t: 1 }, { n: 1, _id: 1 })).toEqual([7, 1, 3, 5, 9, 11, 13, 15, 17, 19]);
    expect(await ids({ t: 1 }, { n: -1 })).toEqual([19, 17, 15, 13, 11, 9, 5, 3, 1, 7]);
    expect(await ids({ t: 0, n: { $gt: 3, $lte: 10 } }, { n: -1 })).toEqual([10, 8, 6, 4]);
    expect(await ids({ t: 0, n: null }, { _id: 1 })).toEqual([0, 14]);
    expect(await ids({ t: { $in: [0, 1] }, n: 5 }, { _id: 1 })).toEqual([5]);
    expect(await c.countDocuments({ t: 1, n: { $lt: 5 } })).toBe(2);
  });
});

test('many values of one field are found in order, with none, few or many documents each', async () => {
  const c = fresh();
  await c.createIndex({ n: 1 });
  const values = Array.from({ length: 300 }, (_, n) => n);
  const stored = values.flatMap((n) => Array.from({ length: n % 50 === 7 ? 300 : n % 3 }, () => n));
  await c.insertMany(stored.map((n, _id) => ({ _id, n })));
  const wanted = values.filter((n) => n % 5 !== 0);
  const expected = stored.filter((n) => wanted.includes(n));
  const found = async (direction: 1 | -1) =>
    (await c.find({ n: { $in: wanted } }, { sort: { n: direction } }).toArray()).map(({ n }) => n);
  expect(await found(1)).toEqual(expected);
  expect(await found(-1)).toEqual(expected.toReversed());
  const all = await c.find({ n: { $in: wanted } }).toArray();
  expect(new Set(all.map(({ _id }) => _id)).size).toBe(expected.length);
  expect(all).toHaveLength(expected.length);
});
