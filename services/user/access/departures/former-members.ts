import type { Belonging } from '@gatehouse/webhooks/host';
import type { Database } from '../../database.ts';

/** Milliseconds for which a past membership is remembered: longer than an event waits for its relay. */
const KEPT_FOR = 7 * 86_400_000;

/** Since when a role is held. Records from before the date was stored are older than any event. */
const startOf = (at: Date | string | undefined): number => (at === undefined ? 0 : +new Date(at) || 0);

/**
 * Remembers that a user belongs to an organization, before a role of theirs ends: webhooks hear what the user did until
 * then, also when the relay comes later. One whose role stays after all is remembered in vain, and tells nothing new.
 * @param now Unix milliseconds.
 */
export async function rememberMember(
  db: Database,
  { organization_id, user_id }: { organization_id: string; user_id: string },
  now: number,
): Promise<void> {
  const [memberships, organization] = await Promise.all([
    db.memberships.find({ organization_id, user_id }, { projection: { joined_at: 1 } }).toArray(),
    db.organizations.findOne({ organization_id, 'owners.user_id': user_id }, { projection: { owners: 1 } }),
  ]);
  const owned = organization?.owners.filter((owner) => owner.user_id === user_id) ?? [];
  const starts = [
    ...memberships.map(({ joined_at }) => startOf(joined_at)),
    ...owned.map(({ granted_at }) => startOf(granted_at)),
  ];
  if (starts.length === 0) return;
  // One record for a membership: a refused call adds none, because the relay reads all of them.
  await db.formerMembers.updateOne(
    { user_id, organization_id, joined_at: new Date(Math.min(...starts)) },
    { $max: { left_at: new Date(now), expires_at: new Date(now + KEPT_FOR) } },
    { upsert: true },
  );
}

/** Reads to which organizations users belong, or belonged lately. */
export async function belongingsOf(db: Database, user_ids: readonly string[]): Promise<Belonging[]> {
  const ids = [...new Set(user_ids)];
  if (ids.length === 0) return [];
  const theirs = { user_id: { $in: ids } };
  const [memberships, organizations, former] = await Promise.all([
    db.memberships
      .find(theirs, { projection: { user_id: 1, organization_id: 1, joined_at: 1, email: 1 } })
      .toArray(),
    db.organizations
      .find({ 'owners.user_id': { $in: ids } }, { projection: { organization_id: 1, owners: 1 } })
      .toArray(),
    db.formerMembers.find(theirs).toArray(),
  ]);
  const owned = organizations.flatMap(({ organization_id, owners }) =>
    owners
      .filter(({ user_id }) => ids.includes(user_id))
      .map(({ user_id, granted_at }) => ({ user_id, organization_id, from: startOf(granted_at) })),
  );
  const until = Number.POSITIVE_INFINITY;
  return [
    ...memberships.map(({ user_id = '', organization_id, joined_at, email }) => ({
      user_id,
      organization_id,
      from: startOf(joined_at),
      until,
      email,
    })),
    ...owned.map((each) => ({ ...each, until })),
    ...former.map(({ user_id, organization_id, joined_at, left_at }) => ({
      user_id,
      organization_id,
      from: joined_at.getTime(),
      until: left_at.getTime(),
    })),
  ];
}
