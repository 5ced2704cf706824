import { randomBytes } from 'node:crypto';
import { PASSKEY_TOKEN_EXAMPLE } from '@gatehouse/shared/contract/passkey-proof';
import { AppError } from '@gatehouse/shared/http/errors';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { requiresSso } from '@gatehouse/shared/identity/sso';
import { MAX_PASSKEYS } from '@gatehouse/shared/identity/ways-in';
import { ALGORITHMS } from '@gatehouse/shared/passkeys/attestation';
import { newChallenge, PASSKEY_TIMEOUT } from '@gatehouse/shared/passkeys/ceremony';
import { loadLibrary } from '@gatehouse/shared/passkeys/library';
import { requireRelyingParty } from '@gatehouse/shared/passkeys/relying-party';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { operation } from './operation.ts';
import { ownPasskeys } from './own-passkeys.ts';

const creation = z
  .object({
    passkey_token: z.string().meta({ description: 'To be sent with the answer, within two minutes' }),
    options: z.looseObject({ challenge: z.string() }).meta({
      description: 'For `navigator.credentials.create()`, as `PublicKeyCredentialCreationOptionsJSON`',
    }),
  })
  .meta({
    description: 'The options for the browser',
    examples: [
      {
        passkey_token: PASSKEY_TOKEN_EXAMPLE,
        options: {
          rp: { id: 'accounts.example.com', name: 'Gatehouse' },
          user: { id: 'Zr4x0q…', name: 'ada@example.com', displayName: 'Ada' },
          challenge: 'wq2rYVbKz3nC1yXj6uQfPj0o8bq4oWc0i0b9i5x2m1k',
          pubKeyCredParams: ALGORITHMS.map((alg) => ({ alg, type: 'public-key' })),
          timeout: 120_000,
          attestation: 'none',
          excludeCredentials: [],
          authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        },
      },
    ],
  });

/** Whom a registration is for: this session of this account. */
export const registrationFor = (request: FastifyRequest) => {
  const { user, session } = principalOf(request);
  return { purpose: 'register', subject: `${user._id.toHexString()} ${session.id}` } as const;
};

export const tooMany = () =>
  new AppError('duplicate', { text: `The account has ${MAX_PASSKEYS} passkeys. Please remove one first.` });

export const passkeyOptions = operation('POST /api/v1/users/me/passkeys/options', {
  needs: 'own',
  fresh: true,
  returnsSecret: true,
  summary: 'Request options to register a passkey',
  description:
    'Returns options for `navigator.credentials.create()` and stores nothing. 404 if passkeys are off, 409 if the account has twenty.',
  returns: creation,
  fails: ['ssoRequired', 'duplicate', 'notFound'],
  async handle({ config, db, tokens, now, request }) {
    const { id: rpID } = requireRelyingParty(config);
    const { user } = principalOf(request);
    if (await requiresSso(db, user, now())) throw new AppError('ssoRequired');
    if ((user.passkeys ?? []).length >= MAX_PASSKEYS) throw tooMany();
    const challenge = newChallenge();
    const handle = user.passkey_handle ?? randomBytes(32).toString('base64url');
    const { generateRegistrationOptions } = await loadLibrary();
    const options = await generateRegistrationOptions({
      rpID,
      rpName: config.BRAND_NAME,
      userID: Uint8Array.from(Buffer.from(handle, 'base64url')),
      userName: user.email,
      userDisplayName: user.name,
      challenge: Uint8Array.from(Buffer.from(challenge, 'base64url')),
      timeout: PASSKEY_TIMEOUT,
      attestationType: 'none',
      excludeCredentials: (await ownPasskeys(db, user)).map(({ _id: id, transports }) => ({
        id,
        transports,
      })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: ALGORITHMS,
    });
    const ceremony = { ...registrationFor(request), challenge, handle };
    return { passkey_token: tokens.passkey(ceremony, now()), options: { ...options } };
  },
});
