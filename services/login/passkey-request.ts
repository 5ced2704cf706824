import { AppError } from '@gatehouse/shared/http/errors';
import { accountOfHalfLogin } from '@gatehouse/shared/identity/half-login';
import type { PasskeyCeremony } from '@gatehouse/shared/identity/tokens';
import type { User } from '@gatehouse/shared/identity/user-record';
import { hasPasskey } from '@gatehouse/shared/identity/ways-in';
import { newChallenge, PASSKEY_TIMEOUT } from '@gatehouse/shared/passkeys/ceremony';
import { loadLibrary } from '@gatehouse/shared/passkeys/library';
import { requireRelyingParty } from '@gatehouse/shared/passkeys/relying-party';
import { factorSubject } from './factor-login.ts';
import type { LoginDependencies } from './operation.ts';

/**
 * Returns the options with which a browser asks for a passkey, and the token of the ceremony.
 * @param user whose passkeys the options name; without one, the browser offers those that it finds.
 * @throws {AppError} notFound if passkeys are off, or if the user has none.
 */
export async function requestPasskey(
  { config, db, tokens, now }: LoginDependencies,
  ceremony: Pick<PasskeyCeremony, 'purpose' | 'subject'>,
  user?: Pick<User, 'passkeys'>,
) {
  const { id: rpID } = requireRelyingParty(config);
  // A browser would offer those of other accounts.
  if (user && !hasPasskey(user)) throw new AppError('notFound', { text: 'The account has no passkey' });
  const known = user && (await db.passkeys.find({ _id: { $in: user.passkeys ?? [] } }).toArray());
  const challenge = newChallenge();
  const { generateAuthenticationOptions } = await loadLibrary();
  const options = await generateAuthenticationOptions({
    rpID,
    challenge: Uint8Array.from(Buffer.from(challenge, 'base64url')),
    timeout: PASSKEY_TIMEOUT,
    userVerification: 'required',
    ...(known && { allowCredentials: known.map(({ _id: id, transports }) => ({ id, transports })) }),
  });
  return {
    passkey_token: tokens.passkey({ ...ceremony, challenge }, now()),
    options: { ...options, rpId: rpID },
  };
}

/** CONTRACT.md §Passkeys. @throws {AppError} factorTokenInvalid or notFound */
export async function requestLogin(
  call: LoginDependencies & { body: { factor_token?: string } },
): Promise<Awaited<ReturnType<typeof requestPasskey>>> {
  const { db, tokens, now, body } = call;
  if (body.factor_token === undefined) return requestPasskey(call, { purpose: 'login', subject: '' });
  const login = tokens.halfLoginOf(body.factor_token, now());
  const user = login && (await accountOfHalfLogin(db.users, login, now()));
  if (!user) throw new AppError('factorTokenInvalid');
  return requestPasskey(call, { purpose: 'factor', subject: factorSubject(login) }, user);
}
