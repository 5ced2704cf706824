import { createHash, randomUUIDv7 } from 'node:crypto';
import { createSecrets } from '@gatehouse/shared/data/secrets';
import type { Connection } from '@gatehouse/sso/connection-records';
import type { FastifyBaseLogger } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { removeInterrupted } from '../../../packages/sso/connections/remove.ts';
import { resealSecrets } from '../../../packages/sso/connections/reseal-secrets.ts';
import { endInterrupted } from '../../../packages/sso/connections/update.ts';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { createCertificate } from '../../fixtures/certificates.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { send } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { JWT_SECRET, testConfig } from '../../fixtures/services.ts';
import { concurrently, NOWHERE, onePage } from '../../user/organizations/organization-service.ts';
import { type SsoService, startSsoService } from '../sso-service.ts';
import { idpMetadata, ldap, newCertificates } from './samples.ts';

let service: SsoService;
let pem: string;
let nextPem: string;
beforeAll(async () => {
  service = await startSsoService();
  [pem, nextPem] = await newCertificates(service.clock);
});
afterAll(() => service.stop());

type Organization = Awaited<ReturnType<SsoService['newOrganization']>>;
type Person = Organization['owner'];
let corp: Organization;
beforeEach(async () => {
  corp = await service.newOrganization({ domain: null });
});

const log = { info() {} } as unknown as FastifyBaseLogger;
const PATH = '/api/v1/sso/connections';
let slugs = 0;
/** Creates a connection. @returns its record. */
async function connect(fields: object) {
  slugs += 1;
  const common = { organization_id: corp.organization_id, slug: `corp-${slugs}-x`, name: 'Corp' };
  const { status, body } = await corp.owner.call('POST', PATH, { ...common, ...fields });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}
const directory = (fields: object = {}) => connect({ protocol: 'ldap', ldap, ...fields });
const saml = () => connect({ protocol: 'saml', saml: { metadata_xml: idpMetadata(pem) } });
const call = (method: string, connection_id: string, body?: unknown, caller: Person = corp.owner) =>
  caller.call(method, `${PATH}/${connection_id}`, body);
const stored = (connection_id: string) => service.db.ssoConnections.findOne({ connection_id });

const downgrade = () =>
  service.db.departments.updateOne(
    { department_id: corp.department_id },
    { $set: { 'billing.subscription_plan': 'Free' } },
  );

describe('GET /api/v1/sso/connections', () => {
  test('lists the connections of the organization', async () => {
    const one = await directory({ name: 'Berlin' });
    service.clock.advance(1);
    const other = await directory({ name: 'London' });
    const list = (query = '') =>
      corp.owner.call('GET', `${PATH}?organization_id=${corp.organization_id}${query}`);
    expect(outcome(await list())).toStrictEqual(onePage(other, one));
    expect(outcome(await list('&search=lond'))).toStrictEqual(onePage(other));
    expect(outcome(await list('&protocol=saml'))).toStrictEqual(onePage());
  });

  test('requires organization_id', async () => {
    const answer = await corp.owner.call('GET', PATH);
    expect(answer.status).toBe(400);
  });

  test('returns 404 to others', async () => {
    const stranger = await service.newPerson();
    const answer = await stranger.call('GET', `${PATH}?organization_id=${corp.organization_id}`);
    expect(answer.status).toBe(404);
  });
});

describe('one connection', () => {
  test.each(['GET', 'PATCH', 'DELETE'])('is 404 for others and 403 for members: %s', async (method) => {
    const { connection_id } = await directory();
    const [member, stranger] = [await service.newPerson(), await service.newPerson()];
    await service.db.memberships.insertOne({
      membership_id: randomUUIDv7(),
      organization_id: corp.organization_id,
      department_id: corp.department_id,
      user_id: member.user_id,
      role: 'Admin',
      granted_by: corp.owner.user_id,
      granted_at: new Date(service.clock.now()).toISOString(),
    });
    const body = method === 'PATCH' ? { enabled: false } : undefined;
    expect((await call(method, connection_id, body, member)).status).toBe(403);
    expect((await call(method, connection_id, body, stranger)).status).toBe(404);
    expect((await call(method, NOWHERE, body)).status).toBe(404);
    expect((await stored(connection_id))?.enabled).toBe(true);
  });

  test('can be read, deleted and stripped of its SCIM token without the plan, but not changed', async () => {
    const { connection_id } = await directory();
    await downgrade();
    expect((await call('GET', connection_id)).status).toBe(200);
    expect((await call('PATCH', connection_id, { enabled: false })).status).toBe(403);
    expect((await call('POST', `${connection_id}/scim-token`)).status).toBe(403);
    expect((await call('DELETE', `${connection_id}/scim-token`)).status).toBe(200);
    expect((await call('DELETE', connection_id)).status).toBe(200);
  });
});

describe('PATCH /api/v1/sso/connections/{connection_id}', () => {
  test('changes the given fields and no others', async () => {
    const before = await directory();
    service.clock.advance(60);
    const { status, body } = await call('PATCH', before.connection_id, {
      name: 'Corporation',
      enabled: false,
      attributes: { department: 'ou' },
      default_role: 'Analyst',
      ldap: { user_filter: '(mail={username})' },
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        ...before,
        name: 'Corporation',
        enabled: false,
        attributes: { ...before.attributes, department: 'ou' },
        default_role: 'Analyst',
        ldap: { ...before.ldap, user_filter: '(mail={username})' },
        updated_at: new Date(service.clock.now()).toISOString(),
      },
    });
    expect((await call('GET', before.connection_id)).body).toStrictEqual(body);
  });

  test('keeps the SAML key while certificates are replaced', async () => {
    const { connection_id, saml: before } = await saml();
    const key = (await stored(connection_id))?.saml?.sp_private_key;
    const { body } = await call('PATCH', connection_id, { saml: { certificates: [pem, nextPem] } });
    expect(body.saml).toEqual({ ...before, certificates: [pem, nextPem] });
    expect((await stored(connection_id))?.saml?.sp_private_key).toBe(key);
  });

  test('changes another SAML setting after a certificate has expired', async () => {
    const { connection_id } = await saml();
    await service.db.ssoConnections.updateOne(
      { connection_id },
      { $set: { 'saml.certificates': [(await createCertificate({ days: -1 })).certificate] } },
    );
    const { status, body } = await call('PATCH', connection_id, { saml: { sign_requests: true } });
    expect([status, body.saml.sign_requests]).toEqual([200, true]);
  });

  test('replaces attribute names by those of a preset', async () => {
    const { connection_id } = await saml();
    const { body } = await call('PATCH', connection_id, {
      preset: 'keycloak',
      attributes: { role: 'rolle' },
    });
    expect(body.saml.sign_requests).toBe(true);
    expect(body.attributes).toEqual({
      email: 'urn:oid:1.2.840.113549.1.9.1',
      firstName: 'urn:oid:2.5.4.42',
      lastName: 'urn:oid:2.5.4.4',
      role: 'rolle',
      department: 'department',
    });
  });

  test.each<[object, string, string]>([
    [{}, 'INVALID_FORMAT', 'body must contain a field to change'],
    [{ slug: 'other' }, 'INVALID_FORMAT', 'slug cannot be changed'],
    [{ protocol: 'saml' }, 'INVALID_FORMAT', 'protocol cannot be changed'],
    [{ organization_id: NOWHERE }, 'INVALID_FORMAT', 'organization_id cannot be changed'],
    [{ saml: { sign_requests: true } }, 'INVALID_FORMAT', 'saml cannot be set for the protocol ldap'],
    [
      { default_role: 'Owner' },
      'INVALID_FORMAT',
      'default_role must be one of Admin, Editor, Viewer, Analyst',
    ],
    [
      { ldap: { user_dn: 'uid={username},dc=x' } },
      'INVALID_FORMAT',
      'ldap must hold either user_filter or user_dn',
    ],
    [
      { ldap: { url: 'ldaps://evil.example' } },
      'MISSING_FIELD',
      'ldap.bind_password is required with another url, fallback_urls, start_tls, ca or bind_dn',
    ],
    [
      { ldap: { url: 'ldap://ldap.example.com' } },
      'MISSING_FIELD',
      'ldap.bind_password is required with another url, fallback_urls, start_tls, ca or bind_dn',
    ],
  ])('returns 400 and changes nothing for %j', async (changes, code, details) => {
    const { connection_id } = await directory();
    const before = await stored(connection_id);
    const { status, body } = await call('PATCH', connection_id, changes);
    expect([status, body.error]).toMatchObject([400, { code, details }]);
    expect(await stored(connection_id)).toEqual(before);
  });

  test('keeps every one of ten concurrent changes of different settings', async () => {
    const { connection_id } = await directory();
    const names = ['email', 'firstName', 'lastName', 'role', 'department'];
    const answers = await concurrently(10, (turn) =>
      call('PATCH', connection_id, { attributes: { [names[turn % 5] as string]: `name-${turn % 5}` } }),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(Object.values((await stored(connection_id))?.attributes ?? {})).toEqual([
      'name-0',
      'name-1',
      'name-2',
      'name-3',
      'name-4',
    ]);
  });

  test('leaves an audit event without secrets', async () => {
    const { connection_id, slug } = await directory();
    const events = await eventsOf(service, () =>
      call('PATCH', connection_id, { enabled: false, ldap: { bind_password: 'another password' } }),
    );
    const fields = {
      protocol: 'ldap',
      slug,
      name: 'Corp',
      enabled: 'true',
      provider: ldap.url,
      default_role: 'Viewer',
      default_department_id: null,
    };
    expect(events).toEqual([
      auditEvent(service.clock.now(), {
        action: 'connection.update',
        user_id: corp.owner.user_id,
        email: corp.owner.email.toLowerCase(),
        organization_id: corp.organization_id,
        target: { connection_id },
        before: fields,
        after: { ...fields, enabled: 'false' },
      }),
    ]);
  });
});

/** A person with a session that began at a connection, and a session of their own. */
async function loggedIn(connection_id: string) {
  const user = await newMember(service.db);
  const user_id = String(user.user_id);
  const began = bearerOf(user, service.clock.now());
  const own = bearerOf(user, service.clock.now());
  const { sid } = JSON.parse(
    Buffer.from(began.replace('Bearer ', '').split('.')[0] ?? '', 'base64url').toString(),
  );
  const at = new Date(service.clock.now());
  const expires_at = new Date(service.clock.now() + 86_400_000);
  const login_code = { digest: randomUUIDv7(), browser: 'x', expires_at };
  await service.db.ssoSessions.insertOne({
    connection_id,
    subject: 'ada',
    user_id,
    sid,
    login_code,
    expires_at,
  });
  await service.db.ssoIdentities.insertOne({
    identity_id: randomUUIDv7(),
    connection_id,
    subject: 'ada',
    user_id,
    email: user.email,
    created_at: at,
    updated_at: at,
  });
  await service.db.ssoFlows.insertOne({ state: randomUUIDv7(), connection_id, browser: 'x', expires_at });
  const status = async (authorization: string) =>
    (await send(`${service.url}/api/v1/users/me`, { headers: { authorization } })).status;
  return { statuses: async () => [await status(began), await status(own)] };
}

describe('disabling a connection', () => {
  const disable = (connection_id: string) => call('PATCH', connection_id, { enabled: false });

  test('ends the sessions that began at it, and keeps who is linked', async () => {
    const [{ connection_id }, other] = [await directory(), await directory()];
    const [ada, grace] = [await loggedIn(connection_id), await loggedIn(other.connection_id)];
    expect((await disable(connection_id)).status).toBe(200);
    expect(await ada.statuses()).toEqual([401, 200]);
    expect(await grace.statuses()).toEqual([200, 200]);
    expect(await service.db.ssoIdentities.countDocuments({ connection_id })).toBe(1);
    await call('PATCH', connection_id, { enabled: true });
    expect(await ada.statuses()).toEqual([401, 200]);
  });

  test('leaves one audit event', async () => {
    const { connection_id } = await directory();
    await loggedIn(connection_id);
    const events = await eventsOf(service, () => disable(connection_id));
    expect(events).toMatchObject([{ action: 'connection.update', after: { enabled: 'false' } }]);
  });

  test('is completed after an interruption, at the next start or by another call', async () => {
    const interrupted = [await directory(), await directory()];
    const people: Awaited<ReturnType<typeof loggedIn>>[] = [];
    for (const { connection_id } of interrupted) {
      people.push(await loggedIn(connection_id));
      await service.db.ssoConnections.updateOne({ connection_id }, { $set: { enabled: false } });
    }
    const ended = () => Promise.all(people.map((person) => person.statuses()));
    const enabled = await directory();
    const grace = await loggedIn(enabled.connection_id);
    await disable(interrupted[0].connection_id);
    expect(await ended()).toEqual([
      [401, 200],
      [200, 200],
    ]);
    await endInterrupted({ config: testConfig('user'), db: service.db, now: service.clock.now });
    expect(await ended()).toEqual([
      [401, 200],
      [401, 200],
    ]);
    expect(await grace.statuses()).toEqual([200, 200]);
  });

  test.each([{ name: 'Corporation' }, { enabled: true }])(
    'goes on with every session after %j',
    async (changes) => {
      const { connection_id } = await directory();
      const ada = await loggedIn(connection_id);
      expect((await call('PATCH', connection_id, changes)).status).toBe(200);
      expect(await ada.statuses()).toEqual([200, 200]);
    },
  );
});

describe('DELETE /api/v1/sso/connections/{connection_id}', () => {
  const left = async (connection_id: string) => [
    await service.db.ssoConnections.countDocuments({ connection_id }),
    await service.db.ssoSessions.countDocuments({ connection_id }),
    await service.db.ssoIdentities.countDocuments({ connection_id }),
    await service.db.ssoFlows.countDocuments({ connection_id }),
  ];

  test('removes what belongs to the connection and ends the sessions that began at it', async () => {
    const [{ connection_id }, other] = [await directory(), await directory()];
    const [ada, grace] = [await loggedIn(connection_id), await loggedIn(other.connection_id)];
    expect(await ada.statuses()).toEqual([200, 200]);

    const answer = await call('DELETE', connection_id);
    expect(outcome(answer)).toStrictEqual({ status: 200, body: { message: 'Connection deleted' } });
    expect(await ada.statuses()).toEqual([401, 200]);
    expect(await grace.statuses()).toEqual([200, 200]);
    expect(await left(connection_id)).toEqual([0, 0, 0, 0]);
    expect(await left(other.connection_id)).toEqual([1, 1, 1, 1]);
    expect((await call('DELETE', connection_id)).status).toBe(404);
  });

  test('frees the slug and a place of the limit', async () => {
    const { connection_id, slug } = await directory();
    await call('DELETE', connection_id);
    expect((await directory({ slug })).slug).toBe(slug);
  });

  test('is completed after an interruption, at the next start or by another call', async () => {
    const interrupted = [await directory(), await directory()];
    const people = [];
    for (const { connection_id } of interrupted) {
      people.push(await loggedIn(connection_id));
      await service.db.ssoConnections.updateOne(
        { connection_id },
        { $set: { enabled: false, deleted_at: new Date(service.clock.now()) } },
      );
      expect((await call('GET', connection_id)).status).toBe(404);
      expect((await call('PATCH', connection_id, { enabled: true })).status).toBe(404);
    }
    const [one, other] = interrupted.map(({ connection_id }) => connection_id);
    expect((await call('DELETE', String(one))).status).toBe(200);
    await removeInterrupted({ config: testConfig('user'), db: service.db, now: service.clock.now, log });
    for (const person of people) expect(await person.statuses()).toEqual([401, 200]);
    expect([await left(String(one)), await left(String(other))]).toEqual([
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ]);
  });

  test('leaves one audit event', async () => {
    const { connection_id } = await directory();
    const events = await eventsOf(service, () => call('DELETE', connection_id));
    expect(events).toMatchObject([
      { action: 'connection.delete', outcome: 'success', target: { connection_id }, after: null },
    ]);
  });
});

describe('the SCIM token', () => {
  const issue = (connection_id: string) => call('POST', `${connection_id}/scim-token`);

  test('is shown once and stored as a digest', async () => {
    const { connection_id } = await directory();
    const answer = await issue(connection_id);
    expect(outcome(answer)).toStrictEqual({
      status: 201,
      body: {
        token: expect.stringMatching(/^scim_[\w-]{43}$/),
        scim_base_url: 'http://localhost:8000/scim/v2',
      },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const digest = createHash('sha256').update(answer.body.token).digest('hex');
    expect((await stored(connection_id))?.scim_token).toBe(digest);
    const read = await call('GET', connection_id);
    expect(read.body.has_scim_token).toBe(true);
    expect(JSON.stringify(read.body)).not.toContain(digest);
  });

  test('replaces the previous one and can be revoked', async () => {
    const { connection_id } = await directory();
    const [first, second] = [await issue(connection_id), await issue(connection_id)];
    expect(first.body.token).not.toBe(second.body.token);
    const revoked = await call('DELETE', `${connection_id}/scim-token`);
    expect(outcome(revoked)).toStrictEqual({ status: 200, body: { message: 'SCIM token revoked' } });
    expect(await stored(connection_id)).not.toHaveProperty('scim_token');
    expect((await call('GET', connection_id)).body.has_scim_token).toBe(false);
  });

  test('leaves audit events that do not hold it', async () => {
    const { connection_id } = await directory();
    const events = await eventsOf(service, async () => {
      await issue(connection_id);
      await call('DELETE', `${connection_id}/scim-token`);
    });
    expect(events.map(({ action, before, after }) => ({ action, before, after }))).toEqual([
      { action: 'connection.update', before: { scim_token: 'none' }, after: { scim_token: 'issued' } },
      { action: 'connection.update', before: { scim_token: 'issued' }, after: { scim_token: 'none' } },
    ]);
  });
});

test('a start reseals what the previous key sealed, and keeps what no key opens', async () => {
  const [{ connection_id }, lost] = [await directory(), await directory()];
  await service.db.ssoConnections.updateOne(
    { connection_id: lost.connection_id },
    { $set: { 'ldap.bind_password': 'deadbeef.x.y.z' } },
  );
  const secrets = createSecrets({ JWT_SECRET, WEBHOOK_SECRET_KEY: 'a new key, 32 bytes or more, for tests' });
  await resealSecrets({ db: service.db, secrets });
  const sealed = async ({ connection_id: id }: Pick<Connection, 'connection_id'>) =>
    String((await stored(id))?.ldap?.bind_password);
  expect(secrets.isCurrent(await sealed({ connection_id }))).toBe(true);
  expect(secrets.open(await sealed({ connection_id }), connection_id)).toBe(ldap.bind_password);
  expect(await sealed(lost)).toBe('deadbeef.x.y.z');
});

test('the connections of an archived organization are read-only', async () => {
  const { connection_id } = await directory();
  const { organization_id, owner } = corp;
  const archive = { archived_at: new Date(service.clock.now()).toISOString() };
  await service.db.organizations.updateOne({ organization_id }, { $set: archive });
  expect((await call('GET', connection_id)).status).toBe(200);
  expect((await owner.call('GET', `${PATH}?organization_id=${organization_id}`)).status).toBe(200);
  for (const [method, path, body] of [
    ['PATCH', connection_id, { enabled: false }],
    ['POST', `${connection_id}/scim-token`],
    ['DELETE', connection_id],
  ] as const) {
    const { status, body: refusal } = await call(method, path, body);
    expect([status, refusal.error.details]).toEqual([403, 'The organization is archived']);
  }
  expect((await stored(connection_id))?.enabled).toBe(true);
});
