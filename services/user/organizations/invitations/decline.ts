import { orNotFound } from '@gatehouse/shared/http/errors';
import { message } from '@gatehouse/shared/operation/responses';
import type { Database } from '../../database.ts';
import { operation } from '../operation.ts';
import { declineOffer } from '../owners/decline-offer.ts';
import { type Invitee, inviteeOf, isInvited } from './invitee.ts';
import { invitationTarget, isPending } from './status.ts';

export const declineInvitation = operation('POST /api/v1/invitations/{invitation_id}/decline', {
  needs: 'own',
  summary: 'Decline an invitation',
  description:
    'Declines a pending invitation or offer to the caller. The inviter sees that it was declined until it would have expired, and nothing else about the caller.',
  returns: message('Invitation declined', 'The invitation is declined'),
  audits: ['invitation.decline'],
  async handle({ db, now, audit, params: { invitation_id }, request }) {
    const invitee = inviteeOf(request);
    const declined =
      (await declineMembership(db, invitation_id, invitee, now())) ??
      (await declineOffer(db, { invitation_id, user_id: invitee.user_id, now: now() }));
    const { role, target, organization_id, department_id } = orNotFound(declined);
    await audit('invitation.decline', { target, before: { role }, organization_id, department_id });
  },
});

async function declineMembership(db: Database, invitation_id: string, invitee: Invitee, now: number) {
  const declined = await db.memberships.findOneAndUpdate(
    { membership_id: invitation_id, ...isInvited(invitee), ...isPending(now) },
    [
      // Declined ones are listed until they would have expired.
      { $set: { declined_at: new Date(now), expires_at: '$valid_until', adding: '$$REMOVE' } },
    ],
  );
  return declined && { ...declined, target: invitationTarget(declined) };
}
