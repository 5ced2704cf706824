/** spec §Role and permission records: the roles, and which of them a permission is given to. */

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

/** The roles that a role may give, change and take: none that holds a permission which it does not hold itself. */
export const grantableBy = (granter: Role): Role[] =>
  can(granter, 'assign roles')
    ? ROLES.filter((role) => permissionsOf(role).every((permission) => can(granter, permission)))
    : [];
