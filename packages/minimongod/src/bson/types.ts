import { bsonType, isDoc, isInt32 } from './value.ts';

// https://www.mongodb.com/docs/manual/reference/bson-types/
const TYPE_CODES: Record<string, number> = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  dbPointer: 12,
  javascript: 13,
  symbol: 14,
  javascriptWithScope: 15,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
};

const BSON_TYPE_NAMES: Record<string, string> = {
  Long: 'long',
  Double: 'double',
  Int32: 'int',
  Decimal128: 'decimal',
  ObjectId: 'objectId',
  Binary: 'binData',
  Timestamp: 'timestamp',
  BSONRegExp: 'regex',
  BSONSymbol: 'symbol',
  MinKey: 'minKey',
  MaxKey: 'maxKey',
};

/** The alias that `$type` gives a value; 'missing' for a field that is not there. */
export function typeName(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'missing';
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'long';
    case 'number':
      return isInt32(value) ? 'int' : 'double';
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'date';
  if (value instanceof RegExp) return 'regex';
  const type = bsonType(value);
  if (type === 'Code') {
    return (value as { scope?: unknown }).scope ? 'javascriptWithScope' : 'javascript';
  }
  if (type !== undefined) return BSON_TYPE_NAMES[type] ?? 'object';
  return isDoc(value) ? 'object' : 'object';
}

export function isNumeric(value: unknown): boolean {
  if (typeof value === 'number') return true;
  const type = bsonType(value);
  return type === 'Long' || type === 'Double' || type === 'Decimal128';
}

/** The aliases that a `$type` operand (name or number) stands for, or undefined when there is no such type. */
export function typeAliases(operand: unknown): string[] | undefined {
  if (operand === 'number') return ['int', 'long', 'double', 'decimal'];
  if (typeof operand === 'string') return operand in TYPE_CODES ? [operand] : undefined;
  const code = Number(String(operand));
  const alias = Object.keys(TYPE_CODES).find((name) => TYPE_CODES[name] === code);
  return alias === undefined ? undefined : [alias];
}

export function typeCode(alias: string): number {
  return TYPE_CODES[alias] ?? 0;
}
