import { can, type Role } from '@gatehouse/shared/access/rbac';
import { isPermission } from '@gatehouse/shared/access/requirement';
import { AppError } from '@gatehouse/shared/http/errors';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Database } from '../database.ts';
import { type Roles, rolesOf } from './roles.ts';

/** Where the caller stands in the organization or department that a path names. */
export interface CallerMembership {
  caller: string;
  /** His role in the department; of an organization itself, Owner or none. */
  role: Role | undefined;
  roles: Roles;
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
 * Lets a call under /organizations/{organization_id} pass only if the caller's role permits what the route says
 * that it needs: 404 where he has no part, 403 for what he may not do there.
 */
export const requireMembership = fp(async (app: FastifyInstance, { db }: { db: Database }) => {
  app.decorateRequest('membership', undefined);
  app.addHook('preHandler', async (request) => {
    const { organization_id, department_id, user_id } = request.params as Path;
    if (organization_id === undefined) return;
    const caller = callerId(request);
    const roles = await rolesOf(db, caller);
    const isOwner = roles.owned.has(organization_id);
    const held = roles.departments.filter(
      (each) =>
        each.organization_id === organization_id &&
        (department_id === undefined || each.department_id === department_id),
    );
    // An organization without a department yet has its Owners.
    if (held.length === 0 && !(isOwner && department_id === undefined)) throw new AppError('notFound');
    const role = isOwner ? 'Owner' : department_id === undefined ? undefined : held[0]?.role;
    request.membership = { caller, role, roles };

    const { permission = 'ownership', orOneself } = request.routeOptions.config;
    const may = isPermission(permission)
      ? isOwner || held.some((each) => can(each.role, permission)) || (orOneself && user_id === caller)
      : isOwner || permission === 'membership';
    if (!may) throw new AppError('forbidden');
  });
});

/** The standing of a caller under an organization's path. */
export function membershipOf(request: FastifyRequest): CallerMembership {
  if (!request.membership) throw new Error('the path names no organization');
  return request.membership;
}

/** The role of a caller in the department of the path. */
export function roleOf(request: FastifyRequest): Role {
  const { role } = membershipOf(request);
  if (!role) throw new AppError('forbidden');
  return role;
}
