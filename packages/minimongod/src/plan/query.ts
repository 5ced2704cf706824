import type { Collation } from '../bson/collation.ts';
import { type Doc, decode, encode } from '../bson/value.ts';
import type { Evaluate } from '../language/expression.ts';
import { type Filter, parseFilter } from '../language/filter.ts';
import { compileFilter } from '../language/match.ts';
import { parseProjection } from '../language/projection.ts';
import { parseSort, type SortField } from '../language/sort.ts';
import type { Collection, Store } from '../store/store.ts';
import type { CountKeys } from './choose-scan.ts';
import { choosePlan, type Plan, type Scan } from './planner.ts';
import { countKeys, countUpTo, type ScanStats, scan } from './scan.ts';
import { readInOrder } from './sorted-read.ts';

export interface FindRequest {
  readonly filter: unknown;
  readonly sort?: unknown;
  readonly skip?: number;
  /** 0 stands for all. */
  readonly limit?: number;
  readonly projection?: unknown;
  readonly collation?: Collation | undefined;
  readonly hint?: string | undefined;
  readonly evaluate: Evaluate;
}

/** A stored document; it is decoded only when somebody looks into it. */
export interface StoredDocument {
  readonly id: number;
  readonly bson: Uint8Array;
  doc(): Doc;
}

export interface Query {
  readonly filter: Filter;
  readonly sort: readonly SortField[];
  readonly plan: Plan;
  readonly request: FindRequest;
}

export const newStats = (): ScanStats => ({ keysExamined: 0, docsExamined: 0 });

export function prepareQuery(store: Store, collection: Collection | undefined, request: FindRequest): Query {
  const filter = parseFilter(request.filter ?? {});
  const sort = parseSort(request.sort);
  const { collation, hint, skip = 0, limit = 0 } = request;
  const plan = choosePlan(collection?.indexes ?? [], {
    filter,
    sort,
    collation,
    hint: collection ? hint : undefined,
    need: limit > 0 ? skip + limit : 0,
    count: (scan, most) => countUpTo(store, collection, scan, most),
  });
  return { filter, sort, plan, request };
}

/** The documents that match, in the wanted order, after skip and limit. */
export function* runQuery(
  store: Store,
  collection: Collection,
  { filter, sort, plan, request }: Query,
  stats: ScanStats = newStats(),
): Generator<StoredDocument> {
  const { collation, evaluate, skip = 0, limit = 0 } = request;
  const test = plan.exact ? undefined : compileFilter(filter, { collation, evaluate });
  const count: CountKeys = (keys, most) => countUpTo(store, collection, keys, most);
  const found = readInOrder(plan, { sort, collation, count, matching });
  let position = 0;
  for (const entry of found) {
    if (position++ < skip) continue;
    yield entry;
    if (limit > 0 && position - skip >= limit) return;
  }

  function* matching(part: Scan, goesOn = () => true): Generator<StoredDocument> {
    for (const { id, bson } of scan(store, collection, part, stats)) {
      if (!goesOn()) return;
      const entry = stored(id, bson);
      if (!test || test(entry.doc())) yield entry;
    }
  }
}

function stored(id: number, bson: Uint8Array): StoredDocument {
  let doc: Doc | undefined;
  return { id, bson, doc: () => (doc ??= decode(bson)) };
}

export function* runDocs(store: Store, collection: Collection, query: Query): Generator<Doc> {
  for (const entry of runQuery(store, collection, query)) yield entry.doc();
}

/** The same as the BSON that a cursor sends. */
export function runFind(
  store: Store,
  collection: Collection | undefined,
  query: Query,
): Iterator<Uint8Array> {
  const { projection, collation, evaluate } = query.request;
  // a compiled filter or projection refuses what is wrong with it even where there is nothing to read
  compileFilter(query.filter, { collation, evaluate });
  const project =
    projection && Object.keys(projection).length > 0
      ? parseProjection(projection, { collation, evaluate })
      : undefined;
  return results();

  function* results(): Generator<Uint8Array> {
    if (!collection) return;
    for (const entry of runQuery(store, collection, query)) {
      yield project ? encode(project(entry.doc())) : entry.bson;
    }
  }
}

export function countQuery(
  store: Store,
  collection: Collection,
  query: Query,
  stats: ScanStats = newStats(),
): number {
  const { plan, request } = query;
  const { skip = 0, limit = 0 } = request;
  const capped = (count: number) => {
    const rest = Math.max(count - skip, 0);
    return limit > 0 ? Math.min(rest, limit) : rest;
  };
  if (plan.exact && plan.stage === 'COLLSCAN') {
    const id = collection.indexes[0]?.id;
    return capped(Number(store.statement(`SELECT COUNT(*) AS n FROM idx_${id}`).get()?.n));
  }
  if (plan.exact && plan.stage === 'IXSCAN') {
    return capped(countKeys(store, plan, stats));
  }
  let count = 0;
  for (const _ of runQuery(store, collection, query, stats)) count++;
  return count;
}
