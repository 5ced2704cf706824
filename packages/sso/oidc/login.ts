import { failurePage, prefersJson } from '@gatehouse/shared/http/failure-page';
import { z } from 'zod';
import { beginQuery, freshLogin } from '../login/fresh-login.ts';
import { loginConnection } from '../login/login-connection.ts';
import { beginLogin } from './begin-login.ts';
import { loginOperation } from './operation.ts';
import { asOidc } from './options.ts';

/** Begins an authorization code flow with PKCE (CONTRACT.md §OpenID Connect). */
export const oidcLogin = loginOperation('GET /oauth/login/{slug}', {
  needs: 'nothing',
  config: { errorPage: failurePage },
  summary: 'Begin a login with OpenID Connect',
  description:
    'Redirects the browser (303) to the identity provider of the connection, with a cookie that ties the login to this browser. A client that accepts `application/json` and not `text/html` gets the address in JSON.',
  params: z.object({ slug: z.string().meta({ description: 'Names the connection' }) }),
  query: beginQuery,
  returns: z.object({ redirect_url: z.string() }).meta({
    description: 'Where the person logs in',
    examples: [{ redirect_url: 'https://idp.example.com/auth?client_id=gatehouse&response_type=code' }],
  }),
  fails: ['invalidFormat', 'forbidden', 'notFound', 'rateLimited', 'unavailable'],
  audits: ['sso.login'],
  async handle(call) {
    const { options, request, reply, params, query } = call;
    const { slug } = params;
    const connection = asOidc(await loginConnection(options, { protocol: 'oidc', slug }));
    request.sso.connection = connection;
    const fresh = freshLogin(query, options.now());
    const redirect_url = await beginLogin(call, request, reply, connection, fresh);
    return prefersJson(request) ? { redirect_url } : reply.redirect(redirect_url, 303);
  },
});
