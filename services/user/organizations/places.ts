import type { KeyPermission } from '@gatehouse/shared/access/key-permissions';
import type { Permission } from '@gatehouse/shared/access/rbac';
import type { FastifyRequest } from 'fastify';

/** Where an operation exists once for departments, for those with a permission, and once for organizations, for their Owners. */
export const placesFor = <Needs extends Permission & KeyPermission>(needs: Needs) =>
  [
    {
      of: 'a department',
      path: '/api/v1/organizations/{organization_id}/departments/{department_id}',
      needs,
      byKey: needs,
    },
    {
      of: 'an organization',
      path: '/api/v1/organizations/{organization_id}',
      needs: 'ownership',
      byKey: needs,
    },
  ] as const;

/** The department of the path; null for an organization. */
export function tenantInPath(request: FastifyRequest) {
  const { organization_id, department_id = null } = request.params as {
    organization_id: string;
    department_id?: string;
  };
  return { organization_id, department_id };
}
