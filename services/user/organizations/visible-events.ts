import { can } from '@gatehouse/shared/access/rbac';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { keyAllows } from '@gatehouse/shared/identity/machine-keys/admit';
import type { FastifyRequest } from 'fastify';
import type { Filter } from 'mongodb';
import { membershipOf, roleOf } from '../access/membership.ts';
import { tenantInPath } from './places.ts';
import { VIEW_PERMISSIONS, type ViewPermission } from './view-permission.ts';

/** The caller's permissions in the organization or department of the path. */
export function viewPermissionsOf(request: FastifyRequest): ReadonlySet<ViewPermission> {
  const role = roleOf(request);
  const isOwner = membershipOf(request).roles.owned.has(tenantInPath(request).organization_id);
  const permitted = VIEW_PERMISSIONS.filter(
    (permission) => can(role, permission) && keyAllows(request, permission),
  );
  // No key has what is for Owners only.
  const isOwnership = isOwner && !request.principal?.key;
  return new Set([...permitted, ...(isOwnership ? (['ownership'] as const) : [])]);
}

const BILLING = ['billing.plan', 'billing.payment'] as const satisfies AuditEvent['action'][];

/** The audit events of a department, or of an organization with its departments; of bills only with `view billing`. */
export const visibleEvents = (
  { organization_id, department_id }: { organization_id: string; department_id: string | null },
  permissions: ReadonlySet<ViewPermission>,
): Filter<AuditEvent> => ({
  // The department alone: its index then reads no event of another department.
  ...(department_id === null ? { organization_id } : { department_id }),
  ...(!permissions.has('view billing') && { action: { $nin: [...BILLING] } }),
});
