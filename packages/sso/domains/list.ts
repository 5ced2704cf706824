import { line } from '@gatehouse/shared/http/fields';
import type { Domain } from '@gatehouse/shared/identity/sso';
import { containsText, listQuery, pageResponse, readPage } from '@gatehouse/shared/operation/lists';

import { operation } from '../dependencies.ts';
import { domainRecord, presentDomain } from './contract.ts';

const table = {
  sortable: ['created_at', 'domain', 'domain_id'],
  filters: {},
  search: containsText('domain'),
  unique: 'domain_id',
} as const satisfies { sortable: readonly (keyof Domain)[]; [part: string]: unknown };

export const listDomains = operation('GET /api/v1/sso/domains', {
  needs: 'ownership',
  summary: 'List domains',
  description: 'Lists the domains of an organization. `search` matches any part of a domain.',
  query: listQuery(table).extend({ organization_id: line(200) }),
  returns: pageResponse(domainRecord),
  fails: ['notFound'],
  async handle({ db, host, query: { organization_id, ...query }, request }) {
    await host.requireOwner(request, organization_id);
    const page = await readPage(db.ssoDomains, table, [{ within: { organization_id } }], query);
    return { ...page, data: page.data.map(presentDomain) };
  },
});
