import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Connection, LdapSettings, SamlSettings } from '@gatehouse/sso/connection-records';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createCertificate } from '../../fixtures/certificates.ts';
import { startHttp } from '../../fixtures/gateway.ts';
import { noSlapd, SERVICE, type Slapd, SUFFIX, slapdSkipped, startSlapd } from '../../fixtures/slapd.ts';
import { type SsoService, startSsoService } from '../sso-service.ts';

let service: SsoService;
let corp: Awaited<ReturnType<SsoService['newOrganization']>>;
beforeAll(async () => {
  service = await startSsoService({
    ldap: { connectTimeout: 60_000, operationTimeout: 60_000, totalTimeout: 60_000 },
  });
});
afterAll(() => service.stop());
beforeEach(async () => {
  corp = await service.newOrganization({ domain: null });
});

const testIt = (connection_id: string, body: unknown = {}, caller = corp.owner) =>
  caller.call('POST', `/api/v1/sso/connections/${connection_id}/test`, body);
/** Tests a connection that has these fields. @returns the findings of one check, as level and message. */
async function findings(
  fields: Partial<Connection> & Pick<Connection, 'protocol'>,
  check: string,
  body: unknown = {},
): Promise<string[]> {
  const { connection_id } = await service.newConnection(corp, fields);
  const { status, body: answer } = await testIt(connection_id, body);
  if (status !== 200) throw new Error(JSON.stringify(answer));
  return answer.findings
    .filter((finding: { check: string }) => finding.check === check)
    .map(({ level, message }: { level: string; message: string }) => `${level}: ${message}`);
}

describe('POST /api/v1/sso/connections/{connection_id}/test', () => {
  const ldap = { protocol: 'ldap' as const };

  test('is for Owners, on the plan', async () => {
    const { connection_id } = await service.newConnection(corp, ldap);
    expect((await testIt(connection_id)).status).toBe(200);
    expect((await testIt(connection_id, {}, await service.newPerson())).status).toBe(404);
    await service.db.departments.updateOne(
      { department_id: corp.department_id },
      { $set: { 'billing.subscription_plan': 'Free' } },
    );
    expect((await testIt(connection_id)).status).toBe(403);
  });

  test('needs no body', async () => {
    const { connection_id } = await service.newConnection(corp, ldap);
    const { status, body } = await corp.owner.call('POST', `/api/v1/sso/connections/${connection_id}/test`);
    expect([status, body.findings]).toEqual([200, expect.any(Array)]);
  });

  test.each([{ attributes: [] }, { username: 'a\u0000' }, { username: '' }])(
    'returns 400 for %j',
    async (body) => {
      const { connection_id } = await service.newConnection(corp, ldap);
      expect((await testIt(connection_id, body)).status).toBe(400);
    },
  );
});

describe('attributes', () => {
  const connection = { protocol: 'ldap' as const };
  const check = 'Attributes';

  test('in a sample are compared to the names of the connection', async () => {
    const sample = { email: 'ada@corp.example', firstName: ['Ada'], lastName: '', role: 'Viewer', other: 1 };
    expect(await findings(connection, check, { attributes: sample })).toEqual([
      'warning: The provider does not send lastName as lastName.',
      'warning: The provider does not send department as department.',
    ]);
    expect(
      await findings(connection, check, { attributes: { mail: 'x', __proto__: { email: 'x' } } }),
    ).toContain('error: The provider sends no e-mail address as email. Nobody can log in without one.');
  });

  test('are those of the latest login without a sample', async () => {
    expect(await findings(connection, check)).toEqual([
      'warning: Nobody has logged in yet, so it is not known what the provider sends. Give a sample, or log in.',
    ]);
    expect(await findings({ ...connection, missing_attributes: ['role'] }, check)).toEqual([
      'warning: The provider does not send role as role.',
    ]);
    expect(await findings({ ...connection, missing_attributes: [] }, check)).toEqual([
      'ok: The provider sends every attribute.',
    ]);
  });
});

describe('a SAML provider', () => {
  let page: Awaited<ReturnType<typeof startHttp>>;
  let settings: SamlSettings;
  beforeAll(async () => {
    page = await startHttp((_request, response) => void response.writeHead(405).end());
    const { certificate } = await createCertificate();
    settings = {
      idp_entity_id: 'urn:idp',
      sso_url: `${page.url}/sso`,
      slo_url: null,
      certificates: [certificate],
      sign_requests: false,
      idp_initiated: false,
      sp_private_key: '',
      sp_certificate: certificate,
    };
  });
  afterAll(() => page.stop());
  const loginPage = (sso_url: string) =>
    findings({ protocol: 'saml', saml: { ...settings, sso_url } }, 'Login page');

  test('has a login page that answers', async () => {
    expect(await loginPage(settings.sso_url)).toEqual(['ok: The login page of the provider answers.']);
  });

  test('has a login page that cannot be reached', async () => {
    const closed = await startHttp(() => {});
    await closed.stop();
    expect(await loginPage(closed.url)).toEqual([
      `error: The login page at ${closed.url} cannot be reached: the connection was refused.`,
    ]);
    expect(await loginPage('https://nowhere.example/')).toEqual([
      'error: The login page at https://nowhere.example/ cannot be reached: the name does not resolve.',
    ]);
  });

  test('has a login page in a private network', async () => {
    expect(await loginPage('https://10.1.2.3/sso')).toEqual([
      'warning: The login page is in a private network, so only browsers there reach it. It was not tested.',
    ]);
  });

  test('has a login page with a wrong certificate', async () => {
    const { certificate, privateKey } = await createCertificate({ hosts: ['127.0.0.1'] });
    const server = createServer({ cert: certificate, key: privateKey }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(await loginPage(url)).toEqual([
      'error: The login page has a TLS certificate that is not accepted: TLS failed (DEPTH_ZERO_SELF_SIGNED_CERT).',
    ]);
    server.close();
  });

  test('has a certificate that expires', async () => {
    const now = service.clock.now();
    const { certificate } = await createCertificate({ now, days: 29 });
    const saml = { ...settings, certificates: [certificate] };
    expect(await findings({ protocol: 'saml', saml }, 'Signing certificates')).toEqual([
      expect.stringMatching(/^warning: .* expires on /),
    ]);
  });
});

describe.skipIf(noSlapd)(`a directory${slapdSkipped}`, () => {
  let slapd: Slapd;
  beforeAll(async () => {
    slapd = await startSlapd(
      ['ada', 'twin', 'other-twin']
        .map(
          (uid) =>
            `dn: uid=${uid},ou=people,${SUFFIX}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: Lovelace\nmail: ${uid}@corp.example\ndescription: ${uid.slice(-4)}\n`,
        )
        .join('\n'),
    );
  });
  afterAll(() => slapd.stop());

  const ATTRIBUTES = {
    email: 'mail',
    firstName: 'givenName',
    lastName: 'sn',
    role: 'employeeType',
    department: 'ou',
  };
  /** Tests a directory. @returns the findings of one check. */
  async function inspect(check: string, fields: Partial<LdapSettings> = {}, body: unknown = {}) {
    const { connection_id } = await service.newConnection(corp, { protocol: 'ldap', attributes: ATTRIBUTES });
    const { bind_password, ...settings } = {
      url: slapd.tlsUrl,
      start_tls: false,
      ca: slapd.authority.certificate,
      bind_dn: SERVICE.dn,
      bind_password: SERVICE.password,
      base_dn: `ou=people,${SUFFIX}`,
      user_filter: '(uid={username})',
      user_dn: null,
      ...fields,
    };
    const sealed = bind_password && service.secrets.seal(bind_password, connection_id);
    const ldap: LdapSettings = { ...settings, bind_password: sealed };
    await service.db.ssoConnections.updateOne({ connection_id }, { $set: { ldap } });
    const { body: answer } = await testIt(connection_id, body);
    return (answer.findings as { check: string; level: string; message: string }[])
      .filter((finding) => finding.check === check)
      .map(({ level, message }) => `${level}: ${message}`);
  }

  test('that works', async () => {
    expect(await inspect('Connection')).toEqual(['ok: The directory answers.']);
    expect(await inspect('TLS certificate')).toEqual([expect.stringMatching(/^ok: .* valid until /)]);
    expect(await inspect('Bind')).toEqual([`ok: ${SERVICE.dn} can bind.`]);
    expect(await inspect('Search')).toEqual([expect.stringMatching(/^ok: The base of the search exists/)]);
  });

  test('that lacks attributes of a person', async () => {
    const ada = { username: 'ada' };
    expect(await inspect('Search', {}, ada)).toEqual([`ok: The filter finds uid=ada,ou=people,${SUFFIX}.`]);
    expect(await inspect('Attributes', {}, ada)).toEqual([
      'warning: The provider does not send firstName as givenName.',
      'warning: The provider does not send role as employeeType.',
      'warning: The provider does not send department as ou.',
    ]);
  });

  test.each<[string, string, Partial<LdapSettings>, object, string]>([
    ['Search', 'finds nobody', {}, { username: 'nobody' }, 'error: The filter finds nobody named nobody.'],
    ['Search', 'finds nobody by injection', {}, { username: '*' }, 'error: The filter finds nobody named *.'],
    [
      'Search',
      'finds several',
      { user_filter: '(description={username})' },
      { username: 'twin' },
      'error: The filter finds several people named twin, so they cannot log in.',
    ],
    [
      'Search',
      'has no base',
      { base_dn: `ou=nowhere,${SUFFIX}` },
      {},
      `error: The search below ou=nowhere,${SUFFIX} fails: NoSuchObjectError (result 32).`,
    ],
    [
      'Bind',
      'refuses the account that searches',
      { bind_password: 'wrong' },
      {},
      `error: The directory refuses: ${SERVICE.dn} cannot bind: InvalidCredentialsError (result 49).`,
    ],
    [
      'TLS certificate',
      'has an unknown authority',
      { ca: null },
      {},
      'error: The certificate of the directory is not accepted: ',
    ],
  ])('%s: %s', async (check, _what, fields, body, message) => {
    expect(await inspect(check, fields, body)).toStrictEqual([expect.stringContaining(message)]);
  });

  test('without TLS', async () => {
    expect(await inspect('TLS certificate', { url: slapd.url, ca: null })).toEqual([
      'warning: The connection is not encrypted: passwords can be read on the way. Use ldaps:// or start_tls.',
    ]);
  });

  test('that cannot be reached', async () => {
    const closed = await startHttp(() => {});
    await closed.stop();
    expect(await inspect('Connection', { url: closed.url.replace('http', 'ldap') })).toEqual([
      'error: The directory cannot be reached: the connection was refused.',
    ]);
  });
});
