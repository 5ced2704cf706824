import { hash } from 'node:crypto';

/**
 * A UUIDv8 (RFC 9562 §5.8) derived from a text: a repeated call gets the same id. It begins with the time, as version 7
 * does, and new ids are appended to their index.
 * @param at Unix milliseconds; the same on every call.
 */
export function derivedId(at: number, text: string): string {
  const bytes = hash('sha256', text, 'buffer').subarray(0, 16);
  bytes.writeUIntBE(at, 0, 6);
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
