import { optimistic } from '@gatehouse/shared/durable/optimistic';
import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { activeAmong, findActiveUser } from '@gatehouse/shared/identity/users';
import type { Database } from '../../database.ts';
import { MAX_OWNED, MAX_OWNERS, type Organization } from '../../organizations/records.ts';

/**
 * Gives an Owner to an organization in which none can act. One write, whose filter holds the Owners that could not:
 * another appointment or an accepted offer makes it decide again.
 * @throws {AppError} notFound if there is no such organization; userNotFound unless the account can act; forbidden if
 * an Owner can act, or there is no room.
 */
export async function appointOwner(
  db: Database,
  { organization_id, user_id, by }: { organization_id: string; user_id: string; by: string },
  now: number,
): Promise<Organization['owners'][number]> {
  const open = { organization_id, deleting: { $exists: false } };
  return optimistic(async () => {
    const { owners } = orNotFound(await db.organizations.findOne(open));
    const able = await activeAmong(
      db.users,
      owners.map((owner) => owner.user_id),
    );
    if (able.size > 0) throw new AppError('forbidden', { text: 'The organization has an Owner who can act' });
    if (!(await findActiveUser(db.users, user_id))) throw new AppError('userNotFound');
    if (owners.length >= MAX_OWNERS)
      throw new AppError('forbidden', { text: `An organization has at most ${MAX_OWNERS} Owners` });
    const owned = await db.organizations.countDocuments({ 'owners.user_id': user_id }, { limit: MAX_OWNED });
    if (owned >= MAX_OWNED)
      throw new AppError('forbidden', { text: `An account owns at most ${MAX_OWNED} organizations` });
    const owner = { user_id, granted_by: by, granted_at: new Date(now).toISOString() };
    const { matchedCount } = await db.organizations.updateOne(
      { ...open, owners },
      { $push: { owners: owner } },
    );
    return matchedCount === 1 ? owner : undefined;
  });
}
