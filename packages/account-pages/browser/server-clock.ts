/** Milliseconds by which the clock of this device is ahead of the server's. */
let ahead = 0;

/** Reads the time of the server from an answer (RFC 9110 §6.6.1). */
export function noteServerTime(headers: Headers): void {
  const at = Date.parse(headers.get('date') ?? '');
  if (!Number.isNaN(at)) ahead = Date.now() - at;
}

/** Converts a time of the server to one of this device, whose clock may be wrong. @param at Unix milliseconds. */
export const toDeviceTime = (at: number): number => at + ahead;
