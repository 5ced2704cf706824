import type { Connection } from '@gatehouse/sso/connection-records';
import type { ScimUser } from '@gatehouse/sso/records';
import type { AssignedRole } from '../../provisioning/role.ts';
import { readUser, type UserInput, writableUser } from './input.ts';

/**
 * Returns the role that a stored user has: the one named, or else the connection's default. Undefined if the provider
 * has never named one; then SCIM leaves the role to logins and people.
 */
export function roleOfUser(
  scim: ScimUser,
  { default_role }: Pick<Connection, 'default_role'>,
): AssignedRole | undefined {
  const { role } = readUser(writableUser(scim));
  return role ?? (hasNamedRole(scim) ? default_role : undefined);
}

/** The mark of a user whose provider no longer names a role. */
export const roleRemoved = (
  before: ScimUser | undefined,
  { role }: UserInput,
): Pick<ScimUser, 'role_removed'> =>
  role === undefined && before && hasNamedRole(before) ? { role_removed: true } : {};

const hasNamedRole = ({ attributes, role_removed }: ScimUser): boolean =>
  attributes.roles !== undefined || role_removed === true;
