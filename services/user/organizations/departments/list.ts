import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { membershipOf } from '../../access/membership.ts';
import type { Database } from '../../database.ts';
import { containsText, listQuery, pageResponse, readPage } from '../../lists.ts';
import { departmentRecord, organizationPath, refusals, tagged } from '../contract.ts';

const config = { permission: 'membership' } as const;

const table = {
  sortable: ['created_at', 'name', 'department_id'],
  filters: {},
  search: containsText('name'),
  hidden: ['payment_reports', 'billing_outbox'],
  unique: 'department_id',
} as const;

const schema = {
  ...tagged,
  summary: 'List departments',
  description:
    'Lists the departments of the organization in which the caller has a role; its Owners see all of them. `search` matches the names.',
  params: organizationPath,
  querystring: listQuery(table),
  response: { 200: pageResponse(departmentRecord), ...refusals },
};

/** GET /api/v1/organizations/{organization_id}/departments. */
export const listDepartments: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.get('/api/v1/organizations/:organization_id/departments', { schema, config }, async (request) => {
    const { organization_id } = request.params;
    const { departments } = membershipOf(request).roles;
    const department_id = { $in: departments.map((each) => each.department_id) };
    return readPage(db.departments, table, [{ within: { organization_id, department_id } }], request.query);
  });
};
