import { BEARER_FAILURES } from '@gatehouse/shared/catalogue';
import type { Database } from '@gatehouse/shared/database';
import { failures } from '@gatehouse/shared/errors';
import { holding, listQuery, onePage, readPage } from '@gatehouse/shared/lists';
import { callerId } from '@gatehouse/shared/principal';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { organizationRecord, tagged } from './contract.ts';
import { rolesOf } from './roles.ts';

const config = { permission: 'own' } as const;

const table = {
  sortable: ['created_at', 'name', 'organization_id'],
  filters: {},
  searched: holding('name'),
  unique: 'organization_id',
} as const;

const schema = {
  ...tagged,
  summary: 'List organizations',
  description: 'Those that the caller owns or has a role in. `search` looks into the names.',
  querystring: listQuery(table),
  response: {
    200: onePage(organizationRecord),
    ...failures('catalogue', 'invalidFormat', ...BEARER_FAILURES),
  },
};

/** GET /api/v1/organizations. */
export async function listOrganizations(root: FastifyInstance, { db }: { db: Database }): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .get('/api/v1/organizations', { schema, config }, async (request) => {
      const { owned, departments } = await rolesOf(db, callerId(request));
      const mine = [...owned, ...departments.map(({ organization_id }) => organization_id)];
      return readPage(
        db.organizations,
        table,
        [{ within: { organization_id: { $in: [...new Set(mine)] } } }],
        request.query,
      );
    });
}
