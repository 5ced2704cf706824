import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import {
  Binary,
  BSONRegExp,
  Code,
  Decimal128,
  Double,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'mongodb';
import { expect, test } from 'vitest';
import { decodeFast } from '../src/bson/decode.ts';
import { decodeWithLibrary, encode } from '../src/bson/value.ts';

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ maxLength: 60 }), fc.constantFrom('é', ''));
const common = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.date(),
  fc.constantFrom(new Double(5), new Double(-0), Long.fromString('-9007199254740993'), Long.fromNumber(7)),
  fc.constantFrom(
    new Binary(Buffer.from('abc')),
    new Binary(Buffer.alloc(0), 128),
    new UUID('0198e2a4-7a3c-7bbb-8888-0123456789ab'),
  ),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
);
const uncommon = fc.constantFrom<unknown>(
  'a\ufffd',
  new Binary(Buffer.from('abc'), Binary.SUBTYPE_BYTE_ARRAY),
  new BSONRegExp('a', 'i'),
  new Code('x'),
  Decimal128.fromString('1.50'),
  new Timestamp(5n),
  new MinKey(),
  new MaxKey(),
);
const commonName = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 30 }),
  fc.constantFrom('_id', '$id', '1', 'constructor'),
);
const uncommonName = fc.oneof(commonName, text, fc.constantFrom('__proto__', '$ref', 'é'));
const documents = (name: fc.Arbitrary<string>, leaf: fc.Arbitrary<unknown>) =>
  fc.letrec<{ value: unknown; document: Record<string, unknown> }>((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, leaf, tie('document'), fc.array(tie('value'), { maxLength: 4 })),
    document: fc.dictionary(
      name.map((chars) => chars.replaceAll('\0', '')),
      tie('value'),
      { maxKeys: 6, noNullPrototype: true },
    ),
  })).document;

test('decodes common types like the library', () => {
  let decoded = 0;
  fc.assert(
    fc.property(
      fc.oneof(documents(commonName, common), documents(uncommonName, fc.oneof(common, uncommon))),
      (document) => {
        const bytes = encode(document);
        const own = decodeFast(bytes);
        if (!own) return;
        decoded += 1;
        // toStrictEqual would compare by a field named `constructor`.
        deepStrictEqual(own, decodeWithLibrary(bytes));
      },
    ),
    { numRuns: 500 },
  );
  expect(decoded).toBeGreaterThan(100);
});

test('decodes malformed bytes like the library, or not at all', () => {
  const whole = encode({
    _id: new ObjectId(),
    a: [1, 'two', { three: 3.5 }],
    at: new Date(0),
    n: null,
    on: true,
    bytes: new Binary(Buffer.from('abc')),
    uuid: new UUID('0198e2a4-7a3c-7bbb-8888-0123456789ab'),
  });
  const withLibrary = (bytes: Uint8Array) => {
    try {
      return decodeWithLibrary(bytes);
    } catch {
      return undefined;
    }
  };
  for (let length = 0; length < whole.length; length += 1) {
    expect(decodeFast(whole.subarray(0, length))).toBeUndefined();
  }
  for (let place = 0; place < whole.length; place += 1) {
    for (const byte of [0, 1, 2, 3, 4, 10, 16, 127, 128, 255]) {
      const bytes = Buffer.from(whole);
      bytes[place] = byte;
      const own = decodeFast(bytes);
      if (own) expect({ place, byte, own }).toStrictEqual({ place, byte, own: withLibrary(bytes) });
    }
  }
});
