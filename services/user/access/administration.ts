import { AppError } from '@gatehouse/shared/http/errors';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { AdministeredTenant, NamedTenant } from '@gatehouse/webhooks/host';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../database.ts';
import { isWrite, refuseArchived } from './archived.ts';
import { archivedIn, type Roles, roleIn, rolesOf } from './roles.ts';

/**
 * The Owners of an organization administer it with all of its departments, and the Owners and Admins of a department
 * administer that department. Roles are read for each call, so a role that ends takes this along.
 */

function administers(roles: Roles, { organization_id, department_id }: AdministeredTenant): boolean {
  if (roles.owned.has(organization_id)) return true;
  return department_id !== null && isAdministrator(roleIn(roles, department_id));
}

const isAdministrator = (role: string | undefined): boolean => role === 'Owner' || role === 'Admin';

/** @throws {AppError} forbidden for a write if the tenant is archived. */
function refuseWriteInArchived(
  request: FastifyRequest,
  roles: Roles,
  { organization_id, department_id }: AdministeredTenant,
): void {
  if (!isWrite(request)) return;
  refuseArchived(
    department_id === null ? roles.archived.get(organization_id) : archivedIn(roles, department_id),
  );
}

/** @throws {AppError} notFound if the caller does not administer the tenant; forbidden for a write if it is archived. */
export async function assertAdministers(
  db: Database,
  request: FastifyRequest,
  tenant: AdministeredTenant,
): Promise<void> {
  const roles = await rolesOf(db, callerId(request));
  if (!administers(roles, tenant)) throw new AppError('notFound');
  refuseWriteInArchived(request, roles, tenant);
}

/** The organizations that a user administers, and the departments of other organizations. */
export async function administeredBy(db: Database, user_id: string) {
  const { owned, departments } = await rolesOf(db, user_id);
  return {
    organizations: [...owned],
    departments: departments.filter(
      ({ organization_id, role }) => !owned.has(organization_id) && isAdministrator(role),
    ),
  };
}

/**
 * The tenant that the caller names by the ids of an organization, a department, or both.
 * @throws {AppError} notFound if the caller has no role there; forbidden if they do not administer it, or for a write
 * if it is archived.
 */
export async function administeredTenant(
  db: Database,
  request: FastifyRequest,
  { organization_id, department_id }: NamedTenant,
): Promise<AdministeredTenant> {
  const roles = await rolesOf(db, callerId(request));
  const known = roles.departments.find(
    (each) =>
      each.organization_id === (organization_id ?? each.organization_id) &&
      each.department_id === (department_id ?? each.department_id),
  );
  const organization = known?.organization_id ?? organization_id;
  // Owners have a role even while the organization has no department.
  const hasRole = known || (department_id === undefined && organization && roles.owned.has(organization));
  if (!organization || !hasRole) throw new AppError('notFound');
  const tenant = { organization_id: organization, department_id: department_id ?? null };
  if (!administers(roles, tenant)) throw new AppError('forbidden');
  refuseWriteInArchived(request, roles, tenant);
  return tenant;
}
