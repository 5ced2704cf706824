import type { Collection, Filter, ObjectId, WithId } from 'mongodb';
import { ANY_STRING, collection } from '../data/connect.ts';
import { emailKey, MAX_ADDRESS } from './email.ts';

/** Unique e-mails are matched without regard to case, whatever their spelling at signup. */
export const EMAIL_COLLATION = { locale: 'en', strength: 2 } as const;

/** spec §User record, and below it what Gatehouse counts beside it. Times are Unix seconds unless named. */
export interface User {
  email: string;
  /** An argon2id hash in PHC form; any other value is the password itself. */
  password: string;
  name: string;
  /** Older collections hold other truthy and falsy values, or none. */
  verified?: unknown;
  user_id?: string;
  otp?: string;
  otp_expiration?: number;
  account_status: 'paused' | 'active' | 'disabled';
  payment_status: string;
  'user_created_at(DATE)': string;
  subscription_id: string;
  subscription_date: string;
  subscription_plan?: string;
  subscription_expiry?: string;
  created_at?: string;
  last_login?: string;
  phone?: string;
  company?: string;
  role?: string;

  /** Wrong guesses at the code that is stored now. */
  otp_wrong_guesses?: number;
  /** When the latest wrong guesses were made, oldest first, as many as an hour allows. */
  otp_wrong_guess_times?: number[];
  /** When the latest codes were made for mailing, oldest first, as many as an hour allows. */
  otp_mail_times?: number[];
  /** What the latest check of a code found. */
  otp_verdict?: OtpVerdict;
  /** When this user's latest invitations were sent, oldest first, as many as an hour allows. */
  invitation_times?: number[];
  /** Whether the features record of the free plan is known to exist. */
  features_assigned?: boolean;
  /** Sessions that began at this moment or earlier are over. */
  sessions_valid_from?: Date;
  /** Sessions that ended before their time, until their last token has expired anyway. */
  ended_sessions?: { id: string; until: Date }[];
}

export type OtpVerdict = 'valid' | 'budgetSpent' | 'expired' | 'invalid' | 'wrong';

/** What `verified` holds while an account is not: the filters must agree with `!user.verified`. */
const FALSY = [false, null, 0, ''];
export const UNVERIFIED = { verified: { $in: FALSY } };
export const VERIFIED = { verified: { $nin: FALSY } };

/** A user's id as tokens and answers carry it; older records may have none, or one that is not text. */
export const userIdOf = ({ user_id }: Pick<User, 'user_id'>): string | null =>
  typeof user_id === 'string' && user_id !== '' ? user_id : null;

export async function findUserByEmail(users: Collection<User>, email: string): Promise<WithId<User> | null> {
  if (email.length > MAX_ADDRESS) return null;
  const user = await users.findOne({ email }, { collation: EMAIL_COLLATION });
  return user && emailKey(user.email) === emailKey(email) ? user : null;
}

export const findUserById = (users: Collection<User>, _id: ObjectId): Promise<WithId<User> | null> =>
  users.findOne({ _id });

/** Who may act and be given roles: by an account, and as a filter. */
export const isActive = ({ verified, account_status }: User): boolean =>
  Boolean(verified) && account_status !== 'paused' && account_status !== 'disabled';
export const ACTIVE: Filter<User> = { ...VERIFIED, account_status: { $nin: ['paused', 'disabled'] } };

export const findActiveUser = (users: Collection<User>, user_id: string): Promise<WithId<User> | null> =>
  users.findOne({ user_id, ...ACTIVE });

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
      name: 'user_id_text',
      unique: true,
      partialFilterExpression: { user_id: ANY_STRING },
    },
    { key: { verified: 1, features_assigned: 1 } },
  ]),
};

/** The first shared addresses, each with the spellings that prevent a unique index. */
async function sharedAddresses(users: Collection<User>): Promise<string[]> {
  const groups = await users
    .aggregate<{ spellings: string[] }>([
      { $group: { _id: { $toLower: '$email' }, spellings: { $push: '$email' }, count: { $sum: 1 } } },
      { $match: { count: { $gt: 1 } } },
      { $limit: 10 },
    ])
    .toArray();
  return groups.map(({ spellings }) => spellings.join(', '));
}
