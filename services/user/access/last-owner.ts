import { randomUUID } from 'node:crypto';
import { ANY_STRING } from '@gatehouse/shared/data/connect';
import { AppError } from '@gatehouse/shared/http/errors';
import { activeAmong } from '@gatehouse/shared/identity/users';
import type { Database } from '../database.ts';

/** An Owner of a department whose role is about to end. */
interface Owner {
  organization_id: string;
  department_id: string;
  user_id: string;
}

/**
 * Ends a member's role of Owner in a department, unless nobody else who can act is Owner there: no Owner of the
 * organization and no other member. The Owners are in several documents, so the member is marked as leaving first,
 * and a leaving Owner does not count as another one. Two who leave at once refuse each other.
 * @param end the write that ends the role; its filter includes the mark, so that it does nothing once another call
 * has changed the member.
 * @returns null if the member is not an Owner or has been changed by another call.
 * @throws {AppError} forbidden if the member is the last.
 */
export async function endDepartmentOwner<T>(
  db: Database,
  { organization_id, department_id, user_id }: Owner,
  end: (mark: { leaving: string }) => Promise<T | null>,
): Promise<T | null> {
  const member = { organization_id, department_id, user_id };
  const mark = { leaving: randomUUID() };
  const { matchedCount } = await db.memberships.updateOne({ ...member, role: 'Owner' }, { $set: mark });
  if (matchedCount === 0) return null;
  try {
    await requireAnotherOwner(db, member);
    return await end(mark);
  } catch (error) {
    await db.memberships.updateOne({ ...member, ...mark }, { $unset: { leaving: true } });
    throw error;
  }
}

/** Removes the marks that a crash has left. A call that is under way elsewhere fails without effect. */
export const removeLeavingMarks = (db: Database) =>
  db.memberships.updateMany({ leaving: ANY_STRING }, { $unset: { leaving: true } });

/** @throws {AppError} forbidden if nobody else who can act is Owner in the department; nobody needs to be once its organization is archived. */
export async function requireAnotherOwner(
  db: Database,
  { organization_id, department_id, user_id }: Owner,
): Promise<void> {
  const [organization, members] = await Promise.all([
    db.organizations.findOne({ organization_id }),
    db.memberships.distinct('user_id', {
      department_id,
      role: 'Owner',
      user_id: { $gt: '', $ne: user_id },
      leaving: { $exists: false },
    }),
  ]);
  if (organization?.archived_at !== undefined) return;
  const owners = (organization?.owners ?? []).map((each) => each.user_id);
  const able = await activeAmong(db.users, [...owners, ...members.map(String)]);
  if (able.size === 0) throw new AppError('forbidden', { text: 'The last Owner cannot be removed' });
}
