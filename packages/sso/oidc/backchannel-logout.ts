import { AppError } from '@gatehouse/shared/http/errors';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { endProviderSessions } from '../login/end-sessions.ts';
import { useOnce, wasUsed } from '../login/used-messages.ts';
import { SsoRefusal } from '../refusal.ts';
import { claimedParties, verifyLogoutToken } from './logout-token.ts';
import { logoutOperation, type OidcRoutes } from './operation.ts';
import { asOidc, type OidcConnection } from './options.ts';

const logout = {
  needs: 'nothing',
  consumes: ['application/x-www-form-urlencoded'],
  summary: 'Receive a logout of an OpenID Connect provider',
  description:
    'Ends the sessions that a logout token names, at once and on every process (OpenID Connect Back-Channel Logout 1.0). The token counts for every connection with its issuer and its client.',
  body: z.object({
    logout_token: z
      .string({ error: 'is required' })
      .min(1, { error: 'is required' })
      .meta({
        description: 'A JWT that the provider has signed',
        examples: ['eyJhbGciOiJSUzI1NiIsInR5cCI6ImxvZ291dCtqd3QifQ.…'],
      }),
  }),
  returns: z.object({}).meta({ description: 'The sessions have ended', examples: [{}] }),
  fails: ['rateLimited', 'unavailable'],
  audits: ['sso.logout'],
} as const;

/**
 * CONTRACT.md §OpenID Connect. A connection that is disabled, or whose organization has lost the plan, still ends
 * sessions.
 */
export const backchannelLogouts = [
  logoutOperation('POST /oauth/backchannel-logout', {
    ...logout,
    handle: (call) => {
      const { logout_token } = call.body;
      return receive(call, logout_token, () => {
        const { iss, aud } = claimedParties(logout_token);
        return { 'oidc.issuer': iss, 'oidc.client_id': { $in: aud } };
      });
    },
  }),
  logoutOperation('POST /oauth/backchannel-logout/{slug}', {
    ...logout,
    params: z.object({ slug: z.string().meta({ description: 'Names the connection' }) }),
    summary: 'Receive a logout of the OpenID Connect provider of a connection',
    description:
      'Like /oauth/backchannel-logout, for one connection. Register this address where several connections have the same issuer and client.',
    fails: [...logout.fails, 'notFound'],
    handle: (call) => receive(call, call.body.logout_token, () => ({ slug: call.params.slug })),
  }),
];

type OidcCall = OidcRoutes & { request: FastifyRequest };

async function receive(
  call: OidcCall,
  token: string,
  filterOf: () => Record<string, unknown>,
): Promise<Record<string, never>> {
  const { options, request } = call;
  try {
    const connections = await options.db.ssoConnections.find({ ...filterOf(), protocol: 'oidc' }).toArray();
    const [connection] = connections;
    if (!connection) throw new SsoRefusal('unknown connection', 'no connection has this issuer and client');
    request.sso.connection = connection;
    // An equal connection of another organization must not keep this one from its logouts.
    const results = await Promise.allSettled(connections.map((each) => logOut(call, asOidc(each), token)));
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    const fault = reasons.find((reason) => !(reason instanceof SsoRefusal));
    if (fault) throw fault;
    if (reasons.length === results.length) throw reasons[0];
  } catch (error) {
    if (!(error instanceof SsoRefusal)) throw error;
    // Back-Channel Logout 1.0 §2.8 has one status for every failure.
    throw new AppError('invalidFormat', { text: 'The logout token was not accepted', cause: error });
  }
  return {};
}

async function logOut(call: OidcCall, connection: OidcConnection, token: string): Promise<void> {
  const { options, request } = call;
  const { connection_id, organization_id } = connection;
  const { ended, jti, until } = await verifyLogoutToken(call, connection, token);
  if (await wasUsed(options, connection_id, jti)) throw new SsoRefusal('message used before', jti);
  // The sessions end first: if this process is killed in between, the provider can send its token again.
  const sessions = await endProviderSessions(options, ended);
  await useOnce(options, connection_id, jti, until);
  for (const user_id of new Set(sessions.map((session) => session.user_id))) {
    await audit(options.db, request, options.now(), {
      action: 'sso.logout',
      user_id,
      organization_id,
      target: { connection_id },
    });
  }
}
