import type { CountKeys, IndexScan } from './plan.ts';

/**
 * Up to this many keys, reading and sorting all matches is as cheap as scanning in order: if 1 of 70 documents among
 * 100,000 matches, both read about 1,500 documents for a page of 20.
 */
export const SORTABLE_KEYS = 1500;

/**
 * MongoDB races its candidate plans. Here the keys that each scan would read are counted, which is cheap compared to
 * reading documents. Few keys are read and sorted. Otherwise, for a page, an index in the order of the sort is
 * scanned until the page is full, because many matches fill it soon.
 */
export function chooseScan(
  scans: readonly IndexScan[],
  { sorts, limit, count }: { sorts: boolean; limit: number; count: CountKeys },
): IndexScan | undefined {
  const ranked = scans.toSorted((a, b) => b.score - a.score);
  const [best] = ranked;
  if (!best || ranked.length === 1) return best;
  // No plan reads fewer documents than the matches.
  const exact = ranked.find((scan) => scan.exact && (scan.sorted || limit === 0));
  if (exact) return exact;
  const max = limit === 0 ? Number.POSITIVE_INFINITY : Math.max(SORTABLE_KEYS, limit);
  const fewest = fewestKeys(ranked, count, max);
  if (fewest) return fewest.scan;
  const sorted = sorts ? ranked.find((scan) => scan.sorted) : undefined;
  return sorted ? { ...sorted, fallbacks: ranked.filter((scan) => !scan.sorted) } : best;
}

/** The scan with the fewest keys, if it has fewer than `limit`. */
export function fewestKeys(
  scans: readonly IndexScan[],
  count: CountKeys,
  limit: number,
): { scan: IndexScan; keys: number } | undefined {
  let fewest: { scan: IndexScan; keys: number } | undefined;
  for (const scan of scans) {
    const max = fewest?.keys ?? limit;
    const keys = count(scan, max);
    if (keys < max) fewest = { scan, keys };
  }
  return fewest;
}
