import type { Binary, ObjectId, Timestamp } from 'bson';
import type { Collation } from './collation.ts';
import { numberKey } from './number-key.ts';
import { CANONICAL, canonicalType } from './types.ts';
import { type Doc, isDoc } from './value.ts';

/**
 * A list of values as bytes whose memcmp order is MongoDB's comparison order, so that an SQLite BLOB index answers
 * equalities, ranges and sorts. A descending value has its bytes inverted. Equal values have equal keys, whatever
 * their numeric type. Every value begins with its canonical type, which lies in 10..240, so that 0x00 ends a list
 * and 0xff is above every value.
 */
export function encodeKey(
  values: readonly unknown[],
  descending: readonly boolean[] = [],
  collation?: Collation,
): Buffer {
  const writer = new KeyWriter();
  values.forEach((value, i) => {
    const start = writer.length;
    writeValue(writer, value, collation);
    if (descending[i]) writer.invertFrom(start);
  });
  return writer.bytes();
}

/** The key as a string, for a Map or Set of values. */
export function mapKey(value: unknown, collation?: Collation): string {
  return encodeKey([value], [], collation).toString('latin1');
}

const scratch = Buffer.alloc(8);

function writeValue(writer: KeyWriter, value: unknown, collation: Collation | undefined): void {
  const type = canonicalType(value);
  writer.byte(type);
  switch (type) {
    case CANONICAL.string:
      writeString(writer, collation ? collation.fold(String(value)) : String(value));
      break;
    case CANONICAL.number:
      writer.raw(numberKey(value));
      break;
    case CANONICAL.objectId:
      writer.raw((value as ObjectId).id);
      break;
    case CANONICAL.boolean:
      writer.byte(value ? 1 : 0);
      break;
    case CANONICAL.date:
      scratch.writeBigInt64BE(BigInt((value as Date).getTime() || 0));
      scratch[0] = (scratch[0] as number) ^ 0x80;
      writer.raw(scratch);
      break;
    case CANONICAL.timestamp:
      scratch.writeBigUInt64BE(BigInt.asUintN(64, (value as Timestamp).toBigInt()));
      writer.raw(scratch);
      break;
    case CANONICAL.binary: {
      // Binary values compare by length, then subtype, then bytes.
      const { sub_type: subtype, position, buffer } = value as Binary;
      scratch.writeUInt32BE(position, 0);
      writer.raw(scratch.subarray(0, 4));
      writer.byte(subtype);
      writer.raw(buffer.subarray(0, position));
      break;
    }
    case CANONICAL.regex: {
      const { pattern, options } = value as { pattern: string; options: string };
      writeString(writer, pattern);
      writeString(writer, options);
      break;
    }
    case CANONICAL.code:
      writeString(writer, String((value as { code: unknown }).code));
      break;
    case CANONICAL.array:
      for (const element of value as unknown[]) writeValue(writer, element ?? null, collation);
      writer.byte(0);
      break;
    case CANONICAL.object:
      writeFields(writer, isDoc(value) ? value : {}, collation);
      break;
  }
}

/** MongoDB compares fields by the type of the value, then the name, then the value. */
function writeFields(writer: KeyWriter, doc: Doc, collation: Collation | undefined): void {
  for (const name of Object.keys(doc)) {
    const field = doc[name];
    if (field === undefined) continue;
    writer.byte(canonicalType(field));
    writeString(writer, name);
    writeValue(writer, field, collation);
  }
  writer.byte(0);
}

/** UTF-8 that ends with 00 00 and escapes NUL as 00 ff, so that no string's key is a prefix of another's. */
function writeString(writer: KeyWriter, text: string): void {
  if (text.includes('\0')) {
    for (const byte of Buffer.from(text, 'utf8')) {
      writer.byte(byte);
      if (byte === 0) writer.byte(0xff);
    }
  } else writer.text(text);
  writer.byte(0);
  writer.byte(0);
}

class KeyWriter {
  length = 0;
  #buffer = Buffer.allocUnsafe(256);

  byte(byte: number): void {
    this.#reserve(1);
    this.#buffer[this.length++] = byte;
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.length);
    this.length += bytes.length;
  }

  text(text: string): void {
    // A UTF-16 code unit has up to three bytes.
    this.#reserve(3 * text.length);
    this.length += this.#buffer.write(text, this.length);
  }

  invertFrom(start: number): void {
    const buffer = this.#buffer;
    for (let i = start; i < this.length; i++) buffer[i] = 255 - (buffer[i] as number);
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }

  #reserve(count: number): void {
    if (this.length + count <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.length + count));
    this.#buffer.copy(larger, 0, 0, this.length);
    this.#buffer = larger;
  }
}
