import { grantableBy } from '@gatehouse/shared/access/rbac';
import { findActiveUser } from '@gatehouse/shared/identity/users';
import type { Database } from '../../database.ts';
import type { Membership } from '../records.ts';
import { roleIn, rolesOf } from '../roles.ts';
import { isLapsed } from './lapse-invitations.ts';

/**
 * Whether the inviter may still grant the role of an invitation: their account can act, and their role suffices. Both
 * are in other documents, so a call that has passed this check when they change counts as one that came just before.
 */
export async function inviterMayGrant(
  db: Database,
  { granted_by, department_id, role }: Pick<Membership, 'granted_by' | 'department_id' | 'role'>,
): Promise<boolean> {
  const [inviter, roles] = await Promise.all([findActiveUser(db.users, granted_by), rolesOf(db, granted_by)]);
  const own = roleIn(roles, department_id);
  return inviter !== null && own !== undefined && grantableBy(own).includes(role);
}

/** Whether a pending invitation still grants something. */
export const isGood = async (db: Database, invitation: Membership): Promise<boolean> =>
  !isLapsed(invitation) && (await inviterMayGrant(db, invitation));
