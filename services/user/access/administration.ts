import { AppError } from '@gatehouse/shared/http/errors';
import type { AdministeredTenant, NamedTenant } from '@gatehouse/webhooks/host';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../database.ts';
import { isWrite, refuseArchived } from './archived.ts';
import { callerRoles, openRoles, refuseUnenrolled } from './caller-roles.ts';
import { archivedIn, departmentOf, type Roles, roleIn } from './roles.ts';

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

/** @throws {AppError} notFound if the caller does not administer the tenant; enrollmentRequired; forbidden for a write if it is archived. */
export async function assertAdministers(
  db: Database,
  request: FastifyRequest,
  tenant: AdministeredTenant,
): Promise<void> {
  const roles = await callerRoles(db, request);
  if (!administers(roles, tenant)) throw new AppError('notFound');
  refuseUnenrolled(roles, tenant.organization_id);
  refuseWriteInArchived(request, roles, tenant);
}

/**
 * The organizations that the caller administers, and the departments of other organizations.
 * @param named the tenant that the call names, if any.
 * @throws {AppError} enrollmentRequired if that is closed to the caller.
 */
export async function administeredBy(db: Database, request: FastifyRequest, named: NamedTenant) {
  const roles = await callerRoles(db, request);
  refuseUnenrolled(roles, named.organization_id);
  if (named.department_id !== undefined)
    refuseUnenrolled(roles, departmentOf(roles, named.department_id)?.organization_id);
  const { owned, departments } = openRoles(roles);
  return {
    organizations: [...owned],
    departments: departments.filter(
      ({ organization_id, role }) => !owned.has(organization_id) && isAdministrator(role),
    ),
  };
}

/**
 * The tenant that the caller names by the ids of an organization, a department, or both.
 * @throws {AppError} notFound if the caller has no role there; enrollmentRequired; forbidden if they do not administer it, or for a write
 * if it is archived.
 */
export async function administeredTenant(
  db: Database,
  request: FastifyRequest,
  { organization_id, department_id }: NamedTenant,
): Promise<AdministeredTenant> {
  const roles = await callerRoles(db, request);
  const known = roles.departments.find(
    (each) =>
      each.organization_id === (organization_id ?? each.organization_id) &&
      each.department_id === (department_id ?? each.department_id),
  );
  const organization = known?.organization_id ?? organization_id;
  // Owners have a role even while the organization has no department.
  const hasRole = known || (department_id === undefined && organization && roles.owned.has(organization));
  if (!organization || !hasRole) throw new AppError('notFound');
  refuseUnenrolled(roles, organization);
  const tenant = { organization_id: organization, department_id: department_id ?? null };
  if (!administers(roles, tenant)) throw new AppError('forbidden');
  refuseWriteInArchived(request, roles, tenant);
  return tenant;
}
