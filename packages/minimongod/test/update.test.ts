import { type Document, Double, Long } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { type Doc, refusal, useDatabase } from './database.ts';

const database = useDatabase();
let next = 0;
const fresh = () => database.db.collection<Doc>(`c${next++}`);

describe('update operators', () => {
  /** The document before, the update, and the document after. */
  test.each<[string, Document, Document, Document]>([
    ['$set creates fields and parents', { a: 1 }, { $set: { b: 2, 'c.d': 3 } }, { a: 1, b: 2, c: { d: 3 } }],
    ['$set adds new fields in alphabetical order', {}, { $set: { z: 1, a: 2 } }, { a: 2, z: 1 }],
    ['$set in an array', { a: [1, 2] }, { $set: { 'a.1': 9, 'a.3': 4 } }, { a: [1, 9, null, 4] }],
    ['$unset', { a: 1, b: 2 }, { $unset: { a: '' } }, { b: 2 }],
    ['$unset in an array', { a: [1, 2] }, { $unset: { 'a.0': '' } }, { a: [null, 2] }],
    ['$inc', { a: 1 }, { $inc: { a: 2, b: 5 } }, { a: 3, b: 5 }],
    ['$inc by a fraction', { a: 1 }, { $inc: { a: 0.5 } }, { a: 1.5 }],
    ['$mul', { a: 3 }, { $mul: { a: 2, b: 4 } }, { a: 6, b: 0 }],
    ['$min and $max', { a: 3, b: 3 }, { $min: { a: 2 }, $max: { b: 2 } }, { a: 2, b: 3 }],
    ['$min compares types', { a: 'x' }, { $min: { a: 1 } }, { a: 1 }],
    ['$rename', { a: 1, b: 2 }, { $rename: { a: 'c' } }, { b: 2, c: 1 }],
    ['$push', { a: [1] }, { $push: { a: 2 } }, { a: [1, 2] }],
    ['$push creates the array', {}, { $push: { 'a.b': 2 } }, { a: { b: [2] } }],
    [
      '$push $each $sort $slice',
      { a: [3] },
      { $push: { a: { $each: [1, 2], $sort: -1, $slice: 2 } } },
      { a: [3, 2] },
    ],
    ['$push $slice from the end', { a: [1, 2] }, { $push: { a: { $each: [3], $slice: -2 } } }, { a: [2, 3] }],
    ['$push $position', { a: [1, 2] }, { $push: { a: { $each: [9], $position: 1 } } }, { a: [1, 9, 2] }],
    [
      '$push $sort by field',
      { a: [{ n: 2 }] },
      { $push: { a: { $each: [{ n: 1 }], $sort: { n: 1 } } } },
      { a: [{ n: 1 }, { n: 2 }] },
    ],
    [
      '$addToSet',
      { a: [1, { x: 1 }] },
      { $addToSet: { a: { $each: [1, { x: 1 }, 2] } } },
      { a: [1, { x: 1 }, 2] },
    ],
    ['$pop last', { a: [1, 2, 3] }, { $pop: { a: 1 } }, { a: [1, 2] }],
    ['$pop first', { a: [1, 2, 3] }, { $pop: { a: -1 } }, { a: [2, 3] }],
    ['$pull value', { a: [1, 2, 1] }, { $pull: { a: 1 } }, { a: [2] }],
    ['$pull condition', { a: [1, 5, 9] }, { $pull: { a: { $gte: 5 } } }, { a: [1] }],
    ['$pull by field', { a: [{ n: 1, m: 1 }, { n: 2 }] }, { $pull: { a: { n: 1 } } }, { a: [{ n: 2 }] }],
    ['$pullAll', { a: [1, 2, 3] }, { $pullAll: { a: [1, 3] } }, { a: [2] }],
    [
      '$setOnInsert does nothing on an update',
      { a: 1 },
      { $setOnInsert: { b: 1 }, $set: { c: 1 } },
      { a: 1, c: 1 },
    ],
  ])('%s', async (_name, before, update, after) => {
    const c = fresh();
    await c.insertOne({ _id: 1, ...before });
    await c.updateOne({ _id: 1 }, update);
    const found = await c.findOne({ _id: 1 });
    expect(found).toEqual({ _id: 1, ...after });
    expect(Object.keys(found ?? {})).toEqual(['_id', ...Object.keys(after)]);
  });

  test('keeps the types of numbers', async () => {
    const c = fresh();
    await c.insertOne({
      _id: 1,
      int: 1,
      big: 2147483647,
      long: Long.fromString('9007199254740993'),
      double: new Double(2),
      n: 0.5,
    });
    await c.updateOne({ _id: 1 }, { $inc: { int: 1, big: 1, long: 1, double: 1, n: 0.5 } });
    const types = await c
      .aggregate([
        {
          $project: {
            _id: 0,
            int: { $type: '$int' },
            big: { $type: '$big' },
            long: { $type: '$long' },
            double: { $type: '$double' },
            n: { $type: '$n' },
          },
        },
      ])
      .next();
    expect(types).toEqual({ int: 'int', big: 'long', long: 'long', double: 'double', n: 'double' });
    const found = await c.findOne({}, { promoteLongs: false });
    expect(String(found?.long)).toBe('9007199254740994');
    expect(String(found?.big)).toBe('2147483648');
  });

  test.each<[string, Document, Document, number]>([
    ['an unknown modifier', {}, { $frob: { a: 1 } }, 9],
    ['$inc by a string', {}, { $inc: { a: 'x' } }, 14],
    ['$inc of a string', { a: 'x' }, { $inc: { a: 1 } }, 14],
    ['$push to a number', { a: 1 }, { $push: { a: 1 } }, 2],
    ['$pop of a number', { a: 1 }, { $pop: { a: 1 } }, 14],
    ['a path through a number', { a: 1 }, { $set: { 'a.b': 1 } }, 28],
    ['a name in an array', { a: [1] }, { $set: { 'a.b': 1 } }, 28],
    ['$set of _id', {}, { $set: { _id: 2 } }, 66],
    ['$inc of _id', {}, { $inc: { _id: 1 } }, 66],
    ['$unset of _id', {}, { $unset: { _id: '' } }, 66],
    ['two operators on one path', {}, { $set: { a: 1 }, $inc: { a: 1 } }, 40],
    ['a path and its parent', {}, { $set: { a: 1, 'a.b': 1 } }, 40],
    ['an empty path', {}, { $set: { '': 1 } }, 56],
    ['an operator without fields', {}, { $set: 5 }, 9],
    ['an overflow of 64 bits', { a: Long.MAX_VALUE }, { $inc: { a: 1 } }, 2],
  ])('refuses %s', async (_name, before, update, code) => {
    const c = fresh();
    await c.insertOne({ _id: 1, ...before });
    const stored = await c.findOne();
    expect((await refusal(c.updateOne({ _id: 1 }, update))).code).toBe(code);
    expect(await c.findOne()).toEqual(stored);
  });
});

describe('replacement and counts', () => {
  test('keeps only the _id in a replacement', async () => {
    const c = fresh();
    await c.insertOne({ _id: 1, a: 1 });
    expect(await c.replaceOne({ a: 1 }, { b: 2 })).toMatchObject({ matchedCount: 1, modifiedCount: 1 });
    expect(await c.find().toArray()).toEqual([{ _id: 1, b: 2 }]);
    expect((await refusal(c.replaceOne({ b: 2 }, { _id: 9, b: 2 }))).code).toBe(66);
  });

  test('counts the documents that changed', async () => {
    const c = fresh();
    await c.insertMany([{ a: 1 }, { a: 2 }, { a: 3 }]);
    expect(await c.updateMany({}, { $set: { a: 2 } })).toMatchObject({ matchedCount: 3, modifiedCount: 2 });
    expect(await c.updateMany({ a: 9 }, { $set: { a: 2 } })).toMatchObject({
      matchedCount: 0,
      modifiedCount: 0,
    });
    expect(await c.deleteOne({ a: 2 })).toMatchObject({ deletedCount: 1 });
    expect(await c.deleteMany({})).toMatchObject({ deletedCount: 2 });
  });

  test('stops an ordered batch at the first error, but not an unordered one', async () => {
    const c = fresh();
    await c.insertOne({ _id: 2 });
    const batch = () => [{ _id: 1 }, { _id: 2 }, { _id: 3 }];
    const ordered = (await c.insertMany(batch()).catch((error) => error)) as {
      code: number;
      result: { insertedCount: number };
    };
    expect([ordered.code, ordered.result.insertedCount]).toEqual([11000, 1]);
    await c.deleteOne({ _id: 1 });
    const unordered = (await c
      .insertMany(batch(), { ordered: false })
      .catch((error) => error)) as typeof ordered;
    expect([unordered.code, unordered.result.insertedCount]).toEqual([11000, 2]);
    expect(await c.countDocuments()).toBe(3);
  });

  test('executes a bulkWrite of mixed statements', async () => {
    const c = fresh();
    const result = await c.bulkWrite([
      { insertOne: { document: { _id: 1, a: 1 } } },
      { updateOne: { filter: { _id: 1 }, update: { $inc: { a: 1 } } } },
      { updateOne: { filter: { _id: 2 }, update: { $set: { a: 5 } }, upsert: true } },
      { replaceOne: { filter: { _id: 1 }, replacement: { a: 'r' } } },
      { deleteOne: { filter: { _id: 2 } } },
    ]);
    expect(result).toMatchObject({
      insertedCount: 1,
      matchedCount: 2,
      modifiedCount: 2,
      upsertedCount: 1,
      deletedCount: 1,
    });
    expect(await c.find().toArray()).toEqual([{ _id: 1, a: 'r' }]);
  });
});

describe('upsert', () => {
  test.each<[string, Document, Document, Document]>([
    [
      'equalities of the filter',
      { _id: 1, a: 1, b: { $eq: 2 }, c: { $gt: 3 } },
      { $set: { d: 4 } },
      { _id: 1, a: 1, b: 2, d: 4 },
    ],
    ['dotted equalities', { _id: 1, 'a.b': 1 }, { $set: { x: 1 } }, { _id: 1, a: { b: 1 }, x: 1 }],
    ['$and', { $and: [{ _id: 1 }, { a: 2 }] }, { $setOnInsert: { b: 3 } }, { _id: 1, a: 2, b: 3 }],
    ['$inc of a missing field', { _id: 1 }, { $inc: { n: 2 } }, { _id: 1, n: 2 }],
    ['_id from the update', { a: 1 }, { $set: { _id: 7 } }, { _id: 7, a: 1 }],
  ])('%s', async (_name, filter, update, expected) => {
    const c = fresh();
    const result = await c.updateOne(filter, update, { upsert: true });
    expect(result).toMatchObject({ matchedCount: 0, upsertedCount: 1, upsertedId: expected._id });
    expect(await c.find().toArray()).toEqual([expected]);
  });

  test('takes only the _id from the filter for a replacement', async () => {
    const c = fresh();
    await c.replaceOne({ _id: 1, a: 1 }, { b: 2 }, { upsert: true });
    expect(await c.find().toArray()).toEqual([{ _id: 1, b: 2 }]);
  });

  test('starts a pipeline from the equalities of the filter', async () => {
    const c = fresh();
    await c.updateOne({ _id: 1, a: 1 }, [{ $set: { b: { $add: ['$a', 1] } } }], { upsert: true });
    expect(await c.find().toArray()).toEqual([{ _id: 1, a: 1, b: 2 }]);
  });
});

describe('findAndModify', () => {
  test('returns the document before or after the update, by sort and projection', async () => {
    const c = fresh();
    await c.insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ]);
    expect(await c.findOneAndUpdate({}, { $inc: { n: 10 } }, { sort: { n: -1 } })).toEqual({ _id: 2, n: 2 });
    expect(
      await c.findOneAndUpdate(
        { _id: 1 },
        { $inc: { n: 10 } },
        { returnDocument: 'after', projection: { _id: 0 } },
      ),
    ).toEqual({ n: 11 });
    expect(await c.findOneAndReplace({ _id: 1 }, { r: 1 }, { returnDocument: 'after' })).toEqual({
      _id: 1,
      r: 1,
    });
    expect(await c.findOneAndDelete({ _id: 2 })).toEqual({ _id: 2, n: 12 });
    expect(await c.findOneAndDelete({ _id: 2 })).toBeNull();
    expect(await c.findOneAndUpdate({ _id: 5 }, { $set: { a: 1 } })).toBeNull();
  });

  test('reports the outcome', async () => {
    const c = fresh();
    const made = await c.findOneAndUpdate(
      { _id: 5 },
      { $set: { a: 1 } },
      { upsert: true, includeResultMetadata: true },
    );
    expect(made).toMatchObject({
      value: null,
      lastErrorObject: { n: 1, updatedExisting: false, upserted: 5 },
    });
    const found = await c.findOneAndUpdate({ _id: 5 }, { $set: { a: 2 } }, { includeResultMetadata: true });
    expect(found).toMatchObject({
      value: { _id: 5, a: 1 },
      lastErrorObject: { n: 1, updatedExisting: true },
    });
  });

  test.each<[Document, number]>([
    [{ query: {} }, 9],
    [{ query: {}, remove: true, update: { $set: { a: 1 } } }, 9],
    [{ query: {}, remove: true, new: true }, 9],
  ])('refuses %j', async (options, code) => {
    expect((await refusal(database.db.command({ findAndModify: 'c', ...options }))).code).toBe(code);
  });
});
