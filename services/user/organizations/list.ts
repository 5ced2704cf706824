import { BEARER_FAILURES, failures } from '@gatehouse/shared/http/errors';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { rolesOf } from '../access/roles.ts';
import type { Database } from '../database.ts';
import { containsText, listQuery, pageResponse, readPage } from '../lists.ts';
import { organizationRecord, tagged } from './contract.ts';

const config = { permission: 'own' } as const;

const table = {
  sortable: ['created_at', 'name', 'organization_id'],
  filters: {},
  search: containsText('name'),
  unique: 'organization_id',
} as const;

const schema = {
  ...tagged,
  summary: 'List organizations',
  description: 'Lists the organizations in which the caller has a role. `search` matches the names.',
  querystring: listQuery(table),
  response: {
    200: pageResponse(organizationRecord),
    ...failures('catalogue', 'invalidFormat', ...BEARER_FAILURES),
  },
};

/** GET /api/v1/organizations. */
export const listOrganizations: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.get('/api/v1/organizations', { schema, config }, async (request) => {
    const { owned, departments } = await rolesOf(db, callerId(request));
    const own = [...owned, ...departments.map(({ organization_id }) => organization_id)];
    return readPage(
      db.organizations,
      table,
      [{ within: { organization_id: { $in: [...new Set(own)] } } }],
      request.query,
    );
  });
};
