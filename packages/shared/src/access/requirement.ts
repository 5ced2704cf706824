import { PERMISSIONS, type Permission, rolesWith } from './rbac.ts';

/**
 * Requirements of routes that the permission table does not cover. A route declares its requirement in its
 * options.
 */
const OTHER_REQUIREMENTS = {
  own: 'Concerns the caller alone.',
  administration:
    'Concerns what belongs to the caller, to an organization that they own, or to a department in which they are Owner or Admin.',
  membership: 'Needs any role here.',
  ownership: 'Needs to be an Owner of the organization.',
} as const;

export type Requirement = Permission | keyof typeof OTHER_REQUIREMENTS;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the caller needs. A route without a bearer is `public` instead. */
    permission?: Requirement;
    /** Whether callers may do this to themselves without the permission. */
    orOneself?: boolean;
  }
}

/** Returns the sentence that documents a requirement. */
export function requirementText(requirement: Requirement, orOneself = false): string {
  if (!isPermission(requirement)) return OTHER_REQUIREMENTS[requirement];
  const roles = rolesWith(requirement).join(', ');
  return `Needs the permission "${requirement}" (${roles})${orOneself ? ', except for oneself' : ''}.`;
}

export const isPermission = (requirement: Requirement): requirement is Permission =>
  PERMISSIONS.includes(requirement as Permission);
