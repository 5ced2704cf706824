import { milliseconds } from './duration.ts';

/** The clock of one instance. It runs on, ahead of or behind the system's by as much as it was moved. */
export function createClock() {
  let offset = 0;
  const clock = {
    /** Unix milliseconds. */
    now: () => Date.now() + offset,
    /** Moves the clock ahead. */
    advance(duration: string | number): void {
      const by = milliseconds(duration);
      if (by < 0) throw new Error('The clock is moved back with set()');
      offset += by;
    },
    set(to: Date | string | number): void {
      const at = new Date(to).getTime();
      if (Number.isNaN(at)) throw new Error(`${JSON.stringify(to)} is no date`);
      offset = at - Date.now();
    },
  };
  return clock;
}

export type MovableClock = ReturnType<typeof createClock>;
