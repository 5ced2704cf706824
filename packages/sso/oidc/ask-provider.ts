import { type CustomFetch, customFetch, ResponseBodyError, refreshTokenGrant } from 'openid-client';
import type { Verdict } from '../continue/verdict.ts';
import { acceptedAlgorithms } from './algorithms.ts';
import { configurationOf } from './configuration.ts';
import { clientOf } from './oidc-client.ts';
import type { OidcRoutes } from './operation.ts';
import type { OidcConnection } from './options.ts';
import { isSealable } from './refresh-token.ts';
import { refusalOf } from './refusal-of.ts';
import { verifyToken } from './verify-token.ts';

/** Seconds since the ID token of a refresh was issued. */
const MAX_AGE = 600;

/** The provider no longer lets the person in without them (RFC 6749 §5.2, OpenID Connect Core 1.0 §3.1.2.6). */
const ENDING = new Set([
  'invalid_grant',
  'access_denied',
  'login_required',
  'interaction_required',
  'consent_required',
]);

/**
 * Asks with the refresh token of a session whether the person may go on (OpenID Connect Core 1.0 §12).
 * @param store keeps the token that takes the place of this one.
 * @throws {SsoRefusal} when the provider cannot be asked.
 */
export async function askOidcProvider(
  { options, providerOf }: OidcRoutes,
  connection: OidcConnection,
  { subject, refresh_token }: { subject: string; refresh_token: string },
  store: (refresh_token: string) => Promise<void>,
): Promise<Verdict> {
  const client = clientOf(options, connection);
  const provider = await providerOf(client);
  const ended = (detail: string): Verdict => ({ continues: false, detail, ends: 'session' });
  try {
    const configuration = configurationOf(options, client, provider.metadata);
    const fetch = configuration[customFetch] as CustomFetch;
    let next: unknown;
    configuration[customFetch] = async (...call) => {
      const response = await fetch(...call);
      next = await refreshTokenOf(response.clone());
      return response;
    };
    const answer = await refreshTokenGrant(configuration, refresh_token).finally(async () => {
      // Even if the answer is refused: the provider no longer accepts the former token.
      if (isSealable(next) && next !== refresh_token) await store(next);
    });
    if (answer.id_token === undefined) return { continues: true };
    const { payload } = await verifyToken(options, client, provider, answer.id_token, {
      maxAge: MAX_AGE,
      algorithms: acceptedAlgorithms(provider.metadata),
    });
    return payload.sub === subject ? { continues: true } : ended('the ID token is of another person');
  } catch (error) {
    if (error instanceof ResponseBodyError && ENDING.has(error.error))
      return ended(`the provider refuses the refresh token: ${error.error}`);
    throw refusalOf(error);
  }
}

/** Reads the refresh token by itself, because openid-client withholds it when it refuses the ID token of the same answer. */
async function refreshTokenOf(response: Response): Promise<unknown> {
  try {
    return ((await response.json()) as { refresh_token?: unknown } | null)?.refresh_token;
  } catch {
    return undefined;
  }
}
