import type { ServiceAccount } from '@gatehouse/shared/identity/machine-keys/records';
import type { Database } from '../database.ts';
import type { Roles } from './roles.ts';

/**
 * Reads the roles of a service account with one query. They stand in its record, so nothing that counts, lists or ends
 * memberships of people meets it. Its organization is not archived: the check of its key has read that.
 */
export async function rolesOfServiceAccount(
  db: Database,
  { organization_id, roles }: ServiceAccount,
): Promise<Roles> {
  const department_id = { $in: roles.map((each) => each.department_id) };
  const departments = await db.departments
    .find(
      { department_id, organization_id, deleting: { $exists: false } },
      { projection: { _id: 0, department_id: 1, archived_at: 1 } },
    )
    .toArray();
  const stored = new Map(departments.map((department) => [department.department_id, department]));
  return {
    owned: new Set(),
    departments: roles.flatMap(({ department_id, role }) => {
      const department = stored.get(department_id);
      if (!department) return [];
      const { archived_at: at } = department;
      return [
        {
          organization_id,
          department_id,
          role,
          ...(at !== undefined && { archived: { what: 'department' as const, at } }),
        },
      ];
    }),
    archived: new Map(),
    // A second factor is something that a person has.
    graceEnds: new Map(),
  };
}
