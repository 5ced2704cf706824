import type { Collection, Filter, ObjectId, WithId } from 'mongodb';
import { batched } from '../data/batched.ts';
import { ANY_STRING, collection } from '../data/connect.ts';
import { emailKey, MAX_ADDRESS } from './email.ts';
import type { User } from './user-record.ts';

/** E-mail addresses are unique and matched without regard to case. */
export const EMAIL_COLLATION = { locale: 'en', strength: 2 } as const;

/** The values of `verified` for an unverified account. These filters must agree with `!user.verified`. */
const FALSY = [false, null, 0, ''];
export const UNVERIFIED = { verified: { $in: FALSY } };
export const VERIFIED = { verified: { $nin: FALSY } };
/** UNVERIFIED as an expression. To $in a missing field is not null, and an empty string is true to MongoDB. */
export const IS_UNVERIFIED = { $in: [{ $ifNull: ['$verified', null] }, FALSY] };
/** Days after its last signup when the record of an unverified account is deleted. */
const UNVERIFIED_DAYS = 30;

/** Returns the user_id for tokens and responses. Older records may have none or one that is not a string. */
export const userIdOf = ({ user_id }: Pick<User, 'user_id'>): string | null =>
  typeof user_id === 'string' && user_id !== '' ? user_id : null;

/** Who gets a mail, and in which language. */
export type Recipient = Pick<User, 'email' | 'language'>;

export async function findUserByEmail(users: Collection<User>, email: string): Promise<WithId<User> | null> {
  if (email.length > MAX_ADDRESS) return null;
  const user = await users.findOne({ email }, { collation: EMAIL_COLLATION });
  return user && emailKey(user.email) === emailKey(email) ? user : null;
}

/** Users of one read. Their records fit in one reply of 16 MB. */
const MAX_READ = 32;

/**
 * Returns a function that reads a user by user_id. One command reads the users that several requests ask for in the
 * same turn of the event loop. `npm run bench -- users-me`, goal 1: 2.3 with it, 0.95 without it.
 */
export const userReader = (users: Collection<User>) =>
  batched<string, Readonly<WithId<User>> | undefined>(
    async (user_ids) => {
      const found = await users.find({ user_id: { $in: [...new Set(user_ids)] } }).toArray();
      const byId = new Map(found.map((user) => [user.user_id, user]));
      return user_ids.map((user_id) => byId.get(user_id));
    },
    { maxItems: MAX_READ, isBounded: true, isParallel: true },
  );

export const findUserById = (users: Collection<User>, _id: ObjectId): Promise<WithId<User> | null> =>
  users.findOne({ _id });

/** Whether an account may act and hold roles, as a predicate and as a filter. */
export const isActive = ({ verified, account_status }: User): boolean =>
  Boolean(verified) && account_status !== 'paused' && account_status !== 'disabled';
export const ACTIVE: Filter<User> = { ...VERIFIED, account_status: { $nin: ['paused', 'disabled'] } };

export const findActiveUser = (users: Collection<User>, user_id: string): Promise<WithId<User> | null> =>
  users.findOne({ user_id, ...ACTIVE });

/** Returns those of the given users whose account may act. */
export const activeAmong = async (
  users: Collection<User>,
  user_ids: readonly string[],
): Promise<ReadonlySet<string>> =>
  new Set(
    user_ids.length === 0
      ? []
      : await users.distinct('user_id', { user_id: { $in: [...new Set(user_ids)] }, ...ACTIVE }),
  ) as ReadonlySet<string>;

export const userCollections = {
  users: collection<User>('users', [
    {
      key: { email: 1 },
      unique: true,
      collation: EMAIL_COLLATION,
      explainDuplicates: async (users) =>
        `Two accounts share one e-mail address: ${(await sharedAddresses(users)).join('; ')}`,
    },
    {
      key: { user_id: 1 },
      unique: true,
      partialFilterExpression: { user_id: ANY_STRING },
    },
    { key: { verified: 1, features_assigned: 1 } },
    { key: { activated_at: 1 }, sparse: true },
    // The search of operators. An account without words is found as null.
    { key: { name_words: 1 } },
    { key: { account_status: 1 } },
    { key: { 'imported.at': 1 }, sparse: true },
    { key: { 'address_changed.at': 1 }, sparse: true },
    { key: { notices_due: 1 }, sparse: true },
    { key: { 'factor_reset.due_at': 1 }, sparse: true },
    // The secrets that an earlier key sealed.
    { key: { 'second_factor.secret': 1 }, sparse: true },
    // Deletions that are due.
    { key: { 'deletion.next': 1 }, sparse: true },
    {
      key: { unverified_since: 1 },
      name: 'unverified_ttl',
      expireAfterSeconds: UNVERIFIED_DAYS * 86_400,
      // Verification removes the date; this also protects an account that an operator has verified.
      partialFilterExpression: { verified: false },
    },
  ]),
};

/** Returns the first duplicate addresses with their spellings, which prevent the unique index. */
async function sharedAddresses(users: Collection<User>): Promise<string[]> {
  const groups = await users
    .aggregate<{ _id: unknown; spellings: string[]; count: number }>(
      [
        { $group: { _id: '$email', spellings: { $push: '$email' }, count: { $sum: 1 } } },
        { $match: { count: { $gt: 1 } } },
        { $limit: 10 },
      ],
      { collation: EMAIL_COLLATION },
    )
    .toArray();
  return groups.map(({ _id, spellings, count }) =>
    _id === null ? `${count} records without one` : spellings.join(', '),
  );
}
