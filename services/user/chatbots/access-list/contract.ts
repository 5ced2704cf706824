import { z } from 'zod';
import { type Grant, grant } from '../../access/grant.ts';
import type { StoredChatbot } from '../records.ts';

/** spec §Role and permission records, Chatbot access list record. */
export const accessList = z.object({ chatbot_id: z.string(), permissions: z.array(grant) }).meta({
  description: 'The access list',
  examples: [
    {
      chatbot_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
      permissions: [
        {
          user_id: 'User-483920',
          role: 'Owner',
          granted_by: 'User-483920',
          granted_at: '2026-01-15T09:30:00.000Z',
        },
        ...((grant.meta()?.examples ?? []) as Grant[]),
      ],
    },
  ],
});

export const accessEntry = z.object({ chatbot_id: z.string(), user_id: z.string() });

/** Everybody who was given a role, the owner first; who created it gave the role to himself. */
export function accessListOf({ owner_id, created_at, permissions = [] }: StoredChatbot): Grant[] {
  const created: Grant = { user_id: owner_id, role: 'Owner', granted_by: owner_id, granted_at: created_at };
  const isOwners = ({ user_id }: Grant) => user_id === owner_id;
  const given = permissions.find((grant) => isOwners(grant) && grant.role === 'Owner');
  return [given ?? created, ...permissions.filter((grant) => !isOwners(grant))];
}
