import { z } from 'zod';
import { personFields } from '../../access/people.ts';
import { AT } from '../contract.ts';

export const ownerRecord = z
  .object({
    user_id: z.string(),
    granted_by: z.string(),
    granted_at: z.string().meta({ format: 'date-time' }),
  })
  .meta({
    description: 'An Owner of the organization',
    examples: [{ user_id: 'User-483920', granted_by: 'User-483920', granted_at: AT }],
  });

/** An Owner as the list shows them. */
export const listedOwner = ownerRecord.extend(personFields).meta({
  description: 'An Owner of the organization',
  examples: [
    {
      user_id: 'User-483920',
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      granted_by: 'User-483920',
      granted_at: AT,
    },
  ],
});
