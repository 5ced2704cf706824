import type { Permission } from '@gatehouse/shared/access/rbac';

export const VIEW_PERMISSIONS = [
  'view users',
  'view chatbot',
  'view billing',
] as const satisfies Permission[];

/** What decides how much an export or a report shows: permissions, and `ownership` of the organization. */
export type ViewPermission = (typeof VIEW_PERMISSIONS)[number] | 'ownership';
