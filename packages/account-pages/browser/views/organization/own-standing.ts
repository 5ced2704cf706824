import { can } from '@gatehouse/shared/access/rbac';
import { type OwnRoles, organizationIn } from '../../own-roles.ts';

/** The reader's standing in an organization. */
export interface OwnStanding {
  id: string;
  isOwner: boolean;
  /** Whether the reader may see who the Owners are. */
  seesOwners: boolean;
  /** Whether the reader may manage service accounts. */
  assignsRoles: boolean;
}

export function standingIn(roles: OwnRoles, organization_id: string): OwnStanding {
  const { role = null, departments = [] } = organizationIn(roles, organization_id) ?? {};
  const isOwner = role === 'Owner';
  return {
    id: roles.user_id,
    isOwner,
    seesOwners: isOwner || departments.some((department) => can(department.role, 'view users')),
    assignsRoles: isOwner || departments.some((department) => can(department.role, 'assign roles')),
  };
}
