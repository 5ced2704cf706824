import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import type { Filter, WithId } from 'mongodb';
import type { Database } from '../../database.ts';
import type { Membership } from '../records.ts';
import { revokeGrants } from '../revoke-grants.ts';
import { type Invitee, isInvited } from './invitee.ts';
import { lapse, NOT_LAPSED } from './lapse-invitations.ts';
import { reserveSeats } from './reserve-seats.ts';
import { isPending } from './states.ts';

interface Acceptance {
  /** Unix milliseconds. */
  now: number;
  /** An additional precondition of the write. */
  condition: Filter<Membership>;
}

/**
 * Turns a pending invitation into a membership, and ends the other invitations of the new member to the department,
 * which could undo a later removal.
 * @throws {AppError} forbidden if the department is full.
 * @returns null if the invitation matches no more, or the user is a member already.
 */
export async function joinByInvitation(
  db: Database,
  invitation: WithId<Membership>,
  invitee: Invitee,
  acceptance: Acceptance,
): Promise<Membership | null> {
  const joined = await join(db, invitation, invitee.user_id, acceptance);
  if (joined) await lapse(db, { department_id: joined.department_id, ...isInvited(invitee) });
  return joined;
}

/**
 * Turns a pending invitation into a membership with one write.
 * @param terms override the role and the grant of the invitation.
 * @throws as `joinByInvitation` does.
 */
export async function join(
  db: Database,
  { _id, organization_id, department_id }: WithId<Membership>,
  user_id: string,
  { now, condition }: Acceptance,
  terms: Partial<Pick<Membership, 'role' | 'granted_by' | 'granted_at'>> = {},
): Promise<Membership | null> {
  if (await db.memberships.findOne({ department_id, user_id })) return null;
  // Leftovers of an earlier membership must not come back with the new one.
  await revokeGrants(db, { organization_id, department_id }, user_id);
  await reserveSeats(db, { organization_id, department_id }, [user_id], now);
  try {
    return await db.memberships.findOneAndUpdate(
      { $and: [{ _id, ...isPending(now), ...NOT_LAPSED }, condition] },
      {
        $set: { user_id, joined_at: new Date(now), ...terms },
        $unset: { valid_until: true, expires_at: true, invited_id: true, adding: true, lapsed: true },
      },
      { returnDocument: 'after' },
    );
  } catch (error) {
    if (isDuplicateKey(error)) return null; // a concurrent call has made the user a member
    throw error;
  }
}
