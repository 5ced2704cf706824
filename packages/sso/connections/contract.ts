import { ROLES } from '@gatehouse/shared/access/rbac';
import { z } from 'zod';

export const connectionPath = z.object({ connection_id: z.string() });

/** The roles that a connection may give. */
export const MEMBER_ROLES = ROLES.filter((role) => role !== 'Owner') as [
  Exclude<(typeof ROLES)[number], 'Owner'>,
];
