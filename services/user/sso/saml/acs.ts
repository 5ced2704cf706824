import { PROVIDER_BODY } from '@gatehouse/shared/http/body-limits';
import { failures } from '@gatehouse/shared/http/errors';
import { forms } from '@gatehouse/shared/http/forms';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { CODE_LIFETIME, finishBrowserLogin } from '../login/finish.ts';
import { takeFlow } from '../login/flow.ts';
import { loginConnection, requireUsable } from '../login/login-connection.ts';
import { rememberMissing } from '../login/remember-missing.ts';
import { useOnce } from '../login/used-messages.ts';
import type { SsoOptions } from '../options.ts';
import { mapAttributes, type Profile } from '../profile.ts';
import type { Connection, Flow } from '../records.ts';
import { SsoRefusal } from '../refusal.ts';
import { asSaml, errorPage, operation, slug } from './contract.ts';
import { NAME_ID_FORMAT } from './names.ts';
import { type Message, readMessage } from './read-message.ts';
import { acsUrlOf } from './service-provider.ts';
import { unsolicitedConnection } from './unsolicited-connection.ts';
import type { Assertion } from './verify-assertion.ts';
import { verifyResponse } from './verify-response.ts';

const schema = {
  ...operation,
  consumes: ['application/x-www-form-urlencoded'],
  summary: 'Receive the response of a SAML provider',
  description:
    'Ends a login: verifies the response, creates or updates the account, and redirects the browser (303) to the account page with a one-time code in the fragment of the address. A client that accepts `application/json` and not `text/html` gets the code in JSON. A failure is a page, or JSON for such a client.',
  body: z.object({
    SAMLResponse: z
      .string({ error: 'is required' })
      .meta({ description: 'The response in Base64', examples: ['PHNhbWxwOlJlc3BvbnNlIC4uLg=='] }),
    RelayState: z
      .string()
      .optional()
      .meta({
        description: 'As it was in our request; ignored in a login that began at the provider',
        examples: ['3q2-7wEBAQ0ZTmV2ZXJHb25uYUdpdmVZb3VVcAAAAAA'],
      }),
  }),
  response: {
    200: z.object({ code: z.string(), expires_in: z.int() }).meta({
      description: 'The one-time code for POST /api/v1/auth/sso/exchange',
      examples: [{ code: '3q2-7wEBAQ0ZTmV2ZXJHb25uYUdpdmVZb3VVcAAAAAA', expires_in: CODE_LIFETIME }],
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

const own = {
  ...schema,
  summary: 'Receive the response of the SAML provider of a connection',
  description:
    'Like /saml/acs, for one connection. Have the provider send logins that begin there to this address if it encrypts assertions.',
  params: z.object({ slug }),
};

/** POST /saml/acs and /saml/acs/{slug}: end a login with the HTTP-POST binding (CONTRACT.md §SAML). */
export const acs: FastifyPluginAsyncZod<SsoOptions> = async (app, options) => {
  const config = { public: true, errorPage };
  const posts: FastifyPluginAsyncZod = async (scope) => {
    await scope.register(forms, { maxBody: PROVIDER_BODY });
    scope.post('/saml/acs', { schema, config }, (request, reply) => receive(request, reply));
    scope.post('/saml/acs/:slug', { schema: own, config }, (request, reply) =>
      receive(request, reply, request.params.slug),
    );
  };
  await app.register(posts);

  // A failure leaves this address in the browser, where people load it again.
  app.get('/saml/acs', { schema: { hide: true }, config }, async () => {
    throw new SsoRefusal('login not begun here', 'the address was opened without a response');
  });

  async function receive(
    request: FastifyRequest<{ Body: z.infer<typeof schema.body> }>,
    reply: FastifyReply,
    slug?: string,
  ) {
    const { SAMLResponse, RelayState } = request.body;
    const flow = await flowOf(RelayState);
    if (flow) {
      const { connection_id } = flow;
      request.sso.connection = await loginConnection(options, { protocol: 'saml', connection_id });
    }
    const message = readMessage('SAMLResponse', SAMLResponse);
    const connection = asSaml(request.sso.connection ?? (await unsolicited(request, message, slug)));
    if (slug !== undefined && slug !== connection.slug)
      throw new SsoRefusal('message refused', 'the response came to the address of another connection');

    const assertion = await verifyResponse(options, connection, message, {
      at: acsUrlOf(options.config, slug),
      request_id: flow?.request_id,
      authenticated_after: flow?.authenticated_after,
    });
    const profile = profileOf(assertion, connection);
    await rememberMissing(options, connection, profile);
    if (profile.email) request.sso.email = profile.email;
    await useOnce(options, connection.connection_id, assertion.id, assertion.acceptedUntil);
    return finishBrowserLogin(options, request, reply, connection, {
      ...(flow && { flow }),
      profile,
      session: sessionOf(assertion),
    });
  }

  /** @throws {SsoRefusal} unless people may log in through the connection, beginning at its provider. */
  async function unsolicited(request: FastifyRequest, message: Message, slug?: string): Promise<Connection> {
    const candidate = await unsolicitedConnection(options, message, slug);
    const { connection } = candidate;
    request.sso.connection = connection;
    if (!connection.saml?.idp_initiated)
      throw new SsoRefusal('login begun at the provider', 'the connection has no idp_initiated');
    requireUsable(candidate);
    return connection;
  }

  /** Takes the flow of a login that began here. Providers put a RelayState of their own into other responses. */
  const flowOf = async (state: string | undefined): Promise<Flow | undefined> =>
    state !== undefined && /^[\w-]{43}$/.test(state) ? takeFlow(options, state) : undefined;
};

/** What an assertion says about the session that it begins. */
const sessionOf = ({ sessionIndex, sessionUntil }: Assertion) => ({
  ...(sessionIndex !== undefined && { provider_sid: sessionIndex }),
  ...(sessionUntil !== undefined && { valid_until: new Date(sessionUntil) }),
});

/** A provider vouches for the addresses it sends; which domains it may vouch for is checked when provisioning. */
function profileOf({ subject, subjectFormat, attributes }: Assertion, connection: Connection): Profile {
  const mapped = mapAttributes(attributes, connection);
  const email = mapped.email ?? (subjectFormat === NAME_ID_FORMAT.email ? subject : undefined);
  return { ...mapped, subject, email, emailVerified: true };
}
