import { AppError } from '@gatehouse/shared/http/errors';
import { activeAmong } from '@gatehouse/shared/identity/users';
import type { Database } from '../database.ts';

/** An Owner of a department whose role is about to change. */
interface Owner {
  organization_id: string;
  department_id: string;
  user_id: string;
}

/**
 * Runs a change that ends a member's role of Owner in a department, unless nobody else who can act is Owner there:
 * no Owner of the organization and no other member. The Owners are in several documents, so the check is repeated
 * after the change, and `undo` is called if a concurrent change has ended the role of the others.
 * @throws {AppError} forbidden if the member is the last.
 */
export async function keepingAnOwner<T>(
  db: Database,
  owner: Owner,
  { change, undo }: { change: () => Promise<T>; undo: (changed: T) => Promise<unknown> },
): Promise<T> {
  await requireAnotherOwner(db, owner);
  const changed = await change();
  try {
    await requireAnotherOwner(db, owner);
  } catch (error) {
    await undo(changed);
    throw error;
  }
  return changed;
}

async function requireAnotherOwner(
  db: Database,
  { organization_id, department_id, user_id }: Owner,
): Promise<void> {
  const [organization, members] = await Promise.all([
    db.organizations.findOne({ organization_id }),
    db.memberships.distinct('user_id', { department_id, role: 'Owner', user_id: { $gt: '', $ne: user_id } }),
  ]);
  const owners = (organization?.owners ?? []).map((each) => each.user_id);
  const able = await activeAmong(db.users, [...owners, ...members.map(String)]);
  if (able.size === 0) throw new AppError('forbidden', { text: 'The last Owner cannot be removed' });
}
