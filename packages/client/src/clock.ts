/** Compares the clock of this device, which may be wrong, with the server's. */
export function createClock(now: () => number = Date.now) {
  /** Milliseconds by which the clock of this device is ahead. */
  let ahead = 0;
  return {
    now,
    /** Reads the time of the server from an answer (RFC 9110 §6.6.1). */
    note(headers: Headers): void {
      const at = Date.parse(headers.get('date') ?? '');
      if (!Number.isNaN(at)) ahead = now() - at;
    },
    /** Converts a time of the server to one of this device. @param at Unix milliseconds. */
    toDevice: (at: number): number => at + ahead,
  };
}

export type Clock = ReturnType<typeof createClock>;
