import { type Doc, decode, encode } from '../bson/value.ts';
import type { Scope } from '../language/expression-context.ts';
import { type Filter, parseFilter } from '../language/filter.ts';
import { compileFilter, type Predicate } from '../language/match.ts';
import { parseProjection } from '../language/projection.ts';
import { parseSort, type SortField } from '../language/sort.ts';
import type { Collection, Store } from '../store/store.ts';
import type { CountKeys, Plan, Scan } from './plan.ts';
import { choosePlan } from './planner.ts';
import { countDocuments, countKeys, newStats, type ScanStats, scan } from './scan.ts';
import { readInOrder, type StoredDocument } from './sorted-read.ts';

export interface QueryRequest {
  readonly filter: unknown;
  readonly sort?: unknown;
  readonly skip?: number;
  /** 0 means no limit. */
  readonly limit?: number;
  readonly projection?: unknown;
  readonly hint?: string | undefined;
  readonly scope: Scope;
}

export interface Query {
  readonly filter: Filter;
  readonly test: Predicate;
  readonly sort: readonly SortField[];
  readonly plan: Plan;
  readonly request: QueryRequest;
}

export function prepareQuery(store: Store, collection: Collection | undefined, request: QueryRequest): Query {
  const filter = parseFilter(request.filter ?? {});
  const sort = parseSort(request.sort);
  const { hint, scope, skip = 0, limit = 0 } = request;
  const plan = choosePlan(collection?.indexes ?? [], {
    filter,
    sort,
    collation: scope.collation,
    hint: collection ? hint : undefined,
    limit: limit > 0 ? skip + limit : 0,
    count: (candidate, max) => countKeys(store, collection, candidate, max),
  });
  // Compiling reports errors in the filter even if there is nothing to read.
  const test = compileFilter(filter, { collation: scope.collation, scope });
  return { filter, test, sort, plan, request };
}

/** The documents that match, in the order of the sort, after skip and limit. */
export function runQuery(
  store: Store,
  collection: Collection,
  { test, sort, plan, request }: Query,
  stats: ScanStats = newStats(),
): Iterable<StoredDocument> {
  const { skip = 0, limit = 0 } = request;
  const { collation } = request.scope;
  const count: CountKeys = (candidate, max) => countKeys(store, collection, candidate, max);
  const ordered = plan.stage === 'SORT_MERGE' || sort.length > 0;
  const entries = ordered ? readInOrder(plan, { sort, collation, count, matching }) : matching(plan);
  const single = plan.stage === 'IXSCAN' && plan.unique;
  return skip > 0 || (limit > 0 && !single) ? page(entries, skip, limit) : entries;

  function* matching(part: Scan, proceed = () => true): Generator<StoredDocument> {
    for (const { id, bson } of scan(store, collection, part, stats)) {
      if (!proceed()) return;
      let decoded: Doc | undefined;
      const entry = { id, bson, doc: () => (decoded ??= decode(bson)) };
      if (plan.exact || test(entry.doc())) yield entry;
    }
  }
}

function* page<T>(entries: Iterable<T>, skip: number, limit: number): Generator<T> {
  let position = 0;
  for (const entry of entries) {
    if (position++ < skip) continue;
    yield entry;
    if (limit > 0 && position - skip >= limit) return;
  }
}

/** The results of a find as BSON. Without a projection, stored documents are sent as they are. */
export function runFind(
  store: Store,
  collection: Collection | undefined,
  query: Query,
): Iterator<Uint8Array> {
  const { projection, scope } = query.request;
  const project =
    projection && Object.keys(projection).length > 0 ? parseProjection(projection, scope) : undefined;
  return results();

  function* results(): Generator<Uint8Array> {
    if (!collection) return;
    for (const entry of runQuery(store, collection, query)) {
      yield project ? encode(project(entry.doc())) : entry.bson;
    }
  }
}

/** Counts the matches, from an index alone where the plan is exact. */
export function countQuery(
  store: Store,
  collection: Collection,
  query: Query,
  stats: ScanStats = newStats(),
): number {
  const { plan, request } = query;
  const { skip = 0, limit = 0 } = request;
  let count = 0;
  if (!plan.exact) {
    for (const _ of runQuery(store, collection, query, stats)) count++;
    return count;
  }
  if (plan.stage === 'IXSCAN')
    count = countDocuments(store, plan, stats, limit > 0 ? skip + limit : undefined);
  else count = Number(store.statement(`SELECT COUNT(*) AS n FROM idx_${collection.indexes[0]?.id}`).get()?.n);
  const rest = Math.max(count - skip, 0);
  return limit > 0 ? Math.min(rest, limit) : rest;
}
