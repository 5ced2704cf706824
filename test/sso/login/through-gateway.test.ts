import type { Connection } from '@gatehouse/sso/connection-records';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endProviderSessions } from '../../../packages/sso/login/end-sessions.ts';
import { buildGateway } from '../../../services/gateway/app.ts';
import { postJson, send } from '../../fixtures/http.ts';
import { listen, testConfig } from '../../fixtures/services.ts';
import type { SsoService } from '../sso-service.ts';
import { type WithBrowser, withBrowser } from './with-browser.ts';

let service: SsoService;
let browser: WithBrowser['browser'];
let gateway: FastifyInstance;
let url: string;
let connection: Connection;

withBrowser((started) => {
  ({ service, browser } = started);
});
beforeAll(async () => {
  const organization = await service.newOrganization();
  connection = await service.newConnection(organization, { protocol: 'oidc' });
  const config = testConfig('gateway', {
    CAPTCHA_PROVIDER: 'none',
    PRINCIPAL_CACHE_MS: '0',
    LOGIN_SERVICE_URL: service.login,
    USER_SERVICE_URL: service.url,
  });
  gateway = await buildGateway({ config, db: service.db, now: service.clock.now });
  url = await listen(gateway);
});
afterAll(() => gateway.close());

it('lets a person in until their provider ends the session', async () => {
  const { code, cookie } = await browser.logIn(connection, { provider_sid: 'at the provider' });
  const { status, headers, body } = await postJson(`${url}/api/v1/auth/sso/exchange`, { code }, { cookie });
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);

  const authorization = `Bearer ${body.access_token}`;
  const me = () => send(`${url}/api/v1/users/me`, { headers: { authorization } });
  expect((await me()).body.email).toBe('grace@corp.example');
  const refreshed = await send(`${url}/auth/refresh`, { method: 'POST', headers: { authorization } });
  expect(refreshed.status).toBe(200);

  const { connection_id } = connection;
  await endProviderSessions(browser.options, { connection_id, provider_sid: 'at the provider' });
  expect((await me()).status).toBe(401);
  const again = { authorization: `Bearer ${refreshed.body.access_token}` };
  expect((await send(`${url}/api/v1/users/me`, { headers: again })).status).toBe(401);
});

it('moves the session into a cookie for who asks, beside the cookie of the login', async () => {
  const { code, cookie } = await browser.logIn(connection);
  const old = '__Host-gatehouse-session=a.b.c';
  const asked = { cookie: `${old}; ${cookie}`, origin: 'http://localhost:8000', 'x-session-mode': 'cookie' };
  const { status, headers, body } = await postJson(`${url}/api/v1/auth/sso/exchange`, { code }, asked);
  expect({ status, body }).toEqual({
    status: 200,
    body: { token_type: 'Cookie', expires_in: 3600, user_id: expect.any(String) },
  });
  const [set = ''] = headers.getSetCookie();
  const me = await send(`${url}/api/v1/users/me`, { headers: { cookie: set.split(';', 1)[0] ?? '' } });
  expect(me.body.email).toBe('grace@corp.example');
});

it('refuses the code without the cookie', async () => {
  const { code } = await browser.logIn(connection);
  expect((await postJson(`${url}/api/v1/auth/sso/exchange`, { code })).status).toBe(400);
});
