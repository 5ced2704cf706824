import type { Database } from '../../database.ts';

/** Days until an invitation expires. */
export const VALID_DAYS = 14;
/** Days for which an expired invitation is still listed. */
const LISTED_DAYS = 30;
const DAY = 86_400_000;

/** Matches invitations, not memberships. */
export const isInvitation = { user_id: { $exists: false } };

/** Matches memberships, not invitations. */
export const isMember = { user_id: { $gt: '' } };

/** Matches invitations that can be accepted. @param now Unix milliseconds. */
export const isPending = (now: number) => ({
  ...isInvitation,
  declined_at: { $exists: false },
  valid_until: { $gt: new Date(now) },
});

/** Matches invitations that are no longer pending and still listed. A declined one is listed until it expires. */
const isDeclined = (now: number) => ({
  ...isInvitation,
  declined_at: { $exists: true },
  expires_at: { $gt: new Date(now) },
});
const isExpired = (now: number) => ({
  ...isInvitation,
  declined_at: { $exists: false },
  valid_until: { $lte: new Date(now) },
  expires_at: { $gt: new Date(now) },
});

/** The filters of a list by status. */
export const WITH_STATUS = { pending: isPending, declined: isDeclined, expired: isExpired };

/** The times of an invitation that is made or renewed now. */
export const validity = (now: number) => ({
  valid_until: new Date(now + VALID_DAYS * DAY),
  expires_at: new Date(now + (VALID_DAYS + LISTED_DAYS) * DAY),
});

/** When an expired invitation or offer is no longer listed. */
export const listedUntil = (valid_until: Date): Date => new Date(valid_until.getTime() + LISTED_DAYS * DAY);

/** Invitations from before `valid_until` was stored expire when they are deleted. */
export const datePendingInvitations = (db: Database) =>
  db.memberships.updateMany({ expires_at: { $gt: new Date(0) }, valid_until: { $exists: false } }, [
    { $set: { valid_until: '$expires_at' } },
  ]);
