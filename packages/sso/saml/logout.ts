import { loggedOutPage, prefersJson } from '@gatehouse/shared/http/failure-page';
import type { Call } from '@gatehouse/shared/operation/operation';
import { z } from 'zod';
import { logoutFormOperation, logoutOperation, type SsoOptions } from '../dependencies.ts';
import { endProviderSessions } from '../login/end-sessions.ts';
import { useOnce, wasUsed } from '../login/used-messages.ts';
import { SsoRefusal } from '../refusal.ts';
import { asSaml, logoutErrorPage, slug } from './contract.ts';
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

const DESCRIPTION =
  'Ends the sessions that a signed LogoutRequest names, at once and on every process, and redirects the browser (303) to the provider with a signed LogoutResponse. A client that accepts `application/json` and not `text/html` gets the address in JSON.';

const logout = {
  needs: 'nothing',
  config: { errorPage: logoutErrorPage },
  summary: 'Receive a logout of a SAML provider',
  params: z.object({ slug }),
  returns: z.object({ redirect_url: z.string().nullable() }).meta({
    description: 'The sessions have ended. Where to send the browser, if the provider has an address for it',
    examples: [{ redirect_url: 'https://idp.example.com/slo?SAMLResponse=fZFNT8…' }],
  }),
  fails: ['missingField', 'invalidFormat', 'forbidden', 'notFound', 'rateLimited', 'unavailable'],
  audits: ['sso.logout'],
} as const;

/**
 * Single logout that a provider begins (CONTRACT.md §SAML). A connection that is disabled, or whose organization has
 * lost the plan, still ends sessions.
 */
export const samlLogouts = [
  logoutOperation('GET /saml/slo/{slug}', {
    ...logout,
    description: `${DESCRIPTION} This is the HTTP-Redirect binding.`,
    query: z.object({
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
    async handle(call) {
      const connection = await connectionOf(call, call.params.slug);
      // As it was sent: the signature covers the provider's own encoding.
      const sent = (call.request.raw.url ?? '').split('?').slice(1).join('?');
      const request = await asLogout(async () => {
        const { root } = await readRedirect(sent, connection.saml.certificates);
        return verifyLogoutRequest(call, connection, root);
      });
      return logOut(call, connection, request, call.query.RelayState);
    },
  }),
  logoutFormOperation('POST /saml/slo/{slug}', {
    ...logout,
    description: `${DESCRIPTION} This is the HTTP-POST binding.`,
    consumes: ['application/x-www-form-urlencoded'],
    body: z.object({ SAMLRequest: samlRequest, RelayState: relayState }),
    async handle(call) {
      const { SAMLRequest, RelayState } = call.body;
      const connection = await connectionOf(call, call.params.slug);
      const request = await asLogout(async () => {
        const message = readMessage('SAMLRequest', SAMLRequest);
        await verifyPostSignature(call, connection, message);
        return verifyLogoutRequest(call, connection, message.root);
      });
      return logOut(call, connection, request, RelayState);
    },
  }),
];

type LogoutCall = Call<SsoOptions, string, unknown, unknown, 'sso.logout'>;

async function connectionOf({ db, request }: LogoutCall, slug: string): Promise<SamlConnection> {
  const connection = await db.ssoConnections.findOne({ protocol: 'saml', slug });
  if (!connection) throw new SsoRefusal('unknown connection');
  request.sso.connection = connection;
  return asSaml(connection);
}

async function logOut(
  call: LogoutCall,
  connection: SamlConnection,
  { id, subject, sessionIndexes, acceptedUntil }: LogoutRequest,
  relayState: string | undefined,
) {
  const { connection_id, organization_id } = connection;
  const message = `logout ${id}`;
  if (await wasUsed(call, connection_id, message)) throw new SsoRefusal('message used before', id);
  const named = sessionIndexes.length === 0 ? [{}] : sessionIndexes.map((provider_sid) => ({ provider_sid }));
  const sessions = [];
  for (const which of named)
    sessions.push(...(await endProviderSessions(call, { connection_id, subject, ...which })));
  // Last: after a kill in between, the provider can send its request again.
  await useOnce(call, connection_id, message, acceptedUntil);
  for (const user_id of new Set(sessions.map((session) => session.user_id)))
    await call.audit('sso.logout', {
      user_id,
      organization_id,
      target: { connection_id },
    });
  return answer(call, connection, id, relayState);
}

/** Sends the browser back to the provider, or tells the person if the provider has no address for it. */
async function answer(
  call: LogoutCall,
  connection: SamlConnection,
  id: string,
  relayState: string | undefined,
) {
  const { config, now, request, reply } = call;
  const { slo_url } = connection.saml;
  reply.header('cache-control', 'no-store');
  if (slo_url === null) {
    if (prefersJson(request)) return { redirect_url: null };
    const { headers, body } = loggedOutPage(request);
    return reply.headers(headers).send(body);
  }
  const redirect_url = await logoutResponseUrl({
    address: slo_url,
    issuer: entityIdOf(config, connection.slug),
    inResponseTo: id,
    relayState,
    privateKey: openSpKey(call, connection),
    now: now(),
  });
  return prefersJson(request) ? { redirect_url } : reply.redirect(redirect_url, 303);
}

/** Gives a refused request the words for a logout. */
async function asLogout<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (error) {
    if (!(error instanceof SsoRefusal) || error.refusal !== 'message refused') throw error;
    throw new SsoRefusal('logout refused', error.detail, error.cause);
  }
}
