import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildGateway } from '../../../services/gateway/app.ts';
import { memoryCounters } from '../../../services/gateway/policy/counters-memory.ts';
import { createLoginThrottle } from '../../../services/gateway/policy/login-throttle.ts';
import { smallCounters } from '../../fixtures/counters.ts';
import { failuresAt, outcome, rateLimited } from '../../fixtures/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { bodyOf, startHttp } from '../../fixtures/gateway.ts';
import { type Answered, decodeToken, postForm, postJson, send } from '../../fixtures/http.ts';
import { newMember } from '../../fixtures/members.ts';
import { listen, type Services, startServices, testConfig } from '../../fixtures/services.ts';

let services: Services;
/** A CAPTCHA provider that accepts every token that begins with "solved". */
let provider: Awaited<ReturnType<typeof startHttp>>;
const verified: (string | null)[] = [];
beforeAll(async () => {
  services = await startServices();
  provider = await startHttp(async (request, response) => {
    const token = new URLSearchParams(await bodyOf(request)).get('response');
    verified.push(token);
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ success: token?.startsWith('solved') }));
  });
});
afterAll(async () => {
  await Promise.all(gateways.map((each) => each.close()));
  await provider.stop();
  await services.stop();
});

const gateways: FastifyInstance[] = [];
const counters = smallCounters({ now: () => services.clock.now(), divisor: 1 });
/** A gateway in front of the two services. */
async function startGateway(env: NodeJS.ProcessEnv = {}): Promise<string> {
  const config = testConfig('gateway', {
    CAPTCHA_PROVIDER: 'recaptcha',
    CAPTCHA_VERIFY_URL: `${provider.url}/siteverify`,
    TRUST_PROXY: 'loopback',
    RATE_LIMIT_ANONYMOUS_PER_MINUTE: '100000',
    LOGIN_SERVICE_URL: services.login,
    USER_SERVICE_URL: services.user,
    ...env,
  });
  const gateway = await buildGateway({ config, db: services.db, now: services.clock.now, counters });
  gateways.push(gateway);
  return listen(gateway);
}
let gateway: string;
beforeAll(async () => {
  gateway = await startGateway();
});
beforeEach(() => {
  counters.reset();
  verified.length = 0;
});

const newUser = (fields?: object) => newMember(services.db, fields);
let solutions = 0;
/** A new token; each is valid for one login. */
const solved = () => `solved ${++solutions}`;
const from = (address: string) => ({ 'x-forwarded-for': address });
const logIn = (credentials: unknown, headers?: Record<string, string>, where = gateway) =>
  postJson(`${where}/api/v1/auth/login`, credentials, headers);
const fail = (email: string, headers?: Record<string, string>, where?: string) =>
  logIn({ email, password: 'wrong', recaptcha_token: solved() }, headers, where);
const failDirect = (email: string, headers?: Record<string, string>) =>
  postForm(`${gateway}/v2/login`, { email, password: 'wrong', recaptcha_token: solved() }, headers);
const failure = failuresAt(() => services.clock.now());
const captchaRequired = (answer: Answered) =>
  failure(answer, 400, 'CAPTCHA_REQUIRED', 'reCAPTCHA validation failed');
/** The status of a login with the right password and without a CAPTCHA. */
const attempt = async (email: string, headers?: Record<string, string>, where?: string) =>
  (await logIn({ email, password: 'secret' }, headers, where)).status;

describe('POST /api/v1/auth/login through the gateway', () => {
  test('returns the login service’s response unchanged', async () => {
    const { email, user_id } = await newUser();
    const answer = await logIn({ email, password: 'secret' });
    expect(outcome(answer)).toStrictEqual({
      status: 200,
      body: { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600, user_id },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('api-version')).toBe('v1');
    const { header, payload } = decodeToken(answer.body.access_token);
    expect(payload).toEqual({ email, user_id, exp: services.clock.seconds() + 3600 });
    expect(Object.keys(header).sort()).toEqual(['alg', 'sid', 'typ']);
    expect(verified).toEqual([]);
  });

  test('refuses an unknown email and a wrong password alike, and an unverified account with 403', async () => {
    const { email } = await newUser();
    const unverified = await newUser({ verified: false });
    const invalid = [401, 'INVALID_CREDENTIALS', 'Invalid credentials'] as const;
    const wrong = await logIn({ email, password: 'wrong' });
    expect(outcome(wrong)).toStrictEqual(failure(wrong, ...invalid));
    const unknown = await logIn({ email: 'nobody@example.com', password: 'x' });
    expect(outcome(unknown)).toStrictEqual(failure(unknown, ...invalid));
    const right = await logIn({ email: unverified.email, password: 'secret' });
    expect(outcome(right)).toStrictEqual(failure(right, 403, 'ACCOUNT_NOT_VERIFIED', 'Account not verified'));
  });

  test('needs no bearer, and ignores an invalid one', async () => {
    const { email } = await newUser();
    expect(await attempt(email, { authorization: 'Bearer x' })).toBe(200);
  });

  test('forwards the client’s address to the login service', async () => {
    const { email } = await newUser();
    await attempt(email, { ...from('198.51.100.77'), 'x-request-id': 'from-the-client' });
    expect(await services.db.auditEvents.findOne({ email: email.toLowerCase() })).toMatchObject({
      request_id: 'from-the-client',
    });
  });

  test('lists a throttled attempt in the audit of the account', async () => {
    // The gateway's clock is behind the one that named the record.
    const { email } = await newUser({ address_since: new Date(0) });
    const { body } = await logIn({ email, password: 'secret' });
    const stranger = from('198.51.100.90');
    for (let time = 0; time < 20; time += 1) await fail(email, stranger);
    expect((await fail(email, stranger)).status).toBe(429);
    const headers = { authorization: `Bearer ${body.access_token}` };
    await eventually(async () => {
      const { body: listed } = await send(`${gateway}/api/v1/users/me/audit?limit=1`, { headers });
      const actor = { user_id: null, email: email.toLowerCase() };
      expect(listed.data).toMatchObject([{ action: 'login', outcome: 'throttled', actor }]);
    });
  });

  test('returns 503 when the login service is down, and counts no failure', async () => {
    const { email } = await newUser();
    const alone = await startGateway({ LOGIN_SERVICE_URL: 'http://127.0.0.1:1' });
    for (let time = 0; time < 25; time += 1) {
      const answer = await logIn({ email, password: 'wrong' }, {}, alone);
      expect(outcome(answer)).toStrictEqual(
        failure(answer, 503, 'SERVICE_UNAVAILABLE', 'Service unavailable'),
      );
    }
  });
});

describe('the CAPTCHA after failures', () => {
  test('is required after three failures of the pair, for 15 minutes', async () => {
    const { email } = await newUser();
    const began = services.clock.now();
    for (let time = 0; time < 3; time += 1) {
      expect((await logIn({ email, password: 'wrong' })).status).toBe(401);
      services.clock.advance(60);
    }
    const answer = await logIn({ email, password: 'secret' });
    expect(outcome(answer)).toStrictEqual(captchaRequired(answer));
    expect(verified).toEqual([]);
    services.clock.advance((began + 899_999 - services.clock.now()) / 1000);
    expect(await attempt(email)).toBe(400);
    services.clock.advance(0.001);
    expect(await attempt(email)).toBe(200);
  });

  test.each<[string, unknown, number]>([
    ['solved', 'solved', 200],
    ['refused', 'bot', 400],
    ['empty', '', 400],
    ['a number', 1, 400],
    ['null', null, 400],
    ['an array', ['solved'], 400],
  ])('one that is %s', async (what, recaptcha_token, status) => {
    const { email } = await newUser();
    for (let time = 0; time < 3; time += 1) await fail(email);
    const token = what === 'solved' ? solved() : recaptcha_token;
    const answer = await logIn({ email, password: 'secret', recaptcha_token: token });
    expect(answer.status).toBe(status);
    if (typeof token === 'string' && status === 400)
      expect(outcome(answer)).toStrictEqual(captchaRequired(answer));
  });

  test('admits one login with a solved token', async () => {
    const { email } = await newUser();
    for (let time = 0; time < 3; time += 1) await fail(email);
    const recaptcha_token = solved();
    expect((await logIn({ email, password: 'wrong', recaptcha_token })).status).toBe(401);
    const answer = await logIn({ email, password: 'secret', recaptcha_token });
    expect(outcome(answer)).toStrictEqual(captchaRequired(answer));
  });

  test('is not required for another address or account, and counts spellings of an account together', async () => {
    const [{ email }, other] = [await newUser(), await newUser()];
    for (let time = 0; time < 3; time += 1) await fail(email, from('198.51.100.1'));
    expect(await attempt(email, from('198.51.100.1'))).toBe(400);
    expect(await attempt(email.toUpperCase(), from('198.51.100.1'))).toBe(400);
    expect(await attempt(` ${email} `, from('198.51.100.1'))).toBe(400);
    expect(await attempt(email, from('198.51.100.2'))).toBe(200);
    expect(await attempt(other.email, from('198.51.100.1'))).toBe(200);
  });

  test('is required after failures of the Direct contract too', async () => {
    const { email } = await newUser();
    await failDirect(email);
    await fail(email);
    expect(await attempt(email)).toBe(200); // clears the pair
    await failDirect(email);
    await failDirect(email.toUpperCase());
    await fail(email);
    expect(await attempt(email)).toBe(400);
  });

  test('counts an unknown account as a failure, under both contracts', async () => {
    for (let time = 0; time < 3; time += 1) await failDirect('nobody@example.com');
    expect(await attempt('nobody@example.com')).toBe(400);
    for (let time = 0; time < 3; time += 1) await fail('nobody.else@example.com');
    expect(await attempt('nobody.else@example.com')).toBe(400);
  });

  test('does not count attempts that are not failures', async () => {
    const unverified = await newUser({ verified: false });
    for (let time = 0; time < 5; time += 1) expect(await attempt(unverified.email)).toBe(403);
    for (let time = 0; time < 5; time += 1)
      expect((await logIn({ email: unverified.email })).status).toBe(400);
  });

  test.each(['/api/v1/auth/login', '/v2/login'])('a success at %s clears the pair', async (path) => {
    const { email } = await newUser();
    await fail(email);
    await fail(email);
    const success =
      path === '/v2/login'
        ? await postForm(gateway + path, { email, password: 'secret', recaptcha_token: solved() })
        : await logIn({ email, password: 'secret' });
    expect(success.status).toBe(200);
    await fail(email);
    await fail(email);
    expect(await attempt(email)).toBe(200);
  });

  test('a success does not clear the failures of the address', async () => {
    const [{ email }, other] = [await newUser(), await newUser()];
    for (let time = 0; time < 3; time += 1) await fail(email);
    expect(await attempt(other.email)).toBe(200);
    expect(await attempt(email)).toBe(400);
  });

  test('is required after twenty failures of the address, whatever the accounts and successes', async () => {
    const { email } = await newUser();
    for (let time = 0; time < 10; time += 1) await fail(`a${time}@example.com`, from('198.51.100.1'));
    expect(await attempt(email, from('198.51.100.1'))).toBe(200);
    for (let time = 0; time < 9; time += 1) await failDirect(`b${time}@example.com`, from('198.51.100.1'));
    expect(await attempt(email, from('198.51.100.1'))).toBe(200);
    await fail('c@example.com', from('198.51.100.1'));
    const answer = await logIn({ email, password: 'secret' }, from('198.51.100.1'));
    expect(outcome(answer)).toStrictEqual(captchaRequired(answer));
    expect(await attempt(email, from('198.51.100.2'))).toBe(200);
    services.clock.advance(899.999);
    expect(await attempt(email, from('198.51.100.1'))).toBe(400);
    services.clock.advance(0.001);
    expect(await attempt(email, from('198.51.100.1'))).toBe(200);
  });

  test('a parallel burst gets no extra attempts', async () => {
    const { email } = await newUser();
    const pair = from('198.51.100.10');
    const ofPair = await Promise.all(
      Array.from({ length: 20 }, () => logIn({ email, password: 'wrong' }, pair)),
    );
    expect(ofPair.filter(({ status }) => status === 401)).toHaveLength(3);
    expect(ofPair.filter(({ body }) => body.error.code === 'CAPTCHA_REQUIRED')).toHaveLength(17);
    const address = from('198.51.100.11');
    const ofAddress = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        logIn({ email: `x${index}@example.com`, password: 'wrong' }, address),
      ),
    );
    expect(ofAddress.filter(({ status }) => status === 401)).toHaveLength(20);
    expect(ofAddress.filter(({ body }) => body.error.code === 'CAPTCHA_REQUIRED')).toHaveLength(40);
  });

  test('counts an IPv6 /64 as one address', async () => {
    const { email } = await newUser();
    for (let host = 1; host <= 3; host += 1) await fail(email, from(`2001:db8:0:1::${host}`));
    expect(await attempt(email, from('2001:db8:0:1:ffff::1'))).toBe(400);
    expect(await attempt(email, from('2001:db8:0:2::1'))).toBe(200);
  });

  test('is required of all clients after ten failures at one account', async () => {
    const { email } = await newUser();
    for (let network = 1; network <= 5; network += 1) {
      for (const failing of [fail, failDirect]) await failing(email, from(`203.0.113.${network}`));
      if (network < 5) expect(await attempt(email, from(`198.51.100.2${network}`))).toBe(200);
    }
    for (const address of ['198.51.100.20', '2001:db8::20'])
      expect(await attempt(email, from(address))).toBe(400);
    const recaptcha_token = solved();
    const owner = await logIn({ email, password: 'secret', recaptcha_token }, from('198.51.100.20'));
    expect(owner.status).toBe(200);
    expect(await attempt(email, from('198.51.100.21'))).toBe(400);
    expect(await attempt((await newUser()).email, from('198.51.100.21'))).toBe(200);
    services.clock.advance(900);
    expect(await attempt(email, from('198.51.100.20'))).toBe(200);
  });

  test('is required after 4 times the failures of an IPv6 /56', async () => {
    const { email } = await newUser();
    const failures = Array.from({ length: 80 }, (_, time) =>
      fail(`of56-${time}@example.com`, from(`2001:db8:0:${(time % 5) + 1}::1`)),
    );
    expect((await Promise.all(failures)).map(({ status }) => status)).toEqual(Array(80).fill(401));
    expect(await attempt(email, from('2001:db8:0:ff::1'))).toBe(400);
    expect(await attempt(email, from('2001:db8:0:100::1'))).toBe(200);
  });
});

describe('CAPTCHA_ON_CATALOGUE_LOGIN', () => {
  test('always: requires it at the first login', async () => {
    const where = await startGateway({ CAPTCHA_ON_CATALOGUE_LOGIN: 'always' });
    const { email } = await newUser();
    const answer = await logIn({ email, password: 'secret' }, {}, where);
    expect(outcome(answer)).toStrictEqual(captchaRequired(answer));
    const recaptcha_token = solved();
    expect((await logIn({ email, password: 'secret', recaptcha_token }, {}, where)).status).toBe(200);
  });

  test('never: does not require it, whatever the failures', async () => {
    const where = await startGateway({ CAPTCHA_ON_CATALOGUE_LOGIN: 'never' });
    const { email } = await newUser();
    for (let time = 0; time < 19; time += 1) await fail(email, {}, where);
    for (let time = 0; time < 19; time += 1) await fail(`${time}@example.com`, {}, where);
    expect(await attempt(email, {}, where)).toBe(200);
    expect(verified).toEqual([]);
  });

  test.each(['always', 'after-failures'])(
    '%s requires nothing when CAPTCHA_PROVIDER is none',
    async (when) => {
      const where = await startGateway({ CAPTCHA_ON_CATALOGUE_LOGIN: when, CAPTCHA_PROVIDER: 'none' });
      const { email } = await newUser();
      for (let time = 0; time < 4; time += 1) await fail(email, {}, where);
      expect(await attempt(email, {}, where)).toBe(200);
    },
  );
});

describe('twenty failures of a pair within five minutes', () => {
  const tooMany = (retry_after: number) => rateLimited(20, retry_after, services.clock.now());

  test('are the limit over both contracts, and other addresses need only a CAPTCHA', async () => {
    const { email } = await newUser();
    for (let time = 0; time < 10; time += 1) expect((await fail(email)).status).toBe(401);
    services.clock.advance(100);
    for (let time = 0; time < 10; time += 1) expect((await failDirect(email)).status).toBe(401);
    const answer = await logIn({ email, password: 'secret', recaptcha_token: solved() });
    expect(outcome(answer)).toStrictEqual(tooMany(200));
    expect(answer.headers.get('retry-after')).toBe('200');
    const direct = await failDirect(email);
    expect(outcome(direct)).toStrictEqual({ status: 429, body: { detail: 'Too many requests' } });
    expect(direct.headers.get('retry-after')).toBe('200');
    const right = { email, password: 'secret' };
    const elsewhere = await logIn(right, from('198.51.100.9'));
    expect(outcome(elsewhere)).toStrictEqual(captchaRequired(elsewhere));
    const solving = { ...right, recaptcha_token: solved() };
    expect((await logIn(solving, from('198.51.100.9'))).status).toBe(200);

    services.clock.advance(199.999);
    const last = await fail(email);
    expect(outcome(last)).toStrictEqual(tooMany(1));
    services.clock.advance(0.001);
    expect((await fail(email)).status).toBe(401);
  });

  test('are the limit for a parallel burst', async () => {
    const where = await startGateway({ CAPTCHA_ON_CATALOGUE_LOGIN: 'never' });
    const { email } = await newUser();
    const answers = await Promise.all(Array.from({ length: 50 }, () => fail(email, {}, where)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(20).fill(401), ...Array(30).fill(429)]);
    const compared = { email: email.toLowerCase(), outcome: { $ne: 'throttled' } };
    expect(await services.db.auditEvents.countDocuments(compared)).toBe(20);
  });

  test('are cleared by a success', async () => {
    const where = await startGateway({ CAPTCHA_ON_CATALOGUE_LOGIN: 'never' });
    const { email } = await newUser();
    for (let round = 0; round < 2; round += 1) {
      for (let time = 0; time < 19; time += 1) expect((await fail(email, {}, where)).status).toBe(401);
      expect(await attempt(email, {}, where)).toBe(200);
    }
  });

  test('do not include logins that are not failures', async () => {
    const where = await startGateway({ CAPTCHA_ON_CATALOGUE_LOGIN: 'never' });
    const { email } = await newUser({ verified: false });
    for (let time = 0; time < 30; time += 1) expect(await attempt(email, {}, where)).toBe(403);
  });
});

test('an attempt that ends after its window refunds nothing in the next one', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const counters = memoryCounters(() => Date.now());
  const throttle = createLoginThrottle(counters);
  const person = ['ada@example.com', '198.51.100.1'] as const;
  const wrong = async () => ({ status: 401 });
  const late = [Promise.withResolvers<{ status: number }>(), Promise.withResolvers<{ status: number }>()];
  const under: Promise<unknown>[] = [];
  for (const { promise } of late) {
    await new Promise<void>((begun) => {
      const attempt = () => {
        begun();
        return promise;
      };
      under.push(throttle(...person, attempt));
    });
  }
  vi.advanceTimersByTime(300_000);
  for (let time = 0; time < 20; time += 1) await throttle(...person, wrong);
  late[0]?.reject(new Error('too late'));
  late[1]?.resolve({ status: 503 });
  await Promise.allSettled(under);
  await expect(throttle(...person, wrong)).rejects.toThrow('Too many requests');
  vi.useRealTimers();
});

describe('an invalid body never reaches the login service', () => {
  const MALFORMED = 'The request is malformed';
  const MISSING = 'A required field is missing';
  const missing = (details: string) => [400, 'MISSING_FIELD', MISSING, details] as const;
  const invalid = (details: string) => [400, 'INVALID_FORMAT', MALFORMED, details] as const;
  const deep = (open: string, close: string) => open.repeat(10_000) + close.repeat(10_000);
  let attempts: number;
  beforeEach(async () => {
    attempts = await services.db.auditEvents.countDocuments();
  });
  afterEach(async () => {
    expect(await services.db.auditEvents.countDocuments()).toBe(attempts);
  });

  test.each<[string, string, readonly [number, string, string, string]]>([
    ['nothing', '', missing('body is required')],
    ['null', 'null', missing('body is required')],
    ['a number', '1', invalid('body must be a JSON object')],
    ['an array', '[{"email":"a@b.c","password":"x"}]', invalid('body must be a JSON object')],
    ['an empty object', '{}', missing('email is required')],
    ['no password', '{"email":"a@b.c"}', missing('password is required')],
    ['an empty email', '{"email":" ","password":"x"}', missing('email is required')],
    ['an empty password', '{"email":"a@b.c","password":""}', missing('password is required')],
    ['an operator as the email', '{"email":{"$gt":""},"password":"x"}', invalid('email must be a string')],
    ['null as password', '{"email":"a@b.c","password":null}', invalid('password must be a string')],
    ['10,000 arrays', deep('[', ']'), invalid('body must be a JSON object')],
    ['10,000 objects', deep('{"a":', '}').replace('}', '1}'), missing('email is required')],
    [
      'a deeply nested password',
      `{"email":"a@b.c","password":${deep('[', ']')}}`,
      invalid('password must be a string'),
    ],
    ['10,000 arrays, never closed', '['.repeat(10_000), invalid(MALFORMED)],
    ['a missing closing brace', '{"email":"a@b.c","password":"x"', invalid(MALFORMED)],
    ['__proto__', '{"__proto__":{"email":"a@b.c"},"password":"x"}', invalid(MALFORMED)],
  ])('%s', async (_, body, expected) => {
    const answer = await logIn(body);
    expect(outcome(answer)).toStrictEqual(failure(answer, ...expected));
  });

  test.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=b', 'application/xml', 'x'])(
    'with the content type %s',
    async (type) => {
      const answer = await logIn('{"email":"a@b.c","password":"x"}', { 'content-type': type });
      expect(outcome(answer)).toStrictEqual(failure(answer, 400, 'INVALID_FORMAT', MALFORMED));
    },
  );

  test('longer than 64 KiB', async () => {
    const answer = await logIn(JSON.stringify({ email: 'a@b.c', password: 'x'.repeat(64 * 1024) }));
    expect(outcome(answer)).toStrictEqual(failure(answer, 400, 'INVALID_FORMAT', MALFORMED));
  });

  test('with a CAPTCHA token that is not a string', async () => {
    for (const recaptcha_token of [1, null, {}, []]) {
      const answer = await logIn({ email: 'a@b.c', password: 'x', recaptcha_token });
      expect(answer.status).toBe(400);
      expect(Object.keys(answer.body.error).sort()).toEqual([
        'code',
        'details',
        'message',
        'request_id',
        'timestamp',
      ]);
      expect(answer.body.error).toMatchObject({ code: 'INVALID_FORMAT', message: MALFORMED });
    }
  });
});
