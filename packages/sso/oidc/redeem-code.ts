import type { JWTPayload } from 'jose';
import {
  authorizationCodeGrant,
  type Configuration,
  type CustomFetch,
  customFetch,
  type TokenEndpointResponse,
} from 'openid-client';
import { SsoRefusal } from '../refusal.ts';
import { acceptedAlgorithms } from './algorithms.ts';
import { configurationOf } from './configuration.ts';
import type { Provider } from './discovery.ts';
import type { OidcClient } from './oidc-client.ts';
import type { OidcOptions } from './options.ts';
import { objectOf } from './provider-fetch.ts';
import { refusalOf } from './refusal-of.ts';
import { verifyToken } from './verify-token.ts';

/** Seconds after which an ID token is too old for a login that ends now. */
const MAX_AGE = 600;

/** OpenID Connect Core 1.0 §2. */
const MAX_SUBJECT = 255;

/** What the login that ends remembers. */
interface Begun {
  state: string;
  nonce: string;
  code_verifier: string;
}

interface Redeemed {
  /** The claims of the ID token. */
  idToken: JWTPayload & { sub: string };
  /** The algorithm that signed it. */
  alg: string;
  tokens: TokenEndpointResponse;
  configuration: Configuration;
}

/**
 * Exchanges the code of an answer and validates the ID token (OpenID Connect Core 1.0 §3.1.3.7).
 * @param answer the redirect URI with the query of the answer.
 * @throws {SsoRefusal}
 */
export async function redeemCode(
  options: OidcOptions,
  client: OidcClient,
  provider: Provider,
  { state, nonce, code_verifier }: Begun,
  answer: URL,
): Promise<Redeemed> {
  try {
    const configuration = configurationOf(options, client, provider.metadata);
    const withheld = client.tenants === undefined ? undefined : withholdIdToken(configuration);
    // Checks `state` and `iss` before the code goes to the provider.
    const tokens = await authorizationCodeGrant(configuration, answer, {
      expectedState: state,
      pkceCodeVerifier: code_verifier,
      ...(!withheld && { expectedNonce: nonce, idTokenExpected: true }),
    });
    const { id_token = '' } = withheld ?? tokens;
    const { payload, protectedHeader } = await verifyToken(options, client, provider, id_token, {
      maxAge: MAX_AGE,
      algorithms: acceptedAlgorithms(provider.metadata),
    });
    requireKeyOf(client, provider, protectedHeader.kid, payload);
    if (payload.nonce !== nonce) throw new SsoRefusal('message refused', 'the ID token has another "nonce"');
    return { idToken: checkParties(client, payload), alg: protectedHeader.alg, tokens, configuration };
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Keeps the ID token from openid-client, which knows one issuer for all tokens of a provider. */
function withholdIdToken(configuration: Configuration): { id_token?: string } {
  const withheld: { id_token?: string } = {};
  const fetch = configuration[customFetch] as CustomFetch;
  configuration[customFetch] = async (...call) => {
    const response = await fetch(...call);
    if (response.status !== 200) return response;
    const { id_token, ...others } = await objectOf(response);
    if (typeof id_token === 'string') withheld.id_token = id_token;
    return Response.json(others);
  };
  return withheld;
}

/**
 * Of a provider with many tenants, a key may belong to one of them: Microsoft then says so in its key set, with the
 * issuer whose tokens it signs.
 */
function requireKeyOf(
  { tenants }: OidcClient,
  { issuerOfKey }: Provider,
  kid: string | undefined,
  { iss, tid }: JWTPayload,
): void {
  const signsFor = tenants === undefined ? undefined : issuerOfKey(kid);
  if (signsFor !== undefined && signsFor.replace('{tenantid}', String(tid)) !== iss)
    throw new SsoRefusal('message refused', 'the key that signed the ID token is that of another tenant');
}

/** Checks the audience and the subject of a token where the libraries do not. */
function checkParties({ client_id }: OidcClient, { sub, ...payload }: JWTPayload): Redeemed['idToken'] {
  if (payload.azp !== undefined && payload.azp !== client_id)
    throw new SsoRefusal('message refused', 'the ID token names another client as "azp"');
  // Stored as UTF-8, two texts that are not well-formed could become one.
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT || !sub.isWellFormed())
    throw new SsoRefusal('message refused', `the ID token needs a "sub" of 1 to ${MAX_SUBJECT} characters`);
  return { ...payload, sub };
}
