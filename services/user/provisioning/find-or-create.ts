import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { optimistic } from '@gatehouse/shared/durable/optimistic';
import type { Language } from '@gatehouse/shared/http/language';
import { newAccountFields } from '@gatehouse/shared/identity/features';
import { unusableHash } from '@gatehouse/shared/identity/passwords';
import type { User } from '@gatehouse/shared/identity/user-record';
import { ACTIVE, findUserByEmail, isActive, UNVERIFIED, userIdOf } from '@gatehouse/shared/identity/users';
import type { Account } from '@gatehouse/sso/host';
import { SsoRefusal } from '@gatehouse/sso/refusal';
import type { WithId } from 'mongodb';
import { withNewUserId } from '../account/user-ids.ts';
import type { Database } from '../database.ts';
import type { ProvisioningOptions } from './options.ts';
import type { AssignedRole } from './role.ts';

/** What a provider says about a person whose account is made. */
export interface Attributes {
  name: string;
  role?: AssignedRole;
  /** That of the browser; absent where there is none. */
  language?: Language;
}

/** Concurrent logins and signups are few. More failures mean an account that the lookup cannot find. */
const MAX_TRIES = 5;

/**
 * Returns the account of an address that the organization owns: creates it, takes an unverified signup over or links it.
 * @param requireLinkable refuses an existing account before anything is written.
 */
export async function findOrCreate(
  options: Pick<ProvisioningOptions, 'db' | 'now'>,
  email: string,
  attributes: Attributes,
  requireLinkable: (user_id: string) => Promise<unknown> = async () => {},
): Promise<{ user: Account; how: 'created' | 'taken over' | 'linked' }> {
  const { db } = options;
  return optimistic(
    async () => {
      const existing = await findUserByEmail(db.users, email);
      const user_id = existing && userIdOf(existing);
      if (user_id) await requireLinkable(user_id);
      if (!existing) {
        const user = await create(options, email, attributes);
        return user && { user, how: 'created' as const };
      }
      if (existing.account_status === 'disabled')
        throw new SsoRefusal('account disabled', 'the account of this address is disabled');
      if (!existing.verified) {
        const user = await takeOver(options, existing, attributes);
        return user && { user, how: 'taken over' as const };
      }
      if (!isActive(existing))
        throw new SsoRefusal('account disabled', 'the account of this address is paused');
      const user = await withUserId(db, existing);
      return user && { user, how: 'linked' as const };
    },
    { attempts: MAX_TRIES, refusal: sameForTheDatabase },
  );
}

const sameForTheDatabase = () =>
  new SsoRefusal(
    'identity mismatch',
    'another account has an address that the database equates with this one',
  );

/** An account that is verified and has no password. */
export const newAccount = (email: string, attributes: Attributes, now: number): User => ({
  email,
  password: unusableHash(),
  ...attributes,
  verified: true,
  account_status: 'active',
  ...newAccountFields(new Date(now)),
});

/** @returns undefined if the address has an account by now. */
async function create(
  { db, now }: Pick<ProvisioningOptions, 'db' | 'now'>,
  email: string,
  attributes: Attributes,
): Promise<Account | undefined> {
  const user = newAccount(email, attributes, now());
  try {
    return await withNewUserId(db, async (user_id) => {
      const { insertedId: _id } = await db.users.insertOne({ ...user, user_id });
      return { ...user, user_id, _id };
    });
  } catch (error) {
    if (isDuplicateKey(error, 'email')) return undefined;
    throw error;
  }
}

/** What a stranger may have left on an account that was never verified, or whose verification an operator has revoked. */
const OF_A_STRANGER = [
  'name_words',
  'foreign_hash',
  'signup_attempts',
  'first_attempt',
  'unverified_since',
  'otp',
  'otp_expiration',
  'otp_attempt',
  'second_factor',
  'pending_factor',
  'factor_reset',
  'factor_guesses',
  'email_change',
  'email_undos',
  'login_networks',
  'sign_ins',
  'sign_in_notices',
  'data_notice_at',
  'session_names',
  'passkeys',
  'passkey_handle',
  'links',
  'deletion',
  'notices',
  'notices_due',
  'notices_holder',
] as const satisfies (keyof User)[];

/**
 * Returns the fields, as expressions, of an unverified signup that is given to the person who owns its address. They
 * remove whatever a stranger may have planted, the password and sessions included.
 */
export const takenOver = ({ name, role, language }: Attributes, now: number) => ({
  verified: true,
  account_status: 'active',
  password: { $literal: unusableHash() },
  name: { $literal: name },
  ...(role && { role }),
  language: language ?? '$$REMOVE',
  sessions_valid_from: new Date(now),
  address_since: new Date(now),
  ...Object.fromEntries(OF_A_STRANGER.map((field) => [field, '$$REMOVE'])),
});

/**
 * Gives an unverified signup to the person who owns its address, in one write.
 * @returns undefined if the signup has been verified, disabled or deleted.
 */
async function takeOver(
  { db, now }: Pick<ProvisioningOptions, 'db' | 'now'>,
  signup: WithId<User>,
  attributes: Attributes,
): Promise<Account | undefined> {
  const write = (candidate?: string) =>
    db.users.findOneAndUpdate(
      { _id: signup._id, ...UNVERIFIED, account_status: { $ne: 'disabled' } },
      [
        {
          $set: {
            ...takenOver(attributes, now()),
            ...(candidate && { user_id: { $ifNull: ['$user_id', candidate] } }),
          },
        },
      ],
      { returnDocument: 'after' },
    );
  const taken = await (userIdOf(signup) ? write() : withNewUserId(db, write));
  return taken ? asAccount(taken) : undefined;
}

/** Older records may have no user_id. @returns undefined if the account has changed. */
export async function withUserId(db: Database, user: WithId<User>): Promise<Account | undefined> {
  if (user.user_id !== undefined && user.user_id !== null) return asAccount(user);
  const named = await withNewUserId(db, (user_id) =>
    db.users.findOneAndUpdate(
      { _id: user._id, user_id: { $exists: false }, ...ACTIVE },
      { $set: { user_id } },
      { returnDocument: 'after' },
    ),
  );
  return named ? asAccount(named) : undefined;
}

/** @throws {SsoRefusal} when an older record has an id that is not a string. */
function asAccount(user: WithId<User>): Account {
  const user_id = userIdOf(user);
  if (user_id === null) throw new SsoRefusal('account disabled', 'the account has no valid user_id');
  return { ...user, user_id };
}
