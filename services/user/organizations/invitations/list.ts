import { ROLES } from '@gatehouse/shared/access/rbac';
import { oneOf } from '@gatehouse/shared/http/fields';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Database } from '../../database.ts';
import { containsText, listQuery, pageResponse, readPage } from '../../lists.ts';
import { departmentPath, invitationRecord, refusals, tagged } from '../contract.ts';
import { presentInvitation, WITH_STATUS } from './status.ts';

const config = { permission: 'view users' } as const;

const table = {
  sortable: ['granted_at', 'email', 'role'],
  filters: { role: ROLES, granted_by: null },
  search: (text: string) => ({ $or: [containsText('email')(text), containsText('invited_id')(text)] }),
  unique: 'membership_id',
} as const;

const schema = {
  ...tagged,
  summary: 'List the invitations of a department',
  description:
    'Lists the pending invitations, or those with another `status`: declined ones until they would have expired, expired ones for 30 days. `granted_by` lists what one person invited. `search` matches the invited addresses and user_ids.',
  params: departmentPath,
  querystring: listQuery(table).extend({
    status: oneOf(['pending', 'declined', 'expired']).default('pending'),
  }),
  response: { 200: pageResponse(invitationRecord), ...refusals },
};

/** GET /api/v1/organizations/{organization_id}/departments/{department_id}/invitations. */
export const listInvitations: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.get(
    '/api/v1/organizations/:organization_id/departments/:department_id/invitations',
    { schema, config },
    async (request) => {
      const { status } = request.query;
      const { data, pagination } = await readPage(
        db.memberships,
        table,
        [{ within: { ...request.params, ...WITH_STATUS[status](now()) } }],
        request.query,
      );
      return { data: data.map((invitation) => presentInvitation(invitation, now())), pagination };
    },
  );
};
