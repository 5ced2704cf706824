import { requireFresh } from '../login/fresh-login.ts';
import type { LoginFlow } from '../records.ts';
import { SsoRefusal } from '../refusal.ts';
import { rememberAlgorithm } from './algorithms.ts';
import { callbackUrl, checkCallback } from './callback-url.ts';
import type { Claims } from './claims.ts';
import { clientOf } from './oidc-client.ts';
import type { OidcRoutes } from './operation.ts';
import { CLOCK_TOLERANCE, type OidcConnection } from './options.ts';
import { isComplete } from './profile-of.ts';
import { redeemCode } from './redeem-code.ts';
import { isSealable } from './refresh-token.ts';
import { refusalOf } from './refusal-of.ts';
import { readUserInfo } from './user-info.ts';

/**
 * Returns what the provider of a connection says about the person of an answer.
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
  const client = clientOf(options, connection);
  const provider = await providerOf(client);
  checkCallback(connection, provider.metadata);
  const answer = callbackUrl(options, connection);
  answer.search = search;
  const begun = { state, nonce, code_verifier };
  const { idToken, alg, tokens, configuration } = await redeemCode(options, client, provider, begun, answer);
  requireFresh(authenticated_after, provedAt(idToken), CLOCK_TOLERANCE * 1000);
  await rememberAlgorithm(options, connection, alg);
  const { access_token, refresh_token } = tokens;
  const claims = { idToken, ...(isSealable(refresh_token) && { refresh_token }) };
  if (isComplete(connection, idToken) || !provider.metadata.userinfo_endpoint) return claims;
  try {
    const { sub } = idToken;
    const userInfo = await readUserInfo(options, client, { configuration, provider, access_token, sub });
    return { ...claims, userInfo };
  } catch (error) {
    throw refusalOf(error);
  }
}

/** When the person proved who they are, as an ID token says; Unix milliseconds. */
export const provedAt = ({ auth_time }: Claims['idToken']): number | undefined =>
  typeof auth_time === 'number' ? auth_time * 1000 : undefined;
