import { orNotFound } from '@gatehouse/shared/http/errors';
import { anyOf } from '@gatehouse/shared/operation/lists';
import { grantsOfMember, MAX_ROLES } from '../../access/chatbot-entries.ts';
import { visibleTo } from '../../access/chatbot-roles.ts';
import { membershipOf } from '../../access/membership.ts';
import { operation } from '../operation.ts';
import { memberView } from './contract.ts';
import { presentMembers } from './present-member.ts';

export const getMember = operation(
  'GET /api/v1/organizations/{organization_id}/departments/{department_id}/members/{user_id}',
  {
    needs: 'view users',
    orOneself: true,
    summary: 'Read a member of a department',
    description: `Returns the name and role of the member and who granted it, and their latest ${MAX_ROLES} entries on the access lists of the department’s chatbots, as far as the caller may read those lists.`,
    returns: memberView,
    async handle({ db, params, request }) {
      const { organization_id, department_id, user_id } = params;
      const membership = orNotFound(await db.memberships.findOne(params));
      const { caller, roles } = membershipOf(request);
      const readable =
        caller === user_id
          ? {}
          : anyOf(visibleTo(caller, roles, 'view users', { organization_id, department_id }));
      const [[member], entries] = await Promise.all([
        presentMembers(db, organization_id, [membership]),
        grantsOfMember(db, params, readable),
      ]);
      return { ...orNotFound(member), ...entries };
    },
  },
);
