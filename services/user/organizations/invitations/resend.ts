import { grantableBy } from '@gatehouse/shared/access/rbac';
import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { membershipOf, roleOf } from '../../access/membership.ts';
import { renewInvitation } from '../../access/memberships/renew-invitation.ts';
import { isInvitation, VALID_DAYS } from '../../access/memberships/states.ts';
import { operation } from '../operation.ts';
import { spendInvitation } from './budget.ts';
import { invitationRecord } from './contract.ts';
import { mailToAddress, mailToUserLater } from './mail.ts';
import { invitationTarget, presentInvitation } from './present-invitation.ts';

export const resendInvitation = operation(
  'POST /api/v1/organizations/{organization_id}/departments/{department_id}/invitations/{invitation_id}/resend',
  {
    needs: 'add users',
    summary: 'Send an invitation again',
    description: `Mails a pending or expired invitation again, which is then valid for another ${VALID_DAYS} days. Its role stays, and so does its inviter while they may grant it; otherwise the caller takes their place. A declined one is 409; invite the person anew instead. The limits are those of invitations.`,
    returns: invitationRecord,
    fails: ['duplicate'],
    audits: ['invitation.resend'],
    async handle(call) {
      const { db, now, audit, params, request } = call;
      const { organization_id, department_id, invitation_id } = params;
      const { caller } = membershipOf(request);
      const place = { organization_id, department_id, membership_id: invitation_id, ...isInvitation };
      const invitation = orNotFound(
        await db.memberships.findOne({ ...place, expires_at: { $gt: new Date(now()) } }),
      );
      const { email, invited_id = '' } = invitation;
      const recipient = email === undefined ? { user_id: invited_id } : { email };
      await spendInvitation(db, request, { organization_id, inviter: caller, recipient }, now());
      const grantable = grantableBy(roleOf(request));
      const renewed = await renewInvitation(db, invitation, { caller, grantable, now: now() });
      if (!renewed) {
        const { declined_at } = orNotFound(await db.memberships.findOne(place));
        throw declined_at
          ? new AppError('duplicate', { text: 'The invitation was declined' })
          : new AppError('forbidden'); // to a role above the caller's
      }
      await audit('invitation.resend', { target: invitationTarget(renewed), after: { role: renewed.role } });
      if (email === undefined) mailToUserLater(call, request, renewed);
      else await mailToAddress(call, renewed);
      return presentInvitation(renewed, now());
    },
  },
);
