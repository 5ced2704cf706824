import type { SocialClient } from '@gatehouse/shared/config/social';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomPKCECodeVerifier,
  type ServerMetadata,
} from 'openid-client';
import { FLOW_LIFETIME, markBrowser, randomToken } from '../login/flow.ts';
import { configurationOf } from '../oidc/configuration.ts';
import { refusalOf } from '../oidc/refusal-of.ts';
import type { SocialFlow } from '../records.ts';
import { githubMetadata } from './github.ts';
import { oidcClientOf } from './oidc-client.ts';
import { PROVIDERS } from './providers.ts';
import { callbackUrl, type SocialRoutes } from './routes.ts';

/**
 * Begins an authorization code flow with PKCE in a browser.
 * @param flow.linking the account to which the person at the provider is to be linked; absent for a login.
 * @returns where the person logs in.
 */
export async function beginSocialFlow(
  { options, providerOf }: SocialRoutes,
  request: FastifyRequest,
  reply: FastifyReply,
  social: SocialClient,
  flow: Pick<SocialFlow, 'authenticated_after' | 'linking'>,
): Promise<string> {
  const { kind, name: provider } = social;
  const { scope, parameters, reloginParameters } = PROVIDERS[kind];
  const client = oidcClientOf(social, options.now);
  const metadata: ServerMetadata =
    kind === 'github' ? githubMetadata(social) : (await providerOf(client)).metadata;
  const [state, nonce, code_verifier] = [randomToken(), randomToken(), randomPKCECodeVerifier()];
  const code_challenge = await calculatePKCECodeChallenge(code_verifier);
  let target: URL;
  try {
    target = buildAuthorizationUrl(configurationOf(options, client, metadata), {
      redirect_uri: callbackUrl(options, social).href,
      scope,
      state,
      ...(kind !== 'github' && { nonce }),
      code_challenge,
      code_challenge_method: 'S256',
      ...parameters,
      ...(flow.authenticated_after && reloginParameters),
    });
  } catch (error) {
    throw refusalOf(error);
  }
  const browser = markBrowser(options, request, reply);
  const expires_at = new Date(options.now() + FLOW_LIFETIME * 1000);
  await options.db.socialFlows.insertOne({
    state,
    provider,
    browser,
    nonce,
    code_verifier,
    ...flow,
    expires_at,
  });
  reply.header('cache-control', 'no-store');
  return target.href;
}
