import type { Role } from '@gatehouse/shared/access/rbac';
import { emailKey } from '@gatehouse/shared/identity/email';
import type { Filter } from 'mongodb';
import { lapse } from '../../access/lapse-invitations.ts';
import type { Database } from '../../database.ts';
import type { Membership } from '../records.ts';
import { isInvitation, validity } from './status.ts';

/** A withdrawn invitation to a user_id. */
interface Withdrawn {
  department_id: string;
  role: Role;
  invitation_id: string;
}

/**
 * Ends what invitations would give back to somebody who is being removed: those to their user_id are withdrawn; those to
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
  const invited = { ...place, invited_id: user_id, ...older, ...isInvitation };
  for (;;) {
    const invitation = await db.memberships.findOneAndDelete(invited);
    if (!invitation) break;
    const { department_id, role, membership_id: invitation_id } = invitation;
    await record({ department_id, role, invitation_id });
  }
  const user = await db.users.findOne({ user_id }, { projection: { email: 1 } });
  if (user) await lapse(db, { ...place, email: emailKey(user.email), ...older });
}
