import type { Collection, Store } from '../store/store.ts';
import type { IndexScan, Scan } from './planner.ts';

export interface Found {
  readonly id: number;
  readonly bson: Uint8Array;
}

/** What explain shows: how many index keys and documents a scan has touched. */
export interface ScanStats {
  keysExamined: number;
  docsExamined: number;
}

const FIRST_PAGE = 16;
const LAST_PAGE = 256;

/**
 * The documents of a plan, page by page: between two pages no statement is open, so that a cursor may rest for
 * minutes while others write.
 */
export function* scan(store: Store, collection: Collection, plan: Scan, stats: ScanStats): Generator<Found> {
  switch (plan.stage) {
    case 'COLLSCAN':
      yield* scanCollection(store, collection, plan.backward, stats);
      return;
    case 'IXSCAN':
      yield* unlessSeen(scanIndex(store, collection, plan, stats), plan.index.multikey !== 0, stats);
      return;
    case 'OR':
      yield* unlessSeen(scanBranches(store, collection, plan.branches, stats), true, stats);
  }
}

function* unlessSeen(found: Iterable<Found>, repeats: boolean, stats: ScanStats): Generator<Found> {
  const seen = new Set<number>();
  for (const entry of found) {
    if (seen.has(entry.id)) continue;
    if (repeats) seen.add(entry.id);
    stats.docsExamined++;
    yield entry;
  }
}

function* scanBranches(store: Store, collection: Collection, branches: IndexScan[], stats: ScanStats) {
  for (const branch of branches) yield* scanIndex(store, collection, branch, stats);
}

function* scanCollection(
  store: Store,
  collection: Collection,
  backward: boolean,
  stats: ScanStats,
): Generator<Found> {
  const { id } = collection;
  const sql = backward
    ? `SELECT id, bson FROM doc_${id} WHERE id < ? ORDER BY id DESC LIMIT ?`
    : `SELECT id, bson FROM doc_${id} WHERE id > ? ORDER BY id LIMIT ?`;
  let last = backward ? Number.MAX_SAFE_INTEGER : -1;
  for (let page = FIRST_PAGE; ; page = Math.min(page * 2, LAST_PAGE)) {
    if (store.find(collection.db, collection.name)?.id !== id) return;
    const rows = store.statement(sql).all(last, page) as unknown as Found[];
    for (const row of rows) {
      last = row.id;
      stats.docsExamined++;
      yield row;
    }
    if (rows.length < page) return;
  }
}

function* scanIndex(
  store: Store,
  collection: Collection,
  plan: IndexScan,
  stats: ScanStats,
): Generator<Found> {
  if (plan.unique) {
    if (!hasIndex(store, collection, plan.index.id)) return;
    const sql =
      `SELECT d.id AS id, d.bson AS bson FROM idx_${plan.index.id} i ` +
      `CROSS JOIN doc_${collection.id} d ON d.id = i.doc WHERE i.key = ?`;
    const row = store.statement(sql).get(plan.ranges[0]?.start as Buffer) as unknown as Found | undefined;
    if (!row) return;
    stats.keysExamined++;
    yield row;
    return;
  }
  const ranges = plan.backward ? plan.ranges.toReversed() : plan.ranges;
  const order = plan.backward ? 'DESC' : 'ASC';
  const [beyond, within] = plan.backward ? ['<', '>='] : ['>', '<'];
  const sql =
    `SELECT i.key AS key, d.id AS id, d.bson AS bson FROM idx_${plan.index.id} i ` +
    `CROSS JOIN doc_${collection.id} d ON d.id = i.doc ` +
    `WHERE (i.key, i.doc) ${beyond} (?, ?) AND i.key ${within} ? ORDER BY i.key ${order}, i.doc ${order} LIMIT ?`;
  let page = FIRST_PAGE;
  for (const { start, end } of ranges) {
    // row ids are positive: the start itself is inside, the end is not
    let key: Uint8Array = plan.backward ? end : start;
    let id = -1;
    for (;;) {
      if (!hasIndex(store, collection, plan.index.id)) return;
      const rows = store
        .statement(sql)
        .all(key, id, plan.backward ? start : end, page) as unknown as (Found & {
        key: Uint8Array;
      })[];
      for (const row of rows) {
        ({ key, id } = row);
        stats.keysExamined++;
        yield row;
      }
      if (rows.length < page) break;
      page = Math.min(page * 2, LAST_PAGE);
    }
  }
}

/** A collection or index dropped between two pages ends the scan. */
function hasIndex(store: Store, { db, name }: Collection, id: number): boolean {
  return store.find(db, name)?.indexes.some((index) => index.id === id) ?? false;
}

/** How many documents have keys in the ranges, without touching one of them. */
export function countKeys(store: Store, plan: IndexScan, stats: ScanStats): number {
  // a document may have keys in several ranges, or several in one
  const what = plan.index.multikey ? 'COUNT(DISTINCT doc)' : 'COUNT(*)';
  const count = selectKeys(store, plan, what, Number.POSITIVE_INFINITY);
  stats.keysExamined += count;
  return count;
}

/** How many keys lie in the ranges, counted up to a limit. An index that a cursor has outlived is not worth choosing. */
export function countUpTo(
  store: Store,
  collection: Collection | undefined,
  plan: IndexScan,
  limit: number,
): number {
  if (!collection || !hasIndex(store, collection, plan.index.id)) return limit;
  return selectKeys(store, plan, 'COUNT(*)', limit);
}

function selectKeys(store: Store, { index, ranges }: IndexScan, what: string, limit: number): number {
  const sql =
    `SELECT ${what} AS n FROM (SELECT i.doc AS doc FROM json_each(?) r CROSS JOIN idx_${index.id} i ` +
    'ON i.key >= unhex(r.value ->> 0) AND i.key < unhex(r.value ->> 1) LIMIT ?)';
  const bounds = ranges.map(({ start, end }) => [start.toString('hex'), end.toString('hex')]);
  return Number(store.statement(sql).get(JSON.stringify(bounds), Number.isFinite(limit) ? limit : -1)?.n);
}
