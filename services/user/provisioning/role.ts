import { ROLES, type Role } from '@gatehouse/shared/access/rbac';
import type { Connection } from '@gatehouse/sso/connection-records';
import type { Profile } from '@gatehouse/sso/profile';
import { SsoRefusal } from '@gatehouse/sso/refusal';
import type { FastifyRequest } from 'fastify';

/** A role that a provider may give. */
export type AssignedRole = Exclude<Role, 'Owner'>;

/**
 * Returns the role that the provider names, without regard to case, or else the connection's default.
 * @throws {SsoRefusal} role refused for Owner: only an Owner makes others Owners.
 */
export function assignedRole(
  request: FastifyRequest,
  { connection_id, default_role }: Connection,
  { role: given }: Profile,
): AssignedRole {
  if (given === undefined) return default_role;
  const role = ROLES.find((each) => each.toLowerCase() === given.toLowerCase());
  if (role === 'Owner') throw new SsoRefusal('role refused', 'the provider sent the role Owner');
  if (role === undefined)
    request.log.warn(
      { connection_id, role: given.slice(0, 100), default_role },
      'the identity provider sent an unknown role: the default role of the connection applies',
    );
  return role ?? default_role;
}
