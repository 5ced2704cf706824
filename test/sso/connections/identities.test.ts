import type { Connection } from '@gatehouse/sso/connection-records';
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { unlinkInterrupted } from '../../../packages/sso/connections/unlink-identity.ts';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { postJson, send } from '../../fixtures/http.ts';
import { concurrently, NOWHERE, onePage } from '../../user/organizations/organization-service.ts';
import { newClient } from '../../user/scim/scim-client.ts';
import { type WithBrowser, withBrowser } from '../login/with-browser.ts';
import type { SsoService } from '../sso-service.ts';

let service: SsoService;
let browser: WithBrowser['browser'];
withBrowser((started) => {
  ({ service, browser } = started);
});

type Organization = Awaited<ReturnType<SsoService['newOrganization']>>;
type Person = Organization['owner'];
let corp: Organization;
let connection: Connection;
let connection_id: string;
beforeEach(async () => {
  const { db } = service;
  const all = [db.ssoDomains, db.ssoIdentities, db.ssoSessions, db.users];
  for (const collection of all) await collection.deleteMany({} as never);
  corp = await service.newOrganization();
  connection = await service.newConnection(corp, { protocol: 'oidc' });
  ({ connection_id } = connection);
});
afterEach(() => vi.restoreAllMocks());

const pathOf = (id = connection_id) => `/api/v1/sso/connections/${id}/identities`;
const list = (query = '', caller: Person = corp.owner, id = connection_id) =>
  caller.call('GET', `${pathOf(id)}${query}`);
const unlink = (user_id: string, caller: Person = corp.owner, id = connection_id) =>
  caller.call('DELETE', `${pathOf(id)}/${user_id}`);
const exchange = async ({ code, cookie }: { code: string; cookie: string }) =>
  postJson(`${service.url}/api/v1/auth/sso/exchange`, { code }, { cookie });
const stored = (user_id: string, id = connection_id) =>
  service.db.ssoIdentities.findOne({ connection_id: id, user_id });

/** Logs Grace in. @returns her account, and a call that tells whether the session lives. */
async function logIn(through = connection, subject = 'grace-0001', name = 'grace') {
  const profile = { subject, email: `${name}@corp.example` };
  const { body } = await exchange(await browser.logIn(through, { profile }));
  const headers = { authorization: `Bearer ${body.access_token}` };
  const status = async () => (await send(`${service.url}/api/v1/users/me`, { headers })).status;
  return { user_id: String(body.user_id), status };
}

async function newColleague(role: 'Admin' | 'Viewer') {
  const person = await service.newPerson();
  await service.db.memberships.insertOne({
    membership_id: `membership-${person.user_id}`,
    organization_id: corp.organization_id,
    department_id: corp.department_id,
    user_id: person.user_id,
    role,
    granted_by: corp.owner.user_id,
    granted_at: new Date(service.clock.now()).toISOString(),
  });
  return person;
}

const record = (user_id: string, fields: object = {}) => ({
  user_id,
  subject: 'grace-0001',
  email: 'grace@corp.example',
  managed_by_scim: false,
  created_at: new Date(service.clock.now()).toISOString(),
  last_login_at: new Date(service.clock.now()).toISOString(),
  ...fields,
});

describe('GET /api/v1/sso/connections/{connection_id}/identities', () => {
  it('lists the linked accounts of the connection, latest first', async () => {
    const grace = await logIn();
    const first = record(grace.user_id);
    service.clock.advance(1);
    const ada = await logIn(connection, 'ada-1', 'ada');
    await logIn(await service.newConnection(corp, { protocol: 'saml' }));
    const second = record(ada.user_id, { subject: 'ada-1', email: 'ada@corp.example' });
    expect(outcome(await list())).toStrictEqual(onePage(second, first));
    expect(outcome(await list('?search=GRACE'))).toStrictEqual(onePage(first));
    expect(outcome(await list(`?user_id=${ada.user_id}`))).toStrictEqual(onePage(second));
    expect(outcome(await list('?sort_by=email&order=desc'))).toStrictEqual(onePage(first, second));
    const { body } = await list('?limit=1&page=2');
    expect([body.data, body.pagination.total_items]).toEqual([[first], 2]);
  });

  it('lists people of SCIM once a login has linked them', async () => {
    const client = await newClient(service, corp);
    const id = client.connection.connection_id;
    await client.create('grace');
    expect(outcome(await list('', corp.owner, id))).toStrictEqual(onePage());
    const { user_id } = await logIn(client.connection);
    expect(outcome(await list('', corp.owner, id))).toStrictEqual(
      onePage(record(user_id, { managed_by_scim: true })),
    );
  });

  it.each(['?page=0', '?sort_by=subject', '?organization_id=x'])('returns 400 for %s', async (query) => {
    expect((await list(query)).status).toBe(400);
  });
});

describe('DELETE /api/v1/sso/connections/{connection_id}/identities/{user_id}', () => {
  it('unlinks the account and ends the sessions that began at the connection', async () => {
    const other = await service.newConnection(corp, { protocol: 'saml' });
    const here = await logIn();
    const there = await logIn(other);
    const ada = await logIn(connection, 'ada-1', 'ada');
    expect(outcome(await unlink(here.user_id))).toStrictEqual({
      status: 200,
      body: { message: 'Identity unlinked' },
    });
    expect(await Promise.all([here, there, ada].map((session) => session.status()))).toEqual([401, 200, 200]);
    expect(await stored(here.user_id)).toBeNull();
    expect(await stored(here.user_id, other.connection_id)).toMatchObject({ subject: 'grace-0001' });
    expect(await service.db.users.countDocuments({ user_id: here.user_id, account_status: 'active' })).toBe(
      1,
    );
  });

  it('lets the next login link the account, with another subject too', async () => {
    const { user_id } = await logIn();
    await expect(logIn(connection, 'grace-0002')).rejects.toThrow('the login did not end with a code');
    await unlink(user_id);
    const again = await logIn(connection, 'grace-0002');
    expect([again.user_id, await again.status()]).toEqual([user_id, 200]);
    expect(await stored(user_id)).toMatchObject({ subject: 'grace-0002' });
  });

  it('does not link the account again once its domain is lost', async () => {
    const { user_id } = await logIn();
    await unlink(user_id);
    await service.db.ssoDomains.deleteMany({});
    await expect(logIn()).rejects.toThrow('the login did not end with a code');
    expect(await stored(user_id)).toBeNull();
  });

  it('voids a login whose code has not been exchanged', async () => {
    const { user_id } = await logIn();
    const login = await browser.logIn(connection);
    await unlink(user_id);
    expect((await exchange(login)).status).toBe(400);
  });

  it('voids a login that is under way', async () => {
    const { user_id } = await logIn();
    const { insertOne } = service.db.ssoSessions;
    vi.spyOn(service.db.ssoSessions, 'insertOne').mockImplementationOnce(async (...args) => {
      await unlink(user_id);
      return insertOne.apply(service.db.ssoSessions, args);
    });
    expect((await exchange(await browser.logIn(connection))).status).toBe(400);
  });

  it('leaves what SCIM manages, without the subject', async () => {
    const client = await newClient(service, corp);
    const id = client.connection.connection_id;
    const { body: user } = await client.create('grace');
    const { user_id, status } = await logIn(client.connection);
    expect((await unlink(user_id, corp.owner, id)).status).toBe(200);
    expect(await status()).toBe(401);
    expect((await client.call('GET', `/Users/${user.id}`)).status).toBe(200);
    expect(await stored(user_id, id)).not.toHaveProperty('subject');
    expect(await stored(user_id, id)).not.toHaveProperty('unlinking');
    expect((await unlink(user_id, corp.owner, id)).status).toBe(404);
    const again = await logIn(client.connection, 'grace-0002');
    expect(again.user_id).toBe(user_id);
  });

  it('does not let in a person whom SCIM has deactivated', async () => {
    const client = await newClient(service, corp);
    const id = client.connection.connection_id;
    const { body: user } = await client.create('grace');
    const { user_id } = await logIn(client.connection);
    await client.patch(`/Users/${user.id}`, [{ op: 'replace', path: 'active', value: false }]);
    expect((await unlink(user_id, corp.owner, id)).status).toBe(200);
    await expect(logIn(client.connection)).rejects.toThrow('the login did not end with a code');
  });

  it('works without the plan', async () => {
    const { user_id } = await logIn();
    await service.db.departments.updateOne(
      { department_id: corp.department_id },
      { $set: { 'billing.subscription_plan': 'Free' } },
    );
    expect((await list()).body.data).toHaveLength(1);
    expect((await unlink(user_id)).status).toBe(200);
  });

  it('leaves one audit event for calls at once', async () => {
    const { user_id } = await logIn();
    const events = await eventsOf(service, async () => {
      const answers = await concurrently(8, () => unlink(user_id));
      expect(answers.map(({ status }) => status)).toContain(200);
      expect(answers.every(({ status }) => status === 200 || status === 404)).toBe(true);
    });
    expect(events).toEqual([
      auditEvent(service.clock.now(), {
        action: 'sso.unlink',
        user_id: corp.owner.user_id,
        email: corp.owner.email.toLowerCase(),
        organization_id: corp.organization_id,
        target: { connection_id, user_id },
      }),
    ]);
    expect(await stored(user_id)).toBeNull();
  });

  test.each<[string, (user_id: string) => Promise<void>]>([
    ['another call', async (user_id) => expect((await unlink(user_id)).status).toBe(200)],
    ['the next start', () => unlinkInterrupted(browser.options)],
  ])('is completed after an interruption by %s', async (_, complete) => {
    const { user_id, status } = await logIn();
    const events = await eventsOf(service, async () => {
      vi.spyOn(service.db.ssoSessions, 'find').mockImplementationOnce(() => {
        throw new Error('killed');
      });
      expect((await unlink(user_id)).status).toBe(500);
      expect(await status()).toBe(200);
      await complete(user_id);
    });
    expect(events.map(({ action }) => action)).toEqual(['sso.unlink']);
    expect(await status()).toBe(401);
    expect(await stored(user_id)).toBeNull();
    expect((await unlink(user_id)).status).toBe(404);
  });

  it('keeps a link that a login makes before an interrupted call is completed', async () => {
    const { user_id } = await logIn();
    vi.spyOn(service.db.ssoSessions, 'find').mockImplementationOnce(() => {
      throw new Error('killed');
    });
    await unlink(user_id);
    await logIn(connection, 'grace-0002');
    await unlinkInterrupted(browser.options);
    expect(await stored(user_id)).toMatchObject({ subject: 'grace-0002' });
    expect(await stored(user_id)).not.toHaveProperty('unlinking');
  });
});

describe('identities of a connection', () => {
  it('are 404 for others, 403 for members, and 404 where nothing is linked', async () => {
    const { user_id } = await logIn();
    const stranger = (await service.newOrganization({ domain: null })).owner;
    const [admin, viewer] = [await newColleague('Admin'), await newColleague('Viewer')];
    const statusOf = async (caller: Person, id = connection_id) => [
      (await list('', caller, id)).status,
      (await unlink(user_id, caller, id)).status,
    ];
    expect(await statusOf(stranger)).toEqual([404, 404]);
    expect(await statusOf(admin)).toEqual([403, 403]);
    expect(await statusOf(viewer)).toEqual([403, 403]);
    expect(await statusOf(corp.owner, NOWHERE)).toEqual([404, 404]);
    for (const unknown of [NOWHERE, corp.owner.user_id, '%24ne', 'grace-0001', `${user_id}%00`])
      expect((await unlink(unknown)).status).toBe(404);
    expect(await stored(user_id)).toMatchObject({ subject: 'grace-0001' });
  });

  it('cannot be unlinked through another organization’s connection', async () => {
    const { user_id } = await logIn();
    const other = await service.newOrganization({ domain: null });
    const theirs = await service.newConnection(other, { protocol: 'oidc' });
    expect((await unlink(user_id, other.owner, theirs.connection_id)).status).toBe(404);
    expect(await stored(user_id)).toMatchObject({ subject: 'grace-0001' });
  });

  it('cannot be unlinked in an archived organization', async () => {
    const { user_id } = await logIn();
    await service.db.organizations.updateOne(
      { organization_id: corp.organization_id },
      { $set: { archived_at: new Date(service.clock.now()).toISOString() } },
    );
    expect((await list()).status).toBe(200);
    expect((await unlink(user_id)).status).toBe(403);
  });

  it('are 404 while the connection is being deleted', async () => {
    const { user_id } = await logIn();
    await service.db.ssoConnections.updateOne({ connection_id }, { $set: { deleted_at: new Date() } });
    expect([(await list()).status, (await unlink(user_id)).status]).toEqual([404, 404]);
  });
});
