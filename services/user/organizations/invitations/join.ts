import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import type { Filter, WithId } from 'mongodb';
import { lapse, NOT_LAPSED } from '../../access/lapse-invitations.ts';
import { reserveSeats } from '../../access/reserve-seats.ts';
import { revokeGrants } from '../../access/revoke-grants.ts';
import type { Database } from '../../database.ts';
import type { Membership } from '../records.ts';
import type { Invitee } from './invitee.ts';
import { isPending } from './status.ts';

interface Options {
  /** Unix milliseconds. */
  now: number;
  /** What the invitation must match at the time of the write. */
  condition?: Filter<Membership>;
  /** What the membership has instead of the terms of the invitation. */
  terms?: Partial<Pick<Membership, 'role' | 'granted_by' | 'granted_at'>>;
}

/**
 * Turns a pending invitation into a membership with one write.
 * @throws {AppError} forbidden if the department is full.
 * @returns null if the invitation matches no more, or the user is a member already.
 */
export async function join(
  db: Database,
  { _id, organization_id, department_id }: WithId<Membership>,
  user_id: string,
  { now, condition = {}, terms = {} }: Options,
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

/** Ends the other invitations of a new member to their department, so that a later removal is not undone by one. */
export const endTwins = (
  db: Database,
  { department_id }: Pick<Membership, 'department_id'>,
  { user_id, email }: Invitee,
) => lapse(db, { department_id, $or: [{ invited_id: user_id }, { email }] });
