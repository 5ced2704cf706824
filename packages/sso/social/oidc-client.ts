import type { AppleKey, SocialClient } from '@gatehouse/shared/config/social';
import { SignJWT } from 'jose';
import { type ClientAuth, ClientSecretPost, None } from 'openid-client';
import { type OidcClient, secretAuthentication } from '../oidc/oidc-client.ts';

/** Seconds for which a client secret for Apple is valid: it is made for one call. */
const SECRET_LIFETIME = 300;

/** Returns our client at a provider in the form that packages/sso/oidc takes. */
export function oidcClientOf(
  { name, kind, issuer, client_id, client_secret, apple }: SocialClient,
  now: () => number,
): OidcClient {
  // Settings do not change while the service runs.
  const client = { id: `social ${name}`, version: 0, issuer, client_id };
  if (apple) return { ...client, authentication: () => signedSecret(apple, { issuer, client_id, now }) };
  return {
    ...client,
    ...(kind === 'microsoft' && tenantsOf(issuer)),
    authentication: (metadata) => {
      if (client_secret === null) return None();
      // GitHub has no discovery document that offers anything else.
      return kind === 'github'
        ? ClientSecretPost(client_secret)
        : secretAuthentication(metadata, client_secret);
    },
  };
}

/** The issuer template of a provider with many tenants; none if the issuer is one tenant. */
function tenantsOf(issuer: string): { tenants?: string } {
  const tenants = issuer.replace(/\/(?:common|organizations)\//, '/{tenantid}/');
  return tenants === issuer ? {} : { tenants };
}

/** The client secret for Apple, a JWT that our key signs for this call. */
const signedSecret =
  (
    { team_id, key_id, private_key }: AppleKey,
    { issuer, client_id, now }: { issuer: string; client_id: string; now: () => number },
  ): ClientAuth =>
  // openid-client awaits the promise.
  async (_server, _client, body) => {
    const seconds = Math.floor(now() / 1000);
    const secret = await new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: key_id })
      .setIssuer(team_id)
      .setSubject(client_id)
      .setAudience(issuer)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + SECRET_LIFETIME)
      .sign(private_key);
    body.set('client_id', client_id);
    body.set('client_secret', secret);
  };
