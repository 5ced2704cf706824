import { encodeKey } from '../bson/key.ts';
import { CANONICAL } from '../bson/types.ts';
import { decode } from '../bson/value.ts';
import { deleteDocument } from './documents.ts';
import type { Index } from './index-keys.ts';
import type { Collection, Store } from './store.ts';

/** The documents that one step deletes per index, so that clients get their turn between two steps. */
const STEP = 200;

/**
 * Deletes the documents that TTL indexes have expired, every `interval` milliseconds.
 * https://www.mongodb.com/docs/manual/core/index-ttl/
 * @returns a function that stops the sweep.
 */
export function startTtlSweep(
  store: Store,
  { interval, now, onError }: { interval: number; now: () => number; onError: (error: unknown) => void },
): () => void {
  let stopped = false;
  let timer = setTimeout(sweep, interval).unref();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };

  function sweep(): void {
    if (stopped) return;
    let more = false;
    try {
      more = sweepStep(store, now());
    } catch (error) {
      onError(error);
    }
    timer = setTimeout(sweep, more ? 1 : interval).unref();
  }
}

/** Deletes every document that has expired by now, in Unix milliseconds, while clients wait. */
export function sweepExpired(store: Store, now: number): void {
  while (sweepStep(store, now));
}

/** One step for each TTL index. Returns whether there is more to delete. */
function sweepStep(store: Store, now: number): boolean {
  let more = false;
  for (const collection of store.collections()) {
    for (const index of collection.indexes) {
      if (index.expireAfterSeconds === undefined) continue;
      const deadline = new Date(now - index.expireAfterSeconds * 1000);
      if (Number.isNaN(deadline.getTime())) continue;
      more = deleteExpired(store, collection, index, deadline) === STEP || more;
    }
  }
  return more;
}

function deleteExpired(store: Store, collection: Collection, index: Index, deadline: Date): number {
  const oldest = Buffer.from([CANONICAL.date]);
  const newest = encodeKey([deadline]);
  const [start, end] = index.descending[0] ? [invert(newest), invert(oldest, 1)] : [oldest, newest];
  const rows = store
    .statement(
      `SELECT d.id AS id, d.bson AS bson FROM doc_${collection.id} d WHERE d.id IN ` +
        `(SELECT doc FROM idx_${index.id} WHERE key >= ? AND key <= ? ORDER BY key LIMIT ${STEP})`,
    )
    .all(start, end);
  if (rows.length === 0) return 0;
  store.transaction(() => {
    for (const row of rows) deleteDocument(store, collection, Number(row.id), decode(row.bson as Uint8Array));
  });
  return rows.length;
}

function invert(bytes: Buffer, plus = 0): Buffer {
  return Buffer.from(bytes.map((byte) => 255 - byte + plus));
}
