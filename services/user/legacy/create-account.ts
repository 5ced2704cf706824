import { randomUUID } from 'node:crypto';
import type { Config } from '@gatehouse/shared/config';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { audit } from '@gatehouse/shared/identity/audit';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import { takenAmong, withNewUserId } from '../account/user-ids.ts';
import type { Database } from '../database.ts';
import { newUser } from '../import/new-user.ts';
import { checkPerson } from '../import/person.ts';
import { completeActivation } from '../organizations/invitations/accept-verified.ts';
import type { LegacyPerson } from './old-system.ts';
import { retireAddress } from './retired-addresses.ts';

const FROM = 'legacy';

interface Move {
  config: Config<'user'>;
  db: Database;
  request: FastifyRequest;
  /** As typed; the old system has answered for it. */
  email: string;
  /** The argon2id hash of the password that the old system has accepted. */
  password: string;
  person: LegacyPerson;
  /** Returns Unix milliseconds. */
  now: () => number;
}

/** The user_id that the old system names is not free. */
export class UserIdTakenError extends Error {}

/**
 * Creates the account of a person whom the old system knows. An address that it has not verified becomes what a signup
 * leaves: it opens once a code proves the address. An address that has an account by now keeps it.
 * @throws {PersonProblem | UserIdTakenError} when the person cannot have an account.
 */
export async function createAccount({
  config,
  db,
  request,
  email,
  password,
  person,
  now,
}: Move): Promise<void> {
  const { email_verified: verified, id, ...fields } = person;
  const checked = checkPerson({
    ...present(fields),
    email,
    verified,
    ...(id != null && { id: String(id) }),
  });
  const at = new Date(now());
  const { user } = newUser(0, { ...checked, password_hash: password }, FROM, at);
  try {
    const account = verified
      ? await insertActive(db, { ...user, activated_at: at })
      : await insert(db, { ...user, ...pendingSignup(user, password, at) });
    await audit(db, request, now(), {
      action: 'account.import',
      email: account.email,
      user_id: account.user_id ?? null,
      after: { from: FROM, ...(checked.id !== undefined && { id: checked.id }) },
    });
    if (!verified) return;
    // If the person changes the address here, the old system does not make a second account of it.
    await retireAddress(config, db.retiredAddresses, email, now());
    await completeActivation(db, account, now(), request);
  } catch (error) {
    if (!isDuplicateKey(error, 'email')) throw error;
  }
}

const present = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

async function insert(db: Database, user: User): Promise<WithId<User>> {
  const { insertedId: _id } = await db.users.insertOne({ ...user });
  return { ...user, _id };
}

async function insertActive(db: Database, user: User): Promise<WithId<User>> {
  const { user_id: brought } = user;
  if (brought === undefined) return withNewUserId(db, (user_id) => insert(db, { ...user, user_id }));
  if ((await takenAmong(db, [brought])).size > 0) throw new UserIdTakenError();
  try {
    return await insert(db, user);
  } catch (error) {
    throw isDuplicateKey(error, 'user_id') ? new UserIdTakenError() : error;
  }
}

function pendingSignup({ name }: User, password: string, at: Date): Partial<User> {
  const id = randomUUID();
  return {
    password,
    signup_attempts: [{ id, at: Math.floor(at.getTime() / 1000), password, name }],
    first_attempt: id,
    unverified_since: at,
  };
}
