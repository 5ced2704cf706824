import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import type { LoginName } from '@gatehouse/shared/identity/ways-in';
import type { Database } from '../database.ts';

/**
 * Claims a login name for an account, before the account lists it. A name that its account does not list opens nothing,
 * whether a login was killed or is under way; one conditional write takes it over.
 * @param known the name as it was read; undefined if there was none.
 * @returns false if another call has changed it since.
 */
export async function claimName(
  db: Database,
  known: LoginName | undefined,
  name: LoginName,
): Promise<boolean> {
  if (!known) {
    try {
      await db.loginNames.insertOne(name);
      return true;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return false;
    }
  }
  const { _id, user_id, created_at, listed_at } = known;
  const { matchedCount } = await db.loginNames.updateOne(
    { _id, user_id, created_at, listed_at: listed_at ?? { $exists: false } },
    {
      $set: { user_id: name.user_id, email: name.email, created_at: name.created_at },
      $unset: { last_login_at: true, listed_at: true },
    },
  );
  return matchedCount === 1;
}

/**
 * Records that an account has just listed the link of a name, after which nobody who read the name before takes it over.
 * @returns false if another call has taken it over already; the link is then removed from the account.
 */
export async function confirmListed(
  db: Database,
  { _id, user_id }: Pick<LoginName, '_id' | 'user_id'>,
  now: number,
): Promise<boolean> {
  const { matchedCount } = await db.loginNames.updateOne(
    { _id, user_id },
    { $set: { listed_at: new Date(now) } },
  );
  if (matchedCount === 1) return true;
  await db.users.updateOne({ user_id }, { $pull: { links: _id } });
  return false;
}
