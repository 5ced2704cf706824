import { AppError, type ErrorName } from '@gatehouse/shared/http/errors';
import { toAppError } from '@gatehouse/shared/http/to-app-error';
import { audit } from '@gatehouse/shared/identity/audit';
import { auditRefusal } from '@gatehouse/shared/identity/audit-refusal';
import {
  type BegunSession,
  beginSession,
  type LoginContract,
} from '@gatehouse/shared/identity/begin-session';
import { requiresSso } from '@gatehouse/shared/identity/sso';
import { userIdOf } from '@gatehouse/shared/identity/users';
import { findPasskey, type OwnedPasskey } from '@gatehouse/shared/passkeys/assertion';
import { ceremonyOf } from '@gatehouse/shared/passkeys/ceremony';
import type { FastifyRequest } from 'fastify';
import type { LoginDependencies } from './operation.ts';
import { type PasskeyProof, usePasskey } from './use-passkey.ts';

type Call = LoginDependencies & { request: FastifyRequest; body: PasskeyProof };

/** The errors of refused logins, by the outcome in the audit. */
const REFUSALS = {
  'account disabled': 'passkeyInvalid',
  'not verified': 'accountNotVerified',
  'single sign-on required': 'ssoRequired',
} as const satisfies Record<string, ErrorName>;

/**
 * Begins a session for the holder of a passkey, who needs no second factor (CONTRACT.md §Passkeys). The signature comes
 * first; then the account is checked as at a login with a password.
 * @throws {AppError} passkeyTokenInvalid, passkeyInvalid, or the refusal of the first check that fails.
 */
export async function logInWithPasskey(call: Call, contract: LoginContract): Promise<BegunSession> {
  const { db, tokens, now, request, body } = call;
  // The session begins before the account is read: what ends its sessions during this login ends it as well.
  const began = now();
  const ceremony = ceremonyOf(tokens, body.passkey_token, { purpose: 'login', subject: '' }, began);
  const owned = await findPasskey(db, body.credential.id);
  const refused = async (outcome: string) =>
    (owned ? audit : auditRefusal)(db, request, now(), {
      action: 'login',
      outcome,
      email: owned?.user.email ?? null,
      user_id: owned ? userIdOf(owned.user) : null,
    });
  await usePasskey(call, owned, body.credential, ceremony).catch(async (error) => {
    if (toAppError(error).status < 500) await refused(owned ? 'passkey refused' : 'unknown passkey');
    throw error;
  });
  const { user } = owned as OwnedPasskey;
  const refusal = await refusalOf(call, owned as OwnedPasskey);
  if (refusal) {
    await refused(refusal);
    throw new AppError(REFUSALS[refusal]);
  }
  return beginSession(call, user, { began, contract, way: 'passkey', mfa: true });
}

async function refusalOf(
  { db, now }: Call,
  { user, mayRequireSso }: OwnedPasskey,
): Promise<keyof typeof REFUSALS | undefined> {
  if (user.account_status === 'disabled') return 'account disabled';
  // As for a login with the password: `verified` alone decides, also for a record that is still `paused`.
  if (!user.verified) return 'not verified';
  if (!mayRequireSso) return undefined;
  return (await requiresSso(db, user, now())) ? 'single sign-on required' : undefined;
}
