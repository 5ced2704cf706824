import { createHmac } from 'node:crypto';
import { createTokens, newSessionId } from '@gatehouse/shared/identity/tokens';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { testClock } from '../../fixtures/clock.ts';
import { smallCounters } from '../../fixtures/counters.ts';
import { gatewayDatabase, startGateway, startUpstream } from '../../fixtures/gateway.ts';
import { postForm, send } from '../../fixtures/http.ts';
import { member } from '../../fixtures/members.ts';
import { JWT_SECRET } from '../../fixtures/services.ts';

type Gateway = Awaited<ReturnType<typeof startGateway>>;
type Options = Parameters<typeof startGateway>[0];

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let database: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  [upstream, database] = await Promise.all([startUpstream(), gatewayDatabase()]);
});
afterAll(async () => {
  for (const gateway of shared.values()) await (await gateway).stop();
  await Promise.all([upstream.stop(), database.drop()]);
});

const clock = testClock();
const counters = smallCounters({ now: clock.now, divisor: 1 });
const shared = new Map<string, Promise<Gateway>>();
/** A gateway that allows five anonymous calls a minute. The tests that need the same settings share it. */
function start(env: NodeJS.ProcessEnv = {}) {
  const key = JSON.stringify(env);
  const gateway = shared.get(key) ?? startAlone(env, { clock, counters });
  shared.set(key, gateway);
  return gateway;
}
const startAlone = (env: NodeJS.ProcessEnv, options: Options) =>
  startGateway({
    database: database.db,
    ...options,
    env: {
      LOGIN_SERVICE_URL: upstream.url,
      USER_SERVICE_URL: upstream.url,
      RATE_LIMIT_ANONYMOUS_PER_MINUTE: '5',
      ...env,
    },
  });
beforeEach(async () => {
  counters.reset();
  clock.advance(1); // PRINCIPAL_CACHE_MS
  upstream.received.length = 0;
  await database.db.users.deleteMany({});
});

const forgot = ({ url }: Gateway, headers: Record<string, string> = {}) =>
  postForm(`${url}/v2/forgot-password`, { email: 'ada@example.com' }, headers);
const burst = (count: number, gateway: Gateway, headers: Record<string, string> = {}) =>
  Promise.all(Array.from({ length: count }, () => forgot(gateway, headers)));
const statuses = (answers: { status: number }[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(answers, ({ status }) => status)).map(([status, all]) => [
      status,
      all?.length,
    ]),
  );
const budgetIn = (headers: Headers) => ({
  limit: headers.get('x-ratelimit-limit'),
  remaining: headers.get('x-ratelimit-remaining'),
  reset: headers.get('x-ratelimit-reset'),
});
const remaining = async (answer: Promise<{ headers: Headers }>) => budgetIn((await answer).headers).remaining;

describe('with a stopped clock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 15, 9, 30) });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const held = { now: () => Date.now(), seconds: () => Date.now() / 1000, advance: () => {} };
  async function startHeld() {
    const gateway = await startAlone({}, { clock: held });
    onTestFinished(gateway.stop);
    return gateway;
  }

  test('the budget counts down from the first call and is restored after a minute', async () => {
    const gateway = await startHeld();
    const began = Date.now() / 1000;
    for (const left of ['4', '3', '2', '1', '0']) {
      const { status, headers } = await forgot(gateway);
      expect(status).toBe(200);
      expect(budgetIn(headers)).toEqual({ limit: '5', remaining: left, reset: String(began + 60) });
      vi.advanceTimersByTime(10_000);
    }
    const { status, headers, body } = await forgot(gateway);
    expect({ status, body }).toEqual({ status: 429, body: { detail: 'Too many requests' } });
    expect(headers.get('retry-after')).toBe('10');
    expect(budgetIn(headers)).toEqual({ limit: '5', remaining: '0', reset: String(began + 60) });
    vi.advanceTimersByTime(10_000);
    expect(budgetIn((await forgot(gateway)).headers)).toEqual({
      limit: '5',
      remaining: '4',
      reset: String(began + 120),
    });
  });

  test('a 429 outside /v2 has the error envelope', async () => {
    const gateway = await startHeld();
    await burst(5, gateway);
    const { status, headers, body } = await send(`${gateway.url}/nothing`);
    expect({ status, body }).toEqual({
      status: 429,
      body: {
        error: {
          code: 'RATE_LIMIT_EXCEEDED',
          message: 'Too many requests',
          retry_after: 60,
          limit: 5,
          reset_at: '2026-01-15T09:31:00.000Z',
        },
      },
    });
    expect(headers.get('retry-after')).toBe('60');
  });
});

describe('calls without a valid token, by address', () => {
  test('a burst passes exactly the budget', async () => {
    const gateway = await start({ RATE_LIMIT_ANONYMOUS_PER_MINUTE: '30' });
    expect(statuses(await burst(40, gateway))).toEqual({ 200: 30, 429: 10 });
    expect(upstream.received).toHaveLength(30);
  });

  test.each<[string, string, RequestInit]>([
    ['an invalid form', '/v2/login', { method: 'POST' }],
    ['an unknown path under /v2', '/v2/nothing', {}],
    ['a path that is not canonical', '/v2/%2e', {}],
    ['a path that cannot be decoded', '/v2/%zz', {}],
    ['an unknown path', '/nothing', {}],
    ['/openapi.json', '/openapi.json', {}],
    ['/docs', '/docs', {}],
    ['/redoc/redoc.standalone.js', '/redoc/redoc.standalone.js', { method: 'HEAD' }],
  ])('%s is counted', async (_, path, init) => {
    const gateway = await start();
    await send(`${gateway.url}${path}`, init);
    expect(await remaining(forgot(gateway))).toBe('3');
  });

  test.each(['/health', '/health/live', '/health/ready'])(
    '%s shows the budget, is not counted, and is answered when the budget is spent',
    async (path) => {
      const gateway = await start();
      await forgot(gateway);
      for (let time = 0; time < 6; time += 1) {
        const { status, headers } = await send(`${gateway.url}${path}`);
        expect(status).toBe(200);
        expect(budgetIn(headers)).toEqual({
          limit: '5',
          remaining: '4',
          reset: expect.stringMatching(/^\d{10}$/),
        });
      }
      await burst(5, gateway);
      const spent = await send(`${gateway.url}${path}`);
      expect(spent.status).toBe(200);
      expect(budgetIn(spent.headers)).toMatchObject({ limit: '5', remaining: '0' });
    },
  );

  test('a preflight shows the budget and is not counted', async () => {
    const gateway = await start();
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
    for (let time = 0; time < 6; time += 1) {
      const answer = await send(`${gateway.url}/v2/login`, { method: 'OPTIONS', headers });
      expect(answer.status).toBe(204);
      expect(budgetIn(answer.headers)).toMatchObject({ limit: '5', remaining: '5' });
    }
  });

  test('a CAPTCHA challenge is counted', async () => {
    const gateway = await start({ CAPTCHA_PROVIDER: 'altcha' });
    expect(budgetIn((await send(`${gateway.url}/captcha/challenge`)).headers)).toEqual({
      limit: '5',
      remaining: '4',
      reset: expect.stringMatching(/^\d{10}$/),
    });
  });

  test('a 503 of the gateway has the X-RateLimit headers', async () => {
    const gateway = await start({ USER_SERVICE_URL: 'http://127.0.0.1:1' });
    const { status, headers } = await forgot(gateway);
    expect(status).toBe(503);
    expect(budgetIn(headers)).toMatchObject({ limit: '5', remaining: '4' });
  });

  test('the X-RateLimit headers of a service are dropped', async () => {
    const gateway = await start();
    upstream.answer.headers = { 'content-type': 'application/json', 'x-ratelimit-remaining': '9999' };
    expect(await remaining(forgot(gateway))).toBe('4');
    upstream.answer.headers = { 'content-type': 'application/json' };
  });
});

describe('the client address', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address });

  test('without TRUST_PROXY, X-Forwarded-For is ignored', async () => {
    const gateway = await start();
    const answers: { status: number }[] = [];
    for (let time = 0; time < 7; time += 1) answers.push(await forgot(gateway, from(`198.51.100.${time}`)));
    expect(statuses(answers)).toEqual({ 200: 5, 429: 2 });
  });

  test.each<[what: string, address: string, other: string]>([
    ['another IPv4 address', '198.51.100.1', '198.51.100.2'],
    ['another IPv6 /64', '2001:db8:0:1::1', '2001:db8:0:2::1'],
  ])('%s has its own budget', async (_, address, other) => {
    const gateway = await start({ TRUST_PROXY: 'loopback' });
    await burst(5, gateway, from(address));
    expect((await forgot(gateway, from(address))).status).toBe(429);
    expect(await remaining(forgot(gateway, from(other)))).toBe('4');
  });

  test.each<[what: string, address: string, other: string]>([
    ['the same /64', '2001:db8:0:1::1', '2001:db8:0:1:ffff::9'],
    ['an IPv4 address and its mapped form', '198.51.100.1', '::ffff:198.51.100.1'],
    ['an IPv4 address and its mapped form in hexadecimal', '198.51.100.1', '::ffff:c633:6401'],
  ])('%s shares a budget', async (_, address, other) => {
    const gateway = await start({ TRUST_PROXY: 'loopback' });
    await burst(5, gateway, from(address));
    expect((await forgot(gateway, from(other))).status).toBe(429);
  });
});

describe('calls with a valid token, by user', () => {
  const tokens = createTokens({ JWT_SECRET });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const ADA = { email: 'ada@example.com', user_id: 'User-100001' };
  /** A gateway that knows Ada. */
  const startWithAda = async (env: NodeJS.ProcessEnv = {}, fields: object = {}) => {
    const gateway = await start(env);
    await member(gateway.db, gateway.clock, { ...ADA, ...fields });
    return gateway;
  };

  test('have 100 a minute, whatever their address and number of tokens', async () => {
    const gateway = await startWithAda({ TRUST_PROXY: 'loopback' });
    const answers = await Promise.all(
      Array.from({ length: 110 }, (_, index) =>
        forgot(gateway, {
          ...bearer(tokens.session(ADA, gateway.clock.now())),
          'x-forwarded-for': `198.51.100.${index}`,
        }),
      ),
    );
    expect(statuses(answers)).toEqual({ 200: 100, 429: 10 });
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toStrictEqual({ detail: 'Too many requests' });
    expect(budgetIn(refused?.headers ?? new Headers())).toMatchObject({ limit: '100', remaining: '0' });
  });

  test('under /v2 spend one budget of their network, however many users call', async () => {
    const env = { TRUST_PROXY: 'loopback', RATE_LIMIT_V2_PER_MINUTE: '5' };
    const gateway = await startWithAda(env);
    const ada = bearer(tokens.session(ADA, gateway.clock.now()));
    const grace = await member(gateway.db, gateway.clock);
    const from = (address: string) => ({ 'x-forwarded-for': address });
    expect(statuses(await burst(5, gateway, { ...ada, ...from('198.51.100.1') }))).toEqual({ 200: 5 });
    const bearerOfGrace = { authorization: grace.authorization };
    const refused = await forgot(gateway, { ...bearerOfGrace, ...from('198.51.100.1') });
    expect(refused.status).toBe(429);
    expect(budgetIn(refused.headers)).toMatchObject({ limit: '5', remaining: '0' });
    const elsewhere = await forgot(gateway, { ...bearerOfGrace, ...from('198.51.100.2') });
    expect(budgetIn(elsewhere.headers)).toMatchObject({ limit: '5', remaining: '4' });
    const networks = Array.from({ length: 10 }, (_, group) => from(`2001:db8:0:${group}::1`));
    const answers = await Promise.all(
      networks.flatMap((network) => Array.from({ length: 5 }, () => forgot(gateway, network))),
    );
    expect(statuses(answers)).toEqual({ 200: 20, 429: 30 });
  });

  test('have a budget for each user, apart from that of the address', async () => {
    const gateway = await startWithAda();
    await burst(5, gateway);
    const grace = await member(gateway.db, gateway.clock);
    const ada = bearer(tokens.session(ADA, gateway.clock.now()));
    expect(budgetIn((await forgot(gateway, ada)).headers)).toMatchObject({ limit: '100', remaining: '99' });
    expect(
      await remaining(forgot(gateway, { authorization: ada.authorization.replace('Bearer', 'bearer') })),
    ).toBe('98');
    expect(await remaining(forgot(gateway, { authorization: grace.authorization }))).toBe('99');
    expect((await forgot(gateway)).status).toBe(429);
  });

  test('health shows the budget of the address, also to a user', async () => {
    const gateway = await startWithAda();
    const { headers } = await send(`${gateway.url}/health`, {
      headers: bearer(tokens.session(ADA, gateway.clock.now())),
    });
    expect(budgetIn(headers)).toMatchObject({ limit: '5', remaining: '5' });
  });

  test.each([
    ['POST', '/auth/logout'],
    ['POST', '/api/v1/auth/logout'],
    ['POST', '/api/v1/auth/logout?from=page'],
    ['DELETE', '/api/v1/users/me/sessions'],
    ['DELETE', '/api/v1/users/me/sessions/a-session'],
    ['DELETE', '/api/v1/users/me'],
  ])('%s %s costs nothing and passes when the budget is spent', async (method, path) => {
    const gateway = await startWithAda({}, { subscription_plan: 'Free' });
    const headers = bearer(tokens.session(ADA, gateway.clock.now()));
    const list = () => send(`${gateway.url}/api/v1/users/me/sessions`, { headers });
    expect(
      (await send(`${gateway.url}${path}`, { method, headers })).headers.get('x-ratelimit-remaining'),
    ).toBe('60');
    for (let call = 0; call < 60; call += 1) await list();
    expect((await list()).status).toBe(429);
    expect((await send(`${gateway.url}${path}`, { method, headers })).status).toBe(200);
    await burst(5, gateway);
    expect((await send(`${gateway.url}${path}`, { method })).body).toMatchObject({
      error: { details: 'No authorization header' },
    });
  });

  test('may delete sessions 60 times a minute with one session, which another session does not spend', async () => {
    const gateway = await startWithAda();
    const session = () => ({ sid: newSessionId(gateway.clock.now()), lifetime: 3600 });
    const [one, other] = [session(), session()].map((each) =>
      bearer(tokens.session(ADA, gateway.clock.now(), each)),
    );
    const end = (headers: Record<string, string> = {}) =>
      send(`${gateway.url}/api/v1/users/me/sessions`, { method: 'DELETE', headers });
    const answers = await Promise.all(Array.from({ length: 70 }, () => end(one)));
    expect(statuses(answers)).toEqual({ 200: 60, 429: 10 });
    const deletion = { method: 'DELETE', headers: one ?? {} };
    expect((await send(`${gateway.url}/api/v1/users/me`, deletion)).status).toBe(429);
    expect((await end(other)).status).toBe(200);
    const logout = await send(`${gateway.url}/auth/logout`, { method: 'POST', headers: one ?? {} });
    expect(logout.status).toBe(200);
  });

  test.each([
    ['GET', '/api/v1/users/me/sessions'],
    ['GET', '/auth/logout'],
    ['POST', '/auth/logout/more'],
    ['POST', '/auth/refresh'],
    ['DELETE', '/api/v1/users/me/sessionsx'],
    ['POST', '/api/v1/users/me/password'],
    ['POST', '/api/v1/users/me/email/verify'],
  ])('%s %s is counted', async (method, path) => {
    const gateway = await startWithAda({}, { subscription_plan: 'Free' });
    const headers = bearer(tokens.session(ADA, gateway.clock.now()));
    const before = Number(await remaining(send(`${gateway.url}/api/v1/users/me`, { headers })));
    expect(await remaining(send(`${gateway.url}${path}`, { method, headers }))).toBe(String(before - 1));
  });

  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const signed = (header: object, claims: object, secret = JWT_SECRET) => {
    const text = `${part(header)}.${part(claims)}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  const HS256 = { alg: 'HS256', typ: 'JWT' };
  const alive = { ...ADA, exp: 4_000_000_000 };

  test('are recognized by their signature, whichever service issued them', async () => {
    const gateway = await startWithAda();
    for (const scheme of ['Bearer ', 'bearer ', '']) {
      const { headers } = await forgot(gateway, { authorization: `${scheme}${signed(HS256, alive)}` });
      expect(budgetIn(headers).limit).toBe('100');
    }
  });

  test.each<[string, (now: number) => string]>([
    ['forged', () => `Bearer ${signed(HS256, alive, 'another secret of 32 bytes or more')}`],
    ['unsigned', () => `Bearer ${part({ alg: 'none' })}.${part(alive)}.`],
    ['expired', (now) => `Bearer ${tokens.session(ADA, now - 1_800_000)}`],
    ['an otp_sent token', (now) => `Bearer ${tokens.otpSent('ada@example.com', now)}`],
    ['without user_id', () => `Bearer ${signed(HS256, { email: 'a@b', exp: 4_000_000_000 })}`],
    ['of another scheme', (now) => `Basic ${tokens.session(ADA, now)}`],
    ['of an unknown user', (now) => `Bearer ${tokens.session({ ...ADA, user_id: 'User-100002' }, now)}`],
    ['empty', () => 'Bearer '],
    ['garbage', () => 'Bearer garbage'],
  ])('a call with a token that is %s is anonymous', async (_, authorization) => {
    const gateway = await startWithAda();
    const { headers } = await forgot(gateway, { authorization: authorization(gateway.clock.now()) });
    expect(budgetIn(headers)).toMatchObject({ limit: '5', remaining: '4' });
  });
});

test('RATE_LIMIT=off refuses no call and still shows the budget', async () => {
  const gateway = await start({ RATE_LIMIT: 'off' });
  const answers = await burst(20, gateway);
  expect(statuses(answers)).toEqual({ 200: 20 });
  for (const { headers } of answers) expect(budgetIn(headers)).toMatchObject({ limit: '5', remaining: '5' });
});
