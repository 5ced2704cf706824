import { grantableBy } from '@gatehouse/shared/access/rbac';
import { AppError } from '@gatehouse/shared/http/errors';
import { message } from '@gatehouse/shared/operation/responses';
import { roleOf } from '../../access/membership.ts';
import { isInvitation } from '../../access/memberships/states.ts';
import { deleteInvitation } from '../../access/memberships/withdraw-invitations.ts';
import { operation } from '../operation.ts';
import { invitationTarget } from './present-invitation.ts';

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
      const invitation = { organization_id, department_id, membership_id: invitation_id };
      const role = { $in: grantableBy(roleOf(request)) };
      const withdrawn = await deleteInvitation(db, { ...invitation, role });
      if (!withdrawn) {
        const isLeft = await db.memberships.findOne({ ...invitation, ...isInvitation });
        throw new AppError(isLeft ? 'forbidden' : 'notFound');
      }
      await audit('invitation.withdraw', {
        target: invitationTarget(withdrawn),
        before: { role: withdrawn.role },
      });
    },
  },
);
