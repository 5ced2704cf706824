import { createPublicKey } from 'node:crypto';
import { jwtVerify } from 'jose';
import type { SigningKey } from '../signing-key.ts';
import type { Grant } from './authorization.ts';
import { identityOf } from './identity.ts';
import { createOpenIdServer } from './openid.ts';
import type { ProviderOptions } from './provider-options.ts';

const CLIENT_ID = 'test.practice.gatehouse';
const TEAM_ID = 'PRACTICE01';
const KEY_ID = 'PRACTICEK1';

/** Seconds for which a client secret may be valid. */
const SECRET_LIFETIME = 15_777_000;

/** Apple (https://developer.apple.com/documentation/signinwithapple). */
export function createApple({ base, redirectUri, staff, switches }: ProviderOptions, key: SigningKey) {
  const clientKey = createPublicKey(key.appleKey);
  /** The people who have logged in before. Apple sends a name only once. */
  const known = new Set<string>();

  /** The client secret is a token that the client signs with the key that Apple has given to its developer. */
  async function authenticates(id: string, secret: string): Promise<boolean> {
    const verified = await jwtVerify(secret, clientKey, {
      algorithms: ['ES256'],
      issuer: TEAM_ID,
      subject: id,
      audience: base,
      requiredClaims: ['iat', 'exp'],
    }).catch(() => undefined);
    if (!verified) return false;
    const { payload, protectedHeader } = verified;
    const now = Math.floor(Date.now() / 1000);
    return protectedHeader.kid === KEY_ID && Number(payload.exp) - now <= SECRET_LIFETIME;
  }

  const relayed = ({ person, hidesEmail }: Grant) => {
    const identity = identityOf(person, switches);
    return hidesEmail && identity.email
      ? { ...identity, email: `${identity.seed.toString('hex', 0, 5)}@privaterelay.practice.test` }
      : identity;
  };

  const listener = createOpenIdServer(
    {
      provider: 'Apple',
      base,
      issuer: base,
      client: { id: CLIENT_ID, redirectUri },
      staff,
      switches,
      paths: { authorization: '/auth/authorize', token: '/auth/token', keys: '/auth/keys' },
      metadata: {
        revocation_endpoint: `${base}/auth/revoke`,
        response_modes_supported: ['query', 'fragment', 'form_post'],
        subject_types_supported: ['pairwise'],
        scopes_supported: ['openid', 'email', 'name'],
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      },
      faultOf(parameters) {
        const scope = (parameters.get('scope') ?? '').split(' ').filter(Boolean);
        if (scope.some((name) => !['openid', 'email', 'name'].includes(name))) return 'invalid_scope';
        if (parameters.get('response_type') !== 'code') return 'invalid_request: Invalid response type';
        if (
          (scope.includes('email') || scope.includes('name')) &&
          parameters.get('response_mode') !== 'form_post'
        )
          return 'invalid_request: response_mode must be form_post when name or email scope is requested.';
        return undefined;
      },
      refusal: { error: 'user_cancelled_authorize' },
      canHideEmail: true,
      answer(grant): Record<string, string> {
        const { person, scope } = grant;
        if (known.has(person.uid)) return {};
        known.add(person.uid);
        const { firstName, lastName, email } = relayed(grant);
        const user = {
          ...(scope.includes('name') && { name: { firstName, lastName } }),
          ...(scope.includes('email') && { email }),
        };
        return { user: JSON.stringify(user) };
      },
      authenticates,
      claims(grant) {
        const { seed, email, isVerified } = relayed(grant);
        return {
          iss: base,
          sub: `${String(seed.readUInt16BE()).padStart(6, '0')}.${seed.toString('hex', 0, 16)}.1024`,
          // Apple's documents allow a string or a boolean here.
          ...(grant.scope.includes('email') &&
            email && {
              email,
              email_verified: String(isVerified),
              ...(grant.hidesEmail && { is_private_email: 'true' }),
            }),
          auth_time: Math.floor(Date.now() / 1000),
          nonce_supported: true,
        };
      },
    },
    key,
  );
  return {
    listener,
    /** Forgets who has logged in, as when a person stops using Apple for the client. */
    forget: () => known.clear(),
    settings: { ISSUER: base, CLIENT_ID, TEAM_ID, KEY_ID, PRIVATE_KEY: key.appleKey },
  };
}
