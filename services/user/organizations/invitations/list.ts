import type { Database } from '@gatehouse/shared/database';
import { holding, listQuery, onePage, readPage } from '@gatehouse/shared/lists';
import { ROLES } from '@gatehouse/shared/rbac';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { departmentPath, invitationRecord, refused, tagged } from '../contract.ts';
import { isPending, shownInvitation } from './record.ts';

const config = { permission: 'view users' } as const;

const table = {
  sortable: ['granted_at', 'email', 'role'],
  filters: { role: ROLES },
  searched: holding('email'),
  unique: 'email',
} as const;

const schema = {
  ...tagged,
  summary: 'List the invitations of a department',
  description: 'Those that wait; who has accepted is among the members. `search` looks into the addresses.',
  params: departmentPath,
  querystring: listQuery(table),
  response: { 200: onePage(invitationRecord), ...refused },
};

/** GET /api/v1/organizations/{organization_id}/departments/{department_id}/invitations. */
export async function listInvitations(
  root: FastifyInstance,
  { db, now }: { db: Database; now: () => number },
): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .get(
      '/api/v1/organizations/:organization_id/departments/:department_id/invitations',
      { schema, config },
      async (request) => {
        const { data, pagination } = await readPage(
          db.memberships,
          table,
          [{ within: { ...request.params, ...isPending(now()) } }],
          request.query,
        );
        return { data: data.map(shownInvitation), pagination };
      },
    );
}
