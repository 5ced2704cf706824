import type { Permission } from '@gatehouse/shared/access/rbac';

export const VIEW_PERMISSIONS = [
  'view users',
  'view chatbot',
  'view billing',
] as const satisfies Permission[];

/** The permissions that affect what an export or a report shows, and `ownership` of the organization. */
export type ViewPermission = (typeof VIEW_PERMISSIONS)[number] | 'ownership';
