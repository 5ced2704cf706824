import { ROLES } from '@gatehouse/shared/access/rbac';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Database } from '../../database.ts';
import { containsText, listQuery, pageResponse, readPage } from '../../lists.ts';
import { departmentPath, listedMember, refusals, tagged } from '../contract.ts';
import { isMember, presentMembers } from './present-member.ts';

const config = { permission: 'view users' } as const;

const table = {
  sortable: ['granted_at', 'user_id', 'role', 'email'],
  filters: { role: ROLES },
  search: containsText('email'),
  unique: 'user_id',
} as const;

const schema = {
  ...tagged,
  summary: 'List the members of a department',
  description:
    'Lists the users with a role in the department, with their names. The Owners of the organization are listed only where they are also members. `search` and `sort_by=email` use the invited addresses.',
  params: departmentPath,
  querystring: listQuery(table),
  response: { 200: pageResponse(listedMember), ...refusals },
};

/** GET /api/v1/organizations/{organization_id}/departments/{department_id}/members. */
export const listMembers: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.get(
    '/api/v1/organizations/:organization_id/departments/:department_id/members',
    { schema, config },
    async (request) => {
      const { data, pagination } = await readPage(
        db.memberships,
        table,
        [{ within: { ...request.params, ...isMember } }],
        request.query,
      );
      return { data: await presentMembers(db, request.params.organization_id, data), pagination };
    },
  );
};
