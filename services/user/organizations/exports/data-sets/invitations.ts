import { isPending } from '../../../access/memberships/states.ts';
import { BY_MEMBERSHIP } from '../../../access/records.ts';
import { presentInvitation } from '../../invitations/present-invitation.ts';
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
    'user_id',
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
    const membership_id = { $gt: (after?.membership_id as string) ?? '' };
    const found = await db.memberships
      .find(
        { organization_id, department_id, membership_id, ...isPending(created_at.getTime()) },
        { sort: { membership_id: 1 }, limit, hint: BY_MEMBERSHIP },
      )
      .toArray();
    return found.map((invitation) => ({
      row: { department_id, ...presentInvitation(invitation, created_at.getTime()) },
      after: { membership_id: invitation.membership_id },
    }));
  }),
};
