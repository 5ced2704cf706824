import { catalogueTokenOf } from '@gatehouse/shared/contract/catalogue-login';
import { verifyLoginCode } from '@gatehouse/shared/contract/login-code';
import { AppError } from '@gatehouse/shared/http/errors';
import { auditAttempt } from '@gatehouse/shared/identity/audit-refusal';
import {
  type BegunSession,
  beginSession,
  type LoginContract,
} from '@gatehouse/shared/identity/begin-session';
import { isEnrolled } from '@gatehouse/shared/identity/enrolled';
import { halfLogin, secondFactorRequired } from '@gatehouse/shared/identity/half-login';
import { auditedWay } from '@gatehouse/shared/identity/login-ways';
import { hasEnded } from '@gatehouse/shared/identity/sessions';
import { requiresSso } from '@gatehouse/shared/identity/sso';
import type { User } from '@gatehouse/shared/identity/user-record';
import { findUserByEmail } from '@gatehouse/shared/identity/users';
import type { Call } from '@gatehouse/shared/operation/operation';
import type { WithId } from 'mongodb';
import { afterResponse } from '../../after-response.ts';
import { giveBackLoginCode } from '../network-budgets.ts';
import { spendLoginCode } from './code.ts';
import { formOperation, type LoginCodeDependencies, operation } from './operation.ts';

const AUDITS = ['login', 'account.restore'] as const;

/** CONTRACT.md §Login by a mailed code. */
export const verifyCode = operation(verifyLoginCode.catalogue.line, {
  ...verifyLoginCode.catalogue,
  audits: AUDITS,
  async handle(call) {
    return catalogueTokenOf(await logIn(call, 'catalogue'));
  },
});

/** CONTRACT.md §Login by a mailed code. */
export const verifyCodeDirect = formOperation(verifyLoginCode.direct.line, {
  ...verifyLoginCode.direct,
  audits: AUDITS,
  async handle(call) {
    const { token, user_id } = await logIn(call, 'direct');
    return { message: 'Login successful' as const, token, user_id };
  },
});

type Login = Call<LoginCodeDependencies, string, { email: string; code: string; token?: string }>;

const REFUSALS = {
  'account disabled': 'codeInvalid',
  'sessions ended since': 'codeInvalid',
  'not verified': 'accountNotVerified',
  'single sign-on required': 'ssoRequired',
} as const;

/**
 * Begins a session for whoever has the code that was mailed to an account. Only a right code reads the account: a wrong
 * one costs the same whether or not there is one.
 */
async function logIn(call: Login, contract: LoginContract): Promise<BegunSession> {
  const { db, tokens, now, request, body } = call;
  const { email } = body;
  const way = 'code';
  // The session begins before the code is used: a reset during this login ends it.
  const began = now();
  const used = await useCode(call);
  if (used) afterResponse(request, () => giveBackLoginCode(db, { email, attempt: used.attempt }));
  const user = used ? await findUserByEmail(db.users, email) : null;
  if (!used || !user) {
    afterResponse(request, () => auditWrongCode(call));
    throw new AppError('codeInvalid');
  }
  const record = (outcome: string) =>
    auditAttempt(db, request, now(), { action: 'login', outcome, user, email, ...auditedWay(way) });
  const refusal = await refusalOf(call, user, used.issued_at);
  if (refusal) {
    await record(refusal);
    throw new AppError(REFUSALS[refusal]);
  }
  if (isEnrolled(user, now())) {
    await record('second factor required');
    throw secondFactorRequired(tokens.factor(halfLogin(user, began, way), now()), user);
  }
  return beginSession(call, user, { began, contract, way });
}

/** Uses the code. @returns undefined if it is not right. */
async function useCode(call: Login) {
  const { tokens, now, body } = call;
  const { email, token } = body;
  const code = body.code.replaceAll(/\s/g, '');
  const attempt = token ? tokens.loginAttemptOf(token, email, now()) : undefined;
  if ((token && attempt === undefined) || !/^\d{6}$/.test(code)) return undefined;
  return spendLoginCode(call, { email, code, attempt, now: now() });
}

/** Checks the account as a login with a password does. The second step of an enrolled account checks single sign-on. */
async function refusalOf(
  { db, now }: Login,
  user: WithId<User>,
  issuedAt: Date,
): Promise<keyof typeof REFUSALS | undefined> {
  if (user.account_status === 'disabled') return 'account disabled';
  // A reset, a changed address, a request for deletion: what ends the sessions ends the codes.
  if (hasEnded(user, { id: '', beganAt: issuedAt.getTime() })) return 'sessions ended since';
  if (!user.verified) return 'not verified';
  if (isEnrolled(user, now())) return undefined;
  return (await requiresSso(db, user, now())) ? 'single sign-on required' : undefined;
}

/** Runs after the response, so that its time does not reveal whether there is an account. */
async function auditWrongCode({ db, now, request, body: { email } }: Login): Promise<void> {
  const user = await findUserByEmail(db.users, email);
  const outcome = user ? 'wrong code' : 'unknown account';
  await auditAttempt(db, request, now(), { action: 'login', outcome, user, email, ...auditedWay('code') });
}
