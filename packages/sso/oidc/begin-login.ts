import type { FastifyReply, FastifyRequest } from 'fastify';
import { buildAuthorizationUrl, calculatePKCECodeChallenge, randomPKCECodeVerifier } from 'openid-client';
import { beginFlow, randomToken } from '../login/flow.ts';
import type { LoginFlow } from '../records.ts';
import { callbackUrl, checkCallback } from './callback-url.ts';
import { configurationOf } from './configuration.ts';
import { offersOfflineAccess } from './offline-access.ts';
import { clientOf } from './oidc-client.ts';
import type { OidcRoutes } from './operation.ts';
import type { OidcConnection } from './options.ts';
import { refusalOf } from './refusal-of.ts';

/**
 * Begins an authorization code flow with PKCE in a browser.
 * @param login.forgoes_offline_access whether the provider has refused the scope `offline_access` to this login.
 * @returns where the person logs in.
 */
export async function beginLogin(
  { options, providerOf }: OidcRoutes,
  request: FastifyRequest,
  reply: FastifyReply,
  connection: OidcConnection,
  {
    authenticated_after,
    forgoes_offline_access = false,
  }: Pick<LoginFlow, 'authenticated_after'> & { forgoes_offline_access?: boolean },
): Promise<string> {
  const client = clientOf(options, connection);
  const { metadata } = await providerOf(client);
  checkCallback(connection, metadata);
  const nonce = randomToken();
  const code_verifier = randomPKCECodeVerifier();
  const offline_access = !forgoes_offline_access && offersOfflineAccess(metadata);
  const parameters = {
    redirect_uri: callbackUrl(options, connection).href,
    scope: `openid email profile${offline_access ? ' offline_access' : ''}`,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(code_verifier),
    code_challenge_method: 'S256',
    // With max_age the provider must send auth_time (OpenID Connect Core 1.0 §3.1.2.1).
    ...(authenticated_after && { prompt: 'login', max_age: '0' }),
  };
  let target: URL;
  try {
    target = buildAuthorizationUrl(configurationOf(options, client, metadata), parameters);
  } catch (error) {
    throw refusalOf(error);
  }
  const state = await beginFlow(options, request, reply, connection, {
    nonce,
    code_verifier,
    ...(authenticated_after && { authenticated_after }),
    ...(offline_access && { offline_access }),
  });
  target.searchParams.set('state', state);
  reply.header('cache-control', 'no-store');
  return target.href;
}
