import { line } from '@gatehouse/shared/http/fields';
import { containsText, listQuery, pageResponse, readPage } from '@gatehouse/shared/operation/lists';
import { type Connection, PROTOCOLS } from '../connection-records.ts';
import { operation } from '../dependencies.ts';
import { connectionRecord, presentConnection } from './record.ts';

const table = {
  sortable: ['created_at', 'updated_at', 'name', 'slug', 'protocol', 'connection_id'],
  filters: { protocol: PROTOCOLS },
  search: containsText('name'),
  unique: 'connection_id',
} as const satisfies { sortable: readonly (keyof Connection)[]; [part: string]: unknown };

export const listConnections = operation('GET /api/v1/sso/connections', {
  needs: 'ownership',
  summary: 'List connections',
  description: 'Lists the connections of an organization. `search` matches the names.',
  query: listQuery(table).extend({ organization_id: line(200) }),
  returns: pageResponse(connectionRecord),
  fails: ['notFound'],
  async handle(call) {
    const { db, host, request } = call;
    const { organization_id, ...query } = call.query;
    await host.requireOwner(request, organization_id);
    const page = await readPage(
      db.ssoConnections,
      table,
      [{ within: { organization_id, deleted_at: { $exists: false } } }],
      query,
    );
    return { ...page, data: page.data.map((connection) => presentConnection(call, connection)) };
  },
});
