import { CODE_LIFETIME } from '@gatehouse/shared/contract/sso-exchange';
import type { Call } from '@gatehouse/shared/operation/operation';
import { z } from 'zod';
import type { Connection } from '../connection-records.ts';
import { loginFormOperation, loginOperation, type SsoOptions } from '../dependencies.ts';
import { finishBrowserLogin } from '../login/finish.ts';
import { takeFlow } from '../login/flow.ts';
import { loginConnection, requireUsable } from '../login/login-connection.ts';
import { rememberMissing } from '../login/remember-missing.ts';
import { useOnce } from '../login/used-messages.ts';
import { mapAttributes, type Profile } from '../profile.ts';
import type { LoginFlow } from '../records.ts';
import { SsoRefusal } from '../refusal.ts';
import { asSaml, errorPage, slug } from './contract.ts';
import { NAME_ID_FORMAT } from './names.ts';
import { type ProviderMessage, readMessage } from './read-message.ts';
import { acsUrlOf } from './service-provider.ts';
import { unsolicitedConnection } from './unsolicited-connection.ts';
import type { Assertion } from './verify-assertion.ts';
import { verifyResponse } from './verify-response.ts';

const form = z.object({
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
});

const receiver = {
  needs: 'nothing',
  config: { errorPage },
  consumes: ['application/x-www-form-urlencoded'],
  summary: 'Receive the response of a SAML provider',
  description:
    'Ends a login: verifies the response, creates or updates the account, and redirects the browser (303) to the account page with a one-time code in the fragment of the address. A client that accepts `application/json` and not `text/html` gets the code in JSON. A failure is a page, or JSON for such a client.',
  body: form,
  returns: z.object({ code: z.string(), expires_in: z.int() }).meta({
    description: 'The one-time code for POST /api/v1/auth/sso/exchange',
    examples: [{ code: '3q2-7wEBAQ0ZTmV2ZXJHb25uYUdpdmVZb3VVcAAAAAA', expires_in: CODE_LIFETIME }],
  }),
  fails: ['forbidden', 'notFound', 'rateLimited', 'unavailable'],
  audits: ['sso.login', 'sso.link', 'member.grant', 'member.remove'],
} as const;

/** End a login with the HTTP-POST binding (CONTRACT.md §SAML). */
export const assertionConsumers = [
  loginFormOperation('POST /saml/acs', { ...receiver, handle: (call) => receive(call) }),
  loginFormOperation('POST /saml/acs/{slug}', {
    ...receiver,
    params: z.object({ slug }),
    summary: 'Receive the response of the SAML provider of a connection',
    description:
      'Like /saml/acs, for one connection. Have the provider send logins that begin there to this address if it encrypts assertions.',
    handle: (call) => receive(call, call.params.slug),
  }),
  // A failure leaves this address in the browser, where people load it again.
  loginOperation('GET /saml/acs', {
    needs: 'nothing',
    config: { errorPage },
    hidden: true,
    summary: 'Open the address of responses without one',
    description: 'Says that the login did not begin here.',
    returns: z.never(),
    audits: ['sso.login'],
    async handle() {
      throw new SsoRefusal('login not begun here', 'the address was opened without a response');
    },
  }),
];

type SamlCall = Call<SsoOptions, string, z.infer<typeof form>>;

async function receive(call: SamlCall, slug?: string) {
  const { request, reply, body } = call;
  const { SAMLResponse, RelayState } = body;
  const flow = await flowOf(call, RelayState);
  if (flow) {
    const { connection_id } = flow;
    request.sso.connection = await loginConnection(call, { protocol: 'saml', connection_id });
  }
  const message = readMessage('SAMLResponse', SAMLResponse);
  const connection = asSaml(request.sso.connection ?? (await unsolicited(call, message, slug)));
  if (slug !== undefined && slug !== connection.slug)
    throw new SsoRefusal('message refused', 'the response came to the address of another connection');

  const assertion = await verifyResponse(call, connection, message, {
    at: acsUrlOf(call.config, slug),
    request_id: flow?.request_id,
    authenticated_after: flow?.authenticated_after,
  });
  const profile = profileOf(assertion, connection);
  await rememberMissing(call, connection, profile);
  if (profile.email) request.sso.email = profile.email;
  await useOnce(call, connection.connection_id, assertion.id, assertion.acceptedUntil);
  return finishBrowserLogin(call, request, reply, connection, {
    ...(flow && { flow }),
    profile,
    session: sessionOf(assertion),
  });
}

/** @throws {SsoRefusal} unless people may log in through the connection, beginning at its provider. */
async function unsolicited(call: SamlCall, message: ProviderMessage, slug?: string): Promise<Connection> {
  const candidate = await unsolicitedConnection(call, message, slug);
  const { connection } = candidate;
  call.request.sso.connection = connection;
  if (!connection.saml?.idp_initiated)
    throw new SsoRefusal('login begun at the provider', 'the connection has no idp_initiated');
  requireUsable(candidate);
  return connection;
}

/** Takes the flow of a login that began here. Providers put a RelayState of their own into other responses. */
const flowOf = async (call: SamlCall, state: string | undefined): Promise<LoginFlow | undefined> =>
  state !== undefined && /^[\w-]{43}$/.test(state) ? takeFlow(call, state) : undefined;

/** The provider's data of the session that an assertion begins. */
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
