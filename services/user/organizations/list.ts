import { containsText, listQuery, pageResponse, readPage } from '@gatehouse/shared/operation/lists';
import { rolesOf } from '../access/roles.ts';
import { organizationRecord } from './contract.ts';
import { operation } from './operation.ts';

const table = {
  sortable: ['created_at', 'name', 'organization_id'],
  filters: {},
  search: containsText('name'),
  unique: 'organization_id',
} as const;

export const listOrganizations = operation('GET /api/v1/organizations', {
  needs: 'own',
  summary: 'List organizations',
  description: 'Lists the organizations in which the caller has a role. `search` matches the names.',
  query: listQuery(table),
  returns: pageResponse(organizationRecord),
  async handle({ db, caller, query }) {
    const { owned, departments } = await rolesOf(db, caller);
    const own = [...owned, ...departments.map(({ organization_id }) => organization_id)];
    return readPage(
      db.organizations,
      table,
      [{ within: { organization_id: { $in: [...new Set(own)] } } }],
      query,
    );
  },
});
