import { AppError } from '../http/errors.ts';

/** Each failed attempt means that a concurrent write won, so this many in a row are not expected. */
const MAX_ATTEMPTS = 200;

/**
 * Optimistic concurrency: an attempt reads, decides, and writes with what it has read as the precondition in the filter.
 * One of several concurrent writes wins; the others match nothing, and are decided again. A kill before the write
 * changes nothing, and after it the change is complete, so nothing needs a repair.
 * @param attempt returns undefined if a concurrent write came first.
 * @throws {AppError} unavailable if every attempt loses.
 */
export async function optimistic<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new AppError('unavailable');
}
