import { PERMISSIONS, type Permission, rolesWith } from './rbac.ts';

/**
 * What a route needs of its caller, said in its own options: a permission of the specification's table, or one
 * of these where the table has none.
 */
const BEYOND_THE_TABLE = {
  own: 'Concerns the caller alone.',
  membership: 'Needs any role here.',
  ownership: 'Needs to be an Owner of the organization.',
} as const;

export type Requirement = Permission | keyof typeof BEYOND_THE_TABLE;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the caller must be allowed; a route that answers without a bearer is `public` instead. */
    permission?: Requirement;
    /** Whether a person may do it to himself without the permission. */
    orOneself?: boolean;
  }
}

/** What a requirement means, in a sentence for the documents. */
export function requirementText(requirement: Requirement, orOneself = false): string {
  if (!isPermission(requirement)) return BEYOND_THE_TABLE[requirement];
  const roles = rolesWith(requirement).join(', ');
  return `Needs the permission "${requirement}" (${roles})${orOneself ? ', but for oneself' : ''}.`;
}

export const isPermission = (requirement: Requirement): requirement is Permission =>
  PERMISSIONS.includes(requirement as Permission);
