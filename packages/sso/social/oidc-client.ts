import type { AppleKey, SocialClient } from '@gatehouse/shared/config/social';
import { SignJWT } from 'jose';
import { type ClientAuth, ClientSecretPost, None } from 'openid-client';
import { type OidcClient, secretAuthentication } from '../oidc/oidc-client.ts';

/** Seconds for which a client secret of Apple is valid: it is made for one call. */
const SECRET_LIFETIME = 300;

/** Returns our client at a provider as the room of OpenID Connect knows it. */
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

/** The issuer of people of any tenant; none for an issuer that is one tenant. */
function tenantsOf(issuer: string): { tenants?: string } {
  const tenants = issuer.replace(/\/(?:common|organizations)\//, '/{tenantid}/');
  return tenants === issuer ? {} : { tenants };
}

/** The client secret of Apple, a token that our key signs for this call. */
const signedSecret =
  (
    { team_id, key_id, private_key }: AppleKey,
    { issuer, client_id, now }: { issuer: string; client_id: string; now: () => number },
  ): ClientAuth =>
  // openid-client waits for it.
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
