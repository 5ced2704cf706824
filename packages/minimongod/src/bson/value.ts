import { type DBRef, type Double, deserialize, Int32, Long, serialize } from 'bson';
import { decodeUsual } from './decode.ts';

export type Doc = Record<string, unknown>;

/** 16 MB: https://www.mongodb.com/docs/manual/reference/limits/#std-label-limit-bson-document-size */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

const INT32_MAX = 2 ** 31 - 1;

/**
 * BSON → values. An int32 or a fractional double is a JS number; what would change its type on the way back
 * (a double that holds a whole number, a 64-bit integer) stays a Double or Long, so that numbers leave as they came.
 */
export function decode(bytes: Uint8Array): Doc {
  return decodeUsual(bytes) ?? decodeAny(bytes);
}

/** The same of any bytes, by the library; it throws at what is no BSON. */
export function decodeAny(bytes: Uint8Array): Doc {
  return plain(deserialize(bytes, { promoteValues: false, bsonRegExp: true })) as Doc;
}

export function encode(doc: Doc): Buffer {
  return serialize(doc, { ignoreUndefined: true }) as Buffer;
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  switch (bsonType(value)) {
    case 'Int32':
      return (value as Int32).value;
    case 'Double': {
      const double = (value as Double).value;
      return isInt32(double) ? value : double;
    }
    case 'DBRef': {
      const { collection, oid, db, fields } = value as DBRef;
      const rest = plain(fields) as Doc;
      return { $ref: collection, $id: plain(oid), ...(db ? { $db: db } : {}), ...rest };
    }
    case 'Code':
      return value;
    case undefined:
      break;
    default:
      return value;
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = plain(value[i]);
  } else if (isDoc(value)) {
    for (const key of Object.keys(value)) {
      const field = value[key];
      if (typeof field === 'object' && field !== null) value[key] = plain(field);
    }
  }
  return value;
}

/** The class of a BSON value; a client's document with a field of that name is none. */
export function bsonType(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Object.hasOwn(value, '_bsontype')) return undefined;
  return (value as { _bsontype?: string })._bsontype;
}

/** A nested document: not an array, not null, not one of BSON's scalar types. */
export function isDoc(value: unknown): value is Doc {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function isInt32(value: number): boolean {
  return Number.isInteger(value) && value <= INT32_MAX && value >= -INT32_MAX - 1 && !Object.is(value, -0);
}

/** A copy whose containers are new; scalars are never changed in place and are shared. */
export function clone<T>(value: T): T {
  if (Array.isArray(value)) return value.map(clone) as T;
  if (!isDoc(value)) return value;
  const copy: Doc = {};
  for (const key of Object.keys(value)) setField(copy, key, clone(value[key]));
  return copy as T;
}

/** Sets an own field even where it is called `__proto__`. */
export function setField(doc: Doc, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(doc, key, { value, writable: true, enumerable: true, configurable: true });
  } else doc[key] = value;
}

export function getField(doc: Doc, key: string): unknown {
  return Object.hasOwn(doc, key) ? doc[key] : undefined;
}

/** A whole number that a client sent in any numeric type, or undefined. */
export function asInteger(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined;
  const type = bsonType(value);
  if (type !== 'Long' && type !== 'Double' && type !== 'Decimal128') return undefined;
  const number = type === 'Long' ? (value as Long).toNumber() : Number(String(value));
  return Number.isInteger(number) ? number : undefined;
}

/** A counter as MongoDB sends it: int32 while it fits, else int64. */
export function integer(value: number): number | Long {
  return isInt32(value) ? value : Long.fromNumber(value);
}

export { Int32 };
