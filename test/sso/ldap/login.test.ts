import type { LdapSettings } from '@gatehouse/sso/connection-records';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { createCertificate } from '../../fixtures/certificates.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { decodeToken, postJson, send } from '../../fixtures/http.ts';
import { noSlapd, SERVICE, type Slapd, SUFFIX, slapdSkipped, startSlapd } from '../../fixtures/slapd.ts';
import { concurrently } from '../../user/organizations/organization-service.ts';
import { type SsoService, startSsoService } from '../sso-service.ts';
import { startFakeDirectory } from './fake-directory.ts';

const PEOPLE = `ou=people,${SUFFIX}`;
const person = (uid: string, name: string, fields = '') => `
dn: uid=${uid},${PEOPLE}
objectClass: inetOrgPerson
uid: ${uid}
givenName: ${name}
cn: ${name}
sn: Lovelace
mail: ${uid}@corp.example
departmentNumber: Engineering
employeeType: Editor
userPassword: ${uid}-password
${fields}`;

const ATTRIBUTES = {
  email: 'MAIL',
  firstName: 'givenName',
  lastName: 'sn',
  role: 'employeeType',
  department: 'departmentNumber',
};

describe.skipIf(noSlapd)(`POST /api/v1/auth/ldap with OpenLDAP${slapdSkipped}`, () => {
  let slapd: Slapd;
  let service: SsoService;
  let corp: Awaited<ReturnType<SsoService['newOrganization']>>;
  /** Where a referral in the directory leads. */
  let elsewhere: Awaited<ReturnType<typeof startFakeDirectory>>;

  beforeAll(async () => {
    elsewhere = await startFakeDirectory(() => {});
    slapd = await startSlapd(
      [
        person('ada', 'Ada'),
        person('grace', 'Grace'),
        person('twin', 'Twin', 'description: twins'),
        person('other-twin', 'Twin', 'description: twins'),
        person('mallory', 'Mallory').replace('employeeType: Editor', 'employeeType: Owner'),
        person('eve', 'Eve').replace('eve@corp.example', 'eve@elsewhere.example'),
        `\ndn: ou=elsewhere,${PEOPLE}\nobjectClass: referral\nobjectClass: extensibleObject\nou: elsewhere\nref: ${elsewhere.url}/${PEOPLE}\n`,
      ].join('\n'),
    );
    service = await startSsoService({ env: { LOG_LEVEL: 'info' } });
    corp = await service.newOrganization();
  });
  afterAll(async () => {
    await service?.stop();
    await slapd?.stop();
    await elsewhere?.stop();
  });
  beforeEach(() => {
    service.logged.length = 0;
  });

  const SEARCH = {
    start_tls: false,
    ca: null,
    bind_dn: SERVICE.dn,
    bind_password: SERVICE.password,
    base_dn: PEOPLE,
    user_filter: '(uid={username})',
    user_dn: null,
  };
  const TEMPLATE = {
    ...SEARCH,
    bind_dn: null,
    bind_password: null,
    base_dn: null,
    user_filter: null,
    user_dn: `uid={username},${PEOPLE}`,
  };
  /** Stores a connection. @returns its slug. */
  async function connection(fields: Partial<LdapSettings> = {}): Promise<string> {
    const stored = await service.newConnection(corp, { protocol: 'ldap', attributes: ATTRIBUTES });
    const { connection_id, slug } = stored;
    const { bind_password, ...settings } = { url: slapd.url, ...SEARCH, ...fields };
    const sealed = bind_password && service.secrets.seal(bind_password, connection_id);
    const ldap = { ...settings, bind_password: sealed };
    await service.db.ssoConnections.updateOne({ connection_id }, { $set: { ldap } });
    return slug;
  }
  const logIn = (slug: string, username: string, password = `${username}-password`) =>
    postJson(`${service.url}/api/v1/auth/ldap`, { connection: slug, username, password });

  test.each<[string, () => Partial<LdapSettings>]>([
    ['a search', () => ({})],
    ['a search at a second URL', () => ({ url: 'ldap://127.0.0.1:1', fallback_urls: [slapd.url] })],
    ['a DN template', () => TEMPLATE],
    ['LDAPS', () => ({ url: slapd.tlsUrl, ca: slapd.authority.certificate })],
    [
      'LDAPS at a name',
      () => ({
        url: slapd.tlsUrl.replace('127.0.0.1', 'localhost'),
        ca: slapd.authority.certificate,
      }),
    ],
    ['StartTLS', () => ({ start_tls: true, ca: slapd.authority.certificate })],
    [
      'StartTLS and a DN template',
      () => ({
        ...TEMPLATE,
        start_tls: true,
        ca: slapd.authority.certificate,
      }),
    ],
  ])('logs a person in with %s', async (_what, settings) => {
    const answer = await logIn(await connection(settings()), 'ada');
    expect(outcome(answer)).toStrictEqual({
      status: 200,
      body: {
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 3600,
        user_id: expect.stringMatching(/^User-\d{6}$/),
      },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const me = await send(`${service.url}/api/v1/users/me`, {
      headers: { authorization: `Bearer ${answer.body.access_token}` },
    });
    expect(me.body).toMatchObject({ email: 'ada@corp.example', name: 'Ada Lovelace' });
  });

  test('knows a person by their entryUUID, and stores the session', async () => {
    const slug = await connection();
    const { body } = await logIn(slug, 'grace');
    const stored = await service.db.ssoConnections.findOne({ slug });
    const connection_id = String(stored?.connection_id);
    const identity = await service.db.ssoIdentities.findOne({ connection_id });
    expect(identity).toMatchObject({
      subject: expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      user_id: body.user_id,
      email: 'grace@corp.example',
    });
    expect(await service.db.ssoSessions.findOne({ connection_id })).toMatchObject({
      subject: identity?.subject,
      user_id: body.user_id,
      sid: decodeToken(body.access_token).header.sid,
    });
    expect(decodeToken(body.access_token).header).not.toHaveProperty('mfa');
  });

  test('twenty first logins at once lead to one account', async () => {
    const slug = await connection();
    const answers = await concurrently(20, () => logIn(slug, 'grace'));
    expect(new Set(answers.map(({ body }) => body.user_id)).size).toBe(1);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });

  test('leaves an audit event', async () => {
    const slug = await connection();
    const { user_id } = (await logIn(slug, 'ada')).body;
    const stored = await service.db.ssoConnections.findOne({ slug });
    let token = '';
    const events = await eventsOf(service, async () => {
      token = (await logIn(slug, 'ada')).body.access_token;
    });
    expect(events).toEqual([
      auditEvent(service.clock.now(), {
        action: 'sso.login',
        user_id,
        email: 'ada@corp.example',
        organization_id: corp.organization_id,
        target: { connection_id: String(stored?.connection_id) },
        session: {
          id: decodeToken(token).header.sid,
          device: 'node',
          expires_at: new Date(service.clock.now() + 60 * 60_000),
        },
      }),
    ]);
  });

  describe.each([
    ['a search', {}],
    ['a DN template', TEMPLATE],
  ])('with %s', (_what, settings) => {
    test('a wrong password and an unknown name are answered alike, and leave the reason', async () => {
      const slug = await connection(settings);
      for (const username of ['ada', 'nobody']) {
        const events = await eventsOf(service, async () => {
          const answer = await logIn(slug, username, 'wrong');
          expect(outcome(answer)).toStrictEqual(
            service.failure(
              answer,
              401,
              'INVALID_CREDENTIALS',
              'Invalid credentials',
              'The user name or the password is wrong.',
            ),
          );
        });
        expect(events).toMatchObject([
          {
            action: 'sso.login',
            outcome: 'credentials refused',
            organization_id: corp.organization_id,
            after: { detail: expect.stringMatching(/./) },
          },
        ]);
        expect(service.logged.some((line) => line.includes('single sign-on refused'))).toBe(true);
        expect(service.logged.join('')).not.toContain('"wrong"');
      }
    });

    test.each([
      '*',
      '*)(uid=*',
      'ada)(|(uid=*',
      'ada*',
      '\\61da', // an escaped a in a filter and a DN
      '\\2a',
      'a,dc=x',
      `ada,${PEOPLE}`,
      'ada+cn=Ada',
      'ada" ',
      '#6164',
      ' ada\u0000',
      'ada\u0000',
      '',
    ])('the user name %j finds nobody', async (username) => {
      const slug = await connection(settings);
      const users = await service.db.users.countDocuments();
      const answer = await logIn(slug, username, 'ada-password');
      expect([answer.status, await service.db.users.countDocuments()]).toEqual([
        username === '' ? 400 : 401,
        users,
      ]);
    });
  });

  test('a filter that finds several people logs in none of them', async () => {
    const slug = await connection({ user_filter: '(description={username})' });
    expect((await logIn(slug, 'twins', 'twin-password')).status).toBe(401);
  });

  test('referrals are not followed', async () => {
    const slug = await connection();
    expect((await logIn(slug, 'ada')).status).toBe(200);
    const base_dn = `ou=elsewhere,${PEOPLE}`;
    expect((await logIn(await connection({ base_dn }), 'ada')).status).toBe(503);
    expect(elsewhere.connections).toBe(0);
  });

  test('names of attributes with special characters are read as stored', async () => {
    const slug = await connection({ user_filter: '(&(objectClass=inetOrgPerson)(mail={username}))' });
    expect((await logIn(slug, 'ADA@corp.example', 'ada-password')).status).toBe(200);
  });

  test.each([
    ['mallory', 'role refused'],
    ['eve', 'foreign domain'],
  ])('provisioning refuses %s: %s', async (username, reason) => {
    const slug = await connection();
    const events = await eventsOf(service, async () => {
      expect((await logIn(slug, username)).status).toBe(403);
    });
    expect(events).toMatchObject([{ outcome: reason }]);
    expect(await service.db.users.countDocuments({ email: /^(?:mallory|eve)@/ })).toBe(0);
  });

  test.each<[string, () => Promise<Partial<LdapSettings>>, RegExp]>([
    [
      'the certificate of another authority',
      async () => ({
        url: slapd.tlsUrl,
        ca: (await createCertificate({ isAuthority: true })).certificate,
      }),
      /^TLS failed/,
    ],
    ['an authority that the system does not know', async () => ({ url: slapd.tlsUrl }), /^TLS failed/],
    [
      'StartTLS and another authority',
      async () => ({
        start_tls: true,
        ca: (await createCertificate({ isAuthority: true })).certificate,
      }),
      /^TLS failed/,
    ],
    [
      'a wrong password of the service',
      async () => ({ bind_password: 'wrong' }),
      /cn=gatehouse.* cannot bind/,
    ],
    ['a base that does not exist', async () => ({ base_dn: `ou=nowhere,${SUFFIX}` }), /./],
    ['LDAP at the port of LDAPS', async () => ({ url: slapd.tlsUrl.replace('ldaps', 'ldap') }), /./],
    ['LDAPS at the port of LDAP', async () => ({ url: slapd.url.replace('ldap', 'ldaps') }), /./],
  ])('returns 503 for %s and tells the operator why', async (_what, settings, detail) => {
    const slug = await connection(await settings());
    const events = await eventsOf(service, async () => {
      const answer = await logIn(slug, 'ada');
      expect([answer.status, answer.body.error?.details]).toEqual([
        503,
        'Your identity provider could not be reached. Please try again in a few minutes.',
      ]);
    });
    expect(events).toMatchObject([
      { outcome: 'provider unavailable', after: { detail: expect.stringMatching(detail) } },
    ]);
  });

  test('refuses a connection that is deleted during the login', async () => {
    const slug = await connection();
    const insert = vi.spyOn(service.db.ssoSessions, 'insertOne').mockImplementationOnce(async (session) => {
      insert.mockRestore();
      const { connection_id } = session;
      await corp.owner.call('DELETE', `/api/v1/sso/connections/${connection_id}`);
      return service.db.ssoSessions.insertOne(session);
    });
    expect((await logIn(slug, 'ada')).status).toBe(403);
  });

  test('refuses a login whose identity is unlinked meanwhile', async () => {
    const slug = await connection();
    await logIn(slug, 'ada');
    const insert = vi.spyOn(service.db.ssoSessions, 'insertOne').mockImplementationOnce(async (session) => {
      insert.mockRestore();
      const { connection_id, user_id } = session;
      await corp.owner.call('DELETE', `/api/v1/sso/connections/${connection_id}/identities/${user_id}`);
      return service.db.ssoSessions.insertOne(session);
    });
    expect((await logIn(slug, 'ada')).status).toBe(400);
    expect((await logIn(slug, 'ada')).status).toBe(200);
  });

  test('refuses connections that are disabled, unknown, or of another protocol', async () => {
    const slug = await connection();
    await service.db.ssoConnections.updateOne({ slug }, { $set: { enabled: false } });
    expect((await logIn(slug, 'ada')).status).toBe(403);
    expect((await logIn('unknown', 'ada')).status).toBe(404);
    const other = await service.newConnection(corp, { protocol: 'oidc' });
    expect((await logIn(other.slug, 'ada')).status).toBe(404);
  });
});
