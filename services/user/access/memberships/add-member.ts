import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import type { Database } from '../../database.ts';
import type { Membership } from '../records.ts';
import { revokeGrants } from '../revoke-grants.ts';
import { reserveSeats } from './reserve-seats.ts';

/**
 * Adds a member. @returns null if the user is one already.
 * @param options.isAdmitted whether the caller has made room for the member.
 * @throws {AppError} forbidden if the department is full.
 */
export async function addMember(
  db: Database,
  member: Membership & { user_id: string; joined_at: Date },
  { isAdmitted = false } = {},
): Promise<Membership | null> {
  const { organization_id, department_id, user_id, joined_at } = member;
  if (await db.memberships.findOne({ department_id, user_id })) return null;
  await revokeGrants(db, { organization_id, department_id }, user_id);
  if (!isAdmitted) await reserveSeats(db, { organization_id, department_id }, [user_id], joined_at.getTime());
  try {
    await db.memberships.insertOne({ ...member });
    return member;
  } catch (error) {
    if (isDuplicateKey(error)) return null;
    throw error;
  }
}
