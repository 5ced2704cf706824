import { isMember, presentMember } from '../../members/present-member.ts';
import type { DataSet } from '../data-set.ts';
import { byDepartment, departmentsOf } from './by-department.ts';

/** The members of departments, as the list of members shows them. */
export const members: DataSet = {
  needs: 'view users',
  uses: ['view users'],
  columns: ['department_id', 'user_id', 'role', 'email', 'granted_by', 'granted_at'],
  async count(db, scope) {
    return db.memberships.countDocuments({
      department_id: { $in: await departmentsOf(db, scope) },
      ...isMember,
    });
  },
  read: byDepartment(async (db, { organization_id, department_id }, after, limit) => {
    const user_id = { $gt: (after?.user_id as string) ?? '' };
    const found = await db.memberships
      .find({ organization_id, department_id, user_id }, { sort: { user_id: 1 }, limit })
      .toArray();
    return found.map((member) => ({
      row: { department_id, ...presentMember(member) },
      after: { user_id: member.user_id },
    }));
  }),
};
