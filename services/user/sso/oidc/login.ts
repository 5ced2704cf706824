import { failures } from '@gatehouse/shared/http/errors';
import { failurePage, prefersJson } from '@gatehouse/shared/http/failure-page';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { beginQuery, freshLogin } from '../login/fresh-login.ts';
import { loginConnection } from '../login/login-connection.ts';
import { beginLogin } from './begin-login.ts';
import { asOidc } from './options.ts';
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
export const oidcLogin: FastifyPluginAsyncZod<OidcRoutes> = async (app, routes) => {
  const { options } = routes;
  const config = { public: true, errorPage: failurePage };
  app.get('/oauth/login/:slug', { schema, config }, async (request, reply) => {
    const { slug } = request.params;
    const connection = asOidc(await loginConnection(options, { protocol: 'oidc', slug }));
    request.sso.connection = connection;
    const redirect_url = await beginLogin(
      routes,
      request,
      reply,
      connection,
      freshLogin(request.query, options.now()),
    );
    if (prefersJson(request)) return { redirect_url };
    return reply.redirect(redirect_url, 303);
  });
};
