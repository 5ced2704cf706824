import type { z } from 'zod';
import type { Membership } from '../../access/records.ts';
import type { INVITATION_STATUSES, invitationRecord } from './contract.ts';

export const presentInvitation = (membership: Membership, now: number): z.infer<typeof invitationRecord> => {
  const { membership_id, email, user_id, invited_id, role, granted_by, granted_at, valid_until } = membership;
  return {
    invitation_id: membership_id,
    email: email ?? null,
    user_id: user_id ?? invited_id ?? null,
    role,
    status: statusOf(membership, now),
    granted_by,
    granted_at,
    expires_at: valid_until?.toISOString() ?? null,
  };
};

function statusOf(
  { user_id, declined_at, valid_until }: Membership,
  now: number,
): (typeof INVITATION_STATUSES)[number] {
  if (user_id !== undefined) return 'accepted';
  if (declined_at) return 'declined';
  return valid_until && valid_until.getTime() > now ? 'pending' : 'expired';
}

/** An invitation as the target of an audit event. */
export const invitationTarget = ({ membership_id, email, invited_id }: Membership) => ({
  invitation_id: membership_id,
  ...(email !== undefined && { email }),
  ...(invited_id !== undefined && { user_id: invited_id }),
});
