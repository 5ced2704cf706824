import type { Role } from '@gatehouse/shared/access/rbac';
import { get } from './gate.ts';
import { forgetAnswers, keepAnswer } from './kept-answer.ts';

/** The fields of an archived place; others lack them. */
export interface Archivable {
  archived_at?: string;
  /** When it is deleted for good. */
  deletes_at?: string;
}

/** A department in which the reader has a role. */
export interface OwnDepartment extends Archivable {
  department_id: string;
  name: string;
  role: Role;
}

/** An organization in which the reader has a role. */
export interface OwnOrganization extends Archivable {
  organization_id: string;
  name: string;
  role: 'Owner' | null;
  departments: OwnDepartment[];
}

/** An invitation or offer to the reader. */
export interface Received {
  invitation_id: string;
  organization_id: string;
  organization_name: string;
  /** Null for an offer to become an Owner. */
  department_id: string | null;
  department_name: string | null;
  role: Role;
  transfer: boolean;
  granted_by: string;
  granted_by_name: string | null;
  expires_at: string;
}

export interface OwnRoles {
  user_id: string;
  organizations: OwnOrganization[];
  invitations: Received[];
}

/** Returns the reader's roles and the invitations to them, which most views need. */
export const getOwnRoles = keepAnswer(() => get<OwnRoles>('/api/v1/users/me/roles?include=invitations'));

/** A department, or with null the whole organization. */
interface PlaceIds {
  organization_id: string;
  department_id: string | null;
}

export const organizationIn = (roles: OwnRoles | undefined, id: string | null): OwnOrganization | undefined =>
  roles?.organizations.find(({ organization_id }) => organization_id === id);

export function departmentIn(
  roles: OwnRoles | undefined,
  { organization_id, department_id }: PlaceIds,
): OwnDepartment | undefined {
  const departments = organizationIn(roles, organization_id)?.departments;
  return departments?.find((each) => each.department_id === department_id);
}

/** Returns the reader's roles, read again if those that are kept lack a place: it may be a new one. */
export async function getRolesIn({ organization_id, department_id }: PlaceIds): Promise<OwnRoles> {
  const roles = await getOwnRoles();
  const isKnown =
    department_id === null
      ? organizationIn(roles, organization_id)
      : departmentIn(roles, { organization_id, department_id });
  if (isKnown) return roles;
  forgetAnswers();
  return getOwnRoles();
}
