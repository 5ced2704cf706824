import { randomUUIDv7 } from 'node:crypto';
import type { Connection, SamlSettings } from '@gatehouse/sso/connection-records';
import { entityIdOf } from '../../../packages/sso/saml/service-provider.ts';
import { signingKey } from '../../fixtures/certificates.ts';
import { type Answered, postForm, send } from '../../fixtures/http.ts';
import {
  createSamlProvider,
  type ResponseFields,
  type SamlProvider,
  type Signing,
  toBase64,
} from '../../fixtures/saml-provider.ts';
import { startSsoService } from '../sso-service.ts';

const PUBLIC_URL = 'http://localhost:8000';
export const ACS_URL = `${PUBLIC_URL}/saml/acs`;

/** A user service with an organization whose people log in at a SAML provider. */
export async function startSamlService() {
  const service = await startSsoService({ env: { PUBLIC_URL, LOG_LEVEL: 'warn' } });
  const { db, url, clock, secrets } = service;
  const provider = await createSamlProvider();
  const spKey = await signingKey('corp');
  const organization = await service.newOrganization();

  /** Stores a connection to a provider. */
  function connect(
    { saml = {}, ...fields }: Partial<Omit<Connection, 'saml'>> & { saml?: Partial<SamlSettings> } = {},
    { to = provider, of = organization }: { to?: SamlProvider; of?: { organization_id: string } } = {},
  ) {
    const connection_id = randomUUIDv7();
    return service.newConnection(of, {
      connection_id,
      protocol: 'saml',
      saml: {
        idp_entity_id: to.entityId,
        sso_url: to.ssoUrl,
        slo_url: to.sloUrl,
        certificates: [to.key.certificate],
        sign_requests: false,
        idp_initiated: false,
        sp_private_key: secrets.seal(spKey.privateKey, connection_id),
        sp_certificate: spKey.certificate,
        ...saml,
      },
      ...fields,
    });
  }
  const connection = await connect();

  /** Begins a login as a browser does. */
  async function begin(at: Connection = connection, cookie?: string) {
    const answer = await send(`${url}/saml/login/${at.slug}`, { headers: cookie ? { cookie } : {} });
    const redirect = answer.headers.get('location') ?? '';
    return {
      ...provider.readRequest(redirect),
      redirect,
      answer,
      cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '',
    };
  }
  type Begun = Awaited<ReturnType<typeof begin>>;

  const audienceOf = ({ slug }: Connection) => entityIdOf({ PUBLIC_URL }, slug);

  /** The fields of an honest response to a login. */
  const fieldsFor = (begun: Pick<Begun, 'id'> | undefined, changes: Partial<ResponseFields> = {}) => ({
    ...provider.fields({
      audience: audienceOf(connection),
      recipient: ACS_URL,
      inResponseTo: begun?.id,
      now: clock.now(),
    }),
    ...changes,
  });

  /** A response whose assertion is signed. */
  const signedResponse = (fields: ResponseFields, signing: Partial<Signing> = {}): string =>
    provider.response(fields, provider.sign(provider.assertion(fields), signing));

  const post = (
    fields: Record<string, string>,
    headers: Record<string, string> = {},
    path = '/saml/acs',
  ): Promise<Answered> => postForm(`${url}${path}`, fields, { accept: 'text/html', ...headers });

  /** Posts a response as the browser does. */
  const answer = (xml: string, { relayState }: Pick<Begun, 'relayState'>) =>
    post({ SAMLResponse: toBase64(xml), RelayState: relayState });

  /** Everything that a login creates. */
  const created = async () => ({
    users: await db.users.countDocuments(),
    identities: await db.ssoIdentities.countDocuments(),
    memberships: await db.memberships.countDocuments(),
    sessions: await db.ssoSessions.countDocuments(),
    codes: await db.ssoSessions.countDocuments({ login_code: { $exists: true } }),
  });

  return {
    ...service,
    provider,
    spKey,
    organization,
    connection,
    connect,
    begin,
    audienceOf,
    fieldsFor,
    signedResponse,
    post,
    answer,
    created,
  };
}

export type SamlService = Awaited<ReturnType<typeof startSamlService>>;
