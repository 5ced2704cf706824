import { AppError } from '@gatehouse/shared/http/errors';
import { withTimeout } from '../with-timeout.ts';

/**
 * Milliseconds after which a large call is given up, so that it does not hold up those that wait behind it. The driver
 * bounds every step, but what is written to a connection in the moment in which it was closed it waits for for ever.
 */
const LIMIT = 20_000;

/**
 * Runs many small calls as few large ones: what comes in while one is under way goes together into the next. Alone,
 * a call does not wait.
 * @param run answers for each item, in their order; when it rejects, all of them do.
 */
export function batched<Item, Result>(
  run: (items: Item[]) => Promise<readonly Result[]>,
  { most }: { most: number },
): (item: Item) => Promise<Result> {
  interface Waiting {
    item: Item;
    resolve: (result: Result) => void;
    reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let running = false;

  async function runAll() {
    if (running) return;
    running = true;
    // Those that are made in the same turn of the event loop come along.
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most);
      waiting = waiting.slice(most);
      try {
        const results = await withTimeout(
          run(batch.map(({ item }) => item)),
          LIMIT,
          new AppError('unavailable'),
        );
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      void runAll();
    });
}
