import { createFactorSecrets } from '@gatehouse/shared/data/secrets';
import { AppError } from '@gatehouse/shared/http/errors';
import { toAppError } from '@gatehouse/shared/http/to-app-error';
import { audit } from '@gatehouse/shared/identity/audit';
import { type EnrolledUser, factorMethods, isEnrolled } from '@gatehouse/shared/identity/enrolled';
import { spendFactorCode } from '@gatehouse/shared/identity/second-factor';
import { hasEnded } from '@gatehouse/shared/identity/sessions';
import { requiresSso } from '@gatehouse/shared/identity/sso';
import { type HalfLogin, newSessionId, type Tokens } from '@gatehouse/shared/identity/tokens';
import { findUserById, userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import { ObjectId } from 'mongodb';
import { type BegunSession, beginSession, type LoginContract } from './begin-session.ts';
import type { LoginDependencies } from './operation.ts';

/** The refusal of a right password whose account has a second factor. Nothing is stored: half a login is no session. */
export function secondFactorRequired(
  tokens: Tokens,
  { _id, second_factor }: EnrolledUser,
  began: number,
  now: number,
): AppError {
  const factor_token = tokens.factor(
    { account: _id.toHexString(), enrollment: second_factor.id, began },
    now,
  );
  return new AppError('secondFactorRequired', {
    details: { factor_token, methods: factorMethods(second_factor) },
  });
}

/**
 * Completes a login with a code of the second factor (CONTRACT.md §Second factor). Every check of the account is made
 * again, because five minutes may have passed.
 * @throws {AppError} factorTokenInvalid, codeInvalid, rateLimited or ssoRequired.
 */
export async function logInWithFactor(
  call: LoginDependencies & { request: FastifyRequest; body: { factor_token: string; code: string } },
  contract: LoginContract,
): Promise<BegunSession> {
  const { config, db, tokens, now, request, body } = call;
  const login = tokens.halfLoginOf(body.factor_token, now());
  const user = login && (await awaitedUser(db, login, now()));
  if (!user) throw new AppError('factorTokenInvalid');
  const { email } = user;
  try {
    await spendFactorCode(db.users, createFactorSecrets(config), user, {
      code: body.code,
      now: now(),
      request,
    });
    if (await requiresSso(db, user, now())) throw new AppError('ssoRequired');
  } catch (error) {
    const { reason, message } = toAppError(error);
    const outcome = reason === 'ssoRequired' ? 'single sign-on required' : message;
    await audit(db, request, now(), { action: 'login', outcome, email, user_id: userIdOf(user) });
    throw error;
  }
  return beginSession(call, user, { began: login.began, contract });
}

/** Returns the account of half a login, unless its password, factor or state has changed since. */
async function awaitedUser(
  db: LoginDependencies['db'],
  { account, enrollment, began }: HalfLogin,
  now: number,
): Promise<EnrolledUser | undefined> {
  const user = await findUserById(db.users, new ObjectId(account));
  if (!user || !isEnrolled(user, now) || user.second_factor.id !== enrollment) return undefined;
  const isOpen = user.verified && user.account_status !== 'disabled';
  return isOpen && !hasEnded(user, { id: newSessionId(began), beganAt: began }) ? user : undefined;
}
