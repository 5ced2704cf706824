import { grantableBy } from '@gatehouse/shared/access/rbac';
import type { Filter } from 'mongodb';
import type { Database } from '../../database.ts';
import type { Membership } from '../records.ts';
import { roleIn, rolesOf } from '../roles.ts';
import { isInvitation } from './states.ts';

/**
 * An invitation that has lapsed stays lapsed until it is renewed, also when its inviter gets their role back. The mark
 * names the validity that has lapsed, so a renewal by a process of the previous version ends it too.
 */
const MARK = [{ $set: { lapsed: '$valid_until' } }];

export const isLapsed = ({ lapsed, valid_until }: Pick<Membership, 'lapsed' | 'valid_until'>): boolean =>
  lapsed !== undefined && lapsed.getTime() === valid_until?.getTime();

/** Matches invitations that have not lapsed by a mark. */
export const NOT_LAPSED = { $expr: { $ne: ['$lapsed', '$valid_until'] } };

/** Marks invitations as lapsed, which no list shows: an invitation to an address must not tell whose address it is. */
export const lapse = (db: Pick<Database, 'memberships'>, invitations: Filter<Membership>) =>
  db.memberships.updateMany({ ...invitations, ...isInvitation }, MARK);

/** Lets the invitations lapse that a user made in an organization and may not make any more. */
export async function lapseInvitationsBy(
  db: Database,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<void> {
  const made = { organization_id, granted_by: user_id, valid_until: { $exists: true } };
  const departments = await db.memberships.distinct('department_id', made);
  if (departments.length === 0) return;
  const roles = await rolesOf(db, user_id);
  for (const department_id of departments) {
    const own = roleIn(roles, department_id);
    await lapse(db, { ...made, department_id, role: { $nin: own ? grantableBy(own) : [] } });
  }
}
