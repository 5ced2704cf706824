import { ROLES } from '@gatehouse/shared/access/rbac';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Database } from '../../database.ts';
import { containsText, listQuery, pageResponse, readPage } from '../../lists.ts';
import { departmentPath, invitationRecord, refusals, tagged } from '../contract.ts';
import { isPending, presentInvitation } from './present-invitation.ts';

const config = { permission: 'view users' } as const;

const table = {
  sortable: ['granted_at', 'email', 'role'],
  filters: { role: ROLES },
  search: containsText('email'),
  unique: 'email',
} as const;

const schema = {
  ...tagged,
  summary: 'List the invitations of a department',
  description: 'Lists the pending invitations. `search` matches the addresses.',
  params: departmentPath,
  querystring: listQuery(table),
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
      const { data, pagination } = await readPage(
        db.memberships,
        table,
        [{ within: { ...request.params, ...isPending(now()) } }],
        request.query,
      );
      return { data: data.map(presentInvitation), pagination };
    },
  );
};
