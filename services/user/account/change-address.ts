import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { findUserByEmail, UNVERIFIED, type User } from '@gatehouse/shared/identity/users';
import type { Collection, Filter, UpdateFilter, WithId } from 'mongodb';

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
 * @param account the account, and what the change depends on.
 * @param update what changes in the same write; it ends the sessions, whose tokens hold the former address.
 * @returns the changed account, `taken` if another account has the address, or null if nothing matches.
 */
export async function changeAddress(
  users: Collection<User>,
  account: Filter<User>,
  email: string,
  update: UpdateFilter<User>,
): Promise<WithId<User> | 'taken' | null> {
  await endSignup(users, email);
  const change = { ...update, $set: { ...update.$set, email }, $unset: { ...update.$unset, ...FORMER } };
  return users.findOneAndUpdate(account, change, { returnDocument: 'after' }).catch((error) => {
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
