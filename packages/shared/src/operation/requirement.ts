import { PERMISSIONS, type Permission, rolesWith } from '../access/rbac.ts';

/** Requirements that the permission table does not cover. */
const OTHER_REQUIREMENTS = {
  session: 'Needs a session; the platform checks the rest.',
  own: 'Concerns the caller alone.',
  administration:
    'Concerns what belongs to the caller, to an organization that they own, or to a department in which they are Owner or Admin.',
  membership: 'Needs any role here.',
  ownership: 'Needs to be an Owner of the organization.',
  'support operator': 'Needs to be an operator of the deployment.',
  'admin operator': 'Needs to be an operator of the deployment with the level `admin`.',
} as const;

/** What operations of the admin API need (CONTRACT.md §Admin API). */
const OPERATORS = ['support operator', 'admin operator'] as const;

export type OperatorRequirement = (typeof OPERATORS)[number];

/** Requirements without a user's bearer: none, or the credential of another service or of an identity provider. */
const WITHOUT_BEARER = ['nothing', 'service key', 'SCIM token'] as const;

/** Who may call an operation. */
export type Requirement = Permission | keyof typeof OTHER_REQUIREMENTS | (typeof WITHOUT_BEARER)[number];

/** Whether callers present the token of a user. */
export const isBearer = (
  requirement: Requirement,
): requirement is Exclude<Requirement, (typeof WITHOUT_BEARER)[number]> =>
  !WITHOUT_BEARER.some((each) => each === requirement);

/** Whether who meets a requirement can give roles to others. */
export const grantsRoles = (requirement: Requirement): boolean =>
  requirement === 'add users' || requirement === 'assign roles';

/** Whether callers must be operators of the deployment. */
export const isForOperators = (requirement: Requirement): requirement is OperatorRequirement =>
  OPERATORS.some((each) => each === requirement);

/** Whether an operation may be about an organization, which can require a second factor of its members. */
export const concernsOrganizations = (requirement: Requirement): boolean =>
  isBearer(requirement) && requirement !== 'session' && requirement !== 'own' && !isForOperators(requirement);

/** The `security` of OpenAPI. A public operation says so: the list is empty, not absent. */
export function securityOf(requirement: Requirement): Record<string, string[]>[] {
  if (requirement === 'nothing') return [];
  if (requirement === 'service key') return [{ serviceKey: [] }];
  return [requirement === 'SCIM token' ? { scimToken: [] } : { bearer: [] }];
}

/** Returns the sentence that documents a requirement; none without a bearer. */
export function requirementText(requirement: Requirement, orOneself = false): string | undefined {
  if (!isBearer(requirement)) return undefined;
  if (!isPermission(requirement)) return OTHER_REQUIREMENTS[requirement];
  const roles = rolesWith(requirement).join(', ');
  return `Needs the permission "${requirement}" (${roles})${orOneself ? ', except for oneself' : ''}.`;
}

export const isPermission = (requirement: Requirement): requirement is Permission =>
  PERMISSIONS.includes(requirement as Permission);
