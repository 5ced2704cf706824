import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds. */
const LIMIT = 60_000;

/** Repeats a check until it returns something. @throws after a minute. */
export async function eventually<T>(check: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (const began = performance.now(); performance.now() - began < LIMIT; await sleep(20)) {
    const result = await check();
    if (result !== undefined) return result;
  }
  throw new Error(`nothing came of ${check} within a minute`);
}
