import { permissionsOf, ROLES } from '@gatehouse/shared/access/rbac';
import { z } from 'zod';
import { type Grant, grant } from '../../access/access-list.ts';

const namedGrant = grant.extend({
  name: z
    .string()
    .nullable()
    .meta({ description: 'The name, if the user has a role in the chatbot’s department; otherwise null' }),
});

/** CONTRACT.md §Access list. */
export const accessList = z.object({ chatbot_id: z.string(), permissions: z.array(namedGrant) }).meta({
  description: 'The access list',
  examples: [
    {
      chatbot_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
      permissions: [
        {
          user_id: 'User-483920',
          name: 'Ada Lovelace',
          role: 'Owner',
          granted_by: 'User-483920',
          granted_at: '2026-01-15T09:30:00.000Z',
        },
        ...((grant.meta()?.examples ?? []) as Grant[]).map((entry) => ({ ...entry, name: 'Grace Hopper' })),
      ],
    },
  ],
});

/** The caller’s role on a chatbot. */
export const ownAccessRecord = z
  .object({
    chatbot_id: z.string(),
    user_id: z.string(),
    role: z.enum(ROLES),
    permissions: z.array(z.string()),
  })
  .meta({
    description: 'The role and its permissions',
    examples: [
      {
        chatbot_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
        user_id: 'User-720415',
        role: 'Analyst',
        permissions: permissionsOf('Analyst'),
      },
    ],
  });
