import { type DBRef, type Double, deserialize, type Int32, Long, serialize } from 'bson';
import { MAX_SENT_DEPTH, tooDeep } from '../errors.ts';
import { decodeFast } from './decode.ts';

export type Doc = Record<string, unknown>;

/** https://www.mongodb.com/docs/manual/reference/limits/#std-label-limit-bson-document-size */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

const INT32_MAX = 2 ** 31 - 1;

/**
 * BSON to values. An int32 or a fractional double becomes a JavaScript number. A double that holds an integer and
 * a 64-bit integer stay a Double and a Long, so that encoding restores the type of every number.
 */
export function decode(bytes: Uint8Array): Doc {
  return decodeFast(bytes) ?? decodeWithLibrary(bytes);
}

/** The same by the bson library, for every BSON type. @throws BSONError when the bytes are not BSON. */
export function decodeWithLibrary(bytes: Uint8Array): Doc {
  try {
    const doc = unwrap(deserialize(bytes, { promoteValues: false, bsonRegExp: true })) as Doc;
    if (!isDeeperThan(MAX_SENT_DEPTH, doc)) return doc;
  } catch (error) {
    // The library recurses until the stack overflows.
    if (!(error instanceof RangeError)) throw error;
  }
  throw tooDeep(MAX_SENT_DEPTH);
}

/** Whether a value consists of more than this many levels of documents and arrays. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  const nested = Array.isArray(value) ? value : isDoc(value) ? Object.values(value) : undefined;
  if (!nested) return false;
  return levels === 0 || nested.some((each) => isDeeperThan(levels - 1, each));
}

export function encode(doc: Doc): Buffer {
  return serialize(doc, { ignoreUndefined: true }) as Buffer;
}

function unwrap(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(unwrap);
  switch (bsonType(value)) {
    case 'Int32':
      return (value as Int32).value;
    case 'Double': {
      const double = (value as Double).value;
      return isInt32(double) ? value : double;
    }
    case 'DBRef': {
      const { collection, oid, db, fields } = value as DBRef;
      return { $ref: collection, $id: unwrap(oid), ...(db ? { $db: db } : {}), ...(unwrap(fields) as Doc) };
    }
  }
  if (isDoc(value)) for (const key of Object.keys(value)) setField(value, key, unwrap(value[key]));
  return value;
}

/** The class of a BSON value; undefined for a document that merely has a field `_bsontype`. */
export function bsonType(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Object.hasOwn(value, '_bsontype')) return undefined;
  return (value as { _bsontype?: string })._bsontype;
}

/** Whether a value is an embedded document: no array, no null, no BSON scalar. */
export function isDoc(value: unknown): value is Doc {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function isInt32(value: number): boolean {
  return Number.isInteger(value) && value <= INT32_MAX && value >= -INT32_MAX - 1 && !Object.is(value, -0);
}

/** A copy with new documents and arrays. Scalars are immutable and shared. */
export function clone<T>(value: T): T {
  if (Array.isArray(value)) return value.map(clone) as T;
  if (!isDoc(value)) return value;
  const copy: Doc = {};
  for (const key of Object.keys(value)) setField(copy, key, clone(value[key]));
  return copy as T;
}

/** Sets an own field, also one named `__proto__`. */
export function setField(doc: Doc, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(doc, key, { value, writable: true, enumerable: true, configurable: true });
  } else doc[key] = value;
}

export function getField(doc: Doc, key: string): unknown {
  return Object.hasOwn(doc, key) ? doc[key] : undefined;
}

/** A number of any BSON type as a JavaScript number, rounded. */
export function toNumber(value: unknown): number {
  switch (bsonType(value)) {
    case 'Long':
      return (value as Long).toNumber();
    case 'Double':
      return (value as Double).value;
    case 'Decimal128':
      return Number(String(value));
    default:
      return value as number;
  }
}

/** An integer of any numeric BSON type, or undefined. */
export function asInteger(value: unknown): number | undefined {
  if (typeof value !== 'number' && bsonType(value) === undefined) return undefined;
  const number = toNumber(value);
  return Number.isInteger(number) ? number : undefined;
}

/** A count as MongoDB sends it: an int32 where it fits, otherwise an int64. */
export function integer(value: number): number | Long {
  return isInt32(value) ? value : Long.fromNumber(value);
}

/** Whether a client's flag is set: MongoDB accepts booleans and numbers. */
export function truthy(value: unknown): boolean {
  return !(value === undefined || value === null || value === false || asInteger(value) === 0);
}
