import type { z } from 'zod';
import type { invitationRecord } from '../contract.ts';
import type { Membership } from '../records.ts';

/** Matches invitations that are neither accepted nor expired. */
export const isPending = (now: number) => ({
  user_id: { $exists: false },
  expires_at: { $gt: new Date(now) },
});

export const presentInvitation = ({
  membership_id,
  email = '',
  role,
  user_id,
  granted_by,
  granted_at,
  expires_at,
}: Membership): z.infer<typeof invitationRecord> => ({
  invitation_id: membership_id,
  email,
  role,
  status: user_id === undefined ? 'pending' : 'accepted',
  granted_by,
  granted_at,
  expires_at: expires_at?.toISOString() ?? null,
});
