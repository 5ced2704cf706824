import type { Binary, ObjectId, Timestamp } from 'bson';
import type { Collation } from './collation.ts';
import { numberKey } from './number-key.ts';
import { TAG, tagOf } from './tag.ts';
import { type Doc, isDoc } from './value.ts';

/**
 * A list of values as bytes whose memcmp order is MongoDB's comparison order, so that an SQLite blob index answers
 * equality, ranges and sorts; a descending value has its bytes inverted. Equal values have equal keys, whatever
 * their numeric type. Every value begins with its type's tag; tags lie in 10..240, so that 0x00 ends a list and
 * 0xff ends a range.
 */
export function encodeKey(
  values: readonly unknown[],
  descending: readonly boolean[] = [],
  collation?: Collation,
): Buffer {
  const writer = createWriter();
  values.forEach((value, i) => {
    const start = writer.length();
    writeValue(writer, value, collation);
    if (descending[i]) writer.invertFrom(start);
  });
  return writer.bytes();
}

/** The key as a string, for a Map or Set of values. */
export function mapKey(value: unknown, collation?: Collation): string {
  return encodeKey([value], [], collation).toString('latin1');
}

interface Writer {
  length(): number;
  byte(byte: number): void;
  raw(bytes: Uint8Array): void;
  invertFrom(start: number): void;
  bytes(): Buffer;
}

const scratch = Buffer.alloc(8);

function writeValue(writer: Writer, value: unknown, collation: Collation | undefined): void {
  const tag = tagOf(value);
  writer.byte(tag);
  switch (tag) {
    case TAG.string:
      writeText(writer, collation ? collation.fold(String(value)) : String(value));
      break;
    case TAG.number:
      writer.raw(numberKey(value));
      break;
    case TAG.objectId:
      writer.raw((value as ObjectId).id);
      break;
    case TAG.boolean:
      writer.byte(value ? 1 : 0);
      break;
    case TAG.date:
      scratch.writeBigInt64BE(BigInt((value as Date).getTime() || 0));
      scratch[0] = (scratch[0] as number) ^ 0x80;
      writer.raw(scratch);
      break;
    case TAG.timestamp:
      scratch.writeBigUInt64BE(BigInt.asUintN(64, (value as Timestamp).toBigInt()));
      writer.raw(scratch);
      break;
    case TAG.binary: {
      // by length, then subtype, then bytes
      const { sub_type: subtype, position, buffer } = value as Binary;
      scratch.writeUInt32BE(position, 0);
      writer.raw(scratch.subarray(0, 4));
      writer.byte(subtype);
      writer.raw(buffer.subarray(0, position));
      break;
    }
    case TAG.regex: {
      const { pattern, options, source, flags } = value as Record<string, string>;
      writeText(writer, pattern ?? source ?? '');
      writeText(writer, options ?? flags ?? '');
      break;
    }
    case TAG.code:
      writeText(writer, String((value as { code: unknown }).code));
      break;
    case TAG.array:
      for (const element of value as unknown[]) writeValue(writer, element ?? null, collation);
      writer.byte(0);
      break;
    case TAG.object:
      writeFields(writer, isDoc(value) ? value : {}, collation);
      break;
  }
}

/** MongoDB compares a field by its value's type, then its name, then the value. */
function writeFields(writer: Writer, doc: Doc, collation: Collation | undefined): void {
  for (const name of Object.keys(doc)) {
    const field = doc[name];
    if (field === undefined) continue;
    writer.byte(tagOf(field));
    writeText(writer, name);
    writeValue(writer, field, collation);
  }
  writer.byte(0);
}

/** UTF-8 with an end of 0x00 0x00, a 0x00 inside being 0x00 0xff: no text's key begins with another's, inverted or not. */
function writeText(writer: Writer, text: string): void {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.includes(0)) {
    for (const byte of bytes) {
      writer.byte(byte);
      if (byte === 0) writer.byte(0xff);
    }
  } else writer.raw(bytes);
  writer.byte(0);
  writer.byte(0);
}

function createWriter(): Writer {
  let buffer = Buffer.allocUnsafe(64);
  let length = 0;
  function reserve(count: number): void {
    if (length + count <= buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, length + count));
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  }
  return {
    length: () => length,
    byte(byte) {
      reserve(1);
      buffer[length++] = byte;
    },
    raw(bytes) {
      reserve(bytes.length);
      buffer.set(bytes, length);
      length += bytes.length;
    },
    invertFrom(start) {
      for (let i = start; i < length; i++) buffer[i] = 255 - (buffer[i] as number);
    },
    bytes: () => buffer.subarray(0, length),
  };
}
