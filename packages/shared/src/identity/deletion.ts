import type { FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import type { Collections } from '../data/connect.ts';
import { audit, type auditCollections } from './audit.ts';
import { newNotice, withNotice } from './notices.ts';
import type { User } from './user-record.ts';
import { type userCollections, userIdOf } from './users.ts';

type Database = Collections<typeof userCollections & typeof auditCollections>;

/**
 * Restores an account whose deletion is pending. Every login calls it after its last check (CONTRACT.md §Deletion of
 * accounts). The write has the precondition that the job has not begun, and the job's first write that the deletion
 * is still there: one of the two comes first.
 * @param user as the login has read it.
 * @param now Unix milliseconds.
 * @returns false if the job has begun: the login must be refused.
 */
export async function restoreAccount(
  db: Database,
  request: FastifyRequest,
  user: Readonly<WithId<User>>,
  now: number,
): Promise<boolean> {
  const { _id, email, deletion } = user;
  if (!deletion) return true;
  const notice = newNotice({ kind: 'deletion_cancelled', to: email, at: now, request, details: {} });
  const { matchedCount } = await db.users.updateOne(
    { _id, deletion: { $exists: true }, 'deletion.begun_at': { $exists: false } },
    withNotice({ $unset: { deletion: true } }, notice),
  );
  if (matchedCount === 0) {
    // Another login has restored it, or the job has begun.
    const current = await db.users.findOne({ _id }, { projection: { deletion: 1 } });
    return current !== null && current.deletion?.begun_at === undefined;
  }
  await audit(db, request, now, { action: 'account.restore', email, user_id: userIdOf(user) });
  return true;
}
