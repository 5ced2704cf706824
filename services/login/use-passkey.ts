import { AppError } from '@gatehouse/shared/http/errors';
import { toAppError } from '@gatehouse/shared/http/to-app-error';
import type { PasskeyCeremony } from '@gatehouse/shared/identity/tokens';
import type { User } from '@gatehouse/shared/identity/user-record';
import {
  findPasskey,
  type OwnedPasskey,
  rememberUse,
  verifyAssertion,
} from '@gatehouse/shared/passkeys/assertion';
import { ceremonyOf, consumeCeremony } from '@gatehouse/shared/passkeys/ceremony';
import { type Assertion, assertion } from '@gatehouse/shared/passkeys/credentials';
import { requireRelyingParty } from '@gatehouse/shared/passkeys/relying-party';
import type { FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import type { LoginDependencies } from './operation.ts';

/** The answer of a passkey to a ceremony. */
export interface PasskeyProof {
  passkey_token: string;
  credential: Assertion;
}

type Call = LoginDependencies & { request: FastifyRequest };

/** Reads a credential that a form holds as text. @throws {AppError} invalidFormat */
export function credentialOf(text: string): Assertion {
  try {
    return assertion.parse(JSON.parse(text));
  } catch (cause) {
    throw new AppError('invalidFormat', {
      text: 'credential must be the answer of navigator.credentials.get() as JSON',
      cause,
    });
  }
}

/**
 * Verifies an assertion and consumes its ceremony.
 * @param owned undefined if the passkey is unknown or belongs to another account.
 * @throws {AppError} passkeyInvalid or passkeyTokenInvalid.
 */
export async function usePasskey(
  { config, db, now, request: { log } }: Call,
  owned: OwnedPasskey | undefined,
  credential: Assertion,
  ceremony: PasskeyCeremony,
): Promise<void> {
  if (!owned) throw new AppError('passkeyInvalid');
  const { challenge, purpose } = ceremony;
  const expected = { party: requireRelyingParty(config), challenge, needsUserHandle: purpose === 'login' };
  const counter = await verifyAssertion(owned, credential, expected).catch((error) => {
    const { cause } = toAppError(error);
    // The reason shows an operator, for example, that the settings lack an origin.
    log.info({ reason: (cause as Error | undefined)?.message }, 'a passkey was not accepted');
    throw error;
  });
  await consumeCeremony(db, ceremony, now());
  await rememberUse(db, owned.passkey, { counter, now: now(), log });
}

/**
 * Verifies that the caller holds a passkey of an account.
 * @throws {AppError} passkeyInvalid or passkeyTokenInvalid.
 */
export async function provePasskey(
  call: Call,
  user: Pick<WithId<User>, '_id'>,
  { passkey_token, credential }: PasskeyProof,
  expected: Pick<PasskeyCeremony, 'purpose' | 'subject'>,
): Promise<void> {
  const ceremony = ceremonyOf(call.tokens, passkey_token, expected, call.now());
  const owned = await findPasskey(call.db, credential.id);
  await usePasskey(call, owned?.user._id.equals(user._id) ? owned : undefined, credential, ceremony);
}
