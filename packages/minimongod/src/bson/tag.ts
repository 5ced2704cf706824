import { bsonType } from './value.ts';

/**
 * A type's place in MongoDB's comparison order
 * (https://www.mongodb.com/docs/manual/reference/bson-type-comparison-order/). Numbers of all types share one.
 */
export const TAG = {
  minKey: 10,
  undefined: 15,
  null: 20,
  number: 30,
  string: 60,
  object: 70,
  array: 80,
  binary: 90,
  objectId: 100,
  boolean: 110,
  date: 120,
  timestamp: 130,
  regex: 140,
  code: 160,
  maxKey: 240,
} as const;

const BSON_TAGS: Record<string, number> = {
  Long: TAG.number,
  Double: TAG.number,
  Decimal128: TAG.number,
  ObjectId: TAG.objectId,
  Binary: TAG.binary,
  Timestamp: TAG.timestamp,
  BSONRegExp: TAG.regex,
  BSONSymbol: TAG.string,
  Code: TAG.code,
  MinKey: TAG.minKey,
  MaxKey: TAG.maxKey,
};

export function tagOf(value: unknown): number {
  switch (typeof value) {
    case 'undefined':
      return TAG.undefined;
    case 'string':
      return TAG.string;
    case 'number':
    case 'bigint':
      return TAG.number;
    case 'boolean':
      return TAG.boolean;
  }
  if (value === null) return TAG.null;
  if (Array.isArray(value)) return TAG.array;
  if (value instanceof Date) return TAG.date;
  if (value instanceof RegExp) return TAG.regex;
  return BSON_TAGS[bsonType(value) ?? ''] ?? TAG.object;
}
