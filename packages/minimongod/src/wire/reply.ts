import { Double, type Long } from 'bson';
import { encode } from '../bson/value.ts';

// `ok` is a double in MongoDB's replies.
const OK = new Double(1);

export function commandReply(fields: Record<string, unknown>): Buffer {
  return encode('ok' in fields ? { ...fields, ok: new Double(Number(fields.ok)) } : { ...fields, ok: OK });
}

/** A reply with a batch of documents, which are BSON already and are copied as they are. */
export function cursorReply(
  field: 'firstBatch' | 'nextBatch',
  batch: readonly Uint8Array[],
  id: Long,
  namespace: string,
): Buffer {
  const cursor = document([element(0x04, field, array(batch)), elements({ id, ns: namespace })]);
  return document([element(0x03, 'cursor', cursor), elements({ ok: OK })]);
}

function array(documents: readonly Uint8Array[]): Buffer {
  return document(documents.map((bytes, i) => element(0x03, String(i), bytes)));
}

function element(type: number, name: string, value: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([type]), Buffer.from(`${name}\0`), value]);
}

/** The elements of a document, without its length and terminator. */
function elements(fields: Record<string, unknown>): Buffer {
  return encode(fields).subarray(4, -1);
}

function document(parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 5);
  const header = Buffer.alloc(4);
  header.writeInt32LE(length);
  return Buffer.concat([header, ...parts, Buffer.from([0])], length);
}
