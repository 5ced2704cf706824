import { type Roles, roleIn, rolesOf } from '../access/roles.ts';
import type { Database } from '../database.ts';
import type { Webhook } from './records.ts';

type Owned = Pick<Webhook, 'owner_id' | 'organization_id' | 'department_id'>;

/**
 * Whether a user manages a webhook: their own, or one of an organization that they own or of a department in which
 * they are Owner or Admin. The role is read for each call, so that a role that ends takes this along.
 */
export async function manages(
  db: Database,
  user_id: string,
  { owner_id, organization_id = null, department_id = null }: Owned,
): Promise<boolean> {
  if (owner_id !== null) return owner_id === user_id;
  if (organization_id === null) return false;
  return administers(await rolesOf(db, user_id), { organization_id, department_id });
}

/** Whether these are the roles of an Owner or Admin of a place. */
export function administers(
  roles: Roles,
  { organization_id, department_id }: { organization_id: string; department_id: string | null },
): boolean {
  if (roles.owned.has(organization_id)) return true;
  const role = department_id === null ? undefined : roleIn(roles, department_id);
  return role === 'Owner' || role === 'Admin';
}
