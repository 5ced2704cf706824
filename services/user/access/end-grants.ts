import { randomUUIDv7 } from 'node:crypto';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Database } from '../database.ts';
import { rememberMember } from './former-members.ts';
import { lapseInvitationsBy } from './lapse-invitations.ts';
import { revokeGrants } from './revoke-grants.ts';
import { rolesOf } from './roles.ts';
import { removeIfWithoutRole } from './roster.ts';

interface Place {
  organization_id: string;
  /** Without it, every department where the user has no role. */
  department_id?: string;
  user_id: string;
}

/**
 * Ends roles of a user in an organization, and the grants that depended on them. A departure is stored first and deleted
 * last, so that a job completes an interrupted call: until then chatbots would keep somebody as their owner who has left.
 * @param end the write that ends the roles; the result is falsy if it did nothing.
 * @param now Unix milliseconds.
 */
export async function endWithGrants<Ended>(
  db: Database,
  place: Place,
  now: number,
  end: () => Promise<Ended>,
): Promise<Ended> {
  const departure_id = randomUUIDv7();
  const { organization_id, user_id } = place;
  await db.departures.insertOne({ departure_id, organization_id, user_id, began_at: new Date(now) });
  await rememberMember(db, place, now);
  const ended = await end().catch(async (error: unknown) => {
    if (error instanceof AppError) await db.departures.deleteOne({ departure_id });
    throw error;
  });
  if (ended) await endGrants(db, place, now);
  await db.departures.deleteOne({ departure_id });
  return ended;
}

/** Ends the grants of a user whose roles have ended, and lets the invitations lapse that they made. */
export async function endGrants(
  db: Database,
  { organization_id, department_id, user_id }: Place,
  now: number,
): Promise<void> {
  await lapseInvitationsBy(db, { organization_id, user_id });
  const held = async () => (await rolesOf(db, user_id)).departments.map((each) => each.department_id);
  const ended = department_id ?? { $nin: await held() };
  await revokeGrants(db, { organization_id, department_id: ended }, user_id);
  await removeIfWithoutRole(db, organization_id, user_id, now);
}
