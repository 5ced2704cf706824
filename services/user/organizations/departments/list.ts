import type { Database } from '@gatehouse/shared/database';
import { holding, listQuery, onePage, readPage } from '@gatehouse/shared/lists';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { departmentRecord, organizationPath, refused, tagged } from '../contract.ts';
import { standingOf } from '../standing.ts';

const config = { permission: 'membership' } as const;

const table = {
  sortable: ['created_at', 'name', 'department_id'],
  filters: {},
  searched: holding('name'),
  unique: 'department_id',
} as const;

const schema = {
  ...tagged,
  summary: 'List departments',
  description:
    'Those of the organization in which the caller has a role: its Owners see all. `search` looks into the names.',
  params: organizationPath,
  querystring: listQuery(table),
  response: { 200: onePage(departmentRecord), ...refused },
};

/** GET /api/v1/organizations/{organization_id}/departments. */
export async function listDepartments(root: FastifyInstance, { db }: { db: Database }): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .get('/api/v1/organizations/:organization_id/departments', { schema, config }, async (request) => {
      const { organization_id } = request.params;
      const { departments } = standingOf(request).roles;
      const department_id = { $in: departments.map((each) => each.department_id) };
      return readPage(db.departments, table, [{ within: { organization_id, department_id } }], request.query);
    });
}
