import type { Index } from '../store/index-keys.ts';
import type { Collection, Store } from '../store/store.ts';
import type { IndexScan, KeyRange, Scan } from './plan.ts';

interface Row {
  readonly id: number;
  readonly bson: Uint8Array;
}

/** What explain reports: the index keys and documents that a scan has read. */
export interface ScanStats {
  keysExamined: number;
  docsExamined: number;
}

export const newStats = (): ScanStats => ({ keysExamined: 0, docsExamined: 0 });

const FIRST_PAGE = 16;
const MAX_PAGE = 256;

/**
 * The documents of a plan, page by page. Between two pages no statement is open, so a cursor may rest for minutes
 * while clients write.
 */
export function scan(store: Store, collection: Collection, plan: Scan, stats: ScanStats): Iterable<Row> {
  switch (plan.stage) {
    case 'COLLSCAN':
      return scanCollection(store, collection, plan.backward, stats);
    case 'IXSCAN':
      if (plan.unique) return readPoint(store, collection, plan, stats);
      return withoutRepeats(scanIndex(store, collection, plan, stats), plan.index.multikey !== 0, stats);
    case 'OR':
      return withoutRepeats(scanBranches(store, collection, plan.branches, stats), true, stats);
  }
}

function* withoutRepeats(rows: Iterable<Row>, repeats: boolean, stats: ScanStats): Generator<Row> {
  const seen = new Set<number>();
  for (const row of rows) {
    if (seen.has(row.id)) continue;
    if (repeats) seen.add(row.id);
    stats.docsExamined++;
    yield row;
  }
}

function* scanBranches(store: Store, collection: Collection, branches: IndexScan[], stats: ScanStats) {
  for (const branch of branches) yield* scanIndex(store, collection, branch, stats);
}

function* scanCollection(
  store: Store,
  { id, db, name }: Collection,
  backward: boolean,
  stats: ScanStats,
): Generator<Row> {
  const sql = backward
    ? `SELECT id, bson FROM doc_${id} WHERE id < ? ORDER BY id DESC LIMIT ?`
    : `SELECT id, bson FROM doc_${id} WHERE id > ? ORDER BY id LIMIT ?`;
  let last = backward ? Number.MAX_SAFE_INTEGER : -1;
  for (let page = FIRST_PAGE; ; page = Math.min(page * 2, MAX_PAGE)) {
    // A dropped collection ends the scan.
    if (store.find(db, name)?.id !== id) return;
    const rows = store.statement(sql).all(last, page) as unknown as Row[];
    for (const row of rows) {
      last = row.id;
      stats.docsExamined++;
      yield row;
    }
    if (rows.length < page) return;
  }
}

/** The document of a unique key. */
function readPoint(
  store: Store,
  collection: Collection,
  { index, ranges }: IndexScan,
  stats: ScanStats,
): Row[] {
  if (!hasIndex(store, collection, index.id)) return [];
  const sql = `SELECT d.id AS id, d.bson AS bson ${entriesWithDocuments(collection, index)} WHERE i.key = ?`;
  const row = store.statement(sql).get(ranges[0]?.start as Buffer) as unknown as Row | undefined;
  if (!row) return [];
  stats.keysExamined++;
  stats.docsExamined++;
  return [row];
}

const entriesWithDocuments = (collection: Collection, index: Index) =>
  `FROM idx_${index.id} i CROSS JOIN doc_${collection.id} d ON d.id = i.doc`;

interface Entry extends Row {
  readonly key: Uint8Array;
  /** The position of its range among those that were read together. */
  readonly range?: number;
}

function* scanIndex(
  store: Store,
  collection: Collection,
  { index, ranges, backward }: IndexScan,
  stats: ScanStats,
): Generator<Row> {
  const one = oneRange(collection, index, backward);
  const several = severalRanges(collection, index);
  const rest = backward ? ranges.toReversed() : [...ranges];
  let page = FIRST_PAGE;
  /** The last entry of a full page: its range, now the first of the rest, may hold more. */
  let last: Entry | undefined;
  while (rest.length > 0) {
    if (!hasIndex(store, collection, index.id)) return;
    // Of many ranges, most hold one entry or none. Reading them together costs a fifth of a statement for each.
    const together = last || backward ? [] : rest.slice(0, page);
    let found: unknown[];
    if (together.length > 1) {
      found = store.statement(several).all(hexBounds(together), page);
    } else {
      const { start, end } = rest[0] as KeyRange;
      // Row ids are positive, so with -1 the range includes its start and excludes its end.
      const [key, id] = last ? [last.key, last.id] : [backward ? end : start, -1];
      found = store.statement(one).all(key, id, backward ? start : end, page);
    }
    for (const entry of found as Entry[]) {
      stats.keysExamined++;
      yield entry;
    }
    last = found.length === page ? (found.at(-1) as Entry) : undefined;
    rest.splice(0, last ? (last.range ?? 0) : Math.max(together.length, 1));
    if (last || together.length > 1) page = Math.min(page * 2, MAX_PAGE);
  }
}

function oneRange(collection: Collection, index: Index, backward: boolean): string {
  const [order, after, within] = backward ? ['DESC', '<', '>='] : ['ASC', '>', '<'];
  return (
    `SELECT i.key AS key, d.id AS id, d.bson AS bson ${entriesWithDocuments(collection, index)} ` +
    `WHERE (i.key, i.doc) ${after} (?, ?) AND i.key ${within} ? ORDER BY i.key ${order}, i.doc ${order} LIMIT ?`
  );
}

/** Reads the entries in the order of their ranges: SQLite nests the loops of a CROSS JOIN from left to right. */
const severalRanges = (collection: Collection, index: Index): string =>
  `SELECT r.key AS range, i.key AS key, d.id AS id, d.bson AS bson FROM json_each(?) r CROSS JOIN idx_${index.id} i ` +
  'ON i.key >= unhex(r.value ->> 0) AND i.key < unhex(r.value ->> 1) ' +
  `CROSS JOIN doc_${collection.id} d ON d.id = i.doc LIMIT ?`;

const hexBounds = (ranges: readonly KeyRange[]): string =>
  JSON.stringify(ranges.map(({ start, end }) => [start.toString('hex'), end.toString('hex')]));

/** False once the collection or the index has been dropped between two pages, which ends the scan. */
function hasIndex(store: Store, { db, name }: Collection, id: number): boolean {
  return store.find(db, name)?.indexes.some((index) => index.id === id) ?? false;
}

/** Counts the documents with keys in the ranges, without reading a document, at least up to `limit`. */
export function countDocuments(
  store: Store,
  plan: IndexScan,
  stats: ScanStats,
  limit = Number.POSITIVE_INFINITY,
): number {
  // With arrays, a document may have several keys in the ranges.
  const { multikey } = plan.index;
  const what = multikey ? 'COUNT(DISTINCT doc)' : 'COUNT(*)';
  const count = selectKeys(store, plan, what, multikey ? Number.POSITIVE_INFINITY : limit);
  stats.keysExamined += count;
  return count;
}

/** Counts the keys in the ranges up to a limit. Returns the limit if the index is gone, so that it is not chosen. */
export function countKeys(
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
  return Number(store.statement(sql).get(hexBounds(ranges), Number.isFinite(limit) ? limit : -1)?.n);
}
