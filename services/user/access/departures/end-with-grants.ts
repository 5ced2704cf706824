import { randomUUIDv7 } from 'node:crypto';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Database } from '../../database.ts';
import { lapseInvitationsBy } from '../memberships/lapse-invitations.ts';
import type { Departure } from '../records.ts';
import { revokeGrants } from '../revoke-grants.ts';
import { rolesOf } from '../roles.ts';
import { removeIfWithoutRole } from '../roster.ts';
import { rememberMember } from './former-members.ts';

/** Where roles end: in one department, or without it in the whole organization. */
interface Scope {
  organization_id: string;
  department_id?: string;
  user_id: string;
}

/**
 * Ends roles of a user in an organization, and the grants that depended on them.
 * @param end the write that ends the roles; the result is falsy if it did nothing.
 * @param now Unix milliseconds.
 */
export async function endWithGrants<Ended>(
  db: Database,
  scope: Scope,
  now: number,
  end: () => Promise<Ended>,
): Promise<Ended> {
  const { organization_id, user_id } = scope;
  const departure = { organization_id, user_id, began_at: new Date(now) };
  return finishDeparture(db, await storeDeparture(db, departure), scope, now, async () => {
    await rememberMember(db, scope, now);
    return end();
  });
}

/**
 * Stores a departure, before anything ends. It is deleted last, so a job completes an interrupted call: until then
 * chatbots would keep an owner who has left.
 */
export async function storeDeparture(
  db: Database,
  departure: Omit<Departure, 'departure_id'>,
): Promise<Departure> {
  const stored = { departure_id: randomUUIDv7(), ...departure };
  await db.departures.insertOne({ ...stored });
  return stored;
}

/** Ends the roles of a stored departure and then the grants that depended on them. A refused one is given up. */
export async function finishDeparture<Ended>(
  db: Database,
  { departure_id }: Departure,
  scope: Scope,
  now: number,
  end: () => Promise<Ended>,
): Promise<Ended> {
  const ended = await end().catch(async (error: unknown) => {
    const isRefused = error instanceof AppError && error.reason !== 'unavailable';
    if (isRefused) await db.departures.deleteOne({ departure_id });
    throw error;
  });
  if (ended) await endGrants(db, scope, now);
  await db.departures.deleteOne({ departure_id });
  return ended;
}

/** Ends the grants of a user whose roles have ended, and lets the invitations lapse that they made. */
async function endGrants(
  db: Database,
  { organization_id, department_id, user_id }: Scope,
  now: number,
): Promise<void> {
  await lapseInvitationsBy(db, { organization_id, user_id });
  const held = async () => (await rolesOf(db, user_id)).departments.map((each) => each.department_id);
  const ended = department_id ?? { $nin: await held() };
  await revokeGrants(db, { organization_id, department_id: ended }, user_id);
  await removeIfWithoutRole(db, organization_id, user_id, now);
}
