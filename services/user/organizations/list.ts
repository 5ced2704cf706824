import { containsText, listQuery, pageResponse, readPage } from '@gatehouse/shared/operation/lists';
import { ownRolesOf } from '../access/caller-roles.ts';
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
  byKey: 'view organizations',
  summary: 'List organizations',
  description: 'Lists the organizations in which the caller has a role. `search` matches the names.',
  query: listQuery(table),
  returns: pageResponse(organizationRecord),
  async handle({ db, request, query }) {
    const { owned, departments } = await ownRolesOf(db, request);
    const own = [...owned, ...departments.map(({ organization_id }) => organization_id)];
    return readPage(
      db.organizations,
      table,
      [{ within: { organization_id: { $in: [...new Set(own)] } } }],
      query,
    );
  },
});
