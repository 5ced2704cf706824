import { randomUUID } from 'node:crypto';

/** Returns a UUIDv7 (RFC 9562 §5.7), which carries the time at which the session began. */
export function newSessionId(now: number): string {
  const time = Math.floor(now).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Returns whether a `sid` is a UUIDv7. Any other has no start time, so nothing could ever end its session. */
export const isSessionId = (sid: unknown): sid is string =>
  typeof sid === 'string' &&
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(sid);

/** Unix milliseconds. */
export const startOf = (sid: string): number => Number.parseInt(sid.replace('-', '').slice(0, 12), 16);
