import type { Database } from '../../database.ts';
import { endAdditions } from '../memberships/add-from-within.ts';
import type { Departure } from '../records.ts';
import { type Ended, endRoles, type RecordEnded } from './end-roles.ts';
import { finishDeparture, storeDeparture } from './end-with-grants.ts';
import { rememberMember } from './former-members.ts';

/**
 * Ends every role of a user in an organization: as its Owner, in each department, and on the chatbots; or those in some
 * departments.
 * @throws {AppError} forbidden if the user is the last Owner who can act, unless the departure is forced.
 */
export async function depart(
  db: Database,
  departure: Omit<Departure, 'departure_id'>,
  record: RecordEnded,
): Promise<void> {
  const stored = await storeDeparture(db, departure);
  await endAdditions(db, departure);
  await finish(db, stored, departure.began_at.getTime(), record);
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

/** Completes a departure. One without `by` and `within` has ended its roles; only their grants are left. */
export async function finish(
  db: Database,
  departure: Departure,
  now: number,
  record: RecordEnded,
): Promise<void> {
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
