import type { User } from '@gatehouse/shared/identity/user-record';
import { ACTIVE } from '@gatehouse/shared/identity/users';
import type { Filter } from 'mongodb';
import type { Database } from '../../database.ts';
import type { Organization } from '../../organizations/records.ts';
import { otherOwners } from './last-owner.ts';

/** Bounds the names that are read and shown. */
const MAX_ORGANIZATIONS = 100;

/**
 * Reads the organizations that would have no Owner who can act without a user. Archived ones need none. Departments
 * belong to their organization and do not count: whoever is made Owner of one has not asked for it.
 * @param standing which of the other accounts count.
 */
export async function soleOwnerships(
  db: Database,
  user_id: string,
  standing: Filter<User> = ACTIVE,
): Promise<Pick<Organization, 'organization_id' | 'name'>[]> {
  const owned = await db.organizations
    .find({ 'owners.user_id': user_id, archived_at: { $exists: false } })
    .toArray();
  const candidates = [...new Set(owned.flatMap((organization) => otherOwners(organization, user_id)))];
  const able = new Set(
    candidates.length === 0
      ? []
      : await db.users.distinct('user_id', { user_id: { $in: candidates }, ...standing }),
  );
  return owned
    .filter((organization) => !otherOwners(organization, user_id).some((id) => able.has(id)))
    .slice(0, MAX_ORGANIZATIONS)
    .map(({ organization_id, name }) => ({ organization_id, name }));
}
