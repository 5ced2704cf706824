import { Decimal128, type Document, Double, Long } from 'mongodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Doc, useDatabase } from './database.ts';

const database = useDatabase();
const DOCUMENT = {
  _id: 1,
  n: 5,
  half: 2.5,
  big: Long.fromString('9007199254740993'),
  text: 'Ada',
  list: [3, 1, 2],
  docs: [{ k: 'a' }, { k: 'b' }, 7, [{ k: 'c' }]],
  at: new Date('2024-02-03T04:05:06.007Z'),
  nothing: null,
};

beforeAll(() => database.db.collection<Doc>('c').insertOne(DOCUMENT));

async function evaluate(expression: unknown, options: Document = {}): Promise<unknown> {
  const pipeline = [{ $replaceWith: { value: expression } }];
  const [doc] = await database.db
    .collection<Doc>('c')
    .aggregate(pipeline, { promoteValues: false, ...options })
    .toArray();
  return doc?.value;
}

/** The value of an expression; undefined for a missing one. */
describe('evaluates', () => {
  test.each<[unknown, unknown]>([
    ['$n', 5],
    ['$$ROOT.n', 5],
    ['$$CURRENT.text', 'Ada'],
    ['$missing.n', undefined],
    ['$docs.k', ['a', 'b']],
    ['$list.0', []],
    [{ $literal: '$n' }, '$n'],
    [{ a: '$n', b: '$missing' }, { a: 5 }],
    [{ $eq: ['$n', 5] }, true],
    [{ $ne: ['$nothing', '$missing'] }, true],
    [{ $gte: ['$n', 5] }, true],
    [{ $lte: ['$text', 5] }, false],
    [{ $and: [] }, true],
    [{ $and: ['$n', '$nothing'] }, false],
    [{ $or: ['$missing', '$n'] }, true],
    [{ $not: '$nothing' }, true],
    [{ $cond: { if: '$n', then: 'yes', else: 'no' } }, 'yes'],
    [{ $ifNull: ['$missing', '$nothing', 1] }, 1],
    [{ $let: { vars: { x: '$n' }, in: { $let: { vars: { x: 1 }, in: { $add: ['$$x', '$n'] } } } } }, 6],
    [{ $add: [1, 2.5] }, 3.5],
    [{ $add: ['$at', 1] }, new Date('2024-02-03T04:05:06.008Z')],
    [{ $subtract: ['$n', '$nothing'] }, null],
    [{ $multiply: ['$n', '$half'] }, 12.5],
    [{ $divide: ['$n', 2] }, 2.5],
    [{ $mod: ['$n', 3] }, 2],
    [{ $mod: [-7, 3] }, -1],
    [{ $mod: ['$half', 2] }, 0.5],
    [{ $abs: -3 }, 3],
    [{ $ceil: '$half' }, 3],
    [{ $floor: '$half' }, 2],
    [{ $floor: '$n' }, 5],
    [{ $sum: '$list' }, 6],
    [{ $sum: ['$n', '$text', 1] }, 6],
    [{ $avg: '$list' }, 2],
    [{ $avg: '$text' }, null],
    [{ $min: '$list' }, 1],
    [{ $max: ['$n', '$half', '$missing'] }, 5],
    [{ $isArray: '$list' }, true],
    [{ $size: '$list' }, 3],
    [{ $in: [2, '$list'] }, true],
    [{ $arrayElemAt: ['$list', -1] }, 2],
    [{ $arrayElemAt: ['$list', 9] }, undefined],
    [{ $first: '$list' }, 3],
    [{ $last: '$list' }, 2],
    [{ $first: '$nothing' }, null],
    [{ $slice: ['$list', 2] }, [3, 1]],
    [{ $concatArrays: ['$list', [9]] }, [3, 1, 2, 9]],
    [{ $filter: { input: '$list', as: 'x', cond: { $gt: ['$$x', 1] } } }, [3, 2]],
    [{ $map: { input: '$list', in: { $multiply: ['$$this', 2] } } }, [6, 2, 4]],
    [{ $map: { input: '$missing', in: '$$this' } }, null],
    [{ $reduce: { input: '$list', initialValue: '', in: { $concat: ['$$value', 'x'] } } }, 'xxx'],
    [{ $mergeObjects: [{ a: 1 }, '$nothing', { b: 2 }] }, { a: 1, b: 2 }],
    [{ $concat: ['$text', '!'] }, 'Ada!'],
    [{ $toUpper: '$text' }, 'ADA'],
    [{ $split: ['a@b@c', '@'] }, ['a', 'b', 'c']],
    [{ $split: ['$nothing', '@'] }, null],
    [{ $toLower: '$nothing' }, ''],
    [{ $regexMatch: { input: '$text', regex: '^a', options: 'i' } }, true],
    [{ $regexMatch: { input: '$text', regex: /^a/ } }, false],
    [{ $type: '$at' }, 'date'],
    [{ $isNumber: '$big' }, true],
    [{ $toString: '$at' }, '2024-02-03T04:05:06.007Z'],
    [{ $toString: '$big' }, '9007199254740993'],
    [{ $toString: '$missing' }, null],
    [{ $toDouble: '1.5' }, 1.5],
    [{ $year: '$at' }, 2024],
    [{ $month: '$at' }, 2],
    [{ $dayOfMonth: '$at' }, 3],
    [{ $dateToString: { date: '$at', format: '%d.%m.%Y %H:%M:%S,%L %%' } }, '03.02.2024 04:05:06,007 %'],
    [{ $dateToString: { date: '$at' } }, '2024-02-03T04:05:06.007Z'],
  ])('%j as %j', async (expression, expected) => {
    expect(await evaluate(expression, { promoteValues: true })).toEqual(expected);
  });

  test.each<[unknown, string, string]>([
    [{ $add: ['$n', 1] }, 'Int32', '6'],
    [{ $add: [2 ** 31 - 1, 1] }, 'Long', '2147483648'],
    [{ $add: ['$big', 1] }, 'Long', '9007199254740994'],
    [{ $add: [Long.MAX_VALUE, 1] }, 'Double', '9223372036854776000'],
    [{ $subtract: ['$big', '$n'] }, 'Long', '9007199254740988'],
    [{ $multiply: ['$n', new Double(2)] }, 'Double', '10'],
    [{ $mod: ['$big', 10] }, 'Long', '3'],
    [{ $divide: [4, 2] }, 'Double', '2'],
    [{ $floor: '$half' }, 'Double', '2'],
    [{ $abs: Long.fromNumber(-7) }, 'Long', '7'],
    [{ $toLong: '$half' }, 'Long', '2'],
    [{ $toLong: '$at' }, 'Long', '1706933106007'],
    [{ $toDouble: '$n' }, 'Double', '5'],
    [{ $sum: ['$big', 1] }, 'Long', '9007199254740994'],
  ])('%j as a %s', async (expression, type, text) => {
    const value = (await evaluate(expression)) as { _bsontype: string };
    expect([value._bsontype, String(value)]).toEqual([type, text]);
  });

  test('comparisons with the collation of the command', async () => {
    const expression = { $eq: ['$text', 'ADA'] };
    expect(await evaluate(expression)).toBe(false);
    expect(await evaluate(expression, { collation: { locale: 'en', strength: 2 } })).toBe(true);
  });
});

describe('refuses', () => {
  test.each<[unknown, number]>([
    [{ $add: ['$text', 1] }, 14],
    [{ $add: ['$at', '$at'] }, 16612],
    [{ $subtract: ['$n'] }, 16020],
    [{ $subtract: ['$text', 1] }, 14],
    [{ $divide: ['$n', 0] }, 2],
    [{ $mod: ['$n', 0] }, 16610],
    [{ $multiply: ['$n', Decimal128.fromString('2')] }, 115],
    [{ $avg: [Decimal128.fromString('2')] }, 115],
    [{ $size: '$n' }, 17124],
    [{ $in: [1, '$n'] }, 40081],
    [{ $arrayElemAt: ['$n', 0] }, 28689],
    [{ $arrayElemAt: ['$list', 'x'] }, 28690],
    [{ $slice: ['$list', 'x'] }, 28725],
    [{ $concatArrays: ['$n'] }, 28664],
    [{ $filter: { input: '$n', cond: true } }, 28651],
    [{ $filter: { input: '$list' } }, 9],
    [{ $map: { input: '$n', in: 1 } }, 16883],
    [{ $map: { input: '$list', as: 'X', in: 1 } }, 16867],
    [{ $reduce: { input: '$n', initialValue: 0, in: 1 } }, 40080],
    [{ $mergeObjects: ['$n'] }, 40400],
    [{ $concat: ['$text', 1] }, 16702],
    [{ $split: ['$n', '@'] }, 40085],
    [{ $split: ['$text', '$n'] }, 40086],
    [{ $split: ['$text', ''] }, 40087],
    [{ $toUpper: '$list' }, 16007],
    [{ $regexMatch: { input: '$n', regex: 'a' } }, 51104],
    [{ $regexMatch: { input: '$text', regex: '$n' } }, 51105],
    [{ $toString: '$list' }, 241],
    [{ $toDouble: 'x' }, 241],
    [{ $toLong: 'x' }, 241],
    [{ $year: '$n' }, 16006],
    [{ $dateToString: { date: '$at', format: '%q' } }, 18536],
    [{ $cond: [1, 2] }, 16020],
    [{ $cond: { if: 1, then: 2 } }, 17080],
    [{ $ifNull: ['$n'] }, 1257300],
    [{ $switch: { branches: [] } }, 40068],
    [{ $eq: [1, 2], $ne: [1, 2] }, 15983],
    ['$$other', 17276],
    ['$a.', 40353],
  ])('%j', async (expression, code) => {
    await expect(evaluate(expression, { promoteValues: true })).rejects.toMatchObject({ code });
  });
});
