import { Decimal128, type Document, Double, Long, ObjectId } from 'mongodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Doc, refusal, useDatabase } from './database.ts';

const database = useDatabase();

/** A filter and the _ids that match. */
type Row = [Document, unknown[]];

async function ids(name: string, filter: Document): Promise<unknown[]> {
  const docs = await database.db.collection<Doc>(name).find(filter).sort({ _id: 1 }).toArray();
  return docs.map(({ _id }) => _id);
}

describe('type bracketing', () => {
  const oid = new ObjectId('0123456789abcdef01234567');
  beforeAll(async () => {
    await database.db
      .collection<Doc>('types')
      .insertMany([
        { _id: 1, a: 5 },
        { _id: 2, a: new Double(5) },
        { _id: 3, a: Long.fromNumber(5) },
        { _id: 4, a: Decimal128.fromString('5.0') },
        { _id: 5, a: '5' },
        { _id: 6, a: null },
        { _id: 7 },
        { _id: 8, a: [4, 5] },
        { _id: 9, a: [] },
        { _id: 10, a: { b: 1, c: 2 } },
        { _id: 11, a: { c: 2, b: 1 } },
        { _id: 12, a: new Date(5) },
        { _id: 13, a: oid },
        { _id: 14, a: true },
        { _id: 15, a: Number.NaN },
        { _id: 16, a: [[4, 5]] },
        { _id: 17, a: Long.fromString('9007199254740993') },
        { _id: 18, a: 'straße' },
      ]);
  });

  const rows: Row[] = [
    [{ a: 5 }, [1, 2, 3, 4, 8]],
    [{ a: Long.fromNumber(5) }, [1, 2, 3, 4, 8]],
    [{ a: Decimal128.fromString('5') }, [1, 2, 3, 4, 8]],
    [{ a: '5' }, [5]],
    [{ a: null }, [6, 7]],
    [{ a: { $ne: null } }, [1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]],
    [{ a: { $exists: false } }, [7]],
    [{ a: { $exists: true, $eq: null } }, [6]],
    [{ a: { $gt: 4 } }, [1, 2, 3, 4, 8, 17]],
    [{ a: { $gt: '4' } }, [5, 18]],
    [{ a: { $lt: 5 } }, [8]],
    [{ a: { $gte: null } }, [6, 7]],
    [{ a: { $gt: null } }, []],
    [{ a: { $gt: new Date(4) } }, [12]],
    [{ a: { $gte: Number.NaN } }, [15]],
    [{ a: [4, 5] }, [8, 16]],
    [{ a: [] }, [9]],
    [{ a: { b: 1, c: 2 } }, [10]],
    [{ a: { c: 2, b: 1 } }, [11]],
    [{ a: { b: 1 } }, []],
    [{ a: oid }, [13]],
    [{ a: { $in: [true, '5', null] } }, [5, 6, 7, 14]],
    [{ a: { $nin: [5, null] } }, [5, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]],
    [{ a: { $in: [/^str/, 5] } }, [1, 2, 3, 4, 8, 18]],
    [{ a: { $in: [] } }, []],
    [{ a: { $type: 'number' } }, [1, 2, 3, 4, 8, 15, 17]],
    [{ a: { $type: 'long' } }, [3, 17]],
    [{ a: { $type: 'array' } }, [8, 9, 16]],
    [{ a: { $type: ['string', 8] } }, [5, 14, 18]],
    [{ a: { $size: 2 } }, [8]],
    [{ a: { $size: 0 } }, [9]],
    [{ a: { $all: [4, 5] } }, [8]],
    [{ a: { $elemMatch: { $gt: 4, $lt: 6 } } }, [8]],
    [{ a: { $mod: [5, 0] } }, [1, 2, 3, 4, 8]],
    [{ a: { $not: { $gt: 4 } } }, [5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 18]],
    [{ a: { $regex: 'STRASSE|STRAßE', $options: 'i' } }, [18]],
    [{ a: Long.fromString('9007199254740993') }, [17]],
    [{ a: Long.fromString('9007199254740992') }, []],
    [{ a: Number.NaN }, [15]],
    [{ $or: [{ a: '5' }, { a: true }] }, [5, 14]],
    [{ $nor: [{ a: { $exists: true } }] }, [7]],
    [{ $and: [{ a: { $gte: 5 } }, { a: { $lte: 5 } }] }, [1, 2, 3, 4, 8]],
    [{ $expr: { $eq: ['$a', 5] } }, [1, 2, 3, 4]],
    [{ $expr: { $lt: ['$a', null] } }, [7]],
  ];

  test.each(rows)('%j', async (filter, expected) => {
    expect(await ids('types', filter)).toEqual(expected);
  });

  test.each(rows)('%j, with an index', async (filter, expected) => {
    await database.db.collection<Doc>('types').createIndex({ a: 1 });
    expect(await ids('types', filter)).toEqual(expected);
  });

  test('sorts by type, then by value', async () => {
    const docs = await database.db.collection<Doc>('types').find().sort({ a: 1, _id: 1 }).toArray();
    expect(docs.map(({ _id }) => _id)).toEqual([
      9, 6, 7, 15, 8, 1, 2, 3, 4, 17, 5, 18, 10, 11, 16, 13, 14, 12,
    ]);
  });
});

describe('paths through arrays', () => {
  beforeAll(async () => {
    await database.db
      .collection<Doc>('paths')
      .insertMany([
        { _id: 1, a: { b: 1 } },
        { _id: 2, a: [{ b: 1 }, { b: 2 }] },
        { _id: 3, a: [{ b: [1, 2] }] },
        { _id: 4, a: 4 },
        { _id: 5, a: [] },
        { _id: 6, a: [1, 2] },
        { _id: 7, a: {} },
        { _id: 8, a: [{ c: 1 }] },
        { _id: 9, a: { b: null } },
        { _id: 10 },
      ]);
  });

  const rows: Row[] = [
    [{ 'a.b': 1 }, [1, 2, 3]],
    [{ 'a.b': 2 }, [2, 3]],
    [{ 'a.0.b': 1 }, [2, 3]],
    [{ 'a.1.b': 2 }, [2]],
    [{ 'a.1': 2 }, [6]],
    [{ 'a.b': null }, [4, 7, 8, 9, 10]],
    [{ 'a.b': { $exists: true } }, [1, 2, 3, 9]],
    [{ 'a.b': { $exists: false } }, [4, 5, 6, 7, 8, 10]],
    [{ 'a.b': { $gt: 1 } }, [2, 3]],
    [{ 'a.b': { $size: 2 } }, [3]],
    [{ a: { $elemMatch: { b: 2 } } }, [2, 3]],
    [{ a: { $elemMatch: { b: { $gt: 1 }, c: null } } }, [2, 3]],
    [{ a: { $not: { $elemMatch: { b: 2 } } } }, [1, 4, 5, 6, 7, 8, 9, 10]],
  ];

  test.each(rows)('%j', async (filter, expected) => {
    expect(await ids('paths', filter)).toEqual(expected);
  });

  test.each(rows)('%j, with an index', async (filter, expected) => {
    await database.db.collection<Doc>('paths').createIndex({ 'a.b': 1 });
    expect(await ids('paths', filter)).toEqual(expected);
  });
});

describe('find', () => {
  beforeAll(async () => {
    const docs = Array.from({ length: 10 }, (_, i) => ({
      _id: i,
      n: i % 3,
      list: [1, 2, 3, 4],
      sub: { a: i, b: -i },
    }));
    await database.db.collection<Doc>('options').insertMany(docs);
  });

  test('applies sort, skip and limit', async () => {
    const c = database.db.collection<Doc>('options');
    const docs = await c.find().sort({ n: -1, _id: 1 }).skip(2).limit(3).project({ _id: 1 }).toArray();
    expect(docs).toEqual([{ _id: 8 }, { _id: 1 }, { _id: 4 }]);
  });

  test.each<[Document, Document]>([
    [{ n: 1 }, { _id: 4, n: 1 }],
    [{ n: 1, _id: 0 }, { n: 1 }],
    [
      { list: 0, sub: 0 },
      { _id: 4, n: 1 },
    ],
    [{ 'sub.a': 1 }, { _id: 4, sub: { a: 4 } }],
    [
      { 'sub.a': 0, list: 0 },
      { _id: 4, n: 1, sub: { b: -4 } },
    ],
    [{ sub: { b: 1 } }, { _id: 4, sub: { b: -4 } }],
    [{ _id: 0, total: { $add: ['$n', 1] } }, { total: 2 }],
    [{ _id: 0 }, { n: 1, list: [1, 2, 3, 4], sub: { a: 4, b: -4 } }],
    [{ _id: 1 }, { _id: 4 }],
  ])('applies projection %j', async (projection, expected) => {
    const c = database.db.collection<Doc>('options');
    expect(await c.findOne({ _id: 4 }, { projection })).toEqual(expected);
  });

  test.each<[Document, number]>([
    [{ n: 1, list: 0 }, 31254],
    [{ n: 0, list: 1 }, 31253],
  ])('refuses projection %j', async (projection, code) => {
    const refused = await refusal(database.db.collection<Doc>('options').findOne({}, { projection }));
    expect(refused.code).toBe(code);
  });

  test('counts with skip and limit, and returns distinct values', async () => {
    const c = database.db.collection<Doc>('options');
    expect(await c.countDocuments({ n: 0 })).toBe(4);
    expect(await c.countDocuments({ n: 0 }, { skip: 1, limit: 2 })).toBe(2);
    expect(await c.countDocuments({ n: 99 })).toBe(0);
    expect(await c.estimatedDocumentCount()).toBe(10);
    expect((await c.distinct('n')).sort()).toEqual([0, 1, 2]);
    expect(await c.distinct('list', { _id: 1 })).toEqual([1, 2, 3, 4]);
    expect(await c.distinct('sub.a', { _id: { $lt: 2 } })).toEqual([0, 1]);
    expect(await database.db.collection<Doc>('absent').distinct('a')).toEqual([]);
  });

  test('accepts a hint by name or key pattern, and refuses an unknown one', async () => {
    const c = database.db.collection<Doc>('options');
    expect(await c.find({ n: 1 }).hint('_id_').toArray()).toHaveLength(3);
    expect(await c.find({ n: 1 }).hint({ _id: 1 }).toArray()).toHaveLength(3);
    expect((await refusal(c.find({ n: 1 }).hint('nope').toArray())).code).toBe(2);
  });
});
