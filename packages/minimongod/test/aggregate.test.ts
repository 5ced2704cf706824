import { type Document, Long } from 'mongodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Doc, refusal, useDatabase } from './database.ts';

const database = useDatabase();

beforeAll(async () => {
  await database.db.collection<Doc>('orders').insertMany([
    { _id: 1, who: 'ann', total: 10, tags: ['a', 'b'], at: new Date('2024-01-01') },
    { _id: 2, who: 'bob', total: 20, tags: [], at: new Date('2024-02-01') },
    { _id: 3, who: 'ann', total: 30, tags: ['b'] },
    { _id: 4, who: null, total: 5 },
    { _id: 5, total: Long.fromNumber(5), tags: 'c' },
  ]);
  await database.db.collection<Doc>('people').insertMany([
    { _id: 'ann', city: 'X' },
    { _id: 'bob', city: 'Y' },
  ]);
});

describe('stages', () => {
  test.each<[string, Document[], Document[]]>([
    [
      '$match $sort $skip $limit',
      [
        { $match: { total: { $gt: 5 } } },
        { $sort: { total: -1 } },
        { $skip: 1 },
        { $limit: 1 },
        { $project: { total: 1 } },
      ],
      [{ _id: 2, total: 20 }],
    ],
    [
      '$limit before $match',
      [{ $sort: { _id: 1 } }, { $limit: 2 }, { $match: { who: 'ann' } }, { $project: { who: 1 } }],
      [{ _id: 1, who: 'ann' }],
    ],
    [
      '$group',
      [
        {
          $group: {
            _id: '$who',
            n: { $sum: 1 },
            sum: { $sum: '$total' },
            avg: { $avg: '$total' },
            min: { $min: '$total' },
            max: { $max: '$total' },
          },
        },
        { $sort: { _id: 1 } },
      ],
      [
        { _id: null, n: 2, sum: 10, avg: 5, min: 5, max: 5 },
        { _id: 'ann', n: 2, sum: 40, avg: 20, min: 10, max: 30 },
        { _id: 'bob', n: 1, sum: 20, avg: 20, min: 20, max: 20 },
      ],
    ],
    [
      '$group lists',
      [
        { $sort: { _id: 1 } },
        {
          $group: {
            _id: null,
            first: { $first: '$who' },
            last: { $last: '$total' },
            all: { $push: '$who' },
            set: { $addToSet: '$total' },
          },
        },
        { $project: { first: 1, last: 1, all: 1, n: { $size: '$set' } } },
      ],
      [{ _id: null, first: 'ann', last: 5, all: ['ann', 'bob', 'ann', null], n: 4 }],
    ],
    [
      '$group by a document',
      [
        { $match: { who: 'ann' } },
        { $group: { _id: { w: '$who', b: { $gt: ['$total', 10] } }, n: { $sum: 1 } } },
        { $sort: { '_id.b': 1 } },
      ],
      [
        { _id: { w: 'ann', b: false }, n: 1 },
        { _id: { w: 'ann', b: true }, n: 1 },
      ],
    ],
    [
      '$unwind',
      [{ $unwind: '$tags' }, { $project: { tags: 1 } }, { $sort: { _id: 1, tags: 1 } }],
      [
        { _id: 1, tags: 'a' },
        { _id: 1, tags: 'b' },
        { _id: 3, tags: 'b' },
        { _id: 5, tags: 'c' },
      ],
    ],
    [
      '$unwind preserving',
      [
        { $match: { _id: { $in: [1, 2, 4] } } },
        { $unwind: { path: '$tags', preserveNullAndEmptyArrays: true, includeArrayIndex: 'i' } },
        { $project: { tags: 1, i: 1 } },
        { $sort: { _id: 1, i: 1 } },
      ],
      [
        { _id: 1, tags: 'a', i: 0 },
        { _id: 1, tags: 'b', i: 1 },
        { _id: 2, i: null },
        { _id: 4, i: null },
      ],
    ],
    [
      '$lookup',
      [
        { $match: { _id: { $lte: 2 } } },
        { $lookup: { from: 'people', localField: 'who', foreignField: '_id', as: 'p' } },
        { $project: { p: 1 } },
      ],
      [
        { _id: 1, p: [{ _id: 'ann', city: 'X' }] },
        { _id: 2, p: [{ _id: 'bob', city: 'Y' }] },
      ],
    ],
    [
      '$lookup in a missing collection',
      [
        { $match: { _id: 1 } },
        { $lookup: { from: 'nowhere', localField: 'who', foreignField: '_id', as: 'p' } },
        { $project: { p: 1 } },
      ],
      [{ _id: 1, p: [] }],
    ],
    [
      '$lookup with a pipeline',
      [
        { $match: { _id: { $lte: 2 } } },
        {
          $lookup: {
            from: 'people',
            localField: 'who',
            foreignField: '_id',
            pipeline: [{ $match: { city: 'X' } }, { $project: { _id: 0 } }],
            as: 'p',
          },
        },
        { $project: { p: 1 } },
      ],
      [
        { _id: 1, p: [{ city: 'X' }] },
        { _id: 2, p: [] },
      ],
    ],
    [
      '$lookup with a pipeline alone, nested',
      [
        { $match: { _id: 5 } },
        {
          $lookup: {
            from: 'people',
            pipeline: [
              { $match: { city: 'Y' } },
              {
                $lookup: {
                  from: 'orders',
                  localField: '_id',
                  foreignField: 'who',
                  pipeline: [{ $limit: 1 }, { $project: { total: 1 } }],
                  as: 'o',
                },
              },
            ],
            as: 'p',
          },
        },
        { $project: { p: 1 } },
      ],
      [{ _id: 5, p: [{ _id: 'bob', city: 'Y', o: [{ _id: 2, total: 20 }] }] }],
    ],
    [
      '$lookup with a pipeline that counts anew for each document',
      [
        { $match: { _id: { $lte: 2 } } },
        {
          $lookup: {
            from: 'people',
            pipeline: [{ $group: { _id: null, n: { $sum: 1 } } }, { $limit: 1 }],
            as: 'p',
          },
        },
        { $project: { p: 1 } },
      ],
      [
        { _id: 1, p: [{ _id: null, n: 2 }] },
        { _id: 2, p: [{ _id: null, n: 2 }] },
      ],
    ],
    ['$count', [{ $match: { who: 'ann' } }, { $count: 'n' }], [{ n: 2 }]],
    ['$count without a match', [{ $match: { who: 'zoe' } }, { $count: 'n' }], []],
    [
      '$sortByCount',
      [{ $match: { who: { $type: 'string' } } }, { $sortByCount: '$who' }],
      [
        { _id: 'ann', count: 2 },
        { _id: 'bob', count: 1 },
      ],
    ],
    [
      '$addFields and $unset',
      [
        { $match: { _id: 1 } },
        { $addFields: { d: { $multiply: ['$total', 2] } } },
        { $unset: ['tags', 'at', 'who', 'total'] },
      ],
      [{ _id: 1, d: 20 }],
    ],
    [
      '$replaceRoot',
      [{ $match: { _id: 1 } }, { $replaceRoot: { newRoot: { n: '$who', x: '$missing' } } }],
      [{ n: 'ann' }],
    ],
    ['$project exclusion', [{ $match: { _id: 4 } }, { $project: { total: 0 } }], [{ _id: 4, who: null }]],
    [
      '$project of dates',
      [
        { $match: { _id: 2 } },
        {
          $project: {
            _id: 0,
            y: { $year: '$at' },
            s: { $dateToString: { date: '$at', format: '%Y-%m-%d' } },
          },
        },
      ],
      [{ y: 2024, s: '2024-02-01' }],
    ],
    [
      '$unionWith',
      [
        { $match: { _id: 1 } },
        { $project: { _id: 1 } },
        { $unionWith: { coll: 'people', pipeline: [{ $project: { _id: 1 } }, { $sort: { _id: 1 } }] } },
      ],
      [{ _id: 1 }, { _id: 'ann' }, { _id: 'bob' }],
    ],
    [
      '$expr in $match',
      [{ $match: { $expr: { $gt: ['$total', { $multiply: [2, 10] }] } } }, { $project: { _id: 1 } }],
      [{ _id: 3 }],
    ],
    [
      'two consecutive $match',
      [{ $match: { who: 'ann' } }, { $match: { total: 10 } }, { $project: { _id: 1 } }],
      [{ _id: 1 }],
    ],
    ['$group by a constant', [{ $group: { _id: 1, n: { $sum: 1 } } }], [{ _id: 1, n: 5 }]],
  ])('%s', async (_name, pipeline, expected) => {
    expect(await database.db.collection<Doc>('orders').aggregate(pipeline).toArray()).toEqual(expected);
  });

  test('returns nothing for a missing collection', async () => {
    const nowhere = database.db.collection<Doc>('nowhere');
    expect(await nowhere.aggregate([{ $match: {} }]).toArray()).toEqual([]);
    expect(await nowhere.aggregate([{ $group: { _id: null, n: { $sum: 1 } } }]).toArray()).toEqual([]);
  });
});

describe('refuses', () => {
  test.each<[Document, number]>([
    [{ $limit: 0 }, 15958],
    [{ $group: { n: { $sum: 1 } } }, 15955],
    [{ $group: { _id: null, n: { $frob: 1 } } }, 15952],
    [{ $group: { _id: null, n: 1 } }, 40234],
    [{ $unwind: 'tags' }, 28818],
    [{ $replaceRoot: { newRoot: '$who' } }, 40228],
    [{ $count: '' }, 40156],
    [{ $match: { a: { $frob: 1 } } }, 2],
    [{ $project: {} }, 51272],
    [{ $set: { a: { $divide: [1, 0] } } }, 2],
  ])('%j', async (stage, code) => {
    expect((await refusal(database.db.collection<Doc>('orders').aggregate([stage]).toArray())).code).toBe(
      code,
    );
  });
});
