import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { testClock } from '../../fixtures/clock.ts';
import { smallCounters } from '../../fixtures/counters.ts';
import { errorEnvelope, outcome } from '../../fixtures/envelope.ts';
import { bodyOf, startGateway, startHttp } from '../../fixtures/gateway.ts';
import { postForm, postJson } from '../../fixtures/http.ts';

/** A user service that records its calls and answers with `status`. */
const codes = { status: 200, calls: [] as object[] };
let service: Awaited<ReturnType<typeof startHttp>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
const clock = testClock();
const counters = smallCounters({ now: clock.now, divisor: 1 });
const start = (env: NodeJS.ProcessEnv) =>
  startGateway({
    clock,
    counters,
    env: {
      USER_SERVICE_URL: service.url,
      LOGIN_SERVICE_URL: 'http://127.0.0.1:1',
      TRUST_PROXY: 'loopback',
      RATE_LIMIT_ANONYMOUS_PER_MINUTE: '100000',
      ...env,
    },
  });
beforeAll(async () => {
  service = await startHttp(async (request, response) => {
    codes.calls.push({
      url: request.url,
      type: request.headers['content-type'],
      address: request.headers['x-forwarded-for'],
      body: await bodyOf(request),
    });
    response
      .writeHead(codes.status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      .end(codes.status === 403 ? '{"factor_token":"…"}' : '{"the service’s":"answer"}');
  });
  gateway = await start({ LOGIN_BY_CODE: 'on', CAPTCHA_PROVIDER: 'altcha' });
});
afterAll(async () => {
  await gateway.stop();
  await service.stop();
});
beforeEach(() => {
  codes.status = 200;
  codes.calls = [];
  counters.reset();
});

const JSON_PATH = '/api/v1/auth/login/code';
const FORM_PATH = '/v2/login/code';
const from = (address: string) => ({ 'x-forwarded-for': address });
const GUESS = { email: 'ada@example.com', code: '048213' };
const guess = async (fields: object = {}, address = '198.51.100.1') =>
  (await postJson(`${gateway.url}${JSON_PATH}/verify`, { ...GUESS, ...fields }, from(address))).status;
const guessForm = async (fields: object = {}, address = '198.51.100.1') =>
  (await postForm(`${gateway.url}${FORM_PATH}/verify`, { ...GUESS, ...fields }, from(address))).status;

describe('the login by a mailed code through the gateway', () => {
  test.each([
    [JSON_PATH, postJson, { email: 'ada@example.com' }, '{"email":"ada@example.com"}'],
    [FORM_PATH, postForm, { email: 'ada@example.com' }, 'email=ada%40example.com'],
    [`${JSON_PATH}/verify`, postJson, GUESS, '{"email":"ada@example.com","code":"048213"}'],
    [`${FORM_PATH}/verify`, postForm, GUESS, 'email=ada%40example.com&code=048213'],
    [
      `${FORM_PATH}/verify`,
      postForm,
      { ...GUESS, token: 'x' },
      'email=ada%40example.com&code=048213&token=x',
    ],
  ])('passes %s on, without unknown fields, and its answer back', async (path, post, fields, body) => {
    const answer = await post(`${gateway.url}${path}`, { ...fields, unknown: 'field' }, from('198.51.100.9'));
    expect(outcome(answer)).toStrictEqual({ status: 200, body: { 'the service’s': 'answer' } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const type = post === postJson ? 'application/json' : 'application/x-www-form-urlencoded';
    expect(codes.calls).toEqual([{ url: path, type, address: '198.51.100.9', body }]);
  });

  test('validates before it forwards', async () => {
    expect((await postJson(`${gateway.url}${JSON_PATH}`, { email: {} })).status).toBe(400);
    expect(await guess({ code: '' })).toBe(400);
    expect(codes.calls).toEqual([]);
  });

  test('does not exist while it is off', async () => {
    const off = await start({});
    try {
      expect((await postJson(`${off.url}${JSON_PATH}`, { email: 'ada@example.com' })).status).toBe(401);
      expect((await postForm(`${off.url}${FORM_PATH}`, { email: 'ada@example.com' })).status).toBe(404);
      expect(codes.calls).toEqual([]);
    } finally {
      await off.stop();
    }
  });

  test('counts wrong codes as failed logins of the account, at both contracts', async () => {
    codes.status = 401;
    for (let turn = 0; turn < 10; turn += 1) {
      expect(await guess()).toBe(401);
      expect(await guessForm({ email: 'ADA@example.com' })).toBe(401);
    }
    expect(await guess()).toBe(429);
    expect(codes.calls).toHaveLength(20);
    // Neither another network nor another account is refused.
    expect(await guess({}, '198.51.100.2')).toBe(401);
    expect(await guess({ email: 'grace@example.com' })).toBe(401);
  });

  test('they make a catalogue login ask for a CAPTCHA', async () => {
    codes.status = 401;
    for (let turn = 0; turn < 3; turn += 1) await guess();
    const login = { email: GUESS.email, password: 'secret' };
    expect(
      outcome(await postJson(`${gateway.url}/api/v1/auth/login`, login, from('198.51.100.1'))),
    ).toStrictEqual({
      status: 400,
      body: errorEnvelope('CAPTCHA_REQUIRED', 'reCAPTCHA validation failed'),
    });
  });

  test.each([200, 403])('a right code clears the failed logins: %i', async (status) => {
    codes.status = 401;
    for (let turn = 0; turn < 19; turn += 1) await guess();
    codes.status = status;
    expect(await guess()).toBe(status);
    codes.status = 401;
    expect(await guess()).toBe(401);
    expect(await guess()).toBe(401);
  });

  test('counts thirty wrong codes of a network, for whatever accounts, together with codes of signups', async () => {
    codes.status = 401;
    for (let turn = 0; turn < 15; turn += 1) await guess({ email: `person${turn}@example.com` });
    codes.status = 400;
    for (let turn = 0; turn < 15; turn += 1)
      await postForm(
        `${gateway.url}/v2/verify-otp`,
        { email: `person${turn}@example.com`, otp: '048213' },
        from('198.51.100.1'),
      );
    codes.status = 200;
    expect(await guess({ email: 'another@example.com' })).toBe(429);
    expect(await guess({ email: 'another@example.com' }, '198.51.100.2')).toBe(200);
  });

  test('is 503 when the service is down, and counts nothing', async () => {
    const down = await start({ LOGIN_BY_CODE: 'on', USER_SERVICE_URL: 'http://127.0.0.1:1' });
    try {
      for (let turn = 0; turn < 21; turn += 1)
        expect((await postJson(`${down.url}${JSON_PATH}/verify`, GUESS)).status).toBe(503);
    } finally {
      await down.stop();
    }
  });
});
