import { randomUUID } from 'node:crypto';
import { AppError } from '@gatehouse/shared/http/errors';
import { activeAmong } from '@gatehouse/shared/identity/users';
import type { Database } from '../database.ts';

/** Milliseconds after which the mark of a call that has been killed is removed. */
const STALE = 60_000;

/**
 * Ends the level `admin` of an operator. The other admins are in several documents, so the operator is marked as leaving
 * first, and a leaving admin does not count as another one: two who leave at once refuse each other.
 * @param end the write that ends the level. Its filter includes the mark, so it fails once the mark has been removed.
 * @returns null if they are no admin or have been changed by another call.
 * @throws {AppError} lastAdmin if no other admin can act.
 */
export async function endAdmin<T>(
  db: Database,
  user_id: string,
  now: number,
  end: (mark: { 'leaving.call': string }) => Promise<T | null>,
): Promise<T | null> {
  await db.operators.updateMany(
    { level: 'admin', 'leaving.at': { $lt: new Date(now - STALE) } },
    { $unset: { leaving: true } },
  );
  const call = randomUUID();
  const { matchedCount } = await db.operators.updateOne(
    { _id: user_id, level: 'admin' },
    { $set: { leaving: { call, at: new Date(now) } } },
  );
  if (matchedCount === 0) return null;
  try {
    const others = await db.operators.distinct('_id', {
      level: 'admin',
      _id: { $ne: user_id },
      leaving: { $exists: false },
    });
    if ((await activeAmong(db.users, others)).size === 0) throw new AppError('lastAdmin');
    return await end({ 'leaving.call': call });
  } catch (error) {
    await db.operators.updateOne({ _id: user_id, 'leaving.call': call }, { $unset: { leaving: true } });
    throw error;
  }
}
