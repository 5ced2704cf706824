import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { inviteeOf, isInvited } from '../../access/memberships/invitee.ts';
import { isGood } from '../../access/memberships/inviter.ts';
import { joinByInvitation } from '../../access/memberships/join.ts';
import { isLapsed } from '../../access/memberships/lapse-invitations.ts';
import { isPending } from '../../access/memberships/states.ts';
import { operation } from '../operation.ts';
import { acceptOffer } from '../owners/accept-offer.ts';
import { ALREADY_OWNER, acceptedInvitation } from './contract.ts';
import { refuseArchivedPlace } from './place.ts';

export const acceptInvitation = operation('POST /api/v1/invitations/{invitation_id}/accept', {
  needs: 'own',
  supportSession: 'refused',
  summary: 'Accept an invitation',
  description:
    'Accepts an invitation to a department or an offer to become an Owner, if it is to the caller’s user_id or address, pending, and not expired. If the offer is a transfer, the Owner who made it stops being one in the same step. An invitation lapses when its inviter may no longer grant its role, and an offer when the person who made it is no longer an Owner; while their account cannot act, neither can be accepted. Accepting one invitation to a department ends the other one, to the `user_id` or the address.',
  returns: acceptedInvitation,
  fails: ['duplicate'],
  audits: ['invitation.accept', 'owner.add', 'owner.remove'],
  async handle({ db, now, audit, params: { invitation_id }, request }) {
    const invitee = inviteeOf(request);
    const { user_id } = invitee;
    const mine = { membership_id: invitation_id, ...isInvited(invitee), ...isPending(now()) };
    const invitation = await db.memberships.findOne(mine);
    if (!invitation) return acceptOffer({ db, now }, request, { invitation_id, user_id });
    if (!(await isGood(db, invitation))) throw new AppError('notFound');
    const { organization_id, department_id } = invitation;
    await refuseArchivedPlace(db, invitation);
    if (await db.organizations.findOne({ organization_id, 'owners.user_id': user_id })) {
      throw new AppError('duplicate', { text: ALREADY_OWNER });
    }
    const acceptance = { now: now(), condition: isInvited(invitee) };
    const joined = await joinByInvitation(db, invitation, invitee, acceptance);
    if (!joined) {
      // Answered, withdrawn or ended concurrently.
      if (isLapsed(orNotFound(await db.memberships.findOne(mine)))) throw new AppError('notFound');
      throw new AppError('duplicate', { text: 'Already a member' });
    }
    const { role, email } = joined;
    await audit('invitation.accept', {
      target: { user_id, invitation_id, ...(email !== undefined && { email }) },
      after: { role },
      organization_id,
      department_id,
    });
    return { invitation_id, organization_id, department_id, role };
  },
});
