import { ROLES } from '@gatehouse/shared/access/rbac';
import { z } from 'zod';

/** A role that somebody was given (spec §Role and permission records, Chatbot access list record). */
export const grant = z
  .object({
    user_id: z.string(),
    role: z.enum(ROLES),
    granted_by: z.string(),
    granted_at: z.string().meta({ format: 'date-time' }),
  })
  .meta({
    description: 'The role, and by whom it was given',
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
