import type { DataSet } from '../data-set.ts';
import { departmentsOf } from './by-department.ts';

/** The billing record of each department. */
export const billing: DataSet = {
  needs: 'view billing',
  uses: ['view billing'],
  columns: ['department_id', 'subscription_plan', 'payment_status', 'subscription_date', 'updated_at'],
  async count(db, scope) {
    return (await departmentsOf(db, scope)).length;
  },
  async read(db, { organization_id, department_id }, after, limit) {
    const behind = { department_id: { $gt: (after?.department_id as string) ?? '' } };
    const found = await db.departments
      .find(
        { $and: [{ organization_id, ...(department_id !== null && { department_id }) }, behind] },
        { projection: { _id: 0, department_id: 1, billing: 1 }, sort: { department_id: 1 }, limit },
      )
      .toArray();
    return found.map((department) => ({
      row: { department_id: department.department_id, ...department.billing },
      after: { department_id: department.department_id },
    }));
  },
};
