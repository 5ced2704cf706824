import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { testClock } from '../../fixtures/clock.ts';
import { smallCounters } from '../../fixtures/counters.ts';
import { errorEnvelope, outcome } from '../../fixtures/envelope.ts';
import { bodyOf, startGateway, startHttp } from '../../fixtures/gateway.ts';
import { postJson } from '../../fixtures/http.ts';

/** A user service that records its logins and answers with `status`. */
const directory = { status: 200, logins: [] as object[] };
let service: Awaited<ReturnType<typeof startHttp>>;
/** A CAPTCHA provider that accepts each token that begins with "solved". */
let provider: Awaited<ReturnType<typeof startHttp>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;

beforeAll(async () => {
  service = await startHttp(async (request, response) => {
    directory.logins.push({ url: request.url, body: JSON.parse(await bodyOf(request)) });
    response
      .writeHead(directory.status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      .end('{"the service’s":"answer"}');
  });
  provider = await startHttp(async (request, response) => {
    const token = new URLSearchParams(await bodyOf(request)).get('response');
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ success: token?.startsWith('solved') }));
  });
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});
const clock = testClock();
const counters = smallCounters({ now: clock.now, divisor: 1 });
beforeAll(async () => {
  gateway = await startGateway({
    clock,
    counters,
    env: {
      USER_SERVICE_URL: service.url,
      // Nobody answers there.
      LOGIN_SERVICE_URL: 'http://127.0.0.1:1',
      CAPTCHA_PROVIDER: 'recaptcha',
      CAPTCHA_VERIFY_URL: provider.url,
      TRUST_PROXY: 'loopback',
      RATE_LIMIT_ANONYMOUS_PER_MINUTE: '100000',
    },
  });
  return gateway.stop;
});
beforeEach(() => {
  directory.logins = [];
  directory.status = 401;
  counters.reset();
});

let solutions = 0;
const GRACE = { connection: 'acme', username: 'grace', password: 'guess' };
const logIn = async (fields: object = {}, address = '198.51.100.1') =>
  postJson(`${gateway.url}/api/v1/auth/ldap`, { ...GRACE, ...fields }, { 'x-forwarded-for': address });
const solved = () => ({ recaptcha_token: `solved ${++solutions}` });
const statusOf = async (...login: Parameters<typeof logIn>) => (await logIn(...login)).status;
async function fail(times: number, fields: object = {}, address?: string) {
  for (let turn = 0; turn < times; turn += 1)
    expect(await statusOf({ ...fields, ...solved() }, address)).toBe(401);
}

describe('POST /api/v1/auth/ldap through the gateway', () => {
  test('passes the credentials and the answer on', async () => {
    directory.status = 200;
    const answer = await logIn({ recaptcha_token: 'unused' });
    expect(outcome(answer)).toStrictEqual({ status: 200, body: { 'the service’s': 'answer' } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(directory.logins).toEqual([{ url: '/api/v1/auth/ldap', body: GRACE }]);
  });

  test.each(['connection', 'username', 'password'])('needs %s', async (field) => {
    for (const value of [undefined, '']) {
      const answer = await logIn({ [field]: value });
      expect(outcome(answer)).toMatchObject({
        status: 400,
        body: { error: { code: 'MISSING_FIELD', details: `${field} is required` } },
      });
    }
    expect(await statusOf({ [field]: { $ne: null } })).toBe(400);
    expect(directory.logins).toEqual([]);
  });

  test('needs a CAPTCHA after three failures of the account from the address', async () => {
    for (let turn = 0; turn < 3; turn += 1) expect(await statusOf()).toBe(401);
    expect(outcome(await logIn())).toStrictEqual({
      status: 400,
      body: errorEnvelope('CAPTCHA_REQUIRED', 'reCAPTCHA validation failed'),
    });
    expect(directory.logins).toHaveLength(3);
    expect(await statusOf(solved())).toBe(401);
    expect(await statusOf({ username: 'ada' })).toBe(401);
    expect(await statusOf({ connection: 'other' })).toBe(401);
    expect(await statusOf({}, '198.51.100.2')).toBe(401);
  });

  test('refuses an account after twenty failures from one address', async () => {
    await fail(20);
    expect(await statusOf(solved())).toBe(429);
    expect(directory.logins).toHaveLength(20);
    expect(await statusOf(solved(), '198.51.100.2')).toBe(401);
    expect(await statusOf({ ...solved(), connection: 'other' })).toBe(401);
  });

  test.each([
    'GRACE',
    ' grace ',
    'gra\u00adce',
    'gr\u200ba ce',
    'ｇｒａｃｅ',
    'gr\u00e1ce',
    'gra\u0301ce',
    'grace\u0000',
  ])('counts %j as the same account', async (username) => {
    await fail(20);
    expect(await statusOf({ username, ...solved() })).toBe(429);
  });

  test('gives a parallel burst no extra guesses', async () => {
    const burst = await Promise.all(Array.from({ length: 30 }, () => statusOf(solved())));
    expect(burst.filter((status) => status === 401)).toHaveLength(20);
    expect(directory.logins).toHaveLength(20);
  });

  test('forgets the failures after a success', async () => {
    await fail(5);
    directory.status = 200;
    expect(await statusOf(solved())).toBe(200);
    directory.status = 401;
    expect(await statusOf()).toBe(401);
  });

  test.each([400, 403, 503])('counts no failure for a %i', async (status) => {
    directory.status = status;
    for (let turn = 0; turn < 25; turn += 1) expect(await statusOf()).toBe(status);
  });

  test('shares nothing with the account of an address', async () => {
    await fail(20);
    const { status } = await postJson(
      `${gateway.url}/api/v1/auth/login`,
      { email: 'grace', password: 'x', ...solved() },
      { 'x-forwarded-for': '198.51.100.1' },
    );
    expect(status).toBe(503); // the login service does not answer
  });
});
