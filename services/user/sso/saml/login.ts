import { randomBytes } from 'node:crypto';
import { failures } from '@gatehouse/shared/http/errors';
import { prefersJson } from '@gatehouse/shared/http/failure-page';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { beginFlow } from '../login/flow.ts';
import { beginQuery, freshLogin } from '../login/fresh-login.ts';
import { loginConnection } from '../login/login-connection.ts';
import type { SsoOptions } from '../options.ts';
import { asSaml, errorPage, operation, slug } from './contract.ts';
import { openSpKey, serviceProvider } from './service-provider.ts';

const schema = {
  ...operation,
  summary: 'Begin a login with SAML',
  description:
    'Redirects the browser (303) to the identity provider of the connection with an authentication request, and sets a cookie that ties the login to this browser. A client that accepts `application/json` and not `text/html` gets the address in JSON.',
  params: z.object({ slug }),
  querystring: beginQuery,
  response: {
    200: z.object({ redirect_url: z.string() }).meta({
      description: 'Where the person logs in',
      examples: [{ redirect_url: 'https://idp.example.com/sso?SAMLRequest=fZFNT8…&RelayState=3q2-7w…' }],
    }),
    ...failures('catalogue', 'invalidFormat', 'forbidden', 'notFound', 'rateLimited', 'unavailable'),
  },
};

/** GET /saml/login/{slug}: begins a login with the HTTP-Redirect binding (CONTRACT.md §SAML). */
export const samlLogin: FastifyPluginAsyncZod<SsoOptions> = async (app, options) => {
  const config = { public: true, errorPage };
  app.get('/saml/login/:slug', { schema, config }, async (request, reply) => {
    const { slug } = request.params;
    const connection = asSaml(await loginConnection(options, { protocol: 'saml', slug }));
    request.sso.connection = connection;
    // An XML ID does not begin with a digit.
    const request_id = `_${randomBytes(20).toString('hex')}`;
    const fresh = freshLogin(request.query, options.now());
    const provider = await serviceProvider(options, connection, {
      generateUniqueId: () => request_id,
      forceAuthn: fresh.authenticated_after !== undefined,
      ...(connection.saml.sign_requests && { privateKey: openSpKey(options, connection) }),
    });
    const state = await beginFlow(options, request, reply, connection, { request_id, ...fresh });
    const redirect_url = await provider.getAuthorizeUrlAsync(state, undefined, {});
    reply.header('cache-control', 'no-store');
    return prefersJson(request) ? { redirect_url } : reply.redirect(redirect_url, 303);
  });
};
