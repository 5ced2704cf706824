import { randomUUIDv7 } from 'node:crypto';
import type { Database } from '../../../services/user/database.ts';
import { nameKeys } from '../../../services/user/organizations/departments/name-keys.ts';
import type { Organization } from '../../../services/user/organizations/records.ts';

/** Stores an organization with its departments. @returns the public fields of both. */
export async function storeOrganization(
  db: Pick<Database, 'organizations' | 'departments'>,
  {
    name = 'Analytical Engines',
    owners,
    departments: names,
    now,
  }: {
    name?: string;
    owners: readonly string[];
    departments: readonly string[];
    now: number;
  },
) {
  const created_at = new Date(now).toISOString();
  const organization = { organization_id: String(randomUUIDv7()), name, created_at };
  const departments = names.map((department) => ({
    department_id: String(randomUUIDv7()),
    organization_id: organization.organization_id,
    name: department,
    created_at,
  }));
  const stored: Organization = {
    ...organization,
    owners: owners.map((user_id) => ({ user_id, granted_by: user_id, granted_at: created_at })),
  };
  await Promise.all([
    db.organizations.insertOne(stored),
    db.departments.insertMany(
      departments.map((department) => ({
        ...department,
        name_key: nameKeys(department.name),
        billing: {
          subscription_plan: 'Free',
          payment_status: 'pending',
          subscription_date: created_at.slice(0, 10),
          updated_at: created_at,
        },
      })),
    ),
  ]);
  return { organization, departments };
}
