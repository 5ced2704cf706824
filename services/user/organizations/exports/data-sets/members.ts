import { isMember } from '../../../access/memberships/states.ts';
import { peopleOf } from '../../../access/people.ts';
import { MEMBERS } from '../../../access/records.ts';
import type { Database } from '../../../database.ts';
import { presentMembers } from '../../people/present-member.ts';
import type { DataSet, ExportScope, Read } from '../data-set.ts';
import { byDepartment, departmentsOf } from './by-department.ts';

const readMembers = byDepartment(async (db, { organization_id, department_id }, after, limit) => {
  const user_id = { $gt: (after?.user_id as string) ?? '' };
  const found = await db.memberships
    .find({ organization_id, department_id, user_id }, { sort: { user_id: 1 }, limit, hint: MEMBERS })
    .toArray();
  const presented = await presentMembers(db, organization_id, found);
  return presented.map((member) => ({
    row: { department_id, ...member },
    after: { user_id: member.user_id },
  }));
});

/** The members of departments, as their list shows them; of an organization its Owners first. */
export const members: DataSet = {
  needs: 'view users',
  uses: ['view users'],
  columns: ['department_id', 'user_id', 'role', 'name', 'email', 'granted_by', 'granted_at'],
  async count(db, scope) {
    const inDepartments = await db.memberships.countDocuments({
      department_id: { $in: await departmentsOf(db, scope) },
      ...isMember,
    });
    return inDepartments + (await readOwners(db, scope, '')).length;
  },
  async read(db, scope, after, limit) {
    if (after !== null && !('owner' in after)) return readMembers(db, scope, after, limit);
    const owners = (await readOwners(db, scope, (after?.owner as string) ?? '')).slice(0, limit);
    if (owners.length === limit) return owners;
    return [...owners, ...(await readMembers(db, scope, null, limit - owners.length))];
  },
};

/** The Owners of the organization whose `user_id` is greater than `after`, if all of it is exported. */
async function readOwners(
  db: Database,
  { organization_id, department_id }: ExportScope,
  after: string,
): Promise<Read[]> {
  if (department_id !== null) return [];
  const { owners = [] } = (await db.organizations.findOne({ organization_id })) ?? {};
  const following = owners.filter(({ user_id }) => user_id > after);
  const personOf = await peopleOf(
    db,
    organization_id,
    following.map(({ user_id }) => user_id),
  );
  return following
    .toSorted((one, other) => (one.user_id < other.user_id ? -1 : 1))
    .map(({ user_id, granted_by, granted_at }) => ({
      row: { department_id: null, user_id, role: 'Owner', ...personOf(user_id), granted_by, granted_at },
      after: { owner: user_id },
    }));
}
