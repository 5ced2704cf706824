import { grantableBy, ROLES } from '@gatehouse/shared/access/rbac';
import { AppError } from '@gatehouse/shared/http/errors';
import { auditAll } from '@gatehouse/shared/identity/audit';
import { message } from '@gatehouse/shared/operation/responses';
import type { Filter } from 'mongodb';
import { endedEvent } from '../../access/departures/depart.ts';
import { endWithGrants } from '../../access/departures/end-with-grants.ts';
import { membershipOf, roleOf } from '../../access/membership.ts';
import { endMembership } from '../../access/memberships/end-membership.ts';
import { endDepartmentOwner } from '../../access/memberships/last-owner.ts';
import type { Withdrawn } from '../../access/memberships/withdraw-invitations.ts';
import type { Membership } from '../../access/records.ts';
import { operation } from '../operation.ts';

export const removeMember = operation(
  'DELETE /api/v1/organizations/{organization_id}/departments/{department_id}/members/{user_id}',
  {
    needs: 'remove users',
    orOneself: true,
    whileArchived: 'oneself',
    summary: 'Remove a member from a department, or leave it',
    description:
      'The member also loses every role on the department’s chatbots. A chatbot that they own passes to another Owner on its access list, or else to an Owner of the organization. Invitations that were made to the member before are withdrawn, unless they leave by themselves. Callers cannot remove a member whose role is above their own, nor the last Owner who can act.',
    returns: message('Member removed', 'The user is no longer a member'),
    audits: ['member.remove', 'invitation.withdraw'],
    async handle({ db, now, audit, params, request }) {
      const { organization_id, user_id } = params;
      const isOneself = user_id === membershipOf(request).caller;
      const removable = isOneself ? ROLES : grantableBy(roleOf(request));
      const withdrawn = (ended: Withdrawn) =>
        auditAll(db, request, now(), [endedEvent({ organization_id, user_id }, ended)]);
      const remove = (condition: Filter<Membership>) =>
        endMembership(db, params, condition, now(), isOneself ? undefined : withdrawn);
      const removeLower = () => remove({ role: { $in: removable.filter((each) => each !== 'Owner') } });
      const removeOwner = async () =>
        removable.includes('Owner') ? endDepartmentOwner(db, params, remove) : null;
      // A concurrent call may have lowered an Owner; then remove the member after all.
      const removed = await endWithGrants(
        db,
        params,
        now(),
        async () => (await removeLower()) ?? (await removeOwner()) ?? removeLower(),
      );
      if (!removed) {
        const isMember = await db.memberships.findOne(params);
        throw new AppError(isMember ? 'forbidden' : 'notFound');
      }
      await audit('member.remove', { target: { user_id }, before: { role: removed.role } });
    },
  },
);
