import { orNotFound } from '@gatehouse/shared/http/errors';
import { message } from '@gatehouse/shared/operation/responses';
import { inviteeOf } from '../../access/memberships/invitee.ts';
import { markDeclined } from '../../access/memberships/mark-declined.ts';
import { operation } from '../operation.ts';
import { declineOffer } from '../owners/decline-offer.ts';
import { invitationTarget } from './present-invitation.ts';

export const declineInvitation = operation('POST /api/v1/invitations/{invitation_id}/decline', {
  needs: 'own',
  supportSession: 'refused',
  summary: 'Decline an invitation',
  description:
    'Declines a pending invitation or offer to the caller. The inviter sees that it was declined until it would have expired, and nothing else about the caller.',
  returns: message('Invitation declined', 'The invitation is declined'),
  audits: ['invitation.decline'],
  async handle({ db, now, audit, params: { invitation_id }, request }) {
    const invitee = inviteeOf(request);
    const invitation = await markDeclined(db, invitation_id, invitee, now());
    const { role, target, organization_id, department_id } = orNotFound(
      invitation
        ? { ...invitation, target: invitationTarget(invitation) }
        : await declineOffer(db, { invitation_id, user_id: invitee.user_id, now: now() }),
    );
    await audit('invitation.decline', { target, before: { role }, organization_id, department_id });
  },
});
