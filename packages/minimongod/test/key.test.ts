import fc from 'fast-check';
import { BSON, Decimal128, Double, Long, MaxKey, MinKey, ObjectId } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { parseCollation } from '../src/bson/collation.ts';
import { compareValues } from '../src/bson/compare.ts';
import { encodeKey } from '../src/bson/key.ts';
import { decode } from '../src/bson/value.ts';
import { runs } from './property.ts';

const key = (value: unknown, descending = false) => encodeKey([value], [descending]);
const sign = Math.sign;

// https://www.mongodb.com/docs/manual/reference/bson-type-comparison-order/
const ASCENDING: unknown[] = [
  new MinKey(),
  null,
  Number.NaN,
  Number.NEGATIVE_INFINITY,
  Decimal128.fromString('-1E+400'),
  -1e308,
  Long.MIN_VALUE,
  Long.fromString('-9007199254740993'),
  -9007199254740992,
  -1.5,
  -1,
  Decimal128.fromString('-1E-400'),
  0,
  Decimal128.fromString('1E-400'),
  5e-324,
  Decimal128.fromString('0.1'),
  0.1,
  1,
  1.5,
  9007199254740992,
  Long.fromString('9007199254740993'),
  Decimal128.fromString('9007199254740993.5'),
  Long.MAX_VALUE,
  2 ** 63,
  1e308,
  Decimal128.fromString('1E+400'),
  Number.POSITIVE_INFINITY,
  '',
  '\0',
  '\0a',
  'A',
  'a',
  'a\0',
  'a\0b',
  'ab',
  'é',
  '\uffff',
  '\u{1f600}',
  {},
  { a: 1 },
  { a: 1, b: 1 },
  { a: 2 },
  { b: 1 },
  { a: 'x' },
  [],
  [1],
  [1, 2],
  [2],
  ['a'],
  [[]],
  new BSON.Binary(Buffer.from([9])),
  new BSON.Binary(Buffer.from([1, 2])),
  new ObjectId('000000000000000000000000'),
  new ObjectId('0123456789abcdef01234567'),
  false,
  true,
  new Date(-1),
  new Date(0),
  new Date(1),
  new BSON.Timestamp({ t: 1, i: 1 }),
  new BSON.Timestamp({ t: 0xffffffff, i: 0 }),
  new BSON.BSONRegExp('a', ''),
  new BSON.BSONRegExp('a', 'i'),
  new MaxKey(),
];

const number = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((n) => Long.fromBigInt(n)),
  fc.integer({ min: -1000, max: 1000 }).map((n) => new Double(n)),
  fc.integer({ min: -1000, max: 1000 }).map((n) => Long.fromNumber(n)),
  fc
    .tuple(fc.bigInt({ min: -(10n ** 33n), max: 10n ** 33n }), fc.integer({ min: -60, max: 60 }))
    .map(([digits, exponent]) => Decimal128.fromString(`${digits}E${exponent}`)),
);
const scalar = fc.oneof(
  number,
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.boolean(),
  fc.constant(null),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map((id) => new ObjectId(id)),
);
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
})).value;

describe('encoded keys', () => {
  test('follow the documented order, ascending and descending', () => {
    for (let i = 0; i < ASCENDING.length; i++) {
      for (let j = 0; j < ASCENDING.length; j++) {
        const expected = sign(i - j);
        const label = `${i}, ${j}`;
        expect([label, sign(Buffer.compare(key(ASCENDING[i]), key(ASCENDING[j])))]).toEqual([
          label,
          expected,
        ]);
        expect([label, sign(Buffer.compare(key(ASCENDING[j], true), key(ASCENDING[i], true)))]).toEqual([
          label,
          expected,
        ]);
        expect([label, sign(compareValues(ASCENDING[i], ASCENDING[j]))]).toEqual([label, expected]);
      }
    }
  });

  test('sort like compareValues', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const order = sign(compareValues(a, b));
        expect(sign(Buffer.compare(key(a), key(b)))).toBe(order);
        // `|| 0` turns −0 into 0.
        expect(sign(Buffer.compare(key(a, true), key(b, true))) || 0).toBe(-order || 0);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('sort by the first value that differs', () => {
    fc.assert(
      fc.property(fc.tuple(value, value), fc.tuple(value, value), fc.boolean(), (a, b, descending) => {
        const order = compareValues(a[0], b[0]) || compareValues(a[1], b[1]) * (descending ? -1 : 1);
        const keys = [a, b].map((pair) => encodeKey(pair, [false, descending])) as [Buffer, Buffer];
        expect(sign(Buffer.compare(...keys)) || 0).toBe(sign(order) || 0);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('compare longs and doubles exactly', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.double({ noNaN: true }),
        (long, double) => {
          const expected = long < double ? -1 : long > double ? 1 : 0;
          expect(sign(Buffer.compare(key(Long.fromBigInt(long)), key(double)))).toBe(expected);
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  test('are equal under a collation exactly where compareValues is', () => {
    const word = fc.string({
      unit: fc.constantFrom('a', 'A', 'é', 'E', 'e', '\u0301', '\u212a', 'k', 'ａ', ' ', '-', 'ß', 'σ', 'ς'),
      maxLength: 4,
    });
    for (const strength of [1, 2, 3]) {
      const collation = parseCollation({ locale: 'en', strength });
      fc.assert(
        fc.property(word, word, (a, b) => {
          const same = encodeKey([a], [], collation).equals(encodeKey([b], [], collation));
          expect(same).toBe(compareValues(a, b, collation) === 0);
          const sensitivity = { 1: 'base', 2: 'accent', 3: 'variant' }[
            strength
          ] as Intl.CollatorOptions['sensitivity'];
          // ICU must treat two strings with the same key as equal.
          if (same) expect(new Intl.Collator('en', { sensitivity }).compare(a, b)).toBe(0);
        }),
        { numRuns: runs(500) },
      );
    }
  });
});

test('decoding and encoding restores the same bytes', () => {
  fc.assert(
    fc.property(value, (content) => {
      const bytes = BSON.serialize({ content });
      expect(Buffer.from(BSON.serialize(decode(bytes)))).toEqual(Buffer.from(bytes));
    }),
    { numRuns: runs(500) },
  );
});
