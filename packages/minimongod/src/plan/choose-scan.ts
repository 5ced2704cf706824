import type { IndexScan } from './planner.ts';

/** How many keys lie in a scan's ranges, counted up to a limit. */
export type CountKeys = (scan: IndexScan, limit: number) => number;

/**
 * Up to here reading all that match is no worse than walking: where 1 in 70 of 100,000 matches, both read about 1,500
 * documents for a page of 20.
 */
export const FEW = 1500;

/**
 * MongoDB races its candidates. Here the keys that each would read are counted, which costs next to nothing beside
 * reading documents: where they are few they are read and sorted; otherwise, if a page is wanted, an index that has
 * its order is walked until the page is full, because the more match, the sooner that is.
 */
export function chooseScan(
  scans: readonly IndexScan[],
  { sorts, need, count }: { sorts: boolean; need: number; count: CountKeys },
): IndexScan | undefined {
  const ranked = scans.toSorted((a, b) => b.score - a.score);
  const [best] = ranked;
  if (!best || ranked.length === 1 || best.unique) return best;
  // nothing reads fewer documents than those that match
  const exact = ranked.find((scan) => scan.exact && (scan.sorted || need === 0));
  if (exact) return exact;
  const fewest = fewestKeys(ranked, count, need === 0 ? Number.POSITIVE_INFINITY : Math.max(FEW, need));
  if (fewest) return fewest.scan;
  const walk = sorts ? ranked.find((scan) => scan.sorted) : undefined;
  return walk ? { ...walk, instead: ranked.filter((scan) => !scan.sorted) } : best;
}

export function fewestKeys(
  scans: readonly IndexScan[],
  count: CountKeys,
  limit: number,
): { scan: IndexScan; keys: number } | undefined {
  let fewest: { scan: IndexScan; keys: number } | undefined;
  for (const scan of scans) {
    const most = fewest?.keys ?? limit;
    const keys = count(scan, most);
    if (keys < most) fewest = { scan, keys };
  }
  return fewest;
}
