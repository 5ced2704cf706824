import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { createLease } from '@gatehouse/shared/durable/lease';
import type { Database } from '../database.ts';

/** How long a response is kept (CONTRACT.md §Idempotency). */
const KEPT_MS = 24 * 3_600_000;

/** How long a gateway that died with its call blocks the key. */
const LEASE_MS = 120_000;

/**
 * Leases a key for one call: the first insert wins. An expired key, and a lapsed lease without an outcome, can be
 * claimed. The lease is renewed until it is stopped, because an upload may outlast it.
 * @returns undefined when another call holds the key or has used it.
 */
export async function leaseKey(
  { idempotencyKeys }: Pick<Database, 'idempotencyKeys'>,
  _id: string,
  now: () => number,
) {
  // One holder for each call: two calls of this process must not hold the same key.
  const lease = createLease({
    collection: idempotencyKeys,
    due: 'leased_until',
    holder: 'lease_id',
    duration: LEASE_MS,
    now,
  });
  const at = now();
  const expires_at = new Date(at + KEPT_MS);
  try {
    const leased_until = new Date(at + LEASE_MS);
    await idempotencyKeys.insertOne({ _id, lease_id: lease.id, leased_until, expires_at });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const reusable = { $or: [{ fingerprint: { $exists: false } }, { expires_at: { $lte: new Date(at) } }] };
    const forget = { answer: true, fingerprint: true, status: true };
    if (!(await lease.claim({ _id, ...reusable }, { $set: { expires_at }, $unset: forget })))
      return undefined;
  }
  let renewal: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    renewal = renewal.then(() => lease.renew(_id)).catch(() => {}); // the next renewal may succeed
  }, LEASE_MS / 4).unref();
  return {
    /** Matches the key while this call holds it. */
    held: lease.held(_id),
    /** Stops the renewal. Resolves once none is under way. */
    async stopRenewal() {
      clearInterval(timer);
      await renewal;
    },
  };
}
