import type { Document } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { type Doc, refusal, useDatabase } from './database.ts';

const database = useDatabase();
let next = 0;
const fresh = () => database.db.collection<Doc>(`c${next++}`);

describe('an update with an aggregation pipeline', () => {
  test.each<[string, Document, Document[], Document]>([
    ['a missing field stays absent', { b: 1 }, [{ $set: { a: '$missing' } }], { b: 1 }],
    ['a missing field removes the field', { a: 1 }, [{ $set: { a: '$missing' } }], {}],
    ['$literal keeps a dollar', {}, [{ $set: { a: { $literal: '$pa$$word' } } }], { a: '$pa$$word' }],
    ['$$REMOVE', { a: 1, b: 2 }, [{ $set: { a: '$$REMOVE' } }], { b: 2 }],
    [
      '$$REMOVE in a $cond',
      { a: 1, b: 2 },
      [{ $set: { b: { $cond: [{ $gt: ['$a', 0] }, '$$REMOVE', '$b'] } } }],
      { a: 1 },
    ],
    ['$unset', { a: 1, b: { c: 1, d: 2 } }, [{ $unset: ['a', 'b.c'] }], { b: { d: 2 } }],
    [
      'a stage sees the result of the previous one',
      { a: 1 },
      [{ $set: { b: { $add: ['$a', 1] } } }, { $set: { c: { $add: ['$b', 1] } } }],
      { a: 1, b: 2, c: 3 },
    ],
    [
      'a stage sees the old values throughout',
      { a: 1, b: 2 },
      [{ $set: { a: '$b', b: '$a' } }],
      { a: 2, b: 1 },
    ],
    ['dotted paths', { a: { x: 1 } }, [{ $set: { 'a.y': 2 } }], { a: { x: 1, y: 2 } }],
    ['an embedded document adds fields', { a: { x: 1 } }, [{ $set: { a: { y: 2 } } }], { a: { x: 1, y: 2 } }],
    [
      'a path through an array',
      { a: [{ x: 1 }, { x: 2 }] },
      [{ $set: { 'a.y': 0 } }],
      {
        a: [
          { x: 1, y: 0 },
          { x: 2, y: 0 },
        ],
      },
    ],
    [
      '$switch',
      { n: 5 },
      [
        {
          $set: {
            s: {
              $switch: {
                branches: [
                  { case: { $lt: ['$n', 3] }, then: 'low' },
                  { case: { $lt: ['$n', 9] }, then: 'mid' },
                ],
                default: 'high',
              },
            },
          },
        },
      ],
      { n: 5, s: 'mid' },
    ],
    [
      '$cond treats null as false',
      { n: null },
      [{ $set: { s: { $cond: { if: '$n', then: 1, else: 2 } } } }],
      { n: null, s: 2 },
    ],
    [
      '$cond treats an empty string as true',
      { n: '' },
      [{ $set: { s: { $cond: ['$n', 1, 2] } } }],
      { n: '', s: 1 },
    ],
    ['$ifNull', { a: null }, [{ $set: { b: { $ifNull: ['$a', '$x', 7] } } }], { a: null, b: 7 }],
    [
      '$filter',
      { l: [1, 5, 9] },
      [{ $set: { l: { $filter: { input: '$l', as: 'e', cond: { $gte: ['$$e', 5] } } } } }],
      { l: [5, 9] },
    ],
    [
      '$filter with $$this',
      { l: [1, 5, 9], m: 5 },
      [{ $set: { l: { $filter: { input: '$l', cond: { $gt: ['$$this', '$m'] } } } } }],
      { l: [9], m: 5 },
    ],
    ['$slice', { l: [1, 2, 3, 4] }, [{ $set: { l: { $slice: ['$l', -2] } } }], { l: [3, 4] }],
    [
      '$concatArrays and $size',
      { l: [1] },
      [{ $set: { l: { $concatArrays: ['$l', [2]] } } }, { $set: { n: { $size: '$l' } } }],
      { l: [1, 2], n: 2 },
    ],
    [
      '$concatArrays of a missing field is null',
      {},
      [{ $set: { l: { $concatArrays: ['$l', [2]] } } }],
      { l: null },
    ],
    [
      '$map and $reduce',
      { l: [1, 2, 3] },
      [
        {
          $set: {
            d: { $map: { input: '$l', as: 'e', in: { $multiply: ['$$e', 2] } } },
            s: { $reduce: { input: '$l', initialValue: 0, in: { $add: ['$$value', '$$this'] } } },
          },
        },
      ],
      { l: [1, 2, 3], d: [2, 4, 6], s: 6 },
    ],
    [
      '$and, $or, $not',
      { a: 1 },
      [{ $set: { x: { $and: ['$a', true] }, y: { $or: ['$b', false] }, z: { $not: ['$a'] } } }],
      { a: 1, x: true, y: false, z: false },
    ],
    [
      '$eq distinguishes missing and null',
      { n: null },
      [{ $set: { x: { $eq: ['$missing', null] }, y: { $eq: ['$n', null] } } }],
      { n: null, x: false, y: true },
    ],
    [
      '$lt compares types',
      { s: 'a' },
      [{ $set: { x: { $lt: [5, '$s'] }, y: { $gt: ['$missing', 0] } } }],
      { s: 'a', x: true, y: false },
    ],
    [
      '$toLower',
      { e: 'A@B.C' },
      [{ $set: { e: { $toLower: '$e' }, m: { $toLower: '$missing' } } }],
      { e: 'a@b.c', m: '' },
    ],
    [
      '$type',
      { a: 1, s: 'x' },
      [{ $set: { t: [{ $type: '$a' }, { $type: '$s' }, { $type: '$missing' }, { $type: 1.5 }] } }],
      { a: 1, s: 'x', t: ['int', 'string', 'missing', 'double'] },
    ],
    ['$add of a missing field is null', {}, [{ $set: { n: { $add: ['$missing', 1] } } }], { n: null }],
    [
      '$add and $subtract of dates',
      { at: new Date(1000) },
      [
        {
          $set: {
            later: { $add: ['$at', 500] },
            ago: { $subtract: ['$at', 500] },
            ms: { $subtract: ['$at', new Date(0)] },
          },
        },
      ],
      { at: new Date(1000), later: new Date(1500), ago: new Date(500), ms: 1000 },
    ],
    [
      '$min and $max of operands',
      { a: 3 },
      [{ $set: { lo: { $min: ['$a', 1] }, hi: { $max: ['$a', '$missing'] } } }],
      { a: 3, lo: 1, hi: 3 },
    ],
    [
      '$mergeObjects',
      { a: { x: 1 } },
      [{ $set: { a: { $mergeObjects: ['$a', { y: 2 }] } } }],
      { a: { x: 1, y: 2 } },
    ],
    [
      '$let',
      { a: 2 },
      [{ $set: { b: { $let: { vars: { d: { $multiply: ['$a', 2] } }, in: { $add: ['$$d', 1] } } } } }],
      { a: 2, b: 5 },
    ],
    [
      '$in',
      { l: [1, 2] },
      [{ $set: { x: { $in: [2, '$l'] }, y: { $in: ['2', '$l'] } } }],
      { l: [1, 2], x: true, y: false },
    ],
    [
      '$arrayElemAt',
      { l: [1, 2] },
      [{ $set: { x: { $arrayElemAt: ['$l', -1] }, y: { $arrayElemAt: ['$l', 5] } } }],
      { l: [1, 2], x: 2 },
    ],
    [
      'a path through an array',
      { l: [{ n: 1 }, { n: 2 }, {}] },
      [{ $set: { x: '$l.n' } }],
      { l: [{ n: 1 }, { n: 2 }, {}], x: [1, 2] },
    ],
    [
      '$concat',
      { a: 'x' },
      [{ $set: { b: { $concat: ['$a', '-', 'y'] }, c: { $concat: ['$a', '$missing'] } } }],
      { a: 'x', b: 'x-y', c: null },
    ],
    ['$replaceWith', { a: 1, b: 2 }, [{ $replaceWith: { c: '$a' } }], { c: 1 }],
    ['$project', { a: 1, b: 2 }, [{ $project: { b: 1 } }], { b: 2 }],
    ['a missing element of an array is null', {}, [{ $set: { l: ['$missing', 1] } }], { l: [null, 1] }],
  ])('%s', async (_name, before, pipeline, after) => {
    const c = fresh();
    await c.insertOne({ _id: 1, ...before });
    await c.updateOne({ _id: 1 }, pipeline);
    expect(await c.findOne()).toEqual({ _id: 1, ...after });
  });

  test('evaluates $$NOW once per command', async () => {
    const c = fresh();
    const before = Date.now();
    await c.insertMany([{ _id: 1 }, { _id: 2 }]);
    await c.updateMany({}, [{ $set: { a: '$$NOW' } }, { $set: { b: '$$NOW' } }]);
    const [first, second] = await c.find().toArray();
    expect(first?.a).toEqual(first?.b);
    expect(first?.a).toEqual(second?.a);
    expect(first?.a.getTime()).toBeGreaterThanOrEqual(before - 1000);
  });

  test('keeps the types of numbers', async () => {
    const { Double, Long } = await import('mongodb');
    const c = fresh();
    await c.insertOne({ _id: 1, long: Long.fromString('9007199254740993'), double: new Double(2), int: 1 });
    await c.updateOne({ _id: 1 }, [
      {
        $set: {
          copy: '$long',
          more: { $add: ['$long', 1] },
          half: { $divide: ['$int', 2] },
          sum: { $add: ['$double', 1] },
        },
      },
    ]);
    const found = await c.findOne({}, { promoteValues: false });
    expect(JSON.parse(JSON.stringify([found?.long, found?.copy, found?.more].map(String)))).toEqual([
      '9007199254740993',
      '9007199254740993',
      '9007199254740994',
    ]);
    expect([found?.double, found?.sum, found?.half, found?.int].map((value) => value?._bsontype)).toEqual([
      'Double',
      'Double',
      'Double',
      'Int32',
    ]);
  });

  test('compares and counts atomically, as for a one-time code', async () => {
    const c = fresh();
    await c.insertOne({ _id: 1, otp: '123456', wrong: 0 });
    const guess = (code: string) =>
      c.findOneAndUpdate(
        { _id: 1 },
        [
          { $set: { live: { $lt: ['$wrong', 5] } } },
          { $set: { ok: { $and: ['$live', { $eq: ['$otp', { $literal: code }] }] } } },
          {
            $set: {
              wrong: { $cond: [{ $and: ['$live', { $not: ['$ok'] }] }, { $add: ['$wrong', 1] }, '$wrong'] },
            },
          },
        ],
        { returnDocument: 'after' },
      );
    const wrong = await Promise.all(Array.from({ length: 20 }, (_, i) => guess(String(i).padStart(6, '0'))));
    expect(wrong.map((doc) => doc?.ok)).toEqual(Array(20).fill(false));
    expect((await c.findOne())?.wrong).toBe(5);
    expect((await guess('123456'))?.ok).toBe(false);
  });

  test.each<[string, Document[], number]>([
    ['an unknown stage', [{ $frob: {} }], 40324],
    ['$group', [{ $group: { _id: 1 } }], 72],
    ['an unknown expression', [{ $set: { a: { $frob: 1 } } }], 168],
    [
      '$switch without a match or default',
      [{ $set: { a: { $switch: { branches: [{ case: false, then: 1 }] } } } }],
      40066,
    ],
    ['$size of a number', [{ $set: { a: { $size: 5 } } }], 17124],
    ['$add of a string', [{ $set: { a: { $add: ['x', 1] } } }], 14],
    ['a change of _id', [{ $set: { _id: 2 } }], 66],
  ])('refuses %s', async (_name, pipeline, code) => {
    const c = fresh();
    await c.insertOne({ _id: 1 });
    expect((await refusal(c.updateOne({ _id: 1 }, pipeline))).code).toBe(code);
    expect(await c.findOne()).toEqual({ _id: 1 });
  });
});
