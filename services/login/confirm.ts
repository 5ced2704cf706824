import { catalogueToken } from '@gatehouse/shared/contract/catalogue-login';
import { createFactorSecrets } from '@gatehouse/shared/data/secrets';
import { spendAll } from '@gatehouse/shared/data/sliding-budget';
import { LOGIN_BODY } from '@gatehouse/shared/http/body-limits';
import { AppError } from '@gatehouse/shared/http/errors';
import { jsonBody, requiredText } from '@gatehouse/shared/http/fields';
import { toAppError } from '@gatehouse/shared/http/to-app-error';
import { isEnrolled } from '@gatehouse/shared/identity/enrolled';
import { flowsOf } from '@gatehouse/shared/identity/fair-queue';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { spendFactorCode } from '@gatehouse/shared/identity/second-factor';
import { requiresSso } from '@gatehouse/shared/identity/sso';
import { userIdOf } from '@gatehouse/shared/identity/users';
import type { Call } from '@gatehouse/shared/operation/operation';
import { type LoginDependencies, operation } from './operation.ts';

/** Wrong passwords of one account within so many seconds. Only holders of a session can spend them. */
const GUESSES = { limit: 10, seconds: 15 * 60 };

const proof = jsonBody({
  password: requiredText.exactOptional(),
  code: requiredText.max(100, { error: 'must not be longer than 100 characters' }).exactOptional(),
})
  .refine(({ password, code }) => (password === undefined) !== (code === undefined), {
    error: 'must contain either password or code',
  })
  .meta({ examples: [{ password: 'correct horse battery staple' }, { code: '287082' }] });

/** CONTRACT.md §Fresh sessions. */
export const confirm = operation('POST /api/v1/auth/confirm', {
  needs: 'own',
  returnsSecret: true,
  bodyLimit: LOGIN_BODY,
  summary: 'Confirm that it is you',
  description:
    'Returns a token of the same session, valid as long as the one presented, with which calls that need a fresh session succeed for ten minutes. An account with a second factor confirms with a code of it, any other with the password. A person who logs in at a provider only confirms by logging in there again.',
  body: proof,
  returns: catalogueToken,
  fails: ['invalidCredentials', 'codeInvalid', 'ssoRequired'],
  audits: ['session.confirm'],
  async handle(call) {
    const { tokens, now, request, caller, audit } = call;
    const { user, session, expiresAt } = principalOf(request);
    const { id: sid, hasId, sso = false } = session;
    try {
      if (!hasId) throw new AppError('forbidden');
      await prove(call);
    } catch (error) {
      await audit('session.confirm', { outcome: toAppError(error).message });
      throw error;
    }
    await audit('session.confirm');
    const at = now();
    const lifetime = Math.floor(expiresAt / 1000) - Math.floor(at / 1000);
    const { email } = user;
    return {
      access_token: tokens.session({ email, user_id: caller }, at, { lifetime, sid, sso, confirmedAt: at }),
      token_type: 'Bearer' as const,
      expires_in: lifetime,
      user_id: userIdOf(user),
    };
  },
});

/** @throws {AppError} unless the caller presents the second factor or, in an account without one, the password. */
async function prove({
  config,
  db,
  passwords,
  now,
  request,
  body: { password, code },
}: LoginDependencies &
  Pick<Call, 'request'> & { body: { password?: string; code?: string } }): Promise<void> {
  const { user } = principalOf(request);
  if (isEnrolled(user, now())) {
    // The password alone must not take the factor away.
    if (code === undefined) throw new AppError('missingField', { text: 'code is required' });
    await spendFactorCode(db.users, createFactorSecrets(config), user, { code, now: now(), request });
    return;
  }
  if (password === undefined) throw new AppError('missingField', { text: 'password is required' });
  if (await requiresSso(db, user, now())) throw new AppError('ssoRequired');
  const budget = { key: `confirm ${user._id.toHexString()}`, ...GUESSES };
  const takeBack = await spendAll(db, [budget], now());
  if (!(await passwords.matches(user.password, password, { flows: flowsOf(request, user.email) })))
    throw new AppError('invalidCredentials');
  await takeBack();
}
