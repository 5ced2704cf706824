import { BSONRegExp, BSONSymbol, type Document } from 'mongodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Doc, useDatabase } from './database.ts';

const database = useDatabase();
const values: unknown[] = [
  'a',
  'ab',
  'ab\0',
  'ab\0c',
  'abc',
  'ab\u{10ffff}',
  'ac',
  'Ab',
  'xab',
  'a.c',
  'a|c',
  'b',
  '',
  '\uffee',
  '😀',
  '😀x',
  '😁',
  /^ab/,
  /^ab/i,
  new BSONSymbol('abs'),
  ['xx', 'abz', 'aby'],
  ['ab', 3, null],
  [],
  [['ab']],
  null,
  7,
];
const INDEXES: Document[] = [{ v: 1 }, { v: -1 }, { t: 1, v: 1 }, { t: -1, v: -1 }, { t: 1, v: -1, n: 1 }];

beforeAll(async () => {
  const docs = values.map((v, _id) => ({ _id, t: _id % 2, v, n: _id }));
  await database.db.collection<Doc>('mixed').insertMany([...docs, { _id: 99, t: 0 }]);
  const scalars = docs.filter(({ v }) => !Array.isArray(v));
  await database.db.collection<Doc>('scalars').insertMany(scalars);
  for (const name of ['mixed', 'scalars']) {
    await database.db.collection<Doc>(name).createIndexes(INDEXES.map((key) => ({ key }) as never));
  }
});

describe.each(['mixed', 'scalars'])(
  'a regex on %s values finds the same documents with every index',
  (name) => {
    test.each<[string, unknown]>([
      ['a RegExp', /^ab/],
      ['a BSONRegExp', new BSONRegExp('^ab')],
      ['$regex', { $regex: '^ab' }],
      ['$regex and no $options', { $regex: '^ab', $options: '' }],
      ['$regex of a RegExp', { $regex: /^ab/ }],
      ['option s', /^ab/s],
      ['option i, which has no prefix', /^ab/i],
      ['option m, which has no prefix', /^ab/m],
      ['more than a prefix', /^ab.*c/],
      ['an end', /^ab$/],
      ['an optional last character', /^ab?/],
      ['zero or more', /^ab*$/],
      ['a bounded repetition', /^ab{0,2}$/],
      ['one or more', /^ab+/],
      ['an alternative', /^ab|^b/],
      ['an alternative in a group', /^a(b|c)/],
      ['an escaped dot', /^a\.c/],
      ['an escaped bar', { $regex: '^a\\|c' }],
      ['an escaped letter', /^\w/],
      ['a class', /^[ab]/],
      ['a NUL', { $regex: '^ab\\x00' }],
      ['beyond the BMP', /^😀/],
      ['the end of Unicode', { $regex: '^ab\u{10ffff}' }],
      ['the end of the BMP', { $regex: '^\uffee' }],
      ['only an anchor', /^/],
      ['no anchor', /ab/],
      ['two patterns', { $regex: '^ab', $not: /c$/ }],
      ['with a bound', { $regex: '^a', $gt: 'ab' }],
      ['in an $elemMatch', { $elemMatch: { $regex: '^ab' } }],
      ['negated', { $not: /^ab/ }],
    ])('%s', async (_name, v) => {
      for (const filter of [{ v }, { t: 0, v }, { t: { $in: [0, 1] }, v }, { $or: [{ v }, { t: 1, v }] }]) {
        const ids = async (hint?: Document) => {
          const options = { projection: { _id: 1 }, batchSize: 100, ...(hint ? { hint } : {}) };
          const { cursor } = await database.db.command({ find: name, filter, ...options });
          return cursor.firstBatch
            .map(({ _id }: Document) => Number(_id))
            .sort((a: number, b: number) => a - b);
        };
        const count = async (hint?: Document) =>
          (await database.db.command({ count: name, query: filter, ...(hint ? { hint } : {}) })).n;
        const expected = await ids({ $natural: 1 });
        expect(await ids()).toEqual(expected);
        expect(await count()).toBe(expected.length);
        for (const hint of INDEXES) {
          expect(await ids(hint)).toEqual(expected);
          expect(await count(hint)).toBe(expected.length);
        }
      }
    });
  },
);

test.each<[string, unknown, unknown[]]>([
  [
    'strings, elements of arrays, and the stored pattern',
    /^ab/,
    ['ab', 'ab\0', 'ab\0c', 'abc', 'ab\u{10ffff}', /^ab/, 'abs', ['xx', 'abz', 'aby'], ['ab', 3, null]],
  ],
  [
    'the stored pattern with its options',
    { $regex: '^ab', $options: 'i' },
    [
      'ab',
      'ab\0',
      'ab\0c',
      'abc',
      'ab\u{10ffff}',
      'Ab',
      /^ab/i,
      'abs',
      ['xx', 'abz', 'aby'],
      ['ab', 3, null],
    ],
  ],
  ['characters beyond the BMP', /^😀/, ['😀', '😀x']],
  ['an escape', /^a\.c/, ['a.c']],
])('matches %s', async (_name, v, expected) => {
  const found = await database.db.collection<Doc>('mixed').find({ v }).sort({ _id: 1 }).toArray();
  expect(found.map((doc) => doc.v)).toEqual(expected);
});

test.each<[string, Document, Document, number]>([
  ['with one field', { v: /^ab/ }, { v: 1 }, 7],
  ['after an equality', { t: 0, v: /^ab/ }, { t: 1, v: 1 }, 2],
  ['after an $in', { t: { $in: [0, 1] }, v: /^ab/ }, { t: -1, v: -1 }, 7],
  ['beyond the BMP, descending', { v: /^😀/ }, { v: -1 }, 2],
])('examines only documents that match: %s', async (_name, filter, hint, count) => {
  const c = database.db.collection<Doc>('scalars');
  const { executionStats } = await c.find(filter).hint(hint).explain('executionStats');
  expect(executionStats).toMatchObject({ nReturned: count, totalDocsExamined: count });
});

describe.each([1, 2, 3])('with an index that folds by a collation of strength %i', (strength) => {
  const name = `folded ${strength}`;
  const collation = { locale: 'en', strength };
  const texts = [
    'abc',
    'ABD',
    'aB',
    'áb',
    'ab\u0301',
    'ａｂ',
    'ac',
    'b',
    '\u212ael',
    'kel',
    'Kel',
    'ſa',
    'sa',
  ];
  const stored = [...texts, /^ab/, /^ab/i, ['x', 'ABE'], 7, null];
  beforeAll(async () => {
    const c = database.db.collection<Doc>(name);
    await c.insertMany(stored.map((v, _id) => ({ _id, v })));
    await c.createIndex({ v: 1 }, { collation });
  });

  test.each([/^ab/, /^ab/i, /^AB/is, /^ab?/i, /^ab.*d/i, /^k/i, /^s/i, /^\u212a/i, /^á/, /^á/i, /^ab/m])(
    '%s finds the same documents with and without it',
    async (v) => {
      const find = async (hint: Document) => {
        const command = { find: name, filter: { v }, hint, collation, batchSize: 100 };
        const { cursor } = await database.db.command(command);
        return cursor.firstBatch
          .map(({ _id }: Document) => Number(_id))
          .toSorted((a: number, b: number) => a - b);
      };
      expect(await find({ v: 1 })).toEqual(await find({ $natural: 1 }));
    },
  );

  test.runIf(strength === 2)('examines only documents that begin alike', async () => {
    const explain = { find: name, filter: { v: /^ab/i }, hint: { v: 1 }, collation };
    const { executionStats } = await database.db.command({ explain, verbosity: 'executionStats' });
    // Full-width letters fold to the same, and the stored pattern is a key of its own.
    expect(executionStats).toMatchObject({ nReturned: 6, totalDocsExamined: 7 });
  });
});
