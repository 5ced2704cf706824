import { randomBytes } from 'node:crypto';
import { prefersJson } from '@gatehouse/shared/http/failure-page';
import { z } from 'zod';
import { loginOperation } from '../dependencies.ts';
import { beginFlow } from '../login/flow.ts';
import { beginQuery, freshLogin } from '../login/fresh-login.ts';
import { loginConnection } from '../login/login-connection.ts';
import { asSaml, errorPage, slug } from './contract.ts';
import { openSpKey, serviceProvider } from './service-provider.ts';

/** Begins a login with the HTTP-Redirect binding (CONTRACT.md §SAML). */
export const samlLogin = loginOperation('GET /saml/login/{slug}', {
  needs: 'nothing',
  config: { errorPage },
  summary: 'Begin a login with SAML',
  description:
    'Redirects the browser (303) to the identity provider of the connection with an authentication request, and sets a cookie that ties the login to this browser. A client that accepts `application/json` and not `text/html` gets the address in JSON.',
  params: z.object({ slug }),
  query: beginQuery,
  returns: z.object({ redirect_url: z.string() }).meta({
    description: 'Where the person logs in',
    examples: [{ redirect_url: 'https://idp.example.com/sso?SAMLRequest=fZFNT8…&RelayState=3q2-7w…' }],
  }),
  fails: ['invalidFormat', 'forbidden', 'notFound', 'rateLimited', 'unavailable'],
  audits: ['sso.login'],
  async handle(call) {
    const { now, request, reply, params, query } = call;
    const { slug } = params;
    const connection = asSaml(await loginConnection(call, { protocol: 'saml', slug }));
    request.sso.connection = connection;
    // An XML ID does not begin with a digit.
    const request_id = `_${randomBytes(20).toString('hex')}`;
    const fresh = freshLogin(query, now());
    const provider = await serviceProvider(call, connection, {
      generateUniqueId: () => request_id,
      forceAuthn: fresh.authenticated_after !== undefined,
      ...(connection.saml.sign_requests && { privateKey: openSpKey(call, connection) }),
    });
    const state = await beginFlow(call, request, reply, connection, { request_id, ...fresh });
    const redirect_url = await provider.getAuthorizeUrlAsync(state, undefined, {});
    reply.header('cache-control', 'no-store');
    return prefersJson(request) ? { redirect_url } : reply.redirect(redirect_url, 303);
  },
});
