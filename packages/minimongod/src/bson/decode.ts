import { Double, Long, ObjectId } from 'bson';

/** Thrown where the bytes hold what is rare or wrong: the library's own decoder is asked. */
const RARE = Symbol('rare');

const INT32_MAX = 2 ** 31 - 1;
const TWO_32 = 2 ** 32;
/** Texts up to here are read byte by byte, which is cheaper than a call into the runtime. */
const SHORT = 24;

/** Names that were read before, by a hash of their bytes: a collection's documents have the same few. */
const names: string[] = new Array(1024).fill('');

const double = new Float64Array(1);
const doubleBytes = new Uint8Array(double.buffer);

/**
 * What `decode` of value.ts promises, for the usual types, several times as fast as the library: nothing is wrapped
 * to be unwrapped again. Undefined for bytes that it leaves to the library, unusual types and malformed ones.
 */
export function decodeUsual(bytes: Uint8Array): Record<string, unknown> | undefined {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (buffer.length < 5 || int32(buffer, 0) !== buffer.length) return undefined;
  try {
    return document(buffer, 0, buffer.length);
  } catch (error) {
    if (error === RARE) return undefined;
    throw error;
  }
}

/** The end of the document or array at `start`, its final NUL included. */
function endOf(buffer: Buffer, start: number, limit: number): number {
  if (start + 5 > limit) throw RARE;
  const end = start + int32(buffer, start);
  if (end < start + 5 || end > limit || buffer[end - 1] !== 0) throw RARE;
  return end;
}

function document(buffer: Buffer, start: number, limit: number): Record<string, unknown> {
  const end = endOf(buffer, start, limit) - 1;
  const fields: Record<string, unknown> = {};
  for (at = start + 4; at < end; ) {
    const type = buffer[at++] as number;
    const name = nameAt(buffer, end);
    // a DBRef, or a name that is not set like another
    if (name === '$ref' || name === '__proto__') throw RARE;
    fields[name] = valueAt(buffer, type, end);
  }
  if (at !== end) throw RARE;
  at = end + 1;
  return fields;
}

function array(buffer: Buffer, start: number, limit: number): unknown[] {
  const end = endOf(buffer, start, limit) - 1;
  const elements: unknown[] = [];
  for (at = start + 4; at < end; ) {
    const type = buffer[at++] as number;
    while (buffer[at] !== 0) at++;
    at++;
    elements.push(valueAt(buffer, type, end));
  }
  if (at !== end) throw RARE;
  at = end + 1;
  return elements;
}

/** Where the next byte is read; every document's last byte is a NUL, where a name ends at the latest. */
let at = 0;

function nameAt(buffer: Buffer, end: number): string {
  const start = at;
  let hash = 0;
  for (let byte = buffer[at] as number; byte !== 0; byte = buffer[++at] as number) {
    if (byte > 127) throw RARE;
    hash = (hash * 31 + byte) | 0;
  }
  const length = at - start;
  if (at++ >= end) throw RARE;
  const slot = hash & 1023;
  const known = names[slot] as string;
  if (known.length === length) {
    let i = 0;
    while (i < length && known.charCodeAt(i) === buffer[start + i]) i++;
    if (i === length) return known;
  }
  const name = buffer.toString('latin1', start, start + length);
  if (length <= SHORT) names[slot] = name;
  return name;
}

function valueAt(buffer: Buffer, type: number, end: number): unknown {
  const start = at;
  switch (type) {
    case 1: {
      skip(8, end);
      for (let i = 0; i < 8; i++) doubleBytes[i] = buffer[start + i] as number;
      const value = double[0] as number;
      return Number.isInteger(value) && value <= INT32_MAX && value >= -INT32_MAX - 1 && !Object.is(value, -0)
        ? new Double(value)
        : value;
    }
    case 2: {
      skip(4, end);
      const length = int32(buffer, start);
      if (length < 1) throw RARE;
      skip(length, end);
      if (buffer[at - 1] !== 0) throw RARE;
      return text(buffer, start + 4, at - 1);
    }
    case 3:
      return document(buffer, start, end);
    case 4:
      return array(buffer, start, end);
    case 7:
      skip(12, end);
      return new ObjectId(Uint8Array.prototype.slice.call(buffer, start, at));
    case 8: {
      skip(1, end);
      const value = buffer[start] as number;
      if (value > 1) throw RARE;
      return value === 1;
    }
    case 9:
      skip(8, end);
      return new Date(int32(buffer, start + 4) * TWO_32 + (int32(buffer, start) >>> 0));
    case 10:
      return null;
    case 16:
      skip(4, end);
      return int32(buffer, start);
    case 18:
      skip(8, end);
      return Long.fromBits(int32(buffer, start), int32(buffer, start + 4));
    default:
      throw RARE;
  }
}

function skip(count: number, end: number): void {
  at += count;
  if (at > end) throw RARE;
}

function int32(buffer: Buffer, offset: number): number {
  return (
    (buffer[offset] as number) |
    ((buffer[offset + 1] as number) << 8) |
    ((buffer[offset + 2] as number) << 16) |
    ((buffer[offset + 3] as number) << 24)
  );
}

function text(buffer: Buffer, start: number, end: number): string {
  if (end - start <= SHORT) {
    let value = '';
    let i = start;
    for (; i < end; i++) {
      const byte = buffer[i] as number;
      if (byte > 127) break;
      value += String.fromCharCode(byte);
    }
    if (i === end) return value;
  }
  const value = buffer.toString('utf8', start, end);
  // what stands for bytes that are no UTF-8 may have been written as well
  if (value.includes('\ufffd')) throw RARE;
  return value;
}
