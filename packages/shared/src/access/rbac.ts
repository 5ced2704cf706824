/**
 * Roles and their permissions (CONTRACT.md §Permissions). `ownership` and `membership` are no permissions: they are
 * requirements of operations (operation/requirement.ts).
 */

export const ROLES = ['Owner', 'Admin', 'Editor', 'Viewer', 'Analyst'] as const;
export type Role = (typeof ROLES)[number];

const TABLE = {
  'create chatbot': ['Owner', 'Admin', 'Editor'],
  'edit chatbot': ['Owner', 'Admin', 'Editor'],
  'duplicate chatbot': ['Owner', 'Admin', 'Editor'],
  'delete chatbot': ['Owner', 'Admin'],
  'view chatbot': ['Owner', 'Admin', 'Editor', 'Viewer'],
  'add users': ['Owner', 'Admin'],
  'edit users': ['Owner', 'Admin'],
  'remove users': ['Owner', 'Admin'],
  'assign roles': ['Owner', 'Admin'],
  'view users': ['Owner', 'Admin', 'Editor', 'Viewer'],
  'view billing': ['Owner'],
  'manage payment': ['Owner'],
  'upgrade/downgrade plan': ['Owner'],
  'view analytics': ['Owner', 'Admin', 'Editor', 'Viewer', 'Analyst'],
  'export data': ['Owner', 'Admin', 'Analyst'],
  'custom reports': ['Owner', 'Admin', 'Analyst'],
  'edit system prompts': ['Owner', 'Admin', 'Editor'],
  'view prompts': ['Owner', 'Admin', 'Editor', 'Viewer'],
  'upload files': ['Owner', 'Admin', 'Editor'],
  'add URLs': ['Owner', 'Admin', 'Editor'],
  'manage Q&A': ['Owner', 'Admin', 'Editor'],
  'view knowledge base': ['Owner', 'Admin', 'Editor', 'Viewer'],
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof TABLE;

export const PERMISSIONS = Object.keys(TABLE) as Permission[];

export const rolesWith = (permission: Permission): readonly Role[] => TABLE[permission];

export const can = (role: Role, permission: Permission): boolean => rolesWith(permission).includes(role);

export const permissionsOf = (role: Role): Permission[] =>
  PERMISSIONS.filter((permission) => can(role, permission));

/** Whether a role has a permission that the other lacks. */
export const isAbove = (role: Role, other: Role): boolean =>
  permissionsOf(role).some((permission) => !can(other, permission));

/** Returns the roles that a role may grant, change and revoke: those that are not above it. */
export const grantableBy = (granter: Role): Role[] =>
  can(granter, 'assign roles') ? ROLES.filter((role) => !isAbove(role, granter)) : [];
