import type { Role } from '@gatehouse/shared/access/rbac';
import type { Collection } from 'mongodb';
import type { Database } from '../database.ts';
import type { Department, Organization } from '../organizations/records.ts';
import type { Archived } from './archived.ts';
import type { Membership } from './records.ts';

interface DepartmentRole {
  organization_id: string;
  department_id: string;
  role: Role;
  /** If the department or its organization is archived. */
  archived?: Archived;
}

/** The roles of a user. A place that is being deleted gives none. */
export interface Roles {
  /** The organizations of which the user is an Owner, and so Owner in each of their departments. */
  owned: ReadonlySet<string>;
  /** The user's role in each department, including the departments of organizations that they own. */
  departments: DepartmentRole[];
  /** The archived organizations in which the user has a role. */
  archived: ReadonlyMap<string, Archived>;
  /** When the grace ends or ended, in ISO 8601, of each organization that requires a second factor of the user. */
  graceEnds: ReadonlyMap<string, string>;
}

type ArchiveMarks = Pick<Organization, 'archived_at' | 'deleting'>;
type Member = Pick<Membership, 'organization_id' | 'department_id' | 'role'> & {
  /** Empty if it does not exist any more. */
  organization: (ArchiveMarks & Pick<Organization, 'second_factor'>)[];
  department: ArchiveMarks[];
};
type Owned = Pick<Organization, 'organization_id' | 'archived_at' | 'second_factor'> & {
  departments: (Pick<Department, 'department_id'> & ArchiveMarks)[];
};

/** Joins the documents of a collection that have the same id in a field. */
const join = (from: Collection<Organization> | Collection<Department>, id: string, as: string) => ({
  $lookup: { from: from.collectionName, localField: id, foreignField: id, as },
});

/** Reads the roles of a user with one query. */
export async function rolesOf(db: Database, user_id: string): Promise<Roles> {
  const rows = await db.memberships
    .aggregate<Member | Owned>([
      { $match: { user_id } },
      join(db.organizations, 'organization_id', 'organization'),
      join(db.departments, 'department_id', 'department'),
      {
        $project: {
          _id: 0,
          organization_id: 1,
          department_id: 1,
          role: 1,
          'organization.archived_at': 1,
          'organization.deleting': 1,
          'organization.second_factor': 1,
          'department.archived_at': 1,
          'department.deleting': 1,
        },
      },
      {
        $unionWith: {
          coll: db.organizations.collectionName,
          pipeline: [
            { $match: { 'owners.user_id': user_id, deleting: { $exists: false } } },
            join(db.departments, 'organization_id', 'departments'),
            {
              $project: {
                _id: 0,
                organization_id: 1,
                archived_at: 1,
                second_factor: 1,
                'departments.department_id': 1,
                'departments.archived_at': 1,
                'departments.deleting': 1,
              },
            },
          ],
        },
      },
    ])
    .toArray();

  const ownedRows = rows.filter((row) => 'departments' in row);
  const owned = new Set(ownedRows.map(({ organization_id }) => organization_id));
  const inherited = ownedRows.flatMap(({ departments, ...organization }) =>
    departments
      .filter(({ deleting }) => !deleting)
      .map(
        (department): DepartmentRole => ({
          organization_id: organization.organization_id,
          department_id: department.department_id,
          role: 'Owner',
          ...archivedBy(organization, department),
        }),
      ),
  );
  const memberships = rows.flatMap((row): DepartmentRole[] => {
    // A membership below an organization that the user owns adds nothing.
    if ('departments' in row || owned.has(row.organization_id)) return [];
    const { organization_id, department_id, role } = row;
    const [organization] = row.organization;
    const [department] = row.department;
    if (!organization || organization.deleting || !department || department.deleting) return [];
    return [{ organization_id, department_id, role, ...archivedBy(organization, department) }];
  });
  const departments = [...inherited, ...memberships];
  const archived = [
    ...ownedRows.flatMap(({ organization_id, archived_at: at }) =>
      at === undefined ? [] : [[organization_id, { what: 'organization', at }] as const],
    ),
    ...memberships.flatMap(({ organization_id, archived }) =>
      archived?.what === 'organization' ? [[organization_id, archived] as const] : [],
    ),
  ];
  const graceEnds = rows.flatMap((row) => {
    const organization = 'departments' in row ? row : row.organization[0];
    return organization?.second_factor
      ? [[row.organization_id, organization.second_factor.grace_ends_at] as const]
      : [];
  });
  return { owned, departments, archived: new Map(archived), graceEnds: new Map(graceEnds) };
}

function archivedBy(
  organization: Pick<ArchiveMarks, 'archived_at'>,
  department: Pick<ArchiveMarks, 'archived_at'>,
): Pick<DepartmentRole, 'archived'> {
  if (organization.archived_at !== undefined)
    return { archived: { what: 'organization', at: organization.archived_at } };
  if (department.archived_at !== undefined)
    return { archived: { what: 'department', at: department.archived_at } };
  return {};
}

export const departmentOf = ({ departments }: Roles, department_id: string): DepartmentRole | undefined =>
  departments.find((each) => each.department_id === department_id);

export const roleIn = (roles: Roles, department_id: string): Role | undefined =>
  departmentOf(roles, department_id)?.role;

/** Whether a department is archived for a user with a role in it; never for a personal chatbot's null. */
export const archivedIn = (roles: Roles, department_id: string | null): Archived | undefined =>
  department_id === null ? undefined : departmentOf(roles, department_id)?.archived;

/** The roles without those in archived departments. */
export const liveRoles = (roles: Roles): Roles => ({
  ...roles,
  departments: roles.departments.filter(({ archived }) => !archived),
});
