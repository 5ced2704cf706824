import type { Permission } from '@gatehouse/shared/access/rbac';
import type { FastifyRequest } from 'fastify';
import { departmentPath, organizationPath } from './contract.ts';

/** The places of an operation that a department has for a permission, and an organization for its Owners. */
export const placesFor = (permission: Permission) =>
  [
    {
      of: 'a department',
      url: '/api/v1/organizations/:organization_id/departments/:department_id',
      path: departmentPath,
      config: { permission },
    },
    {
      of: 'an organization',
      url: '/api/v1/organizations/:organization_id',
      path: organizationPath,
      config: { permission: 'ownership' },
    },
  ] as const;

/** The department of the path; null for an organization. */
export function placeOf(request: FastifyRequest) {
  const { organization_id, department_id = null } = request.params as {
    organization_id: string;
    department_id?: string;
  };
  return { organization_id, department_id };
}
