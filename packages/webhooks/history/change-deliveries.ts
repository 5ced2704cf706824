import { updateMethod } from '@gatehouse/shared/data/update-method';
import type { Document, Filter, IndexSpecification } from 'mongodb';
import type { Database } from '../database.ts';
import type { Delivery } from '../delivery-records.ts';
import { HISTORY } from '../records.ts';

/** Deliveries changed by one call. */
export const MAX_CHANGED = 20_000;
/** Deliveries changed by one write, which blocks other writes in a standalone database. */
const PAGE = 1_000;

/**
 * Changes deliveries from `since` on, oldest first, up to `MAX_CHANGED`. A changed delivery must no longer match the filter.
 * @param afterPage called after each write, before the next one, and at least once.
 * @returns how many were changed, and where to continue if there may be more.
 */
export async function changeDeliveries(
  db: Database,
  { filter, hint }: { filter: Filter<Delivery>; hint?: IndexSpecification },
  change: Document[] | { $set: Partial<Delivery> },
  afterPage: () => Promise<void>,
): Promise<{ changed: number; next_since: string | null }> {
  const deliveries = db.webhookDeliveries;
  let changed = 0;
  let last: Date | undefined;
  for (let left = MAX_CHANGED; left > 0; left -= PAGE) {
    const from = last && { created_at: { $gte: last } };
    const page = await deliveries
      .find(from ? { $and: [filter, from] } : filter, {
        projection: { created_at: 1 },
        ...(hint && { hint }),
      })
      .sort(HISTORY)
      .limit(PAGE)
      .toArray();
    if (page.length > 0) {
      const ids = page.map(({ _id }) => _id);
      const { modifiedCount } = await deliveries[updateMethod(ids)](
        { $and: [filter, { _id: { $in: ids } }] },
        change,
      );
      changed += modifiedCount;
    }
    // Also for an empty page: a killed call may have changed deliveries without calling it.
    await afterPage();
    if (page.length < PAGE) return { changed, next_since: null };
    last = page.at(-1)?.created_at;
  }
  return { changed, next_since: last?.toISOString() ?? null };
}
