import { failures } from '@gatehouse/shared/http/errors';
import { failurePage, prefersJson } from '@gatehouse/shared/http/failure-page';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { buildAuthorizationUrl, calculatePKCECodeChallenge, randomPKCECodeVerifier } from 'openid-client';
import { z } from 'zod';
import { beginFlow, randomToken } from '../login/flow.ts';
import { beginQuery, freshLogin } from '../login/fresh-login.ts';
import { loginConnection } from '../login/login-connection.ts';
import { callbackUrl, checkCallback } from './callback-url.ts';
import { clientOf } from './client.ts';
import { scopeOf } from './offline-access.ts';
import { asOidc } from './options.ts';
import { refusalOf } from './refusal-of.ts';
import type { OidcRoutes } from './routes.ts';

const schema = {
  tags: ['single sign-on'],
  summary: 'Begin a login with OpenID Connect',
  description:
    'Redirects the browser (303) to the identity provider of the connection, with a cookie that ties the login to this browser. A client that accepts `application/json` and not `text/html` gets the address in JSON.',
  params: z.object({ slug: z.string().meta({ description: 'Names the connection' }) }),
  querystring: beginQuery,
  response: {
    200: z.object({ redirect_url: z.string() }).meta({
      description: 'Where the person logs in',
      examples: [{ redirect_url: 'https://idp.example.com/auth?client_id=gatehouse&response_type=code' }],
    }),
    ...failures('catalogue', 'invalidFormat', 'forbidden', 'notFound', 'rateLimited', 'unavailable'),
  },
};

/** GET /oauth/login/{slug}: begins an authorization code flow with PKCE (CONTRACT.md §OpenID Connect). */
export const oidcLogin: FastifyPluginAsyncZod<OidcRoutes> = async (app, { options, providerOf }) => {
  const config = { public: true, errorPage: failurePage };
  app.get('/oauth/login/:slug', { schema, config }, async (request, reply) => {
    const { slug } = request.params;
    const connection = asOidc(await loginConnection(options, { protocol: 'oidc', slug }));
    request.sso.connection = connection;
    const { metadata } = await providerOf(connection);
    checkCallback(connection, metadata);
    const nonce = randomToken();
    const code_verifier = randomPKCECodeVerifier();
    const fresh = freshLogin(request.query, options.now());
    const parameters = {
      redirect_uri: callbackUrl(options, connection).href,
      scope: scopeOf(connection, metadata),
      nonce,
      code_challenge: await calculatePKCECodeChallenge(code_verifier),
      code_challenge_method: 'S256',
      // With max_age the provider must send auth_time (OpenID Connect Core 1.0 §3.1.2.1).
      ...(fresh.authenticated_after && { prompt: 'login', max_age: '0' }),
    };
    let target: URL;
    try {
      target = buildAuthorizationUrl(clientOf(options, connection, metadata), parameters);
    } catch (error) {
      throw refusalOf(error);
    }
    const state = await beginFlow(options, request, reply, connection, { nonce, code_verifier, ...fresh });
    target.searchParams.set('state', state);
    reply.header('cache-control', 'no-store');
    if (prefersJson(request)) return { redirect_url: target.href };
    return reply.redirect(target.href, 303);
  });
};
