import type { z } from 'zod';
import type { memberRecord } from '../contract.ts';
import type { Membership } from '../records.ts';

/** Matches memberships, not invitations. */
export const isMember = { user_id: { $gt: '' } };

/** The public fields of a member; `email` is null unless the member was invited by e-mail. */
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
