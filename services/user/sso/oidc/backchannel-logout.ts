import { AppError, failures } from '@gatehouse/shared/http/errors';
import { forms } from '@gatehouse/shared/http/forms';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { endProviderSessions } from '../login/end-sessions.ts';
import { refusedLogins } from '../login/refused-logins.ts';
import { useOnce, wasUsed } from '../login/used-messages.ts';
import { SsoRefusal } from '../refusal.ts';
import { claimedParties, verifyLogoutToken } from './logout-token.ts';
import { asOidc, type OidcConnection } from './options.ts';
import type { OidcRoutes } from './routes.ts';

const schema = {
  tags: ['single sign-on'],
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
  response: {
    200: z.object({}).meta({ description: 'The sessions have ended', examples: [{}] }),
    ...failures('catalogue', 'missingField', 'invalidFormat', 'rateLimited', 'unavailable'),
  },
};
const own = {
  ...schema,
  params: z.object({ slug: z.string().meta({ description: 'Names the connection' }) }),
  summary: 'Receive a logout of the OpenID Connect provider of a connection',
  description:
    'Like /oauth/backchannel-logout, for one connection. Register this address where several connections have the same issuer and client.',
  response: { ...schema.response, ...failures('catalogue', 'notFound') },
};

/**
 * POST /oauth/backchannel-logout and /oauth/backchannel-logout/{slug} (CONTRACT.md §OpenID Connect). A connection
 * that is disabled, or whose organization has lost the plan, still ends sessions.
 */
export const backchannelLogout: FastifyPluginAsyncZod<OidcRoutes> = async (app, routes) => {
  const { options } = routes;
  const { ssoConnections } = options.db;
  const config = { public: true };
  await app.register(forms);
  await app.register(refusedLogins, { ...options, action: 'sso.logout' });

  app.post('/oauth/backchannel-logout', { schema, config }, (request, reply) => {
    const { logout_token } = request.body;
    return receive(request, reply, logout_token, () => {
      const { iss, aud } = claimedParties(logout_token);
      return { 'oidc.issuer': iss, 'oidc.client_id': { $in: aud } };
    });
  });

  app.post('/oauth/backchannel-logout/:slug', { schema: own, config }, (request, reply) =>
    receive(request, reply, request.body.logout_token, () => ({ slug: request.params.slug })),
  );

  async function receive(
    request: FastifyRequest,
    reply: FastifyReply,
    token: string,
    filterOf: () => Record<string, unknown>,
  ) {
    try {
      const connections = await ssoConnections.find({ ...filterOf(), protocol: 'oidc' }).toArray();
      const [connection] = connections;
      if (!connection) throw new SsoRefusal('unknown connection', 'no connection has this issuer and client');
      request.sso.connection = connection;
      // An equal connection of another organization must not keep this one from its logouts.
      const results = await Promise.allSettled(
        connections.map((each) => logOut(request, asOidc(each), token)),
      );
      const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
      const fault = reasons.find((reason) => !(reason instanceof SsoRefusal));
      if (fault) throw fault;
      if (reasons.length === results.length) throw reasons[0];
    } catch (error) {
      if (!(error instanceof SsoRefusal)) throw error;
      // Back-Channel Logout 1.0 §2.8 has one status for every failure.
      throw new AppError('invalidFormat', { text: 'The logout token was not accepted', cause: error });
    }
    return reply.send({});
  }

  async function logOut(request: FastifyRequest, connection: OidcConnection, token: string): Promise<void> {
    const { connection_id, organization_id } = connection;
    const { ended, jti, until } = await verifyLogoutToken(routes, connection, token);
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
};
