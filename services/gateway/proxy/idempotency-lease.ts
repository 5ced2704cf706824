import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import type { Database } from '../database.ts';

/** How long an answer is kept. */
const KEPT_MS = 24 * 3_600_000;
/** After so long without a sign of life, a call that has left no answer was cut off, and its key is free again. */
const LEASE_MS = 120_000;

/**
 * Takes a key for one call: the insert that comes first wins; a key whose call was cut off, or whose time is over,
 * is taken over.
 * @returns until when it is taken.
 */
export async function claim(db: Database, _id: string, now: number): Promise<Date | undefined> {
  const at = new Date(now);
  const fresh = { leased_until: new Date(now + LEASE_MS), expires_at: new Date(now + KEPT_MS) };
  try {
    await db.idempotencyKeys.insertOne({ _id, ...fresh });
    return fresh.leased_until;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const cutOff = { fingerprint: { $exists: false }, leased_until: { $lte: at } };
    const { modifiedCount } = await db.idempotencyKeys.updateOne(
      { _id, $or: [cutOff, { expires_at: { $lte: at } }] },
      { $set: fresh, $unset: { answer: true, fingerprint: true } },
    );
    return modifiedCount === 1 ? fresh.leased_until : undefined;
  }
}

/**
 * Keeps a key taken while its call goes on: an upload may take longer than a lease.
 * @returns what ends that, and gives the filter of the key as this call holds it: once another call has taken it
 *   over, nothing.
 */
export function renewing(db: Database, _id: string, from: Date, now: () => number) {
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
    renewal = renewal.then(renew).catch(() => {}); // the next one may succeed
  }, LEASE_MS / 4).unref();
  return async () => {
    clearInterval(timer);
    await renewal;
    return { _id, leased_until };
  };
}
