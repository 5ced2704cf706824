import type { Role } from '@gatehouse/shared/access/rbac';
import type { Filter } from 'mongodb';
import { endSelfGrants, newRevocation } from '../../access/end-self-grants.ts';
import { endDepartmentOwner } from '../../access/last-owner.ts';
import type { Database } from '../../database.ts';
import type { Membership } from '../records.ts';

interface Change {
  organization_id: string;
  department_id: string;
  user_id: string;
  role: Role;
  /** The roles that may be changed. */
  changeable: readonly Role[];
  granted_by: string;
  /** Unix milliseconds. */
  now: number;
}

interface Changed {
  before: { role: Role };
  member: Membership;
}

/**
 * Changes the role of a member. Roles above the new one that they granted themselves on chatbots end.
 * @returns null if the user is no member or has a role that may not be changed.
 * @throws {AppError} forbidden if the member is the last Owner who can act.
 */
export async function changeRole(
  db: Database,
  { organization_id, department_id, user_id, role, changeable, granted_by, now }: Change,
): Promise<Changed | null> {
  const member = { organization_id, department_id, user_id };
  const write = async (filter: Filter<Membership>): Promise<Changed | null> => {
    const $set = { role, granted_by, granted_at: new Date(now).toISOString(), ...newRevocation() };
    const before = await db.memberships.findOneAndUpdate(
      { ...member, ...filter },
      { $set, $unset: { leaving: true } },
      { returnDocument: 'before' },
    );
    return before && { before: { role: before.role }, member: { ...before, ...$set } };
  };
  const endsOwner = role !== 'Owner' && changeable.includes('Owner');
  const writable = endsOwner ? changeable.filter((each) => each !== 'Owner') : changeable;
  const keepOwner = () => write({ role: { $in: [...writable] } });
  const lowerOwner = async () => (endsOwner ? endDepartmentOwner(db, member, write) : null);
  // A concurrent call may have lowered an Owner; then change the role after all.
  const changed = (await keepOwner()) ?? (await lowerOwner()) ?? (await keepOwner());
  if (changed) await endSelfGrants(db, { membership_id: changed.member.membership_id });
  return changed;
}
