import { AppError, type ErrorName } from '@gatehouse/shared/http/errors';
import { audit } from '@gatehouse/shared/identity/audit';
import { auditAttempt } from '@gatehouse/shared/identity/audit-refusal';
import {
  type BegunSession,
  beginSession,
  type LoginContract,
} from '@gatehouse/shared/identity/begin-session';
import { isEnrolled } from '@gatehouse/shared/identity/enrolled';
import { type Flows, flowsOf } from '@gatehouse/shared/identity/fair-queue';
import { halfLogin, secondFactorRequired } from '@gatehouse/shared/identity/half-login';
import { ownerFlows } from '@gatehouse/shared/identity/known-networks';
import { foreignHashOf, isPasswordHash, isTooCostly } from '@gatehouse/shared/identity/passwords';
import { requiresSso } from '@gatehouse/shared/identity/sso';
import type { User } from '@gatehouse/shared/identity/user-record';
import { findUserByEmail, userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import type { Database } from './database.ts';
import type { LoginDependencies } from './operation.ts';

type Login = LoginDependencies & { request: FastifyRequest; body: { email: string; password: string } };

type Refusal =
  | 'unknown account'
  | 'wrong password'
  | 'account disabled'
  | 'not verified'
  | 'single sign-on required';

/** How a contract answers failed checks. */
interface RefusalPolicy {
  errors: Record<Refusal, ErrorName>;
  /** Whether the time of the answer must not reveal which accounts exist and how their passwords are stored. */
  hidesAccounts: boolean;
}

/**
 * Begins a session for the user with this e-mail and password (CONTRACT.md §Login). Logs and audits every attempt.
 * @throws {AppError} the refusal of the first check that fails; secondFactorRequired for an enrolled account.
 */
export async function logIn(
  { config, db, passwords, tokens, legacyLogin, now, request, body }: Login,
  { errors, hidesAccounts }: RefusalPolicy,
  contract: LoginContract,
): Promise<BegunSession> {
  const { email, password } = body;
  // The session begins before the password is read: a reset during this login ends it.
  const began = now();
  let user = await findUserByEmail(db.users, email);
  // The account that it then has is checked as any other.
  if (!user && (await legacyLogin(request, body))) user = await findUserByEmail(db.users, email);
  if (user && isTooCostly(user))
    request.log.warn(
      { _id: user._id },
      'The stored password hash of this user record costs too much to verify',
    );
  const flows = ownerFlows(user, request.ip) ?? flowsOf(request, email);
  const matched = await passwords.matches(user, password, { alwaysHash: hidesAccounts, flows });
  const refusal = await refusalOf(db, user, matched, began);
  if (refusal || !user) {
    const outcome = refusal ?? 'unknown account';
    const recorded = auditAttempt(db, request, began, { action: 'login', outcome, user, email });
    // The commands that a refusal costs depend on whether the account exists.
    if (!hidesAccounts) await recorded;
    throw new AppError(errors[refusal ?? 'unknown account']);
  }
  await hashPassword({ config, db, passwords }, { user, password, flows, log: request.log });
  if (isEnrolled(user, began)) {
    await audit(db, request, now(), {
      action: 'login',
      outcome: 'second factor required',
      email: user.email,
      user_id: userIdOf(user),
    });
    throw secondFactorRequired(tokens.factor(halfLogin(user, began), now()), user);
  }
  return beginSession({ db, tokens, now, request }, user, { began, contract, way: 'password' });
}

async function refusalOf(
  db: Database,
  user: User | null,
  matched: boolean,
  now: number,
): Promise<Refusal | undefined> {
  if (!user) return 'unknown account';
  if (!matched) return 'wrong password';
  // Every service refuses a token of such an account.
  if (user.account_status === 'disabled') return 'account disabled';
  // spec §Login: `verified` alone decides, also for a record that is still `paused`.
  if (!user.verified) return 'not verified';
  // The login with the second factor checks the rest.
  if (isEnrolled(user, now)) return undefined;
  return (await requiresSso(db, user, now)) ? 'single sign-on required' : undefined;
}

/**
 * Replaces a stored plain password or the hash of another system, which has just matched, with an argon2id hash. A
 * failure is logged; the next login tries again.
 * @param login.flows to which the hash is charged.
 */
async function hashPassword(
  { config, db, passwords }: Pick<LoginDependencies, 'config' | 'db' | 'passwords'>,
  login: { user: WithId<User>; password: string; flows: Flows; log: FastifyBaseLogger },
): Promise<void> {
  const { _id, password: stored } = login.user;
  const isForeign = foreignHashOf(login.user) !== undefined;
  if (!isForeign && (config.PASSWORD_STORAGE === 'plain' || isPasswordHash(stored))) return;
  try {
    // A password that came as a hash stays one, also where others are stored as submitted.
    const password = await passwords.encode(login.password, 'argon2id', login.flows);
    // The filter keeps a password that was changed concurrently.
    await db.users.updateOne(
      { _id, password: stored },
      { $set: { password }, $unset: { foreign_hash: true } },
    );
  } catch (error) {
    login.log.warn({ err: error, _id }, 'The password of this user record could not be hashed with argon2id');
  }
}
