import { failures } from '@gatehouse/shared/http/errors';
import { loggedOutPage, prefersJson } from '@gatehouse/shared/http/failure-page';
import { forms } from '@gatehouse/shared/http/forms';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { endProviderSessions } from '../login/end-sessions.ts';
import { useOnce, wasUsed } from '../login/used-messages.ts';
import type { SsoOptions } from '../options.ts';
import { SsoRefusal } from '../refusal.ts';
import { asSaml, logoutErrorPage, operation, slug } from './contract.ts';
import { logoutResponseUrl } from './logout-response.ts';
import { readMessage } from './read-message.ts';
import { readRedirect } from './read-redirect.ts';
import { entityIdOf, openSpKey, type SamlConnection } from './service-provider.ts';
import { type LogoutRequest, verifyLogoutRequest, verifyPostSignature } from './verify-logout-request.ts';

const samlRequest = z
  .string({ error: 'is required' })
  .meta({ description: 'The LogoutRequest in Base64', examples: ['PHNhbWxwOkxvZ291dFJlcXVlc3QgLi4uPg=='] });
const relayState = z
  .string()
  .max(1024)
  .optional()
  .meta({
    description: 'Returned unchanged with the response',
    examples: ['a1b2c3'],
  });

const common = {
  ...operation,
  summary: 'Receive a logout of a SAML provider',
  params: z.object({ slug }),
  response: {
    200: z.object({ redirect_url: z.string().nullable() }).meta({
      description:
        'The sessions have ended. Where to send the browser, if the provider has an address for it',
      examples: [{ redirect_url: 'https://idp.example.com/slo?SAMLResponse=fZFNT8…' }],
    }),
    ...failures(
      'catalogue',
      'missingField',
      'invalidFormat',
      'forbidden',
      'notFound',
      'rateLimited',
      'unavailable',
    ),
  },
};
const DESCRIPTION =
  'Ends the sessions that a signed LogoutRequest names, at once and on every process, and redirects the browser (303) to the provider with a signed LogoutResponse. A client that accepts `application/json` and not `text/html` gets the address in JSON.';

const redirectSchema = {
  ...common,
  description: `${DESCRIPTION} This is the HTTP-Redirect binding.`,
  querystring: z.object({
    SAMLRequest: samlRequest.meta({
      description: 'The LogoutRequest, compressed, in Base64',
      examples: ['fZFNT8MwDIbv+yuq3Ld8'],
    }),
    RelayState: relayState,
    SigAlg: z
      .string()
      .optional()
      .meta({
        description: 'The algorithm of the signature',
        examples: ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'],
      }),
    Signature: z
      .string()
      .optional()
      .meta({ description: 'The signature in Base64', examples: ['c2lnbmF0dXJl'] }),
  }),
};
const postSchema = {
  ...common,
  description: `${DESCRIPTION} This is the HTTP-POST binding.`,
  consumes: ['application/x-www-form-urlencoded'],
  body: z.object({ SAMLRequest: samlRequest, RelayState: relayState }),
};

/**
 * GET and POST /saml/slo/{slug}: single logout that a provider begins (CONTRACT.md §SAML). A connection that is
 * disabled, or whose organization has lost the plan, still ends sessions.
 */
export const samlLogout: FastifyPluginAsyncZod<SsoOptions> = async (app, options) => {
  const config = { public: true, errorPage: logoutErrorPage };

  app.get('/saml/slo/:slug', { schema: redirectSchema, config }, async (request, reply) => {
    const connection = await connectionOf(request, request.params.slug);
    // As it was sent: the signature covers the provider's own encoding.
    const query = (request.raw.url ?? '').split('?').slice(1).join('?');
    const logout = await asLogout(async () => {
      const { root } = await readRedirect(query, connection.saml.certificates);
      return verifyLogoutRequest(options, connection, root);
    });
    return logOut(request, reply, connection, logout, request.query.RelayState);
  });

  const posts: FastifyPluginAsyncZod = async (scope) => {
    await scope.register(forms);
    scope.post('/saml/slo/:slug', { schema: postSchema, config }, async (request, reply) => {
      const { SAMLRequest, RelayState } = request.body;
      const connection = await connectionOf(request, request.params.slug);
      const logout = await asLogout(async () => {
        const message = readMessage('SAMLRequest', SAMLRequest);
        await verifyPostSignature(options, connection, message);
        return verifyLogoutRequest(options, connection, message.root);
      });
      return logOut(request, reply, connection, logout, RelayState);
    });
  };
  await app.register(posts);

  async function connectionOf(request: FastifyRequest, slug: string): Promise<SamlConnection> {
    const connection = await options.db.ssoConnections.findOne({ protocol: 'saml', slug });
    if (!connection) throw new SsoRefusal('unknown connection');
    request.sso.connection = connection;
    return asSaml(connection);
  }

  async function logOut(
    request: FastifyRequest,
    reply: FastifyReply,
    connection: SamlConnection,
    { id, subject, sessionIndexes, acceptedUntil }: LogoutRequest,
    relayState: string | undefined,
  ) {
    const { db, now } = options;
    const { connection_id, organization_id } = connection;
    const message = `logout ${id}`;
    if (await wasUsed(options, connection_id, message)) throw new SsoRefusal('message used before', id);
    const named =
      sessionIndexes.length === 0 ? [{}] : sessionIndexes.map((provider_sid) => ({ provider_sid }));
    const sessions = [];
    for (const which of named)
      sessions.push(...(await endProviderSessions(options, { connection_id, subject, ...which })));
    // Last, so that the provider can send its request again if this process is killed in between.
    await useOnce(options, connection_id, message, acceptedUntil);
    for (const user_id of new Set(sessions.map((session) => session.user_id)))
      await audit(db, request, now(), {
        action: 'sso.logout',
        user_id,
        organization_id,
        target: { connection_id },
      });
    return answer(request, reply, connection, id, relayState);
  }

  /** Sends the browser back to the provider, or tells the person if the provider has no address for it. */
  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    connection: SamlConnection,
    id: string,
    relayState: string | undefined,
  ) {
    const { slo_url } = connection.saml;
    reply.header('cache-control', 'no-store');
    if (slo_url === null) {
      if (prefersJson(request)) return { redirect_url: null };
      const { headers, body } = loggedOutPage(request);
      return reply.headers(headers).send(body);
    }
    const redirect_url = await logoutResponseUrl({
      address: slo_url,
      issuer: entityIdOf(options.config, connection.slug),
      inResponseTo: id,
      relayState,
      privateKey: openSpKey(options, connection),
      now: options.now(),
    });
    return prefersJson(request) ? { redirect_url } : reply.redirect(redirect_url, 303);
  }
};

/** Gives a refused request the words for a logout. */
async function asLogout<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (error) {
    if (!(error instanceof SsoRefusal) || error.refusal !== 'message refused') throw error;
    throw new SsoRefusal('logout refused', error.detail, error.cause);
  }
}
