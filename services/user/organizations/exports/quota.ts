import { insertInFreeSlot, lowestFree } from '@gatehouse/shared/durable/slot';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Database } from '../../database.ts';
import { type ExportJob, MAX_RUNNING, MAX_STORED } from './records.ts';

/** Seconds after which a caller may try again while too many exports run. */
const RETRY_AFTER = 60;

/**
 * Stores an export in free slots of its organization. The unique indexes enforce the limits under concurrent calls.
 * @throws {AppError} rateLimited while too many run, forbidden while too many are stored.
 */
export async function insertWithinQuota(
  db: Database,
  job: Omit<ExportJob, 'slot' | 'running_slot'>,
  now: number,
): Promise<ExportJob> {
  const { organization_id } = job;
  // The TTL index may take a minute.
  await db.exports.deleteMany({ organization_id, expires_at: { $lte: new Date(now) } });
  const freeSlots = async () => {
    const stored = await db.exports
      .find({ organization_id }, { projection: { slot: 1, running_slot: 1 } })
      .toArray();
    const slot = lowestFree(
      stored.map((each) => each.slot),
      MAX_STORED,
    );
    const running_slot = lowestFree(
      stored.map((each) => each.running_slot),
      MAX_RUNNING,
    );
    if (slot === undefined) {
      const text = `The organization has ${MAX_STORED} exports, the most that are stored; delete one first`;
      throw new AppError('forbidden', { text });
    }
    if (running_slot === undefined) {
      const text = `${MAX_RUNNING} exports of the organization are running; wait until one is ready`;
      throw new AppError('rateLimited', { text, retryAfter: RETRY_AFTER, limit: MAX_RUNNING });
    }
    return { slot, running_slot };
  };
  return insertInFreeSlot(['slot', 'running_slot'], freeSlots, async (slots) => {
    const numbered = { ...job, ...slots };
    await db.exports.insertOne({ ...numbered });
    return numbered;
  });
}
