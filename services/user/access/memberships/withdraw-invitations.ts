import type { Role } from '@gatehouse/shared/access/rbac';
import { emailKey } from '@gatehouse/shared/identity/email';
import type { Filter } from 'mongodb';
import type { Database } from '../../database.ts';
import type { Membership } from '../records.ts';
import { lapse } from './lapse-invitations.ts';
import { isInvitation, validity } from './states.ts';

/** Withdraws an invitation, also a declined or expired one. @returns null if none matches. */
export const deleteInvitation = (db: Database, invitation: Filter<Membership>) =>
  db.memberships.findOneAndDelete({ ...invitation, ...isInvitation });

/** A withdrawn invitation to a user_id. */
export interface Withdrawn {
  department_id: string;
  role: Role;
  invitation_id: string;
}

/**
 * Ends what invitations would give back to a user who is being removed: those to their user_id are withdrawn; those to
 * their address lapse in silence, because withdrawing one would tell whose address it is.
 * @param began_at invitations that were made or sent again later stand.
 * @param record called after each invitation that is withdrawn.
 */
export async function endInvitationsTo(
  db: Database,
  place: Pick<Filter<Membership>, 'organization_id' | 'department_id'>,
  { user_id, began_at }: { user_id: string; began_at: Date },
  record: (withdrawn: Withdrawn) => Promise<void>,
): Promise<void> {
  const older = { valid_until: { $lte: validity(began_at.getTime()).valid_until } };
  const invited = { ...place, invited_id: user_id, ...older };
  for (;;) {
    const invitation = await deleteInvitation(db, invited);
    if (!invitation) break;
    const { department_id, role, membership_id: invitation_id } = invitation;
    await record({ department_id, role, invitation_id });
  }
  const user = await db.users.findOne({ user_id }, { projection: { email: 1 } });
  if (user) await lapse(db, { ...place, email: emailKey(user.email), ...older });
}
