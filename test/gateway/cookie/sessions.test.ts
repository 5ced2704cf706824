import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { enrolled } from '../../fixtures/enrolled.ts';
import { failuresAt, outcome } from '../../fixtures/envelope.ts';
import { startGateway, startUpstream } from '../../fixtures/gateway.ts';
import { type Answered, decodeToken, postForm, postJson, send } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { adminCaller } from '../../fixtures/operators.ts';
import { mailedCode, type Services, startServices } from '../../fixtures/services.ts';
import { supportBearer } from '../../fixtures/support.ts';
import { cookieOf, OWN_ORIGIN } from './cookie.ts';

let services: Services;
let platform: Awaited<ReturnType<typeof startUpstream>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  [services, platform] = await Promise.all([startServices(), startUpstream()]);
  gateway = await startGateway({
    database: services.db,
    clock: services.clock,
    env: {
      LOGIN_SERVICE_URL: services.login,
      USER_SERVICE_URL: services.user,
      UPSTREAM_PAYMENT: platform.url,
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await platform.stop();
  await services.stop();
});
beforeEach(() => {
  services.clock.advance(60); // resets the budgets
  platform.received.length = 0;
  Object.assign(platform.answer, { headers: { 'content-type': 'application/json' } });
});

const ME = '/api/v1/users/me';
const ASKED = { 'x-session-mode': 'cookie', origin: OWN_ORIGIN };
const CLEARED = '__Host-gatehouse-session=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Lax';
const failure = failuresAt(() => services.clock.now());

/** The value for `Cookie` of what an answer set. */
const setCookie = ({ headers }: Answered): string => headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
const tokenIn = (cookie: string): string => cookie.slice(cookie.indexOf('=') + 1);
/** Calls as a page of the gateway does, with a cookie. */
const call = (cookie: string, method: string, path: string, headers: Record<string, string> = {}) =>
  send(gateway.url + path, { method, headers: { cookie, origin: OWN_ORIGIN, ...headers } });
const post = (cookie: string, path: string, body: object, headers: Record<string, string> = {}) =>
  postJson(gateway.url + path, body, { cookie, origin: OWN_ORIGIN, ...headers });
const statusOf = async (cookie: string) => (await call(cookie, 'GET', ME)).status;
const logIn = (email: string) =>
  postJson(`${gateway.url}/api/v1/auth/login`, { email, password: 'secret' }, ASKED);
/** An account that has logged in with a cookie. */
async function withCookie(fields: object = {}) {
  const account = await newMember(services.db, fields);
  return { ...account, cookie: setCookie(await logIn(account.email)) };
}

describe('a session in a cookie', () => {
  test('begins, is confirmed and extended, and ends with a logout', async () => {
    const ada = await newMember(services.db);
    const login = await postForm(`${gateway.url}/v2/login`, { email: ada.email, password: 'secret' }, ASKED);
    expect(outcome(login)).toEqual({
      status: 200,
      body: { message: 'Login successful', user_id: ada.user_id },
    });
    expect(login.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-gatehouse-session=[\w.-]+; Max-Age=1800; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    const first = setCookie(login);
    const me = await call(first, 'GET', ME);
    expect(me.body).toMatchObject({ email: ada.email });
    expect(me.headers.get('cache-control')).toBe('no-store');
    expect(me.headers.getSetCookie()).toEqual([]);

    services.clock.advance(1_000);
    const confirmed = await post(first, '/api/v1/auth/confirm', { password: 'secret' });
    expect(confirmed.body).toEqual({ token_type: 'Cookie', expires_in: 800, user_id: ada.user_id });
    const second = setCookie(confirmed);
    expect(decodeToken(tokenIn(second)).header.confirmed_at).toBe(services.clock.seconds());

    const refreshed = await post(second, '/api/v1/auth/refresh', {});
    expect(refreshed.headers.getSetCookie()[0]).toContain('; Max-Age=3600; ');
    const third = setCookie(refreshed);
    const sidOf = (cookie: string) => decodeToken(tokenIn(cookie)).header.sid;
    expect([sidOf(second), sidOf(third)]).toEqual([sidOf(first), sidOf(first)]);

    const logout = await post(third, '/api/v1/auth/logout', {});
    expect(outcome(logout)).toEqual({ status: 200, body: { message: 'Logged out' } });
    expect(logout.headers.getSetCookie()).toEqual([CLEARED]);
    for (const cookie of [first, second, third]) {
      services.clock.advance(1);
      const ended = await call(cookie, 'GET', ME);
      expect(outcome(ended)).toEqual(failure(ended, 401, 'INVALID_TOKEN', 'Invalid token'));
      expect(ended.headers.getSetCookie()).toEqual([CLEARED]);
    }
  });

  test('waits for the second factor, whose answer sets the cookie', async () => {
    const ada = await enrolled(services.db, services.clock);
    const half = await logIn(ada.email);
    expect(half.body.error.code).toBe('SECOND_FACTOR_REQUIRED');
    expect(half.headers.getSetCookie()).toEqual([]);
    const { factor_token } = half.body.error.details;
    const login = await postJson(
      `${gateway.url}/api/v1/auth/login/factor`,
      { factor_token, code: ada.code() },
      ASKED,
    );
    expect(login.body).toEqual({ token_type: 'Cookie', expires_in: 3600, user_id: ada.user_id });
    expect(await statusOf(setCookie(login))).toBe(200);
  });

  test('goes on in a new cookie after a change of the address', async () => {
    const ada = await withCookie();
    const email = `new-${ada.user_id}@elsewhere.example`;
    expect((await post(ada.cookie, `${ME}/email`, { email })).status).toBe(200);
    const code = mailedCode(services.mailbox, email);
    const changed = await post(ada.cookie, `${ME}/email/verify`, { code });
    expect(changed.status).toBe(200);
    expect(Object.keys(changed.body)).toEqual(['token_type', 'expires_in', 'user_id']);
    expect(await statusOf(ada.cookie)).toBe(401);
    expect((await call(setCookie(changed), 'GET', ME)).body.email).toBe(email);
  });

  test('ends with a logout everywhere', async () => {
    const ada = await withCookie();
    services.clock.advance(1);
    const phone = setCookie(await logIn(ada.email));
    expect((await call(phone, 'DELETE', `${ME}/sessions`)).body).toEqual({ message: 'Other sessions ended' });
    services.clock.advance(1);
    expect([await statusOf(ada.cookie), await statusOf(phone)]).toEqual([401, 200]);
  });

  test('ends with the deletion of the account', async () => {
    const ada = await withCookie();
    const deletion = await call(ada.cookie, 'DELETE', ME);
    expect(deletion.status).toBe(202);
    expect(deletion.headers.getSetCookie()).toEqual([CLEARED]);
  });

  test('a bearer moves into a cookie when it is extended', async () => {
    const ada = await newMember(services.db);
    const authorization = bearerOf(ada, services.clock.now());
    const moved = await postJson(`${gateway.url}/auth/refresh`, {}, { authorization, ...ASKED });
    expect(Object.keys(moved.body)).toEqual(['token_type', 'expires_in', 'user_id']);
    expect(await statusOf(setCookie(moved))).toBe(200);
  });

  test('stays after a wrong password, and while a service is down', async () => {
    const ada = await withCookie();
    const wrong = await post(ada.cookie, '/api/v1/auth/confirm', { password: 'wrong' });
    expect({ status: wrong.status, cookies: wrong.headers.getSetCookie() }).toEqual({
      status: 401,
      cookies: [],
    });
    const gone = await startGateway({
      database: services.db,
      clock: services.clock,
      env: { LOGIN_SERVICE_URL: 'http://127.0.0.1:1' },
    });
    const headers = { cookie: ada.cookie, origin: OWN_ORIGIN };
    const logout = await send(`${gone.url}/auth/logout`, { method: 'POST', headers });
    await gone.stop();
    expect({ status: logout.status, cookies: logout.headers.getSetCookie() }).toEqual({
      status: 503,
      cookies: [],
    });
    expect(await statusOf(ada.cookie)).toBe(200);
  });
});

describe('which credential counts', () => {
  test('an Authorization header replaces the cookie, also a bad or an empty one', async () => {
    const [ada, grace] = [await withCookie(), await newMember(services.db)];
    const authorization = bearerOf(grace, services.clock.now());
    const both = await call(ada.cookie, 'GET', ME, { authorization });
    expect(both.body.email).toBe(grace.email);
    const logout = await post(ada.cookie, '/auth/logout', {}, { authorization });
    expect({ status: logout.status, cookies: logout.headers.getSetCookie() }).toEqual({
      status: 200,
      cookies: [],
    });
    expect(await statusOf(ada.cookie)).toBe(200);
    for (const [bad, message] of [
      ['Bearer x', 'Invalid token'],
      ['', 'No authorization header'],
    ] as const) {
      const answer = await call(ada.cookie, 'GET', ME, { authorization: bad });
      expect(outcome(answer)).toEqual(failure(answer, 401, 'INVALID_TOKEN', message));
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  });

  test.each<[string, (token: string) => string]>([
    ['two cookies', (token) => `__Host-gatehouse-session=${token}; a=b; __Host-gatehouse-session=${token}`],
    [
      'two cookies, one of them without a value',
      (token) => `__Host-gatehouse-session=${token}; __Host-gatehouse-session`,
    ],
    ['an empty cookie', () => '__Host-gatehouse-session='],
    ['a cookie in quotation marks', (token) => `__Host-gatehouse-session="${token}"`],
    ['a scheme before the token', (token) => `__Host-gatehouse-session=Bearer ${token}`],
    ['a token with another signature', (token) => `__Host-gatehouse-session=${token.slice(0, -4)}AAAA`],
    ['8,000 characters', (token) => `__Host-gatehouse-session=${token}${'A'.repeat(8_000)}`],
    ['a machine key', () => `__Host-gatehouse-session=gh_${'a'.repeat(16)}_${'b'.repeat(49)}`],
  ])('%s: 401, and the cookie is cleared', async (_, cookieWith) => {
    const { cookie } = await withCookie();
    const answer = await call(cookieWith(tokenIn(cookie)), 'GET', ME);
    expect(outcome(answer)).toEqual(failure(answer, 401, 'INVALID_TOKEN', 'Invalid token'));
    expect(answer.headers.getSetCookie()).toEqual([CLEARED]);
  });

  test.each([
    ['a cookie whose name only begins alike', '__Host-gatehouse-session2='],
    ['a cookie without the prefix, which other hosts can set', 'gatehouse-session='],
    ['a cookie whose name has other letters', '__host-gatehouse-session='],
    ['a value that has the name', 'a=__Host-gatehouse-session='],
  ])('%s is not the cookie', async (_, name) => {
    const { cookie } = await withCookie();
    const answer = await call(`${name}${tokenIn(cookie)}`, 'GET', ME);
    expect(outcome(answer)).toEqual(failure(answer, 401, 'INVALID_TOKEN', 'No authorization header'));
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test('headers that are too large are refused before they are read', async () => {
    const { cookie } = await withCookie();
    const answer = await call(`${cookie}${'A'.repeat(20_000)}`, 'GET', ME);
    expect(answer.status).toBe(400);
  });

  test('the token of a support session is none for a cookie', async () => {
    const operator = await adminCaller(services, 'admin');
    const { email, user_id } = await adminCaller(services);
    const bearer = supportBearer({ email, user_id }, operator, 'full', services.clock.now());
    expect((await send(gateway.url + ME, { headers: { authorization: bearer } })).status).toBe(200);
    const answer = await call(cookieOf(bearer), 'GET', ME);
    expect(outcome(answer)).toEqual(failure(answer, 401, 'INVALID_TOKEN', 'Invalid token'));
    const moved = await postJson(`${gateway.url}/auth/refresh`, {}, { authorization: bearer, ...ASKED });
    expect({ status: moved.status, cookies: moved.headers.getSetCookie() }).toEqual({
      status: 403,
      cookies: [],
    });
  });
});

describe('the gateway behind a cookie', () => {
  test('sends services the bearer and no cookie of the session', async () => {
    const { cookie, user_id } = await withCookie();
    const mixed = `theme=dark; ${cookie} ; lang=en`;
    await call(mixed, 'POST', '/api/v1/payment/orders');
    await call(cookie, 'GET', '/api/v1/payment/orders');
    const authorization = `Bearer ${tokenIn(cookie)}`;
    await call(mixed, 'GET', '/api/v1/payment/orders', { authorization });
    expect(
      platform.received.map(({ headers }) => [headers.cookie, headers.authorization, headers['x-user-id']]),
    ).toEqual([
      ['theme=dark; lang=en', authorization, user_id],
      [undefined, authorization, user_id],
      ['theme=dark; lang=en', authorization, user_id],
    ]);
  });

  test('keeps every answer out of caches, whatever the service says', async () => {
    const { cookie } = await withCookie();
    Object.assign(platform.answer, {
      headers: { 'content-type': 'application/json', 'cache-control': 'max-age=600' },
    });
    const authorization = `Bearer ${tokenIn(cookie)}`;
    const answers = [
      await call(cookie, 'GET', '/api/v1/payment/orders'),
      await send(`${gateway.url}/api/v1/payment/orders`, { headers: { authorization } }),
    ];
    expect(answers.map(({ headers }) => headers.get('cache-control'))).toEqual(['no-store', 'max-age=600']);
    // Public answers are the same for everybody.
    const ways = await call(cookie, 'GET', '/api/v1/auth/ways');
    expect(ways.headers.get('cache-control')).toBe('public, max-age=300');
  });

  test('counts it as the same person, with one Idempotency-Key', async () => {
    const { cookie } = await withCookie();
    const authorization = `Bearer ${tokenIn(cookie)}`;
    const order = (headers: Record<string, string>) =>
      postJson(
        `${gateway.url}/api/v1/payment/orders`,
        { amount: 7 },
        { origin: OWN_ORIGIN, 'idempotency-key': 'order-1', ...headers },
      );
    const answers = [await order({ authorization }), await order({ cookie })];
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual([
      { status: 200, body: { ok: true } },
      { status: 200, body: { ok: true } },
    ]);
    expect(platform.received).toHaveLength(1);
    const remaining = answers.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(remaining).toEqual([59, 58]);
  });
});
