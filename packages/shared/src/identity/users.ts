import type { Collection, Filter, ObjectId, WithId } from 'mongodb';
import { batched } from '../data/batched.ts';
import { ANY_STRING, collection } from '../data/connect.ts';
import type { Language } from '../http/language.ts';
import { emailKey, MAX_ADDRESS } from './email.ts';
import type { Notice } from './notice-records.ts';

/** E-mail addresses are unique and matched without regard to case. */
export const EMAIL_COLLATION = { locale: 'en', strength: 2 } as const;

/** CONTRACT.md §User record, followed by internal fields. Times are Unix seconds unless noted. */
export interface User {
  email: string;
  /** An argon2id hash in PHC format. Any other value is the password itself. */
  password: string;
  /** The hash of an account that came from another system; see `withForeignHash` in passwords.ts. */
  foreign_hash?: string;
  name: string;
  /** Older records hold other truthy and falsy values, or none. */
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
  /** The language of mails; absent on older records, whose mails are in English. */
  language?: Language;

  /** Pending signups of an unverified account, oldest first. The fields above are those of the newest one. */
  signup_attempts?: SignupAttempt[];
  /** The attempt id of the signup that made an unverified record; empty where the previous version made it. */
  first_attempt?: string;
  /** When an unverified account last signed up. The TTL index deletes by it; older records have none and stay. */
  unverified_since?: Date;
  /** The attempt id in the token of the newest signup or forgot-password call, which issued the current code. */
  otp_attempt?: string;
  /** Wrong guesses for the current code without that token. */
  otp_wrong_guesses?: number;
  /** Wrong guesses for the current code with that token. */
  otp_holder_guesses?: number;
  /** Times of the latest wrong guesses without that token, oldest first, at most the hourly limit. */
  otp_wrong_guess_times?: number[];
  /** The codes mailed in the last hour, oldest first, each with the client networks that asked for it. */
  otp_mails?: { at: number; network: string; wider?: string[] }[];
  /** The codes of the last day that were not used, oldest first, each with its networks and the attempt id of its token. */
  otp_unused?: { at: number; attempt: string; network?: string; wider?: string[] }[];
  /** Result of the latest code check. */
  otp_verdict?: OtpVerdict;
  /** The networks of the latest logins hashed; see known-networks.ts beside this file. */
  login_networks?: string[];
  /** The devices with their wide networks of the latest logins, hashed, each with about the day of its latest login. */
  sign_ins?: { id: string; day: Date }[];
  /** When the person was told of new sign-ins in the last day, oldest first. */
  sign_in_notices?: Date[];
  /** When the person was last told that their own data was downloaded. */
  data_notice_at?: Date;
  /** When a verification activated the account; absent once the earlier invitations to its address are accepted. */
  activated_at?: Date;
  /** The address that the account is to get, until a code confirms it. */
  email_change?: EmailChange;
  /** When the account got its address; absent on older records. */
  address_since?: Date;
  /** The former addresses to which the account can be set back, oldest first. */
  email_undos?: EmailUndo[];
  /**
   * When the address changed, until what holds it has followed; `accepts` if the invitations to the new address are to be
   * accepted, `undoes` with the time of the change that is undone.
   */
  address_changed?: { at: Date; accepts?: true; undoes?: Date };
  /** Present once the account has a second factor. */
  second_factor?: SecondFactor;
  /** An enrollment that awaits its first code. */
  pending_factor?: PendingFactor;
  /** A reset by an operator: from `due_at` on, the account counts as one without a second factor. */
  factor_reset?: { due_at: Date; reason: string };
  /** Times of the latest wrong codes of the second factor, oldest first, at most the budget; Unix seconds. */
  factor_guesses?: number[];
  /** Whether the features record of the free plan is known to exist. */
  features_assigned?: boolean;
  /** Sessions that began at this time or earlier have ended. */
  sessions_valid_from?: Date;
  /** Sessions that began at `at` or earlier have ended, except the one that asked for it. */
  others_ended?: { at: Date; kept: string };
  /** Which connection disabled the account through SCIM (`sso:{connection_id}`), and its status before. */
  deprovisioned?: { by: string; account_status: string };
  /** The names that the person gave their devices, oldest first. */
  session_names?: { id: string; name: string }[];
  /** Sessions that were ended early, kept until their last token expires. */
  ended_sessions?: { id: string; until: Date }[];
  /** The credential ids of the account's passkeys, oldest first; see ways-in.ts beside this file. */
  passkeys?: string[];
  /** What authenticators know the account by, random bytes in base64url. It stays when the passkeys go. */
  passkey_handle?: string;
  /** The login names of the account at providers, oldest first. */
  links?: string[];
  /** Present once the person has asked to delete the account; see deletion.ts beside this file. */
  deletion?: AccountDeletion;
  /** Notices that are still to be mailed, oldest first; see notices.ts beside this file. */
  notices?: Notice[];
  /** When they must be looked at; absent when there are none. */
  notices_due?: Date;
  /** The process that mails them. */
  notices_holder?: string;
}

/** The deletion of an account, from the person's request on. */
export interface AccountDeletion {
  requested_at: Date;
  due_at: Date;
  /** When a process must look at it; while a lease is held, when it expires. */
  next: Date;
  /** Which process deletes the account. */
  lease?: string;
  /** The account is kept although it is due: an organization would be left without an Owner. The person has been told. */
  kept?: true;
  /** When the job began: from then on no login restores the account. */
  begun_at?: Date;
  /** The status that the account gets back if it is kept after all. SCIM changes it here once the job has begun. */
  account_status?: User['account_status'];
  /** The address of the account. It is stored here when the record is stripped; from then on nothing undoes it. */
  email?: string;
}

/** The second factor of an account: a generator of time-based codes (RFC 6238), and codes for the day it is lost. */
export interface SecondFactor {
  /** Names this enrollment. */
  id: string;
  /** The shared secret in base32, sealed for `factorRecord`. */
  secret: string;
  enrolled_at: Date;
  /** The time step of the latest accepted code. No code of it or an earlier one is accepted again. */
  last_step: number;
  /** Digests of the unused recovery codes. */
  recovery_codes: string[];
}

/** An authenticator app whose first code is awaited. Its `id` becomes that of the second factor. */
export interface PendingFactor extends Pick<SecondFactor, 'id' | 'secret'> {
  created_at: Date;
}

/** A change of the address that waits for its code. */
export interface EmailChange {
  id: string;
  email: string;
  code: string;
  expires_at: Date;
  wrong_guesses: number;
}

/** An address that the account had, and until when the link in its mailbox sets it back. */
export interface EmailUndo {
  /** The id of the change. */
  id: string;
  email: string;
  until: Date;
}

/** What one signup submitted, under the id in its token (CONTRACT.md §Signup). */
export interface SignupAttempt {
  id: string;
  at: number;
  password: string;
  name: string;
}

export type OtpVerdict = 'valid' | 'budgetSpent' | 'expired' | 'invalid' | 'wrong';

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
