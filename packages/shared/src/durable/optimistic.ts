import { setTimeout } from 'node:timers/promises';
import { AppError } from '../http/errors.ts';

/** Failed attempts after which each waits up to so many milliseconds: two calls that void each other's marks get out of step. */
const [IN_STEP, PAUSE] = [10, 10];

interface Options {
  /** Each failed attempt means that a concurrent write won, so this many in a row are not expected. */
  attempts?: number;
  /** What is thrown if every attempt loses. */
  refusal?: () => Error;
}

/**
 * Optimistic concurrency: an attempt reads, decides, and writes with what it has read as the precondition in the filter.
 * One of several concurrent writes wins; the others match nothing, and are decided again. A kill before the write
 * changes nothing, and after it the change is complete, so nothing needs a repair.
 * @param attempt returns undefined if a concurrent write came first.
 */
export async function optimistic<Result>(
  attempt: () => Promise<Result | undefined>,
  { attempts = 200, refusal = () => new AppError('unavailable') }: Options = {},
): Promise<Result> {
  for (let tries = 0; tries < attempts; tries += 1) {
    const result = await attempt();
    if (result !== undefined) return result;
    if (tries >= IN_STEP) await setTimeout(Math.random() * PAUSE);
  }
  throw refusal();
}
