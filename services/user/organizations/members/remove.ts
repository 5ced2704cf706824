import { grantableBy, ROLES } from '@gatehouse/shared/access/rbac';
import { AppError } from '@gatehouse/shared/http/errors';
import { auditAll } from '@gatehouse/shared/identity/audit';
import { message } from '@gatehouse/shared/operation/responses';
import type { Filter } from 'mongodb';
import { endWithGrants } from '../../access/end-grants.ts';
import { endDepartmentOwner } from '../../access/last-owner.ts';
import { membershipOf, roleOf } from '../../access/membership.ts';
import { endInvitationsTo } from '../invitations/end-to-removed.ts';
import { operation } from '../operation.ts';
import type { Membership } from '../records.ts';
import { endAdditions } from './add-from-within.ts';
import { endedEvent } from './departures.ts';

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
      const { organization_id, department_id, user_id } = params;
      const isOneself = user_id === membershipOf(request).caller;
      const removable = isOneself ? ROLES : grantableBy(roleOf(request));
      const withdrawn = (ended: Parameters<typeof endedEvent>[1]) =>
        auditAll(db, request, now(), [endedEvent({ organization_id, user_id }, ended)]);
      const remove = async (filter: Filter<Membership>) => {
        const member = { ...params, ...filter };
        // First: once the membership has ended, an older invitation could bring them back.
        if (!isOneself && (await db.memberships.findOne(member)))
          await endInvitationsTo(
            db,
            { organization_id, department_id },
            { user_id, began_at: new Date(now()) },
            withdrawn,
          );
        return db.memberships.findOneAndDelete(member);
      };
      const removeLower = () => remove({ role: { $in: removable.filter((each) => each !== 'Owner') } });
      const removeOwner = async () =>
        removable.includes('Owner') ? endDepartmentOwner(db, params, remove) : null;
      // A concurrent call may have lowered an Owner; then remove the member after all.
      const removed = await endWithGrants(db, params, now(), async () => {
        const ended = (await removeLower()) ?? (await removeOwner()) ?? (await removeLower());
        if (ended) await endAdditions(db, { organization_id, user_id });
        return ended;
      });
      if (!removed) {
        const isMember = await db.memberships.findOne(params);
        throw new AppError(isMember ? 'forbidden' : 'notFound');
      }
      await audit('member.remove', { target: { user_id }, before: { role: removed.role } });
    },
  },
);
