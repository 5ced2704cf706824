import { isPending, presentInvitation } from '../../invitations/present-invitation.ts';
import type { DataSet } from '../data-set.ts';
import { byDepartment, departmentsOf } from './by-department.ts';

/** The pending invitations, as their list shows them. */
export const invitations: DataSet = {
  needs: 'view users',
  uses: ['view users'],
  columns: [
    'department_id',
    'invitation_id',
    'email',
    'role',
    'status',
    'granted_by',
    'granted_at',
    'expires_at',
  ],
  async count(db, scope) {
    return db.memberships.countDocuments({
      department_id: { $in: await departmentsOf(db, scope) },
      ...isPending(scope.created_at.getTime()),
    });
  },
  read: byDepartment(async (db, { organization_id, department_id, created_at }, after, limit) => {
    const email = { $gt: (after?.email as string) ?? '' };
    const found = await db.memberships
      .find(
        { organization_id, department_id, email, ...isPending(created_at.getTime()) },
        { sort: { email: 1 }, limit },
      )
      .toArray();
    return found.map((invitation) => ({
      row: { department_id, ...presentInvitation(invitation) },
      after: { email: invitation.email },
    }));
  }),
};
