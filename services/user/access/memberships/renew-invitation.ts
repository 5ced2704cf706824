import type { Role } from '@gatehouse/shared/access/rbac';
import type { Database } from '../../database.ts';
import type { Membership } from '../records.ts';
import { inviterMayGrant } from './inviter.ts';
import { isInvitation, validity } from './states.ts';

/**
 * Makes an invitation valid again. The caller takes the place of an inviter who may not grant the role any more, unless
 * a concurrent call has done so.
 * @returns null if it was declined or ended, or is to a role that the caller may not grant.
 */
export async function renewInvitation(
  db: Database,
  invitation: Membership,
  { caller, grantable, now }: { caller: string; grantable: readonly Role[]; now: number },
) {
  const { organization_id, department_id, membership_id, granted_by } = invitation;
  const isUnchanged = { $eq: ['$granted_by', { $literal: granted_by }] };
  const inviter = (await inviterMayGrant(db, invitation))
    ? '$granted_by'
    : { $cond: [isUnchanged, { $literal: caller }, '$granted_by'] };
  return db.memberships.findOneAndUpdate(
    {
      organization_id,
      department_id,
      membership_id,
      ...isInvitation,
      declined_at: { $exists: false },
      role: { $in: [...grantable] },
    },
    [{ $set: { ...validity(now), granted_by: inviter, lapsed: '$$REMOVE' } }],
    { returnDocument: 'after' },
  );
}
