import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import type { Database } from '../database.ts';

/** How long a response is kept (CONTRACT.md §Idempotency). */
const KEPT_MS = 24 * 3_600_000;
/** How long a gateway that died with its call blocks the key. */
const LEASE_MS = 120_000;

/**
 * Leases a key for one call: the first insert wins. An expired key, and a lapsed lease without an outcome, can be
 * taken over.
 * @returns the end of the lease; undefined when another call holds the key or has used it.
 */
export async function leaseKey(db: Database, _id: string, now: number): Promise<Date | undefined> {
  const at = new Date(now);
  const lease = { leased_until: new Date(now + LEASE_MS), expires_at: new Date(now + KEPT_MS) };
  try {
    await db.idempotencyKeys.insertOne({ _id, ...lease });
    return lease.leased_until;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const abandoned = { fingerprint: { $exists: false }, leased_until: { $lte: at } };
    const { modifiedCount } = await db.idempotencyKeys.updateOne(
      { _id, $or: [abandoned, { expires_at: { $lte: at } }] },
      { $set: lease, $unset: { answer: true, fingerprint: true } },
    );
    return modifiedCount === 1 ? lease.leased_until : undefined;
  }
}

/**
 * Renews a lease while its call runs, since an upload may outlast it.
 * @returns a function that stops the renewal and resolves to a filter; the filter matches the key only while this call
 *   holds its lease.
 */
export function renewLease(db: Database, _id: string, from: Date, now: () => number) {
  let leased_until = from;
  let renewal: Promise<unknown> = Promise.resolve();
  const renew = async () => {
    const next = new Date(now() + LEASE_MS);
    const { matchedCount } = await db.idempotencyKeys.updateOne(
      { _id, leased_until },
      { $set: { leased_until: next } },
    );
    if (matchedCount === 1) leased_until = next;
  };
  const timer = setInterval(() => {
    renewal = renewal.then(renew).catch(() => {}); // the next renewal may succeed
  }, LEASE_MS / 4).unref();
  return async () => {
    clearInterval(timer);
    await renewal;
    return { _id, leased_until };
  };
}
