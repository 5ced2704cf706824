import type { Filter } from 'mongodb';
import type { Database } from '../../database.ts';
import type { Membership } from '../records.ts';
import { endAdditions } from './add-from-within.ts';
import { endInvitationsTo, type Withdrawn } from './withdraw-invitations.ts';

interface Member {
  organization_id: string;
  department_id: string;
  user_id: string;
}

/**
 * Ends a membership, and what would bring the member back.
 * @param condition what the membership must match at the time of the write.
 * @param record called after each invitation that is withdrawn; absent for members who leave, who keep theirs.
 * @returns the membership; null if none matches.
 */
export async function endMembership(
  db: Database,
  { organization_id, department_id, user_id }: Member,
  condition: Filter<Membership>,
  now: number,
  record?: (withdrawn: Withdrawn) => Promise<void>,
): Promise<Membership | null> {
  const place = { organization_id, department_id };
  const membership = { ...place, user_id, ...condition };
  // First: once the membership has ended, an older invitation could bring them back.
  if (record && (await db.memberships.findOne(membership)))
    await endInvitationsTo(db, place, { user_id, began_at: new Date(now) }, record);
  const ended = await db.memberships.findOneAndDelete(membership);
  if (ended) await endAdditions(db, { organization_id, user_id });
  return ended;
}
