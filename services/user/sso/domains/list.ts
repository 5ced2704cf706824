import { line } from '@gatehouse/shared/http/fields';
import type { Domain } from '@gatehouse/shared/identity/sso-domains';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { containsText, listQuery, pageResponse, readPage } from '../../lists.ts';
import { requireOwner } from '../connections/owned.ts';
import type { SsoOptions } from '../options.ts';
import { config, domainRecord, operation, presentDomain, refusals } from './contract.ts';

const table = {
  sortable: ['created_at', 'domain', 'domain_id'],
  filters: {},
  search: containsText('domain'),
  unique: 'domain_id',
} as const satisfies { sortable: readonly (keyof Domain)[]; [part: string]: unknown };

const schema = {
  ...operation,
  summary: 'List domains',
  description: 'Lists the domains of an organization. `search` matches any part of a domain.',
  querystring: listQuery(table).extend({ organization_id: line(200) }),
  response: { 200: pageResponse(domainRecord), ...refusals },
};

/** GET /api/v1/sso/domains. */
export const listDomains: FastifyPluginAsyncZod<SsoOptions> = async (app, { db }) => {
  app.get('/api/v1/sso/domains', { schema, config }, async (request) => {
    const { organization_id, ...query } = request.query;
    await requireOwner(db, request, organization_id);
    const page = await readPage(db.ssoDomains, table, [{ within: { organization_id } }], query);
    return { ...page, data: page.data.map(presentDomain) };
  });
};
