import { encodeKey } from '../bson/key.ts';
import { TAG } from '../bson/tag.ts';
import { decode } from '../bson/value.ts';
import { deleteDocument } from './documents.ts';
import type { Index } from './indexes.ts';
import type { Collection, Store } from './store.ts';

/** MongoDB sweeps once a minute (https://www.mongodb.com/docs/manual/core/index-ttl/); here oftener, in small steps. */
const SWEEP_MS = 2000;
const STEP = 200;

/** Deletes what has expired, now and then; answers how to stop it. */
export function startTtlSweep(store: Store, report: (error: unknown) => void): () => void {
  let stopped = false;
  let timer = setTimeout(sweep, SWEEP_MS);
  timer.unref();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };

  function sweep(): void {
    if (stopped) return;
    let more = false;
    try {
      more = sweepStep(store, Date.now());
    } catch (error) {
      report(error);
    }
    // between two steps the clients get their turn
    timer = setTimeout(sweep, more ? 1 : SWEEP_MS);
    timer.unref();
  }
}

/** One step per TTL index; true when one of them has more to delete. */
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
  const oldest = Buffer.from([TAG.date]);
  const newest = encodeKey([deadline]);
  const [start, end] = index.descending[0] ? [inverted(newest), inverted(oldest, 1)] : [oldest, newest];
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

function inverted(bytes: Buffer, beyond = 0): Buffer {
  return Buffer.from(bytes.map((byte) => 255 - byte + beyond));
}
