import { bounded } from './bounded.ts';

/**
 * Combines many small calls into few large ones: the calls that arrive while one runs form the next batch. A
 * single call does not wait.
 * @param run returns one result for each item, in order; if it rejects, every call of the batch rejects.
 * @param options.isBounded `run` bounds its calls to the database itself.
 * @param options.isParallel the calls of each turn of the event loop form batches, which do not wait for earlier ones.
 */
export function batched<Item, Result>(
  run: (items: Item[]) => Promise<readonly Result[]>,
  {
    maxItems,
    isBounded = false,
    isParallel = false,
  }: { maxItems: number; isBounded?: boolean; isParallel?: boolean },
): (item: Item) => Promise<Result> {
  interface Call {
    item: Item;
    resolve: (result: Result) => void;
    reject: (error: unknown) => void;
  }
  const waiting: Call[] = [];
  let running = false;

  async function runBatch(batch: Call[]) {
    try {
      const outcome = run(batch.map(({ item }) => item));
      const results = await (isBounded ? outcome : bounded(outcome));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async function runAll() {
    if (running) return;
    running = true;
    // Include the calls made in the same turn of the event loop.
    await new Promise(setImmediate);
    if (isParallel) running = false;
    while (waiting.length > 0) {
      const batch = runBatch(waiting.splice(0, maxItems));
      if (!isParallel) await batch;
    }
    running = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      void runAll();
    });
}
