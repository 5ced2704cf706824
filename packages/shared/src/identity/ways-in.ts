import type { Filter } from 'mongodb';
import { ANY_STRING, collection } from '../data/connect.ts';
import { foreignHashOf, isUnusable } from './passwords.ts';
import type { User } from './user-record.ts';

/**
 * The ways into an account besides its password. The user record decides: a passkey or a link that it does not list
 * opens nothing, whatever another collection holds.
 */
export const MAX_PASSKEYS = 20;
export const MAX_LINKS = 10;
const LIMITS = { passkeys: MAX_PASSKEYS, links: MAX_LINKS } as const;
export type WayIn = keyof typeof LIMITS;

/** Whether a person can log in with a password. An account that a provider's login created has none that works. */
export const hasPassword = (user: Pick<User, 'password' | 'foreign_hash'>): boolean =>
  !isUnusable(user.password) || foreignHashOf(user) !== undefined;

export const hasPasskey = ({ passkeys = [] }: Pick<User, 'passkeys'>): boolean => passkeys.length > 0;

/** Matches an account that has room for one more way in and does not have this one. */
export const hasRoomFor = (kind: WayIn, id: string): Filter<User> => ({
  [kind]: { $ne: id },
  [`${kind}.${LIMITS[kind] - 1}`]: { $exists: false },
});

/**
 * Matches an account with this way in, if another one remains: a passkey, a link, or the password that `user` has.
 * @param links those that open the account. A link whose provider is no longer offered does not.
 */
export function keepsAnotherWay(
  kind: WayIn,
  id: string,
  user: Pick<User, 'password' | 'foreign_hash'>,
  links: readonly string[],
): Filter<User> {
  const remaining: Filter<User>[] = [
    { [`passkeys.${kind === 'passkeys' ? 1 : 0}`]: { $exists: true } },
    { links: { $in: links.filter((link) => link !== id) } },
  ];
  if (hasPassword(user)) remaining.push({ password: user.password });
  return { [kind]: id, $or: remaining };
}

/**
 * A name other than the e-mail address under which an account is known, such as a person at a provider. Only its `_id` is
 * unique, so the collection can be sharded by it. It is written before the account lists it in `links`: after a kill in
 * between it opens nothing, and the next login takes it over.
 */
export interface LoginName {
  /** `{kind}:{value}`. */
  _id: string;
  user_id: string;
  /** The address that the provider sent. */
  email: string | null;
  created_at: Date;
  /** When its account listed it; absent until then, and on older records. */
  listed_at?: Date;
  /** To the hour. */
  last_login_at?: Date;
}

export const loginNameCollections = {
  loginNames: collection<LoginName>('login_names', [
    { key: { user_id: 1 }, partialFilterExpression: { user_id: ANY_STRING } },
  ]),
};
