import { grantableBy } from '@gatehouse/shared/access/rbac';
import { AppError } from '@gatehouse/shared/http/errors';
import { message } from '@gatehouse/shared/operation/responses';
import { roleOf } from '../../access/membership.ts';
import { operation } from '../operation.ts';
import { invitationTarget, isInvitation } from './status.ts';

export const withdrawInvitation = operation(
  'DELETE /api/v1/organizations/{organization_id}/departments/{department_id}/invitations/{invitation_id}',
  {
    needs: 'remove users',
    summary: 'Withdraw an invitation',
    description:
      'Also removes a declined or expired one from the list. Returns 404 for an accepted invitation; remove the member instead.',
    returns: message('Invitation withdrawn', 'The invitation is withdrawn'),
    audits: ['invitation.withdraw'],
    async handle({ db, audit, params: { organization_id, department_id, invitation_id }, request }) {
      const invitation = {
        organization_id,
        department_id,
        membership_id: invitation_id,
        ...isInvitation,
      };
      const withdrawn = await db.memberships.findOneAndDelete({
        ...invitation,
        role: { $in: grantableBy(roleOf(request)) },
      });
      if (!withdrawn) {
        throw new AppError((await db.memberships.findOne(invitation)) ? 'forbidden' : 'notFound');
      }
      await audit('invitation.withdraw', {
        target: invitationTarget(withdrawn),
        before: { role: withdrawn.role },
      });
    },
  },
);
