import { line } from '@gatehouse/shared/http/fields';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { containsText, listQuery, pageResponse, readPage } from '../../lists.ts';
import type { SsoOptions } from '../options.ts';
import { type Connection, PROTOCOLS } from '../records.ts';
import { config, operation, refusals } from './contract.ts';
import { requireOwner } from './owned.ts';
import { connectionRecord, presentConnection } from './record.ts';

const table = {
  sortable: ['created_at', 'updated_at', 'name', 'slug', 'protocol', 'connection_id'],
  filters: { protocol: PROTOCOLS },
  search: containsText('name'),
  unique: 'connection_id',
} as const satisfies { sortable: readonly (keyof Connection)[]; [part: string]: unknown };

const schema = {
  ...operation,
  summary: 'List connections',
  description: 'Lists the connections of an organization. `search` matches the names.',
  querystring: listQuery(table).extend({ organization_id: line(200) }),
  response: { 200: pageResponse(connectionRecord), ...refusals },
};

/** GET /api/v1/sso/connections. */
export const listConnections: FastifyPluginAsyncZod<SsoOptions> = async (app, options) => {
  const { db } = options;
  app.get('/api/v1/sso/connections', { schema, config }, async (request) => {
    const { organization_id, ...query } = request.query;
    await requireOwner(db, request, organization_id);
    const page = await readPage(
      db.ssoConnections,
      table,
      [{ within: { organization_id, deleted_at: { $exists: false } } }],
      query,
    );
    return { ...page, data: page.data.map((connection) => presentConnection(options, connection)) };
  });
};
