import type { Collation } from '../bson/collation.ts';
import type { Doc } from '../bson/value.ts';
import { compareBySort, type SortField, sortDocs, sortKeys } from '../language/sort.ts';
import { fewestKeys, SORTABLE_KEYS } from './choose-scan.ts';
import type { CountKeys, IndexScan, Plan, Scan } from './plan.ts';

/** A stored document, which is decoded on first use. */
export interface StoredDocument {
  readonly id: number;
  readonly bson: Uint8Array;
  doc(): Doc;
}

export interface SortedRead {
  readonly sort: readonly SortField[];
  readonly collation: Collation | undefined;
  readonly count: CountKeys;
  /** The documents of a scan that match; `proceed` is called before each document and may end the scan. */
  matching(scan: Scan, proceed?: () => boolean): Iterable<StoredDocument>;
}

/** The documents of a plan in the order of the sort. Where an index has that order, documents are read on demand. */
export function readInOrder(plan: Plan, { sort, collation, count, matching }: SortedRead) {
  const keysByDocument = new WeakMap<StoredDocument, unknown[]>();
  const compareKeys = compareBySort(sort, collation);
  return read(plan);

  function read(part: Plan): Iterable<StoredDocument> {
    if (part.stage === 'SORT_MERGE') return withoutRepeats(merge(part.branches.map(read)));
    if (!part.sorted) return readAndSort(part);
    if (part.stage === 'IXSCAN' && (part.merges || part.fallbacks)) return withoutRepeats(readSorted(part));
    return matching(part);
  }

  function* readAndSort(scan: Scan): Generator<StoredDocument> {
    yield* sortDocs(matching(scan), sort, (entry) => entry.doc(), collation);
  }

  /**
   * All matches may be at the end of the order. Once the scan has read as many documents as a fallback would, it was
   * the wrong choice and the fallback is read. So neither choice costs more than twice the better one.
   */
  function* readSorted(scan: IndexScan): Generator<StoredDocument> {
    let examined = 0;
    let allowed = scan.fallbacks ? SORTABLE_KEYS : Number.POSITIVE_INFINITY;
    let fallback: ReturnType<typeof fewestKeys>;
    const proceed = () => {
      if (++examined <= allowed) return true;
      fallback ??= fewestKeys(scan.fallbacks ?? [], count, Number.POSITIVE_INFINITY);
      allowed = fallback?.keys ?? Number.POSITIVE_INFINITY;
      return examined <= allowed;
    };
    const streams = scan.merges ? scan.ranges.map((range) => ({ ...scan, ranges: [range] })) : [scan];
    for (const entry of merge(streams.map((stream) => matching(stream, proceed)))) {
      if (examined > allowed) break;
      yield entry;
    }
    if (fallback && examined > allowed) yield* readAndSort(fallback.scan);
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
      if (b.done || (!a.done && compareKeys(keysOf(a.value), keysOf(b.value)) <= 0)) {
        yield a.value as StoredDocument;
        a = left.next();
      } else {
        yield b.value;
        b = right.next();
      }
    }
  }

  function keysOf(entry: StoredDocument): unknown[] {
    const keys = keysByDocument.get(entry) ?? sortKeys(sort, entry.doc(), collation);
    keysByDocument.set(entry, keys);
    return keys;
  }
}

function* withoutRepeats(entries: Iterable<StoredDocument>): Generator<StoredDocument> {
  const seen = new Set<number>();
  for (const entry of entries) {
    if (seen.has(entry.id)) continue;
    seen.add(entry.id);
    yield entry;
  }
}
