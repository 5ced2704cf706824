import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import type { LoginName } from '@gatehouse/shared/identity/ways-in';
import type { Database } from '../database.ts';

/**
 * Gives a login name to an account, before the account names it. A name whose account does not name it opens nothing,
 * whether its login was killed or is under way, and is taken over by one conditional write.
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
  const { _id, user_id, created_at } = known;
  const { matchedCount } = await db.loginNames.updateOne(
    { _id, user_id, created_at },
    {
      $set: { user_id: name.user_id, email: name.email, created_at: name.created_at },
      $unset: { last_login_at: true },
    },
  );
  return matchedCount === 1;
}

/**
 * Checks, once an account names its link, that the name is still its own: another call may have taken it over before.
 * @returns false if it is not; the account then does not name it any more.
 */
export async function keepOwned(
  db: Database,
  { _id, user_id }: Pick<LoginName, '_id' | 'user_id'>,
): Promise<boolean> {
  const owned = await db.loginNames.findOne({ _id, user_id }, { projection: { _id: 1 } });
  if (owned) return true;
  await db.users.updateOne({ user_id }, { $pull: { links: _id } });
  return false;
}
