import type { Role } from '@gatehouse/shared/access/rbac';
import type { Filter } from 'mongodb';
import type { Database } from '../../database.ts';
import type { Membership } from '../records.ts';
import { endSelfGrants, newRevocation } from './end-self-grants.ts';
import { endDepartmentOwner } from './last-owner.ts';

interface RoleGrant {
  role: Role;
  granted_by: string;
  /** Unix milliseconds. */
  now: number;
}

interface Changed {
  before: { role: Role };
  member: Membership;
}

/**
 * Writes the role of a member with one write. Roles above the new one that they granted themselves on chatbots end.
 * @returns null if no membership matches.
 */
export async function writeRole(
  db: Database,
  membership: Filter<Membership>,
  { role, granted_by, now }: RoleGrant,
): Promise<Changed | null> {
  const $set = { role, granted_by, granted_at: new Date(now).toISOString(), ...newRevocation() };
  const before = await db.memberships.findOneAndUpdate(
    membership,
    { $set, $unset: { leaving: true } },
    { returnDocument: 'before' },
  );
  if (!before) return null;
  await endSelfGrants(db, { membership_id: before.membership_id });
  return { before: { role: before.role }, member: { ...before, ...$set } };
}

interface RoleChange extends RoleGrant {
  organization_id: string;
  department_id: string;
  user_id: string;
  /** The roles that may be changed. */
  changeable: readonly Role[];
}

/**
 * Changes the role of a member as `writeRole` does.
 * @returns null if the user is no member or has a role that may not be changed.
 * @throws {AppError} forbidden if the member is the last Owner who can act.
 */
export async function changeRole(
  db: Database,
  { organization_id, department_id, user_id, changeable, ...grant }: RoleChange,
): Promise<Changed | null> {
  const member = { organization_id, department_id, user_id };
  const write = (filter: Filter<Membership>) => writeRole(db, { ...member, ...filter }, grant);
  const endsOwner = grant.role !== 'Owner' && changeable.includes('Owner');
  const writable = endsOwner ? changeable.filter((each) => each !== 'Owner') : changeable;
  const keepOwner = () => write({ role: { $in: [...writable] } });
  const lowerOwner = async () => (endsOwner ? endDepartmentOwner(db, member, write) : null);
  // A concurrent call may have lowered an Owner; then change the role after all.
  return (await keepOwner()) ?? (await lowerOwner()) ?? keepOwner();
}
