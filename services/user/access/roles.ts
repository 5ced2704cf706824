import type { Role } from '@gatehouse/shared/access/rbac';
import type { Database } from '../database.ts';
import type { Membership } from '../organizations/records.ts';

interface DepartmentRole {
  organization_id: string;
  department_id: string;
  role: Role;
}

/** The roles of a user. */
export interface Roles {
  /** The organizations of which the user is an Owner, and so Owner in each of their departments. */
  owned: ReadonlySet<string>;
  /** The user's role in each department, including the departments of organizations that they own. */
  departments: DepartmentRole[];
}

type Row = Pick<Membership, 'organization_id' | 'department_id' | 'role'> | Owned;
interface Owned {
  organization_id: string;
  departments: string[];
}

/** Reads the roles of a user with one query. */
export async function rolesOf(db: Database, user_id: string): Promise<Roles> {
  const rows = await db.memberships
    .aggregate<Row>([
      { $match: { user_id } },
      { $project: { _id: 0, organization_id: 1, department_id: 1, role: 1 } },
      {
        $unionWith: {
          coll: db.organizations.collectionName,
          pipeline: [
            { $match: { 'owners.user_id': user_id } },
            {
              $lookup: {
                from: db.departments.collectionName,
                localField: 'organization_id',
                foreignField: 'organization_id',
                as: 'departments',
              },
            },
            { $project: { _id: 0, organization_id: 1, departments: '$departments.department_id' } },
          ],
        },
      },
    ])
    .toArray();

  const ownedRows = rows.filter((row) => 'departments' in row);
  const owned = new Set(ownedRows.map(({ organization_id }) => organization_id));
  const inherited = ownedRows.flatMap(({ organization_id, departments }) =>
    departments.map((department_id) => ({ organization_id, department_id, role: 'Owner' as const })),
  );
  // A membership below an organization that the user owns adds nothing.
  const memberships = rows.filter(
    (row) => 'role' in row && !owned.has(row.organization_id),
  ) as DepartmentRole[];
  return { owned, departments: [...inherited, ...memberships] };
}

export const roleIn = ({ departments }: Roles, department_id: string): Role | undefined =>
  departments.find((each) => each.department_id === department_id)?.role;
