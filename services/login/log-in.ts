import { AppError, type ErrorName } from '@gatehouse/shared/http/errors';
import { audit, auditedSession } from '@gatehouse/shared/identity/audit';
import { auditRefusal } from '@gatehouse/shared/identity/audit-refusal';
import { maskUnlessAddress } from '@gatehouse/shared/identity/email';
import { type Flows, flowsOf } from '@gatehouse/shared/identity/fair-queue';
import { ensureFeatures } from '@gatehouse/shared/identity/features';
import { isPasswordHash, isTooCostly } from '@gatehouse/shared/identity/passwords';
import { requiresSso } from '@gatehouse/shared/identity/sso';
import { newSessionId } from '@gatehouse/shared/identity/tokens';
import { findUserByEmail, type User, userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import type { Database } from './database.ts';
import { ownerFlows, rememberNetwork } from './known-networks.ts';
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
 * Begins a session for the user with this e-mail and password (CONTRACT.md §Login, 1 to 4). Logs and audits every
 * attempt.
 * @param lifetime seconds for which the token is valid.
 * @throws {AppError} the refusal of the first check that fails.
 */
export async function logIn(
  { config, db, passwords, tokens, now, request, body }: Login,
  { errors, hidesAccounts }: RefusalPolicy,
  lifetime: number,
): Promise<{ token: string; user_id: string | null }> {
  const { email, password } = body;
  // The session begins before the password is read: a reset during this login ends it.
  const began = now();
  const sid = newSessionId(began);
  const user = await findUserByEmail(db.users, email);
  if (user && isTooCostly(user.password))
    request.log.warn(
      { _id: user._id },
      'The stored password hash of this user record costs too much to verify',
    );
  const flows = ownerFlows(user, request.ip) ?? flowsOf(request, email);
  const matches = (stored: unknown) =>
    passwords.matches(stored, password, { alwaysHash: hidesAccounts, flows });
  const refusal = await refusalOf(db, user, matches, began);
  const user_id = user && userIdOf(user);
  const recorded = (user ? audit : auditRefusal)(db, request, began, {
    action: 'login',
    outcome: refusal ?? 'success',
    email: user?.email ?? maskUnlessAddress(email),
    user_id,
    ...(!refusal && { session: auditedSession(request, sid, lifetime, began) }),
  });
  // The commands that a refusal costs depend on whether the account exists.
  if (!refusal || !hidesAccounts) await recorded;
  if (refusal || !user) throw new AppError(errors[refusal ?? 'unknown account']);
  await Promise.all([
    ensureFeatures(db, user, began),
    rememberNetwork(db.users, user, request.ip).catch((error) => {
      request.log.warn({ err: error }, 'network of a login not remembered');
    }),
    hashPlainPassword({ config, db, passwords }, user, flows, request.log),
  ]);
  return { token: tokens.session({ email: user.email, user_id }, now(), { sid, lifetime }), user_id };
}

async function refusalOf(
  db: Database,
  user: User | null,
  matches: (stored: unknown) => Promise<boolean>,
  now: number,
): Promise<Refusal | undefined> {
  const matched = await matches(user?.password);
  if (!user) return 'unknown account';
  if (!matched) return 'wrong password';
  // Every service refuses a token of such an account.
  if (user.account_status === 'disabled') return 'account disabled';
  // spec §Login: `verified` alone decides, also for a record that is still `paused`.
  if (!user.verified) return 'not verified';
  return (await requiresSso(db, user, now)) ? 'single sign-on required' : undefined;
}

/**
 * Replaces a stored plain password, which has just matched, with its hash. A failure is logged; the next login tries
 * again.
 * @param flows to which the hash is charged.
 */
async function hashPlainPassword(
  { config, db, passwords }: Pick<LoginDependencies, 'config' | 'db' | 'passwords'>,
  { _id, password }: WithId<User>,
  flows: Flows,
  log: FastifyBaseLogger,
): Promise<void> {
  if (config.PASSWORD_STORAGE === 'plain' || isPasswordHash(password)) return;
  try {
    const hash = await passwords.encode(password, config.PASSWORD_STORAGE, flows);
    // The filter keeps a password that was changed concurrently.
    await db.users.updateOne({ _id, password }, { $set: { password: hash } });
  } catch (error) {
    log.warn({ err: error, _id }, 'The plain password of this user record could not be hashed');
  }
}
