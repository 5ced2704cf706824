import type { Collation } from '../bson/collation.ts';
import { compareBySort, type SortField, sortDocs, sortKeys } from '../language/sort.ts';
import { type CountKeys, FEW, fewestKeys } from './choose-scan.ts';
import type { IndexScan, Plan, Scan } from './planner.ts';
import type { StoredDocument } from './query.ts';

export interface Reading {
  readonly sort: readonly SortField[];
  readonly collation: Collation | undefined;
  readonly count: CountKeys;
  /** What a scan finds, for as long as `goesOn`, asked for each document that is read. */
  matching(scan: Scan, goesOn?: () => boolean): Iterable<StoredDocument>;
}

/** The documents of a plan in the wanted order, no more of them read than are taken where an index has the order. */
export function readInOrder(plan: Plan, { sort, collation, count, matching }: Reading) {
  const known = new WeakMap<StoredDocument, unknown[]>();
  const compareKeys = compareBySort(sort, collation);
  return ordered(plan);

  function ordered(part: Plan): Iterable<StoredDocument> {
    if (part.stage === 'SORT_MERGE') return unlessGiven(merge(part.branches.map(ordered)));
    if (!part.sorted) return sorted(part);
    if (part.stage === 'IXSCAN' && (part.merges || part.instead)) return unlessGiven(walk(part));
    return matching(part);
  }

  function* sorted(scan: Scan): Generator<StoredDocument> {
    yield* sortDocs([...matching(scan)], sort, (entry) => entry.doc(), collation);
  }

  /**
   * What matches may all lie at the end of the order: once the walk has read as many documents as another scan holds,
   * it was the wrong choice and that scan is read instead. So neither choice costs more than twice the better one.
   */
  function* walk(scan: IndexScan): Generator<StoredDocument> {
    let read = 0;
    let allowed = scan.instead ? FEW : Number.POSITIVE_INFINITY;
    let other: ReturnType<typeof fewestKeys>;
    const goesOn = () => {
      if (++read <= allowed) return true;
      other ??= fewestKeys(scan.instead ?? [], count, Number.POSITIVE_INFINITY);
      allowed = other?.keys ?? Number.POSITIVE_INFINITY;
      return read <= allowed;
    };
    const streams = scan.merges ? scan.ranges.map((range) => ({ ...scan, ranges: [range] })) : [scan];
    for (const entry of merge(streams.map((stream) => matching(stream, goesOn)))) {
      if (read > allowed) break;
      yield entry;
    }
    if (other && read > allowed) yield* sorted(other.scan);
  }

  function* merge(streams: Iterable<StoredDocument>[]): Generator<StoredDocument> {
    if (streams.length < 2) {
      yield* streams[0] ?? [];
      return;
    }
    const middle = streams.length >> 1;
    const left = merge(streams.slice(0, middle));
    const right = merge(streams.slice(middle));
    let a = left.next();
    let b = right.next();
    while (!a.done || !b.done) {
      if (b.done || (!a.done && compare(a.value, b.value) <= 0)) {
        yield a.value as StoredDocument;
        a = left.next();
      } else {
        yield b.value;
        b = right.next();
      }
    }
  }

  function compare(a: StoredDocument, b: StoredDocument): number {
    return compareKeys(keysOf(a), keysOf(b));
  }

  function keysOf(entry: StoredDocument): unknown[] {
    const keys = known.get(entry) ?? sortKeys(sort, entry.doc(), collation);
    known.set(entry, keys);
    return keys;
  }
}

function* unlessGiven(found: Iterable<StoredDocument>): Generator<StoredDocument> {
  const given = new Set<number>();
  for (const entry of found) {
    if (given.has(entry.id)) continue;
    given.add(entry.id);
    yield entry;
  }
}
