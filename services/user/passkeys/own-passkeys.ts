import { orNotFound } from '@gatehouse/shared/http/errors';
import type { User } from '@gatehouse/shared/identity/user-record';
import { findUserById } from '@gatehouse/shared/identity/users';
import type { Passkey } from '@gatehouse/shared/passkeys/records';
import type { ObjectId, WithId } from 'mongodb';
import type { Database } from '../database.ts';

/** Returns the passkeys that an account lists, oldest first. */
export const ownPasskeys = (
  { passkeys }: Pick<Database, 'passkeys'>,
  user: Pick<WithId<User>, '_id' | 'passkeys'>,
): Promise<Passkey[]> =>
  passkeys
    .find({ account: user._id, _id: { $in: user.passkeys ?? [] } })
    .sort({ created_at: 1 })
    .toArray();

/** @throws {AppError} notFound unless the account lists this passkey. */
export const ownPasskey = async (
  { passkeys }: Pick<Database, 'passkeys'>,
  user: Pick<WithId<User>, '_id' | 'passkeys'>,
  passkey_id: string,
): Promise<Passkey> =>
  orNotFound(await passkeys.findOne({ account: user._id, _id: { $in: user.passkeys ?? [] }, passkey_id }));

/** Milliseconds: no registration takes this long between its two writes. */
const UNFINISHED = 10 * 60_000;

/**
 * Deletes the passkeys that an account does not list: a kill between two writes has left them, or undoing a change of
 * the address has dropped them. They open nothing.
 */
export async function forgetUnnamed(
  { users, passkeys }: Pick<Database, 'users' | 'passkeys'>,
  account: ObjectId,
  now: number,
): Promise<void> {
  const user = await findUserById(users, account);
  const created_at = { $lt: new Date(now - UNFINISHED) };
  await passkeys.deleteMany({ account, _id: { $nin: user?.passkeys ?? [] }, created_at });
}
