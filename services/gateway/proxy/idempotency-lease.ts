import { randomUUID } from 'node:crypto';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import type { Database } from '../database.ts';

/** How long a response is kept (CONTRACT.md §Idempotency). */
const KEPT_MS = 24 * 3_600_000;

/** Matches a key while the call that leased it holds the lease. */
interface Lease {
  _id: string;
  lease_id: string;
}

/** How long a gateway that died with its call blocks the key. */
const LEASE_MS = 120_000;

/**
 * Leases a key for one call: the first insert wins. An expired key, and a lapsed lease without an outcome, can be
 * taken over.
 * @returns undefined when another call holds the key or has used it.
 */
export async function leaseKey(db: Database, _id: string, now: number): Promise<Lease | undefined> {
  const at = new Date(now);
  const lease_id = randomUUID();
  const leased = { lease_id, leased_until: new Date(now + LEASE_MS), expires_at: new Date(now + KEPT_MS) };
  try {
    await db.idempotencyKeys.insertOne({ _id, ...leased });
    return { _id, lease_id };
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const abandoned = { fingerprint: { $exists: false }, leased_until: { $lte: at } };
    const { modifiedCount } = await db.idempotencyKeys.updateOne(
      { _id, $or: [abandoned, { expires_at: { $lte: at } }] },
      { $set: leased, $unset: { answer: true, fingerprint: true, status: true } },
    );
    return modifiedCount === 1 ? { _id, lease_id } : undefined;
  }
}

/**
 * Renews a lease while its call runs, since an upload may outlast it.
 * @returns a function that stops the renewal, and resolves once none is under way.
 */
export function renewLease(db: Database, lease: Lease, now: () => number): () => Promise<void> {
  let renewal: Promise<unknown> = Promise.resolve();
  const renew = () =>
    db.idempotencyKeys.updateOne(lease, { $set: { leased_until: new Date(now() + LEASE_MS) } });
  const timer = setInterval(() => {
    renewal = renewal.then(renew).catch(() => {}); // the next renewal may succeed
  }, LEASE_MS / 4).unref();
  return async () => {
    clearInterval(timer);
    await renewal;
  };
}
