import { catalogueTokenOf } from '@gatehouse/shared/contract/catalogue-login';
import { confirmContract, confirmPasskeyOptionsContract } from '@gatehouse/shared/contract/confirm';
import { createFactorSecrets } from '@gatehouse/shared/data/secrets';
import { spendAll } from '@gatehouse/shared/data/sliding-budget';
import { AppError } from '@gatehouse/shared/http/errors';
import { toAppError } from '@gatehouse/shared/http/to-app-error';
import { isEnrolled } from '@gatehouse/shared/identity/enrolled';
import { flowsOf } from '@gatehouse/shared/identity/fair-queue';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { spendFactorCode } from '@gatehouse/shared/identity/second-factor';
import { requiresSso } from '@gatehouse/shared/identity/sso';
import type { Call } from '@gatehouse/shared/operation/operation';
import type { FastifyRequest } from 'fastify';
import { type LoginDependencies, operation } from './operation.ts';
import { requestPasskey } from './passkey-request.ts';
import { type PasskeyProof, provePasskey } from './use-passkey.ts';

/** Wrong passwords of one account within so many seconds. Only holders of a session can spend them. */
const GUESSES = { limit: 10, seconds: 15 * 60 };

/** CONTRACT.md §Fresh sessions. */
export const confirm = operation(confirmContract.line, {
  ...confirmContract,
  async handle(call) {
    const { tokens, now, request, caller, audit } = call;
    const { user, session, expiresAt } = principalOf(request);
    const { id: sid, hasId, sso = false, mfa: hadFactor = false } = session;
    // Before the proof: a password that is checked while a second factor is enrolled proves nothing to it.
    const began = now();
    const { prove, isStrong } = proofOf(call);
    try {
      if (!hasId) throw new AppError('forbidden');
      await prove();
    } catch (error) {
      await audit('session.confirm', { outcome: toAppError(error).message });
      throw error;
    }
    await audit('session.confirm');
    const at = now();
    const lifetime = Math.floor(expiresAt / 1000) - Math.floor(at / 1000);
    // The token holds whole seconds, and a code follows the enrollment also within the same second.
    const enrolledAt = isEnrolled(user, began) ? user.second_factor.enrolled_at.getTime() : 0;
    const confirmedAt = Math.max(began, Math.ceil(enrolledAt / 1000) * 1000);
    const { email } = user;
    const mfa = hadFactor || isStrong;
    const token = tokens.session({ email, user_id: caller }, at, { lifetime, sid, sso, mfa, confirmedAt });
    return catalogueTokenOf({ token, lifetime, user_id: caller });
  },
});

/** CONTRACT.md §Passkeys. */
export const confirmPasskeyOptions = operation(confirmPasskeyOptionsContract.line, {
  ...confirmPasskeyOptionsContract,
  async handle(call) {
    return requestPasskey(call, ceremonyFor(call.request), principalOf(call.request).user);
  },
});

const ceremonyFor = (request: FastifyRequest) => {
  const { user, session } = principalOf(request);
  return { purpose: 'confirm', subject: `${user._id.toHexString()} ${session.id}` } as const;
};

interface Proof extends Partial<PasskeyProof> {
  password?: string;
  code?: string;
}

/**
 * Returns the check of what the caller presents: a passkey, or else the second factor or, in an account without one, the
 * password. All but the password are strong.
 * @throws {AppError} missingField when they present the wrong one of these two.
 */
function proofOf(call: LoginDependencies & Pick<Call, 'request'> & { body: Proof }) {
  const { config, db, passwords, now, request } = call;
  const { password, code, passkey_token, credential } = call.body;
  const { user } = principalOf(request);
  if (passkey_token !== undefined && credential !== undefined)
    return {
      isStrong: true,
      async prove() {
        if (await requiresSso(db, user, now())) throw new AppError('ssoRequired');
        await provePasskey(call, user, { passkey_token, credential }, ceremonyFor(request));
      },
    };
  if (isEnrolled(user, now())) {
    // The password alone must not take the factor away.
    if (code === undefined) throw new AppError('missingField', { text: 'code is required' });
    const attempt = { code, now: now(), request };
    return {
      isStrong: true,
      prove: () => spendFactorCode(db.users, createFactorSecrets(config), user, attempt),
    };
  }
  if (password === undefined) throw new AppError('missingField', { text: 'password is required' });
  return {
    isStrong: false,
    async prove() {
      if (await requiresSso(db, user, now())) throw new AppError('ssoRequired');
      const budget = { key: `confirm ${user._id.toHexString()}`, ...GUESSES };
      const takeBack = await spendAll(db, [budget], now());
      if (!(await passwords.matches(user, password, { flows: flowsOf(request, user.email) })))
        throw new AppError('invalidCredentials');
      await takeBack();
    },
  };
}
