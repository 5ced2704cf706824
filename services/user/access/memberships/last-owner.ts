import { randomUUID } from 'node:crypto';
import { ANY_STRING } from '@gatehouse/shared/data/connect';
import { AppError } from '@gatehouse/shared/http/errors';
import { activeAmong } from '@gatehouse/shared/identity/users';
import type { Database } from '../../database.ts';
import type { Organization } from '../../organizations/records.ts';

/**
 * Requires that an Owner who can act remains, which is the precondition of each write that ends the role of one.
 * @param others the Owners who would remain.
 * @returns those who can act; the filter of the write names them, because they may change concurrently.
 * @throws {AppError} forbidden if none can act.
 */
export async function requireAnotherOwner(
  db: Database,
  others: readonly string[],
  text = 'The last Owner cannot be removed',
): Promise<string[]> {
  const able = await activeAmong(db.users, others);
  if (able.size === 0) throw new AppError('forbidden', { text });
  return [...able];
}

/** The Owners of an organization besides one. */
export const otherOwners = ({ owners }: Pick<Organization, 'owners'>, user_id: string): string[] =>
  owners.map((owner) => owner.user_id).filter((id) => id !== user_id);

/** An Owner of a department whose role is about to end. */
interface DepartmentOwner {
  organization_id: string;
  department_id: string;
  user_id: string;
}

/**
 * Ends a member's role of Owner in a department. The other Owners are in several documents, so the member is marked as
 * leaving first, and a leaving Owner does not count as another one. Two who leave at once refuse each other.
 * @param end the write that ends the role; its filter includes the mark, which another change of the member removes.
 * @returns null if the member is not an Owner or has been changed by another call.
 * @throws {AppError} forbidden if the member is the last.
 */
export async function endDepartmentOwner<T>(
  db: Database,
  { organization_id, department_id, user_id }: DepartmentOwner,
  end: (mark: { leaving: string }) => Promise<T | null>,
): Promise<T | null> {
  const member = { organization_id, department_id, user_id };
  const mark = { leaving: randomUUID() };
  const { matchedCount } = await db.memberships.updateOne({ ...member, role: 'Owner' }, { $set: mark });
  if (matchedCount === 0) return null;
  try {
    await requireAnotherDepartmentOwner(db, member);
    return await end(mark);
  } catch (error) {
    await db.memberships.updateOne({ ...member, ...mark }, { $unset: { leaving: true } });
    throw error;
  }
}

/** Removes the marks that a crash has left. A call that is under way elsewhere fails without effect. */
export const removeLeavingMarks = (db: Database) =>
  db.memberships.updateMany({ leaving: ANY_STRING }, { $unset: { leaving: true } });

/**
 * Requires that a department keeps an Owner: one of its organization, or another member. Archived organizations need
 * none.
 * @throws {AppError} forbidden if no other can act.
 */
export async function requireAnotherDepartmentOwner(
  db: Database,
  { organization_id, department_id, user_id }: DepartmentOwner,
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
  await requireAnotherOwner(db, [...owners, ...members.map(String)]);
}
