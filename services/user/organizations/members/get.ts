import { found } from '@gatehouse/shared/http/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { chatbotRoles, MAX_ROLES } from '../../access/chatbot-entries.ts';
import { visibleTo } from '../../access/chatbot-roles.ts';
import { membershipOf } from '../../access/membership.ts';
import type { Database } from '../../database.ts';
import { anyOf } from '../../lists.ts';
import { memberPath, memberView, refusals, tagged } from '../contract.ts';
import { presentMembers } from './present-member.ts';

const config = { permission: 'view users', orOneself: true } as const;

const schema = {
  ...tagged,
  summary: 'Read a member of a department',
  description: `Returns the name and role of the member and who granted it, and their latest ${MAX_ROLES} entries on the access lists of the department’s chatbots, as far as the caller may read those lists.`,
  params: memberPath,
  response: { 200: memberView, ...refusals },
};

/** GET /api/v1/organizations/{organization_id}/departments/{department_id}/members/{user_id}. */
export const getMember: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.get(
    '/api/v1/organizations/:organization_id/departments/:department_id/members/:user_id',
    { schema, config },
    async (request) => {
      const { organization_id, department_id, user_id } = request.params;
      const membership = found(await db.memberships.findOne(request.params));
      const { caller, roles } = membershipOf(request);
      const readable =
        caller === user_id
          ? {}
          : anyOf(visibleTo(caller, roles, 'view users', { organization_id, department_id }));
      const [[member], entries] = await Promise.all([
        presentMembers(db, organization_id, [membership]),
        chatbotRoles(db, request.params, readable),
      ]);
      return { ...found(member), ...entries };
    },
  );
};
