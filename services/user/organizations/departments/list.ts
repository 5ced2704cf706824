import { containsText, listQuery, pageResponse, readPage } from '@gatehouse/shared/operation/lists';
import { membershipOf } from '../../access/membership.ts';
import { departmentRecord } from '../contract.ts';
import { operation } from '../operation.ts';

const table = {
  sortable: ['created_at', 'name', 'department_id'],
  filters: {},
  search: containsText('name'),
  hidden: ['payment_reports', 'billing_outbox'],
  unique: 'department_id',
} as const;

export const listDepartments = operation('GET /api/v1/organizations/{organization_id}/departments', {
  needs: 'membership',
  summary: 'List departments',
  description:
    'Lists the departments of the organization in which the caller has a role; its Owners see all of them. `search` matches the names.',
  query: listQuery(table),
  returns: pageResponse(departmentRecord),
  async handle({ db, params: { organization_id }, query, request }) {
    const { departments } = membershipOf(request).roles;
    const department_id = { $in: departments.map((each) => each.department_id) };
    return readPage(db.departments, table, [{ within: { organization_id, department_id } }], query);
  },
});
