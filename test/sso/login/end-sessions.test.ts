import type { Connection } from '@gatehouse/sso/connection-records';
import { beforeEach, expect, it, vi } from 'vitest';
import { endProviderSessions } from '../../../packages/sso/login/end-sessions.ts';
import { buildUserService } from '../../../services/user/app.ts';
import { postForm, postJson, send } from '../../fixtures/http.ts';
import { listen, testConfig } from '../../fixtures/services.ts';
import type { SsoService } from '../sso-service.ts';
import { type WithBrowser, withBrowser } from './with-browser.ts';

let service: SsoService;
let browser: WithBrowser['browser'];
let connection: Connection;
let connection_id: string;
let other: Connection;

withBrowser((started) => {
  ({ service, browser } = started);
});
beforeEach(async () => {
  await service.db.ssoDomains.deleteMany({});
  const organization = await service.newOrganization();
  connection = await service.newConnection(organization, { protocol: 'oidc' });
  other = await service.newConnection(organization, { protocol: 'saml' });
  ({ connection_id } = connection);
});

const exchange = async ({ code, cookie }: { code: string; cookie: string }) =>
  postJson(`${service.url}/api/v1/auth/sso/exchange`, { code }, { cookie });

/** Logs in. @returns a call that tells whether the session lives. */
async function session(through: Connection, answer: Parameters<typeof browser.logIn>[1] = {}) {
  const { body } = await exchange(await browser.logIn(through, answer));
  const headers = { authorization: `Bearer ${body.access_token}` };
  return async (url = service.url) => (await send(`${url}/api/v1/users/me`, { headers })).status;
}
const end = (ended: Parameters<typeof endProviderSessions>[1]) => endProviderSessions(browser.options, ended);

it('ends the session that the provider names', async () => {
  const first = await session(connection, { provider_sid: 'first' });
  const second = await session(connection, { provider_sid: 'second' });
  expect(await end({ connection_id, provider_sid: 'first' })).toEqual([
    expect.objectContaining({ connection_id, provider_sid: 'first', subject: 'grace-0001' }),
  ]);
  expect([await first(), await second()]).toEqual([401, 200]);
});

it('ends every session of the person at the connection, and no others', async () => {
  const sessions = [
    await session(connection, { provider_sid: 'first' }),
    await session(connection),
    await session(other),
    await session(connection, { profile: { subject: 'ada', email: 'ada@corp.example' } }),
  ];
  expect(await end({ connection_id, subject: 'grace-0001' })).toHaveLength(2);
  expect(await Promise.all(sessions.map((isAlive) => isAlive()))).toEqual([401, 401, 200, 200]);
});

it('ends a session only if both its id and its subject match', async () => {
  const isAlive = await session(connection, { provider_sid: 'first' });
  expect(await end({ connection_id, provider_sid: 'first', subject: 'ada' })).toEqual([]);
  expect(await isAlive()).toBe(200);
});

it('ends no session of another connection with the same id and subject', async () => {
  const isAlive = await session(other, { provider_sid: 'first' });
  await end({ connection_id, provider_sid: 'first' });
  await end({ connection_id, subject: 'grace-0001' });
  expect(await isAlive()).toBe(200);
});

it('ends no session that began with a password', async () => {
  await session(connection);
  await service.db.users.updateOne({ email: 'grace@corp.example' }, { $set: { password: 'secret' } });
  const { body } = await postForm(`${service.login}/v2/login`, {
    email: 'grace@corp.example',
    password: 'secret',
  });
  await end({ connection_id, subject: 'grace-0001' });
  const me = await send(`${service.url}/api/v1/users/me`, {
    headers: { authorization: `Bearer ${body.token}` },
  });
  expect(me.status).toBe(200);
});

it('ends a login whose code has not been exchanged', async () => {
  const login = await browser.logIn(connection, { provider_sid: 'first' });
  await end({ connection_id, provider_sid: 'first' });
  expect((await exchange(login)).status).toBe(400);
});

it('ends the session at once on another process', async () => {
  const second = await buildUserService({
    config: testConfig('user'),
    db: service.db,
    mailer: { close() {}, verify: async () => {} } as never,
    now: service.clock.now,
  });
  const url = await listen(second);
  const isAlive = await session(connection);
  expect(await isAlive(url)).toBe(200);
  await end({ connection_id, subject: 'grace-0001' });
  expect(await isAlive(url)).toBe(401);
  await second.close();
});

it('is completed by the next attempt of the provider', async () => {
  const isAlive = await session(connection, { provider_sid: 'first' });
  vi.spyOn(service.db.users, 'updateOne').mockRejectedValueOnce(new Error('killed'));
  await expect(end({ connection_id, provider_sid: 'first' })).rejects.toThrow('killed');
  vi.restoreAllMocks();
  expect(await isAlive()).toBe(200);
  await end({ connection_id, provider_sid: 'first' });
  expect(await isAlive()).toBe(401);
});
