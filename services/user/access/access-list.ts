import { ROLES } from '@gatehouse/shared/access/rbac';
import { z } from 'zod';

/** A role granted to a user (CONTRACT.md §Access list). */
export const grant = z
  .object({
    user_id: z.string(),
    role: z.enum(ROLES),
    granted_by: z.string(),
    granted_at: z.string().meta({ format: 'date-time' }),
  })
  .meta({
    description: 'The role, who granted it, and when',
    examples: [
      {
        user_id: 'User-720415',
        role: 'Editor',
        granted_by: 'User-483920',
        granted_at: '2026-01-15T09:30:00.000Z',
      },
    ],
  });

export type Grant = z.infer<typeof grant>;

/** The complete access list of a chatbot, its owner first; a creator has granted themselves the role of Owner. */
export function accessListOf({
  owner_id,
  created_at,
  permissions = [],
}: {
  owner_id: string;
  created_at: string;
  permissions?: Grant[];
}): Grant[] {
  const created: Grant = { user_id: owner_id, role: 'Owner', granted_by: owner_id, granted_at: created_at };
  const stored = permissions.find(({ user_id, role }) => user_id === owner_id && role === 'Owner');
  return [stored ?? created, ...permissions.filter(({ user_id }) => user_id !== owner_id)];
}
