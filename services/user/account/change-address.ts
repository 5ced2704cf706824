import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import type { User } from '@gatehouse/shared/identity/user-record';
import { findUserByEmail, UNVERIFIED } from '@gatehouse/shared/identity/users';
import type { Collection, Filter, UpdateFilter, WithId } from 'mongodb';
import type { Database } from '../database.ts';
import { claimAttempts } from './own-attempts.ts';

/** What belongs to the former address: codes that were mailed there, and changes and activations that are under way. */
const FORMER = {
  otp: true,
  otp_expiration: true,
  otp_attempt: true,
  email_change: true,
  activated_at: true,
} as const;

/**
 * Changes the address of an account; every change of an address is made here. An unverified signup of the new address
 * gives way. The unique index decides between two accounts that want the address.
 * @param account as it was read.
 * @param condition what the change depends on, besides the address that was read.
 * @param update what changes in the same write; it ends the sessions, whose tokens hold the former address.
 * @returns the changed account, `taken` if another account has the address, or null if nothing matches.
 */
export async function changeAddress(
  db: Pick<Database, 'users' | 'auditEvents'>,
  account: WithId<User> & { user_id: string },
  condition: Filter<User>,
  { email, at }: { email: string; at: Date },
  update: UpdateFilter<User>,
): Promise<WithId<User> | 'taken' | null> {
  const { _id, user_id } = account;
  await endSignup(db.users, email);
  await claimAttempts(db, account);
  return db.users
    .findOneAndUpdate(
      { _id, user_id, email: account.email, ...condition },
      {
        ...update,
        $set: { ...update.$set, email, address_since: at },
        $unset: { ...update.$unset, ...FORMER },
      },
      { returnDocument: 'after' },
    )
    .catch((error) => {
      if (!isDuplicateKey(error, 'email')) throw error;
      return 'taken' as const;
    });
}

/** Whether a record gives way to an account that proves its address: a signup that was never verified. */
export const isOnlySignedUp = ({ verified, account_status, user_id }: User): boolean =>
  !verified && account_status === 'paused' && user_id === undefined;

/** Deletes an unverified signup with an address: it does not own the address, and would keep it for weeks. */
async function endSignup(users: Collection<User>, email: string): Promise<void> {
  const signup = await findUserByEmail(users, email);
  if (!signup || !isOnlySignedUp(signup)) return;
  const { _id } = signup;
  await users.deleteOne({
    _id,
    ...UNVERIFIED,
    account_status: 'paused' as const,
    user_id: { $exists: false },
  });
}
