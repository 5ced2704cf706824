import { bsonType, isInt32 } from './value.ts';

/** The aliases of `$type` in the order of their codes, from 1: https://www.mongodb.com/docs/manual/reference/bson-types/ */
const ALIASES =
  'double string object array binData undefined objectId bool date null regex dbPointer javascript symbol javascriptWithScope int timestamp long decimal'.split(
    ' ',
  );

/**
 * A type's place in MongoDB's comparison order, which all numeric types share:
 * https://www.mongodb.com/docs/manual/reference/bson-type-comparison-order/
 */
export const CANONICAL = {
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

/** The alias and canonical type of the classes of the bson library. */
const CLASSES: Record<string, readonly [alias: string, canonical: number]> = {
  Long: ['long', CANONICAL.number],
  Double: ['double', CANONICAL.number],
  Decimal128: ['decimal', CANONICAL.number],
  ObjectId: ['objectId', CANONICAL.objectId],
  Binary: ['binData', CANONICAL.binary],
  Timestamp: ['timestamp', CANONICAL.timestamp],
  BSONRegExp: ['regex', CANONICAL.regex],
  BSONSymbol: ['symbol', CANONICAL.string],
  Code: ['javascript', CANONICAL.code],
  MinKey: ['minKey', CANONICAL.minKey],
  MaxKey: ['maxKey', CANONICAL.maxKey],
};

/** The alias that `$type` returns; 'missing' for a field that does not exist. */
export function typeName(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'missing';
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
      return isInt32(value) ? 'int' : 'double';
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'date';
  const type = bsonType(value);
  if (type === 'Code' && (value as { scope?: unknown }).scope) return 'javascriptWithScope';
  return CLASSES[type ?? '']?.[0] ?? 'object';
}

export function canonicalType(value: unknown): number {
  switch (typeof value) {
    case 'undefined':
      return CANONICAL.undefined;
    case 'string':
      return CANONICAL.string;
    case 'number':
      return CANONICAL.number;
    case 'boolean':
      return CANONICAL.boolean;
  }
  if (value === null) return CANONICAL.null;
  if (Array.isArray(value)) return CANONICAL.array;
  if (value instanceof Date) return CANONICAL.date;
  return CLASSES[bsonType(value) ?? '']?.[1] ?? CANONICAL.object;
}

export function isNumeric(value: unknown): boolean {
  if (typeof value === 'number') return true;
  const type = bsonType(value);
  return type === 'Long' || type === 'Double' || type === 'Decimal128';
}

export const isNullish = (value: unknown): value is null | undefined => value === null || value === undefined;

export const isRegex = (value: unknown): boolean => bsonType(value) === 'BSONRegExp';

/** The aliases for a `$type` operand (a name or a code), or undefined for an unknown type. */
export function typeAliases(operand: unknown): string[] | undefined {
  if (operand === 'number') return ['int', 'long', 'double', 'decimal'];
  const code = Number(String(operand));
  const alias = code === -1 ? 'minKey' : code === 127 ? 'maxKey' : (ALIASES[code - 1] ?? operand);
  return [...ALIASES, 'minKey', 'maxKey'].includes(alias as string) ? [alias as string] : undefined;
}
