import { can, type Role } from '@gatehouse/shared/access/rbac';
import { AppError } from '@gatehouse/shared/http/errors';
import { callerId } from '@gatehouse/shared/identity/principal';
import { isPermission } from '@gatehouse/shared/operation/requirement';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Database } from '../database.ts';
import { isWrite, refuseArchived } from './archived.ts';
import { type CallerRoles, callerRoles, refuseUnenrolled } from './caller-roles.ts';

/** The caller's place in the organization or department that the path names. */
export interface CallerMembership {
  caller: string;
  /** Their role in the department; if the path names only an organization, Owner or none. */
  role: Role | undefined;
  roles: CallerRoles;
}

declare module 'fastify' {
  interface FastifyRequest {
    membership: CallerMembership | undefined;
  }
}

interface Path {
  organization_id?: string;
  department_id?: string;
  user_id?: string;
}

/**
 * Checks the caller's role on every route under /organizations/{organization_id} against the
 * operation's requirement: 404 if the caller has no role there, 403 if they lack a second
 * factor that the organization requires, if their role lacks the permission or if the place is archived. Leaving is always open.
 */
export const requireMembership = fp(async (app: FastifyInstance, { db }: { db: Database }) => {
  app.decorateRequest('membership', undefined);
  app.addHook('preHandler', async (request) => {
    const { organization_id, department_id, user_id } = request.params as Path;
    if (organization_id === undefined) return;
    const caller = callerId(request);
    const roles = await callerRoles(db, request);
    const isOwner = roles.owned.has(organization_id);
    const departments = roles.departments.filter(
      (each) =>
        each.organization_id === organization_id &&
        (department_id === undefined || each.department_id === department_id),
    );
    // Owners have a role even while the organization has no department.
    if (departments.length === 0 && !(isOwner && department_id === undefined)) throw new AppError('notFound');
    const role = isOwner ? 'Owner' : department_id === undefined ? undefined : departments[0]?.role;
    request.membership = { caller, role, roles };

    const { needs = 'ownership', orOneself, whileArchived } = request.routeOptions.config.operation ?? {};
    const isLeaving = whileArchived === 'oneself' && user_id === caller;
    if (!isLeaving) refuseUnenrolled(roles, organization_id);
    const isAllowed = isPermission(needs)
      ? isOwner || departments.some((each) => can(each.role, needs)) || (orOneself && user_id === caller)
      : isOwner || needs === 'membership';
    if (!isAllowed) throw new AppError('forbidden');
    if (!isWrite(request) || isLeaving) return;
    refuseArchived(
      department_id === undefined ? roles.archived.get(organization_id) : departments[0]?.archived,
    );
  });
});

/** The caller's membership, on a route under an organization. */
export function membershipOf(request: FastifyRequest): CallerMembership {
  if (!request.membership) throw new Error('the route is not under an organization');
  return request.membership;
}

/** The caller's role in the department that the path names. @throws {AppError} forbidden if they have none. */
export function roleOf(request: FastifyRequest): Role {
  const { role } = membershipOf(request);
  if (!role) throw new AppError('forbidden');
  return role;
}
