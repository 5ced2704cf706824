import type { Role } from '@gatehouse/shared/access/rbac';
import type { Database } from '../database.ts';
import type { Membership } from '../organizations/records.ts';

interface DepartmentRole {
  organization_id: string;
  department_id: string;
  role: Role;
}

/** Where somebody has which role. */
export interface Roles {
  /** The organizations that he is an Owner of, and so of each of their departments. */
  owned: ReadonlySet<string>;
  /** What his role in a department is; those of the organizations that he owns among them. */
  departments: DepartmentRole[];
}

type Row = Pick<Membership, 'organization_id' | 'department_id' | 'role'> | Owned;
interface Owned {
  organization_id: string;
  departments: string[];
}

/** Where a user has which role, by one question to the database. */
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
  // An Owner of the organization who is also a member somewhere is its Owner there too.
  const given = rows.filter((row) => 'role' in row && !owned.has(row.organization_id)) as DepartmentRole[];
  return { owned, departments: [...inherited, ...given] };
}

/** A user's role in a department, if any. */
export const roleIn = ({ departments }: Roles, department_id: string): Role | undefined =>
  departments.find((each) => each.department_id === department_id)?.role;
