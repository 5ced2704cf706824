import { derivedId } from '@gatehouse/shared/derived-id';
import { auditJob } from '@gatehouse/shared/identity/audit';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../../database.ts';
import { endAdditions } from '../memberships/add-from-within.ts';
import type { Departure } from '../records.ts';
import { type Ended, endRoles, type RecordEnded } from './end-roles.ts';
import { finishDeparture, storeDeparture } from './end-with-grants.ts';
import { rememberMember } from './former-members.ts';

/**
 * Ends every role of a user in an organization: as its Owner, in each department, and on the chatbots; or those in some
 * departments.
 * @throws {AppError} forbidden if the user is the last Owner who can act.
 */
export async function depart(
  db: Database,
  departure: Omit<Departure, 'departure_id'>,
  record: RecordEnded,
): Promise<void> {
  const stored = await storeDeparture(db, departure);
  await endAdditions(db, departure);
  await complete(db, stored, departure.began_at.getTime(), record);
}

/** The audit event of what a departure has ended. */
export const endedEvent = (
  { organization_id, user_id }: Pick<Departure, 'organization_id' | 'user_id'>,
  { department_id, role, invitation_id }: Ended,
) =>
  ({
    action: invitation_id ? 'invitation.withdraw' : department_id === null ? 'owner.remove' : 'member.remove',
    target: { user_id, ...(invitation_id && { invitation_id }) },
    before: { role },
    organization_id,
    department_id,
  }) as const;

/** A departure without `by` and `within` has ended its roles; only their grants are left. */
async function complete(db: Database, departure: Departure, now: number, record: RecordEnded): Promise<void> {
  const { organization_id, user_id, by, within } = departure;
  await finishDeparture(db, departure, { organization_id, user_id }, now, async () => {
    const leaving = by ? { by } : within;
    if (leaving) {
      await rememberMember(db, departure, now);
      await endRoles(db, departure, leaving, record);
    }
    return true;
  });
}

/** Milliseconds after which a departure counts as interrupted. */
const STALE_AFTER = 60_000;
const PAGE = 100;

/** Completes departures that a kill interrupted. One that is refused by now is given up. */
export async function completeDepartures({
  db,
  now,
  log,
}: {
  db: Database;
  now: () => number;
  log: FastifyBaseLogger;
}): Promise<void> {
  const stale = { began_at: { $lte: new Date(now() - STALE_AFTER) } };
  for (const departure of await db.departures.find(stale, { limit: PAGE }).toArray()) {
    const { departure_id, organization_id, user_id, began_at, by } = departure;
    const record = (ended: Ended) => {
      const name = `${departure_id} ${ended.invitation_id ?? ended.department_id}`;
      const event_id = derivedId(began_at.getTime(), name);
      const event = { event_id, ...(by ?? departure.within?.by), ...endedEvent(departure, ended) };
      return auditJob(db, { id: departure_id, log }, now(), [event]);
    };
    await complete(db, departure, now(), record).catch((error) => {
      log.warn({ err: error, organization_id, user_id }, 'cannot complete a departure');
    });
  }
}
