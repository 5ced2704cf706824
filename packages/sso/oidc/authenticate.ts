import type { JWTPayload } from 'jose';
import { authorizationCodeGrant } from 'openid-client';
import { requireFresh } from '../login/fresh-login.ts';
import type { LoginFlow } from '../records.ts';
import { SsoRefusal } from '../refusal.ts';
import { acceptedAlgorithms, rememberAlgorithm } from './algorithms.ts';
import { callbackUrl, checkCallback } from './callback-url.ts';
import type { Claims } from './claims.ts';
import { clientOf } from './client.ts';
import type { OidcRoutes } from './operation.ts';
import { CLOCK_TOLERANCE, type OidcConnection } from './options.ts';
import { isComplete } from './profile-of.ts';
import { isSealable } from './refresh-token.ts';
import { refusalOf } from './refusal-of.ts';
import { readUserInfo } from './user-info.ts';
import { verifyToken } from './verify-token.ts';

/** Seconds after which an ID token is too old for a login that ends now. */
const MAX_AGE = 600;

/** OpenID Connect Core 1.0 §2. */
const MAX_SUBJECT = 255;

/**
 * Exchanges the code of an answer and validates the ID token (OpenID Connect Core 1.0 §3.1.3.7).
 * @param search the query of the answer.
 * @throws {SsoRefusal}
 */
export async function authenticate(
  { options, providerOf }: OidcRoutes,
  connection: OidcConnection,
  { state, nonce, code_verifier, authenticated_after }: LoginFlow,
  search: string,
): Promise<Claims> {
  if (!nonce || !code_verifier)
    throw new SsoRefusal('login not begun here', 'the login is of another protocol');
  const provider = await providerOf(connection);
  checkCallback(connection, provider.metadata);
  const answer = callbackUrl(options, connection);
  answer.search = search;
  try {
    const client = clientOf(options, connection, provider.metadata);
    // Checks `state` and `iss` before the code goes to the provider.
    const {
      id_token = '',
      access_token,
      refresh_token,
    } = await authorizationCodeGrant(client, answer, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: code_verifier,
      idTokenExpected: true,
    });
    const { payload, protectedHeader } = await verifyToken(options, connection, provider, id_token, {
      maxAge: MAX_AGE,
      algorithms: acceptedAlgorithms(provider.metadata),
    });
    const idToken = checkParties(connection, payload);
    const { auth_time } = payload;
    const provedAt = typeof auth_time === 'number' ? auth_time * 1000 : undefined;
    requireFresh(authenticated_after, provedAt, CLOCK_TOLERANCE * 1000);
    await rememberAlgorithm(options, connection, protectedHeader.alg);
    const claims = { idToken, ...(isSealable(refresh_token) && { refresh_token }) };
    if (isComplete(connection, idToken) || !provider.metadata.userinfo_endpoint) return claims;
    const { sub } = idToken;
    const userInfo = await readUserInfo(options, connection, { client, provider, access_token, sub });
    return { ...claims, userInfo };
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Checks the audience and the subject of a token where the libraries do not. */
function checkParties({ oidc }: OidcConnection, { sub = '', ...payload }: JWTPayload): Claims['idToken'] {
  if (payload.azp !== undefined && payload.azp !== oidc.client_id)
    throw new SsoRefusal('message refused', 'the ID token names another client as "azp"');
  if (sub === '' || sub.length > MAX_SUBJECT)
    throw new SsoRefusal('message refused', `the ID token needs a "sub" of 1 to ${MAX_SUBJECT} characters`);
  return { ...payload, sub };
}
