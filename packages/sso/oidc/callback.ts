import { CODE_LIFETIME } from '@gatehouse/shared/contract/sso-exchange';
import { failurePage } from '@gatehouse/shared/http/failure-page';
import type { Call } from '@gatehouse/shared/operation/operation';
import { withTimeout } from '@gatehouse/shared/with-timeout';
import { z } from 'zod';
import { finishBrowserLogin } from '../login/finish.ts';
import { browserOf, takeFlow } from '../login/flow.ts';
import { loginConnection } from '../login/login-connection.ts';
import { rememberMissing } from '../login/remember-missing.ts';
import { SsoRefusal } from '../refusal.ts';
import { authenticate } from './authenticate.ts';
import { beginLogin } from './begin-login.ts';
import type { Claims } from './claims.ts';
import { loginOperation, type OidcRoutes } from './operation.ts';
import { asOidc, type OidcConnection } from './options.ts';
import { profileOf } from './profile-of.ts';
import { sealRefreshToken } from './refresh-token.ts';

/** A repeated parameter, which no provider sends, is treated as missing. */
const once = (description: string) => z.string().optional().catch(undefined).meta({ description });

const parameters = z.object({
  state: once('Names the login'),
  code: once('The authorization code'),
  iss: once('The issuer of the answer (RFC 9207)'),
  error: once('Why the provider refused'),
});

const callback = {
  needs: 'nothing',
  config: { errorPage: failurePage },
  summary: 'Receive the answer of an OpenID Connect provider',
  description:
    'Where the provider sends the browser back. The code is exchanged for tokens, the ID token is validated, and the browser is redirected (303) to the account page with a one-time code in the fragment. After `error=invalid_scope` the login begins again (303) without `offline_access`. A client that accepts `application/json` and not `text/html` gets that code in JSON.',
  query: parameters,
  returns: z.object({ code: z.string(), expires_in: z.int() }).meta({
    description: 'A one-time code for /api/v1/auth/sso/exchange',
    examples: [{ code: 'lVJxtmHNVbAXj3TjbFFJ0VmcrxTUBfuVVZTa8UkUgHU', expires_in: CODE_LIFETIME }],
  }),
  fails: ['invalidFormat', 'forbidden', 'notFound', 'rateLimited', 'unavailable'],
  audits: ['sso.login', 'sso.link', 'member.grant', 'member.remove'],
} as const;

/** End an authorization code flow (CONTRACT.md §OpenID Connect). */
export const oidcCallbacks = [
  loginOperation('GET /oauth/callback', { ...callback, handle: (call) => finish(call) }),
  loginOperation('GET /oauth/callback/{slug}', {
    ...callback,
    params: z.object({ slug: z.string().meta({ description: 'Names the connection' }) }),
    summary: 'Receive the answer of an OpenID Connect provider at an address of its own',
    description: `For providers that do not name themselves in their answers (RFC 9207). ${callback.description}`,
    handle: (call) => finish(call, call.params.slug),
  }),
];

async function finish(call: Call<OidcRoutes, string, unknown, z.infer<typeof parameters>>, slug?: string) {
  const { options, request, reply, query } = call;
  const { state } = query;
  if (!state) throw new SsoRefusal('login not begun here', 'the answer has no single state');
  const flow = await takeFlow(options, state);
  const { connection_id } = flow;
  const connection = asOidc(await loginConnection(options, { protocol: 'oidc', connection_id }));
  request.sso.connection = connection;
  // Otherwise a page could log a visitor in to the account of an attacker.
  if (browserOf(options, request) !== flow.browser)
    throw new SsoRefusal('login not begun here', 'the browser is not the one that began the login');
  // Otherwise the code of one provider could go to the token endpoint of another (RFC 9700 §4.4).
  if (slug !== (connection.oidc.own_callback ? connection.slug : undefined))
    throw new SsoRefusal('message refused', 'the answer came to the callback of another connection');

  // This answer is not signed: it ends this login and nothing else.
  if (query.error === 'invalid_scope' && flow.offline_access) {
    const { authenticated_after } = flow;
    const without = { ...(authenticated_after && { authenticated_after }), forgoes_offline_access: true };
    return reply.redirect(await beginLogin(call, request, reply, connection, without), 303);
  }
  const claims = await withTimeout(
    authenticate(call, connection, flow, new URL(request.url, 'http://localhost').search),
    options.loginTimeout,
    new SsoRefusal('provider unavailable', 'the calls of the login took too long'),
  );
  const profile = profileOf(connection, claims);
  await rememberMissing(options, connection, profile);
  if (profile.email !== undefined) request.sso.email = profile.email;
  return finishBrowserLogin(options, request, reply, connection, {
    flow,
    profile,
    session: sessionOf(options, connection, claims),
  });
}

/** The provider's data of the session that begins. */
const sessionOf = (
  options: OidcRoutes['options'],
  connection: OidcConnection,
  { idToken, refresh_token }: Claims,
) => ({
  ...(typeof idToken.sid === 'string' && { provider_sid: idToken.sid }),
  ...(refresh_token !== undefined && {
    refreshToken: (sid: string) => sealRefreshToken(options, connection, sid, refresh_token),
  }),
});
