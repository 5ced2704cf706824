import type { Role } from '@gatehouse/shared/access/rbac';
import { optimistic } from '@gatehouse/shared/durable/optimistic';
import type { Filter } from 'mongodb';
import type { Database } from '../../database.ts';
import { pullOwner, whoRemains } from '../memberships/end-organization-owner.ts';
import { endDepartmentOwner } from '../memberships/last-owner.ts';
import { endInvitationsTo } from '../memberships/withdraw-invitations.ts';
import type { Departure, Membership } from '../records.ts';

/** A role that has ended, or an invitation that was withdrawn; null for the role of an organization's Owner. */
export interface Ended {
  department_id: string | null;
  role: Role;
  invitation_id?: string;
}

/** Called after each role that has ended. */
export type RecordEnded = (ended: Ended) => Promise<void>;

/** Who ends the roles, and where: in these departments, or without them in the whole organization. */
export interface Leaving {
  by: { user_id: string; email: string | null };
  department_ids?: string[];
}

/**
 * Ends every role of a departure that was not granted after it began. Idempotent.
 * @throws {AppError} forbidden if the user is the last Owner who can act, unless the departure is forced.
 */
export async function endRoles(
  db: Database,
  departure: Departure,
  leaving: Leaving,
  record: RecordEnded,
): Promise<void> {
  if (leaving.by.user_id !== departure.user_id) await endInvitations(db, departure, leaving, record);
  if (!leaving.department_ids) await endOwner(db, departure, leaving, record);
  await endMemberships(db, departure, leaving, record);
}

/** Ends what would bring back a user whom others remove. */
async function endInvitations(
  db: Database,
  departure: Departure,
  { by, department_ids }: Leaving,
  record: RecordEnded,
): Promise<void> {
  const { organization_id } = departure;
  if (!department_ids) await withdrawOffer(db, departure, by.user_id, record);
  const place = { organization_id, ...(department_ids && { department_id: { $in: department_ids } }) };
  await endInvitationsTo(db, place, departure, record);
}

/** Withdraws the offer to a user whom an Owner of the organization removes. */
async function withdrawOffer(
  db: Database,
  { organization_id, user_id, began_at }: Departure,
  owner: string,
  record: RecordEnded,
): Promise<void> {
  const offer = { user_id, granted_at: { $lte: began_at.toISOString() } };
  const withdrawn = await db.organizations.findOneAndUpdate(
    { organization_id, 'owners.user_id': owner, offers: { $elemMatch: offer } },
    { $pull: { offers: offer } },
    { returnDocument: 'before' },
  );
  for (const { invitation_id } of withdrawn?.offers?.filter((each) => each.user_id === user_id) ?? [])
    await record({ department_id: null, role: 'Owner', invitation_id });
}

const LAST_OWNER =
  'The last Owner cannot leave: transfer the ownership to somebody else, or archive the organization';

/** Ends the role of an Owner of the organization. An archived organization needs none. */
async function endOwner(
  db: Database,
  { organization_id, user_id, began_at, forced }: Departure,
  { by }: Leaving,
  record: RecordEnded,
): Promise<void> {
  const granted_at = { $lte: began_at.toISOString() };
  const held = { organization_id, owners: { $elemMatch: { user_id, granted_at } } };
  const isEnded = await optimistic(async () => {
    const organization = await db.organizations.findOne(held);
    if (!organization) return false;
    const { archived_at } = organization;
    const needsNone = archived_at !== undefined && by.user_id === user_id;
    const who = { user_id, by: by.user_id, refusal: LAST_OWNER };
    const remains = forced ? {} : needsNone ? { archived_at } : await whoRemains(db, organization, who);
    return (await pullOwner(db, held, user_id, remains)) || undefined;
  });
  if (isEnded) await record({ department_id: null, role: 'Owner' });
}

/** Ends the memberships, but not those of a user who has joined again since, unless by an older invitation. */
async function endMemberships(
  db: Database,
  { organization_id, user_id, began_at, forced }: Departure,
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
  await optimistic(async () => {
    const memberships = await db.memberships.find(held).toArray();
    for (const { department_id, role } of memberships) {
      const member = { organization_id, department_id, user_id };
      const end = (mark: Filter<Membership>) =>
        db.memberships.findOneAndDelete({ ...held, ...member, role, ...mark });
      const ended = await (role === 'Owner' && !forced ? endDepartmentOwner(db, member, end) : end({}));
      // Otherwise a concurrent call has changed the role: the next attempt reads it.
      if (ended) await record({ department_id, role });
    }
    return memberships.length === 0 || undefined;
  });
}
