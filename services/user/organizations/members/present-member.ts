import type { z } from 'zod';
import type { memberRecord } from '../contract.ts';
import type { Membership } from '../records.ts';

/** The memberships that are no invitations. */
export const isMember = { user_id: { $gt: '' } };

/** A member as he is shown; his address only where it was how he came. */
export const presentMember = ({
  user_id = '',
  role,
  email,
  granted_by,
  granted_at,
}: Membership): z.infer<typeof memberRecord> => ({
  user_id,
  role,
  email: email ?? null,
  granted_by,
  granted_at,
});
