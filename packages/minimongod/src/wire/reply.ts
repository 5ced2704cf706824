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
  const reply = encode({ cursor: { [field]: [], id, ns: namespace }, ok: OK });
  if (batch.length === 0) return reply;
  const names = batch.map((_, i) => `${i}\0`);
  const added = batch.reduce((sum, bytes, i) => sum + 1 + (names[i] as string).length + bytes.length, 0);
  const longer = Buffer.allocUnsafe(reply.length + added);
  // The lengths of the reply, the cursor and the array, and the end of the empty array.
  const cursor = 4 + 1 + 'cursor'.length + 1;
  const array = cursor + 4 + 1 + field.length + 1;
  let at = array + 4;
  reply.copy(longer, 0, 0, at);
  for (const length of [0, cursor, array]) longer.writeInt32LE(reply.readInt32LE(length) + added, length);
  for (const [i, bytes] of batch.entries()) {
    longer[at++] = 0x03;
    at += longer.write(names[i] as string, at, 'latin1');
    longer.set(bytes, at);
    at += bytes.length;
  }
  reply.copy(longer, at, array + 4);
  return longer;
}
