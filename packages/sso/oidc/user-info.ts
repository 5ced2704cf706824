import { jwtVerify } from 'jose';
import { type Configuration, fetchProtectedResource, type UserInfoResponse } from 'openid-client';
import { SsoRefusal } from '../refusal.ts';
import type { Provider } from './discovery.ts';
import type { OidcClient } from './oidc-client.ts';
import { ALGORITHMS, CLOCK_TOLERANCE, type OidcOptions } from './options.ts';

/** A login whose ID token is verified. */
interface Login {
  configuration: Configuration;
  provider: Provider;
  access_token: string;
  /** The subject of the ID token. */
  sub: string;
}

/**
 * Reads what userinfo says about a person (OpenID Connect Core 1.0 §5.3). A signed answer is verified.
 * @throws what openid-client and jose throw, and {SsoRefusal}.
 */
export async function readUserInfo(
  options: Pick<OidcOptions, 'now'>,
  client: OidcClient,
  { configuration, provider, access_token, sub }: Login,
): Promise<UserInfoResponse> {
  const address = String(provider.metadata.userinfo_endpoint);
  const url = URL.parse(address);
  if (!url)
    throw new SsoRefusal('message malformed', 'the discovery document has no valid userinfo_endpoint');
  const headers = new Headers({ accept: 'application/json, application/jwt' });
  const response = await fetchProtectedResource(configuration, access_token, url, 'GET', null, headers);
  if (response.status !== 200)
    throw new SsoRefusal('message malformed', `${address}: the response has status ${response.status}`);
  const isSigned = /^application\/jwt\b/i.test(response.headers.get('content-type') ?? '');
  const text = await response.text();
  const claims = isSigned ? await verified(options, client, provider, text) : parsed(address, text);
  // Tokens may be substituted (OpenID Connect Core 1.0 §5.3.2).
  if (claims.sub !== sub)
    throw new SsoRefusal('message refused', 'userinfo has no "sub", or another than the ID token');
  return { ...claims, sub };
}

async function verified(
  { now }: Pick<OidcOptions, 'now'>,
  { issuer, client_id }: OidcClient,
  { keys, metadata }: Provider,
  token: string,
): Promise<Record<string, unknown>> {
  const { userinfo_signing_alg_values_supported: offered } = metadata;
  const { payload } = await jwtVerify(token, keys, {
    algorithms: Array.isArray(offered) ? ALGORITHMS.filter((name) => offered.includes(name)) : ALGORITHMS,
    issuer,
    audience: client_id,
    currentDate: new Date(now()),
    clockTolerance: CLOCK_TOLERANCE,
  });
  return payload;
}

function parsed(address: string, text: string): Record<string, unknown> {
  try {
    const claims: unknown = JSON.parse(text);
    if (typeof claims === 'object' && claims !== null) return claims as Record<string, unknown>;
  } catch {}
  throw new SsoRefusal('message malformed', `${address}: the response is not JSON`);
}
