import type { FastifyRequest } from 'fastify';
import type { Filter } from 'mongodb';
import { membershipOf } from '../../access/membership.ts';
import { tenantInPath } from '../places.ts';
import type { ExportJob } from './records.ts';

/**
 * Matches the exports that the caller may list, read and delete: their own, and for Owners of the organization all. An
 * organization's list includes the exports of its departments.
 */
export function visibleExports(request: FastifyRequest, now: number): Filter<ExportJob> {
  const { organization_id, department_id } = tenantInPath(request);
  const { caller, roles } = membershipOf(request);
  return {
    organization_id,
    ...(department_id !== null && { department_id }),
    ...(!roles.owned.has(organization_id) && { created_by: caller }),
    expires_at: { $gt: new Date(now) },
  };
}
