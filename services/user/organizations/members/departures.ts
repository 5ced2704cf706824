import { randomUUIDv7 } from 'node:crypto';
import type { Role } from '@gatehouse/shared/access/rbac';
import { derivedId } from '@gatehouse/shared/derived-id';
import { AppError } from '@gatehouse/shared/http/errors';
import { auditJob } from '@gatehouse/shared/identity/audit';
import { activeAmong } from '@gatehouse/shared/identity/users';
import type { FastifyBaseLogger } from 'fastify';
import type { Filter } from 'mongodb';
import { endGrants } from '../../access/end-grants.ts';
import { rememberMember } from '../../access/former-members.ts';
import { endDepartmentOwner } from '../../access/last-owner.ts';
import type { Database } from '../../database.ts';
import { endInvitationsTo } from '../invitations/end-to-removed.ts';
import type { Departure, Membership, Organization } from '../records.ts';
import { endAdditions } from './add-from-within.ts';

/** A role that a departure has ended, or an invitation that it has withdrawn; null for the role of an organization's Owner. */
interface Ended {
  department_id: string | null;
  role: Role;
  invitation_id?: string;
}
/** Who ends the roles of a user: in these departments, or without them in the whole organization. */
interface Leaving {
  by: { user_id: string; email: string };
  department_ids?: string[];
}
type RecordEnded = (ended: Ended) => Promise<void>;

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

/** Each attempt fails only if another change succeeded, so this many are never needed. */
const MAX_ATTEMPTS = 50;

/**
 * Ends every role of a user in an organization: as its Owner, in each department, and on the chatbots; or those in some
 * departments. The departure is stored first and deleted last, so that a job completes an interrupted call.
 * @param record called after each role that has ended.
 * @throws {AppError} forbidden if the user is the last Owner who can act.
 */
export async function depart(
  db: Database,
  departure: Omit<Departure, 'departure_id'>,
  record: RecordEnded,
): Promise<void> {
  const stored = { departure_id: randomUUIDv7(), ...departure };
  await db.departures.insertOne({ ...stored });
  await endAdditions(db, departure);
  await complete(db, stored, departure.began_at.getTime(), record);
}

/** Undefined if only the grants of roles that have ended are left. */
const leavingOf = ({ by, within }: Departure): Leaving | undefined => (by ? { by } : within);

async function complete(db: Database, departure: Departure, now: number, record: RecordEnded): Promise<void> {
  const { departure_id, organization_id, user_id } = departure;
  try {
    const leaving = leavingOf(departure);
    if (leaving) {
      await rememberMember(db, departure, now);
      await endInvitations(db, departure, leaving, record);
      if (!leaving.department_ids) await endOrganizationRole(db, departure, leaving, record);
      await endMemberships(db, departure, leaving, record);
    }
    await endGrants(db, { organization_id, user_id }, now);
  } catch (error) {
    if (error instanceof AppError) await db.departures.deleteOne({ departure_id });
    throw error;
  }
  await db.departures.deleteOne({ departure_id });
}

/** Withdraws the offer to a user_id that Owners of the organization remove, so that it does not bring the user back. */
async function withdrawOffer(
  db: Database,
  { organization_id, user_id, began_at }: Departure,
  { by }: Leaving,
  record: RecordEnded,
): Promise<void> {
  const offer = { user_id, granted_at: { $lte: began_at.toISOString() } };
  const withdrawn = await db.organizations.findOneAndUpdate(
    { organization_id, 'owners.user_id': by.user_id, offers: { $elemMatch: offer } },
    { $pull: { offers: offer } },
    { returnDocument: 'before' },
  );
  for (const { invitation_id } of withdrawn?.offers?.filter((each) => each.user_id === user_id) ?? [])
    await record({ department_id: null, role: 'Owner', invitation_id });
}

/** Ends what would bring back somebody whom others remove. */
async function endInvitations(
  db: Database,
  departure: Departure,
  leaving: Leaving,
  record: RecordEnded,
): Promise<void> {
  const { organization_id, user_id } = departure;
  const { by, department_ids } = leaving;
  if (by.user_id === user_id) return;
  if (!department_ids) await withdrawOffer(db, departure, leaving, record);
  const place = { organization_id, ...(department_ids && { department_id: { $in: department_ids } }) };
  await endInvitationsTo(db, place, departure, record);
}

/** Ends the role of an Owner of the organization with one write, whose filter names the Owners who remain. */
async function endOrganizationRole(
  db: Database,
  { organization_id, user_id, began_at }: Departure,
  { by }: Leaving,
  record: RecordEnded,
): Promise<void> {
  const granted_at = { $lte: began_at.toISOString() };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const held = { organization_id, owners: { $elemMatch: { user_id, granted_at } } };
    const organization = await db.organizations.findOne(held);
    if (!organization) return;
    const { modifiedCount } = await db.organizations.updateOne(
      { ...held, ...(await whoRemains(db, organization, { user_id, by: by.user_id })) },
      { $pull: { owners: { user_id }, offers: { granted_by: user_id } } },
    );
    if (modifiedCount === 1) return record({ department_id: null, role: 'Owner' });
  }
}

/**
 * The part of a filter that lets an Owner go: one who can act remains, or the organization is archived and so needs none.
 * @throws {AppError} forbidden for the last Owner, or if the Owner who removes them is no longer one.
 */
async function whoRemains(
  db: Database,
  { owners, archived_at }: Organization,
  { user_id, by }: { user_id: string; by: string },
): Promise<Filter<Organization>> {
  const others = owners.map((owner) => owner.user_id).filter((id) => id !== user_id);
  if (by !== user_id) {
    if (!others.includes(by)) throw new AppError('forbidden');
    return { 'owners.user_id': by };
  }
  if (archived_at !== undefined) return { archived_at };
  const able = await activeAmong(db.users, others);
  if (able.size === 0) throw new AppError('forbidden', { text: LAST_OWNER });
  return { 'owners.user_id': { $in: [...able] } };
}

const LAST_OWNER =
  'The last Owner cannot leave: transfer the ownership to somebody else, or archive the organization';

/** Ends the memberships, but not those of a user who has joined again since, unless by an older invitation. */
async function endMemberships(
  db: Database,
  { organization_id, user_id, began_at }: Departure,
  { by, department_ids }: Leaving,
  record: RecordEnded,
): Promise<void> {
  const joinedBefore = { joined_at: { $not: { $gt: began_at } } };
  const held = {
    organization_id,
    user_id,
    ...(department_ids && { department_id: { $in: department_ids } }),
    ...(by.user_id === user_id
      ? joinedBefore
      : { $or: [joinedBefore, { granted_at: { $lte: began_at.toISOString() } }] }),
  };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const memberships = await db.memberships.find(held).toArray();
    if (memberships.length === 0) return;
    for (const { department_id, role } of memberships) {
      const member = { organization_id, department_id, user_id };
      const end = (mark: Filter<Membership>) =>
        db.memberships.findOneAndDelete({ ...held, ...member, role, ...mark });
      const ended = await (role === 'Owner' ? endDepartmentOwner(db, member, end) : end({}));
      // Otherwise a concurrent call has changed the role: the next attempt reads it.
      if (ended) await record({ department_id, role });
    }
  }
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
    const { departure_id, organization_id, user_id, began_at } = departure;
    const record = (ended: Ended) =>
      auditJob(db, { id: departure_id, log }, now(), [
        {
          event_id: derivedId(
            began_at.getTime(),
            `${departure_id} ${ended.invitation_id ?? ended.department_id}`,
          ),
          ...leavingOf(departure)?.by,
          ...endedEvent(departure, ended),
        },
      ]);
    await complete(db, departure, now(), record).catch((error) => {
      log.warn({ err: error, organization_id, user_id }, 'cannot complete a departure');
    });
  }
}
