import { orNotFound } from '@gatehouse/shared/http/errors';
import { departmentRecord } from '../contract.ts';
import { operation } from '../operation.ts';

export const getDepartment = operation(
  'GET /api/v1/organizations/{organization_id}/departments/{department_id}',
  {
    needs: 'membership',
    summary: 'Read a department',
    description: 'Returns 404 if the department does not exist or the caller has no role in it.',
    returns: departmentRecord,
    async handle({ db, params: { organization_id, department_id } }) {
      return orNotFound(await db.departments.findOne({ organization_id, department_id }));
    },
  },
);
