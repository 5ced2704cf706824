import type { Facts } from '@gatehouse/shared/operation/operation';
import { isBearer } from '@gatehouse/shared/operation/requirement';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OPERATIONS as GATEWAY } from '../../../services/gateway/routes/operations.ts';
import { OPERATIONS as LOGIN } from '../../../services/login/operations.ts';
import { OPERATIONS as USER } from '../../../services/user/operations.ts';
import { errorEnvelope, outcome } from '../../fixtures/envelope.ts';
import { startGateway } from '../../fixtures/gateway.ts';
import { send, sendJson } from '../../fixtures/http.ts';
import { member } from '../../fixtures/members.ts';
import { adminCaller } from '../../fixtures/operators.ts';
import { type Services, startServices } from '../../fixtures/services.ts';
import { supportBearer } from '../../fixtures/support.ts';
import { startPlatform } from '../../gateway/platform.ts';

/**
 * What a full support session may write, each decided by itself. A new operation is either listed here or refused:
 * `supportSession: 'refused'` if nothing else in its declaration refuses it.
 */
const WRITTEN_IN_FULL = `
DELETE /api/v1/chatbots/{chatbot_id}
DELETE /api/v1/chatbots/{chatbot_id}/access/{user_id}
DELETE /api/v1/organizations/{organization_id}/departments/{department_id}/exports/{export_id}
DELETE /api/v1/organizations/{organization_id}/departments/{department_id}/invitations/{invitation_id}
DELETE /api/v1/organizations/{organization_id}/departments/{department_id}/members/{user_id}
DELETE /api/v1/organizations/{organization_id}/exports/{export_id}
DELETE /api/v1/organizations/{organization_id}/members/{user_id}
DELETE /api/v1/users/me/picture
DELETE /api/v1/webhooks/{webhook_id}
PATCH /api/v1/chatbots/{chatbot_id}
PATCH /api/v1/organizations/{organization_id}
PATCH /api/v1/organizations/{organization_id}/departments/{department_id}
PATCH /api/v1/organizations/{organization_id}/departments/{department_id}/billing
PATCH /api/v1/users/me
POST /api/v1/chat-3d/respond
POST /api/v1/chatbots/create
POST /api/v1/chatbots/{chatbot_id}/duplicate
POST /api/v1/chatbots/{chatbot_id}/move
POST /api/v1/crawl/upload-pdf
POST /api/v1/organizations
POST /api/v1/organizations/{organization_id}/departments
POST /api/v1/organizations/{organization_id}/departments/{department_id}/exports
POST /api/v1/organizations/{organization_id}/departments/{department_id}/restore
POST /api/v1/organizations/{organization_id}/exports
POST /api/v1/organizations/{organization_id}/restore
POST /api/v1/sso/connections/{connection_id}/test
POST /api/v1/webhooks/{webhook_id}/cancel
POST /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/cancel
POST /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/replay
POST /api/v1/webhooks/{webhook_id}/replay
POST /api/v1/webhooks/{webhook_id}/test
PUT /api/v1/users/me/picture
`
  .trim()
  .split('\n');
const LOGOUTS = ['POST /api/v1/auth/logout', 'POST /auth/logout'];

const lineOf = ({ method, path }: Facts) => `${method} ${path}`;
const withBearer = (operations: readonly Facts[]) => operations.filter(({ needs }) => isBearer(needs));
const ALL = withBearer([...GATEWAY, ...LOGIN, ...USER]);
const lines = (operations: readonly Facts[]) => [...new Set(operations.map(lineOf))].toSorted();
const isRefused = ({ allowsSupport }: Facts) => allowsSupport === 'none';

describe('the decision about each operation', () => {
  test('every write is decided', () => {
    const writes = ALL.filter(({ method }) => method !== 'GET');
    expect(lines(writes.filter(({ allowsSupport }) => allowsSupport === 'full'))).toEqual(WRITTEN_IN_FULL);
    expect(lines(writes.filter(({ allowsSupport }) => allowsSupport === 'read'))).toEqual(LOGOUTS);
  });

  test.each<[string, (facts: Facts) => boolean]>([
    ['needs a fresh session', ({ fresh }) => fresh === true],
    ['answers a secret', ({ returnsSecret }) => returnsSecret === true],
    ['gives roles', ({ needs }) => needs === 'assign roles' || needs === 'add users'],
    ['is for operators', ({ path }) => path.startsWith('/api/v1/admin')],
  ])('whatever %s is refused', (_, matches) => {
    expect(lines(ALL.filter((each) => matches(each) && !isRefused(each)))).toEqual([]);
  });

  test('whatever ends sessions is refused, but for the logout', () => {
    const ending = ALL.filter(({ endsSessions }) => endsSessions);
    expect(lines(ending.filter((each) => !isRefused(each)))).toEqual(LOGOUTS);
  });
});

let services: Services;
let platform: Awaited<ReturnType<typeof startPlatform>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let ada: Awaited<ReturnType<typeof member>>;
let reading: Record<string, string>;
let full: Record<string, string>;
let operator: Awaited<ReturnType<typeof adminCaller>>;
beforeAll(async () => {
  services = await startServices();
  platform = await startPlatform();
  gateway = await startGateway({
    env: {
      LOGIN_SERVICE_URL: services.login,
      USER_SERVICE_URL: services.user,
      UPSTREAM_CRAWL: platform.url,
      UPSTREAM_CHAT_3D: platform.url,
      UPSTREAM_PAYMENT: platform.url,
      UPSTREAM_ADMIN: platform.url,
      PUBLIC_CALLBACK_PATHS: '/api/v1/payment/callback',
      RATE_LIMIT: 'off',
    },
    clock: services.clock,
    database: services.db,
  });
});
afterAll(async () => {
  await gateway.stop();
  await platform.stop();
  await services.stop();
});
beforeEach(async () => {
  platform.reset();
  const { db, clock } = services;
  ada = await member(db, clock);
  operator = await adminCaller(services, 'admin');
  reading = { authorization: supportBearer(ada, operator, 'read', clock.now()) };
  full = { authorization: supportBearer(ada, operator, 'full', clock.now()) };
});

const READ_ONLY = {
  status: 403,
  body: errorEnvelope('SUPPORT_SESSION_READ_ONLY', 'A read-only support session changes nothing'),
};
const REFUSED = {
  status: 403,
  body: errorEnvelope('SUPPORT_SESSION_REFUSED', 'Only the person themselves may do this'),
};
const pathOf = (path: string) => path.replaceAll(/\{\w+\}/g, '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21');
const call = async (base: string, { method, path }: Facts, headers: Record<string, string>) =>
  outcome(await send(base + pathOf(path), { method, headers }));

/** Asks the service itself, as if there were no gateway. */
const served = (): [Facts, string][] => [
  ...withBearer(LOGIN).map((each): [Facts, string] => [each, services.login]),
  ...withBearer(USER).map((each): [Facts, string] => [each, services.user]),
];

describe('a read-only session', () => {
  test('changes nothing at the services themselves', async () => {
    for (const [operation, base] of served()) {
      if (operation.allowsSupport === 'read' || operation.method === 'GET') continue;
      expect([lineOf(operation), await call(base, operation, reading)]).toEqual([
        lineOf(operation),
        READ_ONLY,
      ]);
    }
  });

  test('changes nothing through the gateway', async () => {
    for (const operation of ALL) {
      if (operation.allowsSupport === 'read' || operation.method === 'GET') continue;
      if (operation.contract === 'internal') continue; // the gateway has no such path
      expect([lineOf(operation), await call(gateway.url, operation, reading)]).toEqual([
        lineOf(operation),
        READ_ONLY,
      ]);
    }
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('a platform service sees no %s', async (method) => {
    const answer = await send(`${gateway.url}/api/v1/payment/cards/1`, { method, headers: reading });
    expect(outcome(answer)).toEqual(READ_ONLY);
    expect(platform.calls).toEqual([]);
  });

  test('a public callback is not called as the person', async () => {
    const url = `${gateway.url}/api/v1/payment/callback`;
    expect(outcome(await send(url, { method: 'POST', headers: reading }))).toEqual(READ_ONLY);
    expect(platform.calls).toEqual([]);
    expect((await send(url, { method: 'POST' })).status).toBe(200);
  });

  test('an upload is refused before its body is read', async () => {
    const form = new FormData();
    form.set('chatbot_id', 'one');
    form.set('file', new Blob(['%PDF-1.7']), 'one.pdf');
    const url = `${gateway.url}/api/v1/crawl/upload-pdf`;
    expect(outcome(await send(url, { method: 'POST', headers: reading, body: form }))).toEqual(READ_ONLY);
    expect(platform.calls).toEqual([]);
  });

  test('its bearer is nothing at the SCIM service', async () => {
    const url = '/scim/v2/Users';
    const json = { 'content-type': 'application/scim+json', ...reading };
    expect(outcome(await sendJson('POST', gateway.url + url, {}, json))).toEqual(READ_ONLY);
    expect((await sendJson('POST', services.user + url, {}, json)).status).toBe(401);
    expect((await send(gateway.url + url, { headers: reading })).status).toBe(401);
  });

  test('reads as the person, and HEAD is a read', async () => {
    for (const base of [gateway.url, services.user]) {
      const answer = await send(`${base}/api/v1/users/me`, { headers: reading });
      expect(answer).toMatchObject({ status: 200, body: { user_id: ada.user_id } });
      expect((await fetch(`${base}/api/v1/users/me`, { method: 'HEAD', headers: reading })).status).toBe(200);
    }
  });

  test('does not download the data of the person', async () => {
    for (const base of [gateway.url, services.user])
      expect(outcome(await send(`${base}/api/v1/users/me/data`, { headers: reading }))).toEqual(REFUSED);
  });

  test('ends itself by a logout, in which its token is refused everywhere', async () => {
    const url = `${gateway.url}/api/v1/auth/logout`;
    expect(await send(url, { method: 'POST', headers: reading })).toMatchObject({ status: 200 });
    for (const base of [gateway.url, services.user])
      expect((await send(`${base}/api/v1/users/me`, { headers: reading })).status).toBe(401);
    // The session of the person goes on.
    const { authorization } = ada;
    expect((await send(`${gateway.url}/api/v1/users/me`, { headers: { authorization } })).status).toBe(200);
  });
});

describe('a full session', () => {
  test('is refused at the services what only the person may do', async () => {
    for (const [operation, base] of served()) {
      if (!isRefused(operation)) continue;
      expect([lineOf(operation), await call(base, operation, full)]).toEqual([lineOf(operation), REFUSED]);
    }
  });

  test('is refused the same through the gateway', async () => {
    for (const operation of ALL) {
      if (!isRefused(operation) || operation.contract === 'internal') continue;
      expect([lineOf(operation), await call(gateway.url, operation, full)]).toEqual([
        lineOf(operation),
        REFUSED,
      ]);
    }
  });

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])(
    'an admin service of the platform sees no %s',
    async (method) => {
      const answer = await send(`${gateway.url}/api/v1/admin/anything`, { method, headers: full });
      expect(outcome(answer)).toEqual(REFUSED);
      expect(platform.calls).toEqual([]);
    },
  );

  test('writes as the person, and the audit says by whom', async () => {
    const answer = await sendJson('PATCH', `${gateway.url}/api/v1/users/me`, { name: 'Ada L.' }, full);
    expect(answer).toMatchObject({ status: 200, body: { name: 'Ada L.' } });
    const event = await services.db.auditEvents.findOne({ user_id: ada.user_id, action: 'profile.update' });
    expect(event).toMatchObject({ operator: operator.user_id, address: expect.any(String) });
    const { authorization } = ada;
    const shown = await send(`${services.user}/api/v1/users/me/audit`, { headers: { authorization } });
    expect(shown.body.data).toMatchObject([
      { action: 'profile.update', operator: operator.user_id, address: null },
    ]);
  });

  test('the audit of the person themselves names no operator', async () => {
    const { authorization } = ada;
    await sendJson('PATCH', `${services.user}/api/v1/users/me`, { name: 'Ada L.' }, { authorization });
    const shown = await send(`${services.user}/api/v1/users/me/audit`, { headers: { authorization } });
    expect(shown.body.data[0].action).toBe('profile.update');
    expect(shown.body.data[0]).not.toHaveProperty('operator');
    expect(shown.body.data[0].address).not.toBeNull();
  });

  test('is never fresh, though it has just begun', async () => {
    const url = `${services.user}/api/v1/users/me/password`;
    const answer = await sendJson('POST', url, { new_password: 'another password' }, full);
    expect(outcome(answer)).toEqual(REFUSED);
  });

  test('platform services see who acts, and a client cannot say so', async () => {
    const url = `${gateway.url}/api/v1/payment/cards`;
    const { authorization } = ada;
    const forged = { 'x-gatehouse-operator': 'User-1', x_gatehouse_operator: 'User-1' };
    await send(url, { method: 'POST', headers: full });
    await send(url, { method: 'POST', headers: { ...full, ...forged } });
    await send(url, { method: 'POST', headers: { authorization, ...forged } });
    expect(platform.calls.map(({ headers }) => headers)).toMatchObject([
      { 'x-user-id': ada.user_id, 'x-gatehouse-operator': operator.user_id },
      { 'x-user-id': ada.user_id, 'x-gatehouse-operator': operator.user_id },
      { 'x-user-id': ada.user_id },
    ]);
    expect(platform.calls[1]?.headers).not.toHaveProperty('x_gatehouse_operator');
    expect(platform.calls[2]?.headers).not.toHaveProperty('x-gatehouse-operator');
    expect(platform.calls[2]?.headers).not.toHaveProperty('x_gatehouse_operator');
  });

  test('an Idempotency-Key of the person answers no operator, and that of an operator no person', async () => {
    const url = `${gateway.url}/api/v1/payment/cards`;
    const key = { 'idempotency-key': 'the-same' };
    const { authorization } = ada;
    await send(url, { method: 'POST', headers: { authorization, ...key } });
    await send(url, { method: 'POST', headers: { ...full, ...key } });
    await send(url, { method: 'POST', headers: { ...full, ...key } });
    expect(platform.calls.map(({ headers }) => headers['x-gatehouse-operator'])).toEqual([
      undefined,
      operator.user_id,
    ]);
    const another = { authorization: supportBearer(ada, operator, 'full', services.clock.now()) };
    await send(url, { method: 'POST', headers: { ...another, ...key } });
    expect(platform.calls).toHaveLength(3);
    // Nor does a read-only session see what was answered.
    const answer = await send(url, { method: 'POST', headers: { ...reading, ...key } });
    expect(outcome(answer)).toEqual(READ_ONLY);
  });
});
