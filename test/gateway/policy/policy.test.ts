import { PREFIXES, type Prefix, PUBLIC_PREFIXES } from '@gatehouse/shared/contract/prefixes';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildGateway } from '../../../services/gateway/app.ts';
import { failuresAt, outcome, rateLimited } from '../../fixtures/envelope.ts';
import { startUpstream } from '../../fixtures/gateway.ts';
import { type Answered, postForm, postJson, send } from '../../fixtures/http.ts';
import { loggedIn } from '../../fixtures/members.ts';
import { listen, type Services, startServices, testConfig } from '../../fixtures/services.ts';

let services: Services;
let platform: Awaited<ReturnType<typeof startUpstream>>;
beforeAll(async () => {
  [services, platform] = await Promise.all([startServices(), startUpstream()]);
  everyone = await startGateway();
  usual = gateways.splice(0);
});
afterAll(async () => {
  await Promise.all(usual.map((each) => each.close()));
  await platform.stop();
  await services.stop();
});

const gateways: FastifyInstance[] = [];
/** The gateway of every test that does not start its own. */
let everyone: string;
let usual: FastifyInstance[] = [];
let gateway: string;
async function startGateway(env: NodeJS.ProcessEnv = {}): Promise<string> {
  const config = testConfig('gateway', {
    CAPTCHA_PROVIDER: 'none',
    LOGIN_SERVICE_URL: services.login,
    USER_SERVICE_URL: services.user,
    UPSTREAM_PAYMENT: platform.url,
    UPSTREAM_CHAT_3D: platform.url,
    UPSTREAM_CRAWL: platform.url,
    UPSTREAM_HISTORY: 'http://127.0.0.1:1',
    ...env,
  });
  const app = await buildGateway({ config, db: services.db, now: services.clock.now });
  gateways.push(app);
  return listen(app);
}
beforeEach(() => {
  gateway = everyone;
  services.clock.advance(60); // resets the budgets
});
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((each) => each.close()));
  platform.received.length = 0;
});

const logIn = (fields?: object) => loggedIn(services, fields);
const failure = failuresAt(() => services.clock.now());
const noHeader = (answer: Answered) => failure(answer, 401, 'INVALID_TOKEN', 'No authorization header');
const notFound = (answer: Answered) => failure(answer, 404, 'RESOURCE_NOT_FOUND', 'Not found');
const budgetIn = ({ headers }: Answered) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN));
const json = { 'content-type': 'application/json' };

describe('401 comes before 404', () => {
  const prefixes = (Object.keys(PREFIXES) as Prefix[]).filter((prefix) => !PUBLIC_PREFIXES.has(prefix));
  test.each([
    ...prefixes.flatMap((prefix) => [prefix, `${prefix}/`, `${prefix}/nothing/at/all`]),
    '/nothing',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v2/users/me',
    '/API/V1/users/me',
    '/V2/login',
    '/v2x',
    '/v3/login',
    '/internal/events',
    '/healthy',
    '/health/nothing',
    '/docs2',
    '/auth',
    '/scim/v3/Users',
    '/favicon.ico',
  ])('%s', async (path) => {
    const none = await send(gateway + path);
    expect(outcome(none)).toStrictEqual(noHeader(none));
    const bad = await send(gateway + path, { headers: { authorization: 'Bearer x' } });
    expect(outcome(bad)).toStrictEqual(failure(bad, 401, 'INVALID_TOKEN', 'Invalid token'));
    expect(platform.received).toEqual([]);
  });

  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])(
    '%s of an unknown path',
    async (method) => {
      const { headers } = await logIn();
      expect((await fetch(`${gateway}/nothing`, { method })).status).toBe(401);
      expect((await fetch(`${gateway}/nothing`, { method, headers })).status).toBe(404);
    },
  );

  test('at both services too', async () => {
    const { headers } = await logIn();
    for (const service of [services.login, services.user]) {
      for (const path of ['/nothing', '/api/v1/nothing', '/internal/nothing', '/v2x']) {
        const none = await send(service + path);
        expect(outcome(none)).toStrictEqual(noHeader(none));
        const known = await send(service + path, { headers });
        expect(outcome(known)).toStrictEqual(notFound(known));
      }
    }
  });

  test('and before 400 for a body or an API-Version', async () => {
    for (const path of ['/api/v1/chat-3d/respond', '/api/v1/crawl/upload-pdf', '/api/v1/chatbots/create']) {
      const answer = await send(gateway + path, { method: 'POST', headers: json, body: '[' });
      expect(outcome(answer)).toStrictEqual(noHeader(answer));
    }
    const version = await send(`${gateway}/api/v1/users/me`, { headers: { 'api-version': 'v9' } });
    expect(outcome(version)).toStrictEqual(noHeader(version));
  });

  test('but not under /v2, which needs no bearer', async () => {
    for (const headers of [{}, { authorization: 'Bearer x' }] as Record<string, string>[]) {
      const answer = await send(`${gateway}/v2/nothing`, { headers });
      expect(outcome(answer)).toStrictEqual({ status: 404, body: { detail: 'Not found' } });
    }
  });

  test.each(['/health', '/health/live', '/health/ready', '/docs', '/redoc', '/openapi.json'])(
    '%s needs no bearer',
    async (path) => {
      expect((await send(gateway + path)).status).toBe(200);
      expect((await send(gateway + path, { headers: { authorization: 'Bearer x' } })).status).toBe(200);
    },
  );

  test('a public callback path needs no bearer, and no other path is public', async () => {
    expect((await send(`${gateway}/api/v1/payment/webhook`, { method: 'POST' })).status).toBe(200);
    for (const path of ['/api/v1/payment/webhook/', '/api/v1/payment/webhook/x', '/api/v1/payment/Webhook']) {
      expect((await send(gateway + path, { method: 'POST' })).status).toBe(401);
    }
    expect(platform.received.map(({ url }) => url)).toEqual(['/api/v1/payment/webhook']);
  });
});

describe('the X-RateLimit headers are on every catalogue response', () => {
  test.each<[string, () => Promise<Answered>, number]>([
    ['200', async () => send(`${gateway}/api/v1/users/me`, await logIn()), 200],
    ['200 of a platform service', async () => send(`${gateway}/api/v1/payment/x`, await logIn()), 200],
    [
      '201',
      async () =>
        send(`${gateway}/api/v1/chatbots/create`, {
          method: 'POST',
          headers: { ...(await logIn()).headers, ...json },
          body: '{"name":"A","type":"3d","avatar_id":"a","language":"en"}',
        }),
      201,
    ],
    [
      '400 of the gateway',
      () => send(`${gateway}/api/v1/auth/login`, { method: 'POST', headers: json }),
      400,
    ],
    [
      '400 of a service',
      async () => send(`${gateway}/api/v1/chatbots?limit=101`, { headers: (await logIn()).headers }),
      400,
    ],
    ['401 of the gateway', () => send(`${gateway}/api/v1/users/me`), 401],
    [
      '401 of a service',
      () =>
        send(`${gateway}/api/v1/auth/login`, {
          method: 'POST',
          headers: json,
          body: '{"email":"nobody@example.com","password":"x"}',
        }),
      401,
    ],
    ['403', async () => send(`${gateway}/api/v1/chatbots`, await logIn({ user_id: undefined })), 403],
    ['404 of the gateway', async () => send(`${gateway}/api/v1/nothing`, await logIn()), 404],
    ['404 of a service', async () => send(`${gateway}/api/v1/chatbots/x`, await logIn()), 404],
    [
      '404 for a path that is not canonical',
      async () => send(`${gateway}/api/v1//users/me`, await logIn()),
      404,
    ],
    ['404 for a path that cannot be decoded', async () => send(`${gateway}/api/v1/%zz`, await logIn()), 404],
    [
      '503 for a prefix without a service',
      async () => send(`${gateway}/api/v1/selection/x`, await logIn()),
      503,
    ],
    ['503 for a service that is down', async () => send(`${gateway}/api/v1/history/x`, await logIn()), 503],
    ['health', () => send(`${gateway}/health`), 200],
    ['the documents', () => send(`${gateway}/openapi.json`), 200],
  ])('%s', async (_, call, status) => {
    const answer = await call();
    expect(answer.status).toBe(status);
    const [limit, remaining, reset] = budgetIn(answer);
    expect([60, 300]).toContain(limit);
    expect(remaining).toBeGreaterThanOrEqual(0);
    expect(remaining).toBeLessThanOrEqual(limit as number);
    expect(reset).toBe(services.clock.seconds() + 60);
  });

  test('on 429 too, and those of a service are dropped', async () => {
    gateway = await startGateway({ RATE_LIMIT_ANONYMOUS_PER_MINUTE: '1' });
    await send(`${gateway}/api/v1/users/me`);
    const answer = await send(`${gateway}/api/v1/users/me`);
    expect(outcome(answer)).toStrictEqual(rateLimited(1, 60, services.clock.now()));
    expect(Object.keys(answer.body.error)).toHaveLength(5);
    expect(answer.headers.get('retry-after')).toBe('60');
    expect(budgetIn(answer)).toStrictEqual([1, 0, services.clock.seconds() + 60]);

    platform.answer.headers = {
      'content-type': 'application/json',
      'x-ratelimit-limit': '1',
      'x-ratelimit-reset': '1',
    };
    const { headers } = await logIn();
    const passed = await send(`${gateway}/api/v1/payment/x`, { headers });
    platform.answer.headers = { 'content-type': 'application/json' };
    expect(budgetIn(passed)).toEqual([60, 59, services.clock.seconds() + 60]);
  });

  test('returns 503 while the database is down, and accepts no bearer', async () => {
    const { headers } = await logIn();
    const away = Object.assign(new Error('away'), { name: 'MongoNetworkError' });
    const fail = () => {
      throw away;
    };
    const users = Object.create(services.db.users, { find: { value: fail } });
    const config = testConfig('gateway', { CAPTCHA_PROVIDER: 'none', UPSTREAM_PAYMENT: platform.url });
    const app = await buildGateway({ config, db: { ...services.db, users }, now: services.clock.now });
    gateways.push(app);
    const answer = await send(`${await listen(app)}/api/v1/payment/x`, { headers });
    expect(outcome(answer)).toStrictEqual(failure(answer, 503, 'SERVICE_UNAVAILABLE', 'Service unavailable'));
    expect(budgetIn(answer)[0]).toBe(300);
    expect(platform.received).toEqual([]);
  });
});

describe('an account without a user_id', () => {
  test('can read its profile, refresh and log out', async () => {
    const { email, headers } = await logIn({ user_id: undefined });
    const me = await send(`${gateway}/api/v1/users/me`, { headers });
    expect([me.status, me.body.email, me.body.user_id]).toEqual([200, email, null]);
    for (const path of ['/auth/refresh', '/api/v1/auth/refresh', '/auth/logout']) {
      expect((await send(gateway + path, { method: 'POST', headers })).status).toBe(200);
    }
    expect((await send(`${gateway}/api/v1/users/me`, { headers })).status).toBe(401);
  });

  test.each(
    [
      ['GET', '/api/v1/chatbots'],
      ['POST', '/api/v1/chatbots/create'],
      ['PATCH', '/api/v1/users/me'],
      ['GET', '/api/v1/payment/invoices'],
      ['POST', '/api/v1/chat-3d/respond'],
      ['POST', '/api/v1/crawl/upload-pdf'],
      ['GET', '/api/v1/selection/x'],
      ['GET', '/api/v1/admin/users'],
    ].map(([method, path]) => [method as string, path as string] as const),
  )('gets 403 everywhere else: %s %s', async (method, path) => {
    const { headers } = await logIn({ user_id: undefined });
    const body =
      method === 'GET'
        ? {}
        : {
            body: '{"name":"A","type":"3d","avatar_id":"a","language":"en","chatbot_id":"c","message":"m","user_id":"u"}',
          };
    const answer = await send(gateway + path, { method, headers: { ...headers, ...json }, ...body });
    expect(outcome(answer)).toStrictEqual(failure(answer, 403, 'FORBIDDEN', 'Forbidden'));
    expect(platform.received).toEqual([]);
  });

  test('is not restricted under /v2, at a public callback path and at login', async () => {
    const { email, headers } = await logIn({ user_id: undefined });
    expect((await postForm(`${gateway}/v2/login`, { email, password: 'secret' }, headers)).status).toBe(200);
    expect((await send(`${gateway}/api/v1/payment/webhook`, { method: 'POST', headers })).status).toBe(200);
    const login = await postJson(`${gateway}/api/v1/auth/login`, { email, password: 'secret' }, headers);
    expect(login.status).toBe(200);
  });
});

describe('the identity headers', () => {
  test('hold the user of the database, whatever the client sends', async () => {
    const { email, user_id, headers } = await logIn({ subscription_plan: 'Business' });
    const forged = {
      'x-user-id': 'User-999999',
      'X-User-Email': 'eve@example.com',
      'x-user-plan': 'Enterprise',
      'x-user-role': 'Owner',
      'x-internal-key': 'x',
      'x-forwarded-for': '6.6.6.6',
      forwarded: 'for=6.6.6.6',
    };
    await send(`${gateway}/api/v1/payment/x`, { headers: { ...headers, ...forged } });
    const [call] = platform.received;
    const told = Object.entries(call?.headers ?? {}).filter(([name]) =>
      /^x-(?:user|internal)-|forwarded/.test(name),
    );
    expect(Object.fromEntries(told)).toEqual({
      'x-user-id': String(user_id),
      'x-user-email': email,
      'x-user-plan': 'Business',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': new URL(gateway).host,
    });
  });

  test('are dropped at a public callback path', async () => {
    const forged = { 'x-user-id': 'User-100001', 'x-user-plan': 'Enterprise' };
    await send(`${gateway}/api/v1/payment/webhook`, { method: 'POST', headers: forged });
    expect(
      Object.keys(platform.received[0]?.headers ?? {}).filter((name) => name.startsWith('x-user-')),
    ).toEqual([]);
  });

  test('are ignored by our own services', async () => {
    const { email, user_id } = await logIn();
    const forged = { 'x-user-id': String(user_id), 'x-user-email': email };
    const answer = await send(`${services.user}/api/v1/users/me`, { headers: forged });
    expect(outcome(answer)).toStrictEqual(noHeader(answer));
  });
});
