import { AppError } from '@gatehouse/shared/http/errors';
import type { Filter } from 'mongodb';
import type { Database } from '../../database.ts';
import type { Organization } from '../../organizations/records.ts';
import { endWithGrants } from '../departures/end-with-grants.ts';
import { endSelfGrants, newRevocation } from './end-self-grants.ts';
import { otherOwners, requireAnotherOwner } from './last-owner.ts';

/**
 * Ends the role of an Owner of an organization, and the grants that depended on it: above their role where they are a
 * member, and all of them elsewhere.
 * @param now Unix milliseconds.
 * @param end the write that ends it; returns whether it did.
 */
export function endOrganizationOwner(
  db: Database,
  owner: { organization_id: string; user_id: string },
  now: number,
  end: () => Promise<boolean>,
): Promise<boolean> {
  return endWithGrants(db, owner, now, async () => {
    await db.memberships.updateMany(owner, { $set: newRevocation() });
    const isEnded = await end();
    await endSelfGrants(db, owner);
    return isEnded;
  });
}

/**
 * The part of a filter that lets an Owner go: the Owner who removes them is one, or another one who can act remains.
 * @throws {AppError} forbidden for the last Owner, or if the Owner who removes them is no longer one.
 */
export async function whoRemains(
  db: Database,
  organization: Organization,
  { user_id, by, refusal }: { user_id: string; by: string; refusal?: string },
): Promise<Filter<Organization>> {
  const others = otherOwners(organization, user_id);
  if (by === user_id) return { 'owners.user_id': { $in: await requireAnotherOwner(db, others, refusal) } };
  if (!others.includes(by)) throw new AppError('forbidden');
  return { 'owners.user_id': by };
}

/**
 * Takes an Owner out of an organization with one write. Their offers end too: one must not bring back them or a friend.
 * @param held matches the organization while the user is its Owner.
 * @param remains see `whoRemains`.
 * @returns false if a concurrent call has changed the Owners.
 */
export async function pullOwner(
  db: Database,
  held: Filter<Organization>,
  user_id: string,
  remains: Filter<Organization>,
): Promise<boolean> {
  const { modifiedCount } = await db.organizations.updateOne(
    { ...held, $and: [remains] },
    { $pull: { owners: { user_id }, offers: { granted_by: user_id } } },
  );
  return modifiedCount === 1;
}
