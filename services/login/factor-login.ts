import { createFactorSecrets } from '@gatehouse/shared/data/secrets';
import { AppError } from '@gatehouse/shared/http/errors';
import { toAppError } from '@gatehouse/shared/http/to-app-error';
import { audit } from '@gatehouse/shared/identity/audit';
import {
  type BegunSession,
  beginSession,
  type LoginContract,
} from '@gatehouse/shared/identity/begin-session';
import { accountOfHalfLogin } from '@gatehouse/shared/identity/half-login';
import { auditedWay } from '@gatehouse/shared/identity/login-ways';
import { spendFactorCode } from '@gatehouse/shared/identity/second-factor';
import { requiresSso } from '@gatehouse/shared/identity/sso';
import type { HalfLogin } from '@gatehouse/shared/identity/tokens';
import { userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import type { LoginDependencies } from './operation.ts';
import { type PasskeyProof, provePasskey } from './use-passkey.ts';

/** Names half a login in the ceremony of a passkey. */
export const factorSubject = ({ account, enrollment, began }: HalfLogin): string =>
  `${account} ${enrollment} ${began}`;

/**
 * Completes a login with a code of the second factor or a passkey (CONTRACT.md §Second factor). Every check of the
 * account is made again, because five minutes may have passed.
 * @throws {AppError} factorTokenInvalid, codeInvalid, passkeyInvalid, passkeyTokenInvalid, rateLimited or ssoRequired.
 */
export async function logInWithFactor(
  call: LoginDependencies & {
    request: FastifyRequest;
    body: { factor_token: string; code?: string } & Partial<PasskeyProof>;
  },
  contract: LoginContract,
): Promise<BegunSession> {
  const { config, db, tokens, now, request, body } = call;
  const login = tokens.halfLoginOf(body.factor_token, now());
  const user = login && (await accountOfHalfLogin(db.users, login, now()));
  if (!user) throw new AppError('factorTokenInvalid');
  const { email } = user;
  const { way = 'password' } = login;
  try {
    if (await requiresSso(db, user, now())) throw new AppError('ssoRequired');
    const { code = '', passkey_token, credential } = body;
    if (passkey_token !== undefined && credential !== undefined) {
      const expected = { purpose: 'factor', subject: factorSubject(login) } as const;
      await provePasskey(call, user, { passkey_token, credential }, expected);
    } else await spendFactorCode(db.users, createFactorSecrets(config), user, { code, now: now(), request });
  } catch (error) {
    const { reason, message } = toAppError(error);
    const outcome = reason === 'ssoRequired' ? 'single sign-on required' : message;
    await audit(db, request, now(), {
      action: 'login',
      outcome,
      email,
      user_id: userIdOf(user),
      ...auditedWay(way),
    });
    throw error;
  }
  return beginSession(call, user, { began: login.began, contract, way, mfa: true });
}
