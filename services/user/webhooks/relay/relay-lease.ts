import { randomUUIDv7 } from 'node:crypto';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import type { Database } from '../../database.ts';

/**
 * One process at a time holds the lease.
 * @param duration milliseconds until another process takes over from one that was killed.
 */
export function createRelayLease({
  db,
  now,
  duration,
}: {
  db: Database;
  now: () => number;
  duration: number;
}) {
  const holder = randomUUIDv7();
  return {
    /** Claims or renews the lease. @returns whether this process holds it. */
    async claim(): Promise<boolean> {
      const $set = { holder, until: new Date(now() + duration) };
      const free = { $or: [{ holder }, { until: { $lte: new Date(now()) } }] };
      try {
        await db.relayLeases.updateOne({ _id: 'audit', ...free }, { $set }, { upsert: true });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false; // another process holds it
        throw error;
      }
    },
    async release(): Promise<void> {
      await db.relayLeases.deleteOne({ _id: 'audit', holder });
    },
  };
}
