import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, startGateway, startHttp, startUpstream } from '../../fixtures/gateway.ts';
import { postForm, send } from '../../fixtures/http.ts';

type Started<T extends (...args: never[]) => unknown> = Awaited<ReturnType<T>>;

const refused = { status: 400, body: { detail: 'reCAPTCHA validation failed' } };
const person = { email: 'ada@example.com', password: 'secret' };

/** The provider's next response, and the forms that it received. */
const provider = {
  received: [] as Record<string, string>[],
  reply: (): { status?: number; body: string | Buffer; headers?: object } | undefined => ({ body: '{}' }),
};

describe.each(['recaptcha', 'hcaptcha', 'turnstile'] as const)('POST /v2/login with %s', (name) => {
  const hasActions = name !== 'hcaptcha';
  let siteverify: Started<typeof startHttp>;
  let upstream: Started<typeof startUpstream>;
  let gateway: Started<typeof startGateway>;
  const login = async (fields: Record<string, string>) => {
    const { status, body } = await postForm(`${gateway.url}/v2/login`, { ...person, ...fields });
    return { status, body };
  };
  const solved = (age = 0, more = {}) => ({
    body: JSON.stringify({
      success: true,
      challenge_ts: new Date(gateway.clock.now() - age).toISOString(),
      hostname: 'localhost',
      action: 'login',
      ...more,
    }),
  });

  beforeAll(async () => {
    upstream = await startUpstream();
    siteverify = await startHttp(async (request, response) => {
      provider.received.push(Object.fromEntries(new URLSearchParams(await bodyOf(request))));
      const reply = provider.reply();
      if (!reply) return request.socket.destroy();
      const headers = { 'content-type': 'application/json', ...reply.headers };
      response.writeHead(reply.status ?? 200, headers).end(reply.body);
    });
    gateway = await startGateway({
      env: {
        LOGIN_SERVICE_URL: upstream.url,
        CAPTCHA_PROVIDER: name,
        CAPTCHA_SECRET: 'the provider’s secret',
        CAPTCHA_VERIFY_URL: `${siteverify.url}/siteverify`,
        CAPTCHA_HOSTNAMES: 'localhost, accounts.example',
        CAPTCHA_ACTION: hasActions ? 'login' : '',
        PUBLIC_URL: 'https://accounts.example',
      },
    });
  });
  afterEach(() => {
    upstream.received.length = 0;
    provider.received.length = 0;
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.stop();
    await siteverify.stop();
  });

  test('forwards a login with a solved challenge, without the token', async () => {
    provider.reply = () => solved();
    expect(await login({ recaptcha_token: 'solved once' })).toEqual({ status: 200, body: { ok: true } });
    expect(upstream.received.map(({ form }) => form)).toEqual([person]);
    expect(provider.received).toEqual([
      { secret: 'the provider’s secret', response: 'solved once', remoteip: '127.0.0.1' },
    ]);
  });

  const otherActions = hasActions ? [{ action: 'signup' }, { action: undefined }] : [];
  test.each([{ hostname: 'other.example' }, { hostname: null }, ...otherActions])(
    'refuses a challenge with %j',
    async (more) => {
      provider.reply = () => solved(0, more);
      expect(await login({ recaptcha_token: JSON.stringify(more) })).toEqual(refused);
      expect(upstream.received).toEqual([]);
    },
  );

  test('sends Strict-Transport-Security, because the public address has TLS', async () => {
    for (const path of ['/health/live', '/nothing']) {
      const { headers } = await send(`${gateway.url}${path}`);
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
    }
  });

  test('accepts a challenge that is exactly two minutes old', async () => {
    provider.reply = () => solved(120_000);
    expect((await login({ recaptcha_token: 'two minutes' })).status).toBe(200);
  });

  test('refuses a missing or empty token without asking the provider', async () => {
    expect(await login({})).toEqual(refused);
    expect(await login({ recaptcha_token: '' })).toEqual(refused);
    expect(provider.received).toEqual([]);
    expect(upstream.received).toEqual([]);
  });

  test.each<[unknown, boolean]>([
    [0.49, false],
    [0.5, true],
    [0.9, true],
    ['0.9', false],
    [null, false],
  ])(
    'accepts a score of 0.5 or more for reCAPTCHA, and ignores the score of others: %j',
    async (score, passes) => {
      provider.reply = () => solved(0, { score });
      const { status } = await login({ recaptcha_token: `score ${JSON.stringify(score)}` });
      expect(status).toBe(passes || name !== 'recaptcha' ? 200 : 400);
    },
  );

  test.each<[string, () => { status?: number; body: string | Buffer; headers?: object } | undefined]>([
    [
      'compresses its answer',
      () => ({ body: gzipSync(solved().body), headers: { 'content-encoding': 'gzip' } }),
    ],
    ['sends more than four mebibytes', () => solved(0, { padding: 'x'.repeat(4 * 1024 * 1024) })],
    ['refuses the token', () => ({ body: '{"success":false,"error-codes":["invalid-input-response"]}' })],
    ['says that the challenge is older than two minutes', () => solved(120_001)],
    ['sends an invalid time', () => solved(0, { challenge_ts: 'yesterday' })],
    ['sends success as a string', () => solved(0, { success: 'true' })],
    ['answers 500', () => ({ ...solved(), status: 500 })],
    ['answers with something other than JSON', () => ({ body: '<html>' })],
    ['redirects', () => ({ body: '', status: 302 })],
    ['hangs up', () => undefined],
  ])('returns 400 and does not call the login service when the provider %s', async (what, reply) => {
    provider.reply = reply;
    expect(await login({ recaptcha_token: `when it ${what}` })).toEqual(refused);
    expect(upstream.received).toEqual([]);
  });

  test('lets one of twenty logins with the same token pass', async () => {
    provider.reply = () => solved();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => login({ recaptcha_token: 'replayed' })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toEqual(Array(19).fill(refused));
    expect(upstream.received).toHaveLength(1);
  });

  test('refuses a token that is given twice without asking the provider', async () => {
    const response = await fetch(`${gateway.url}/v2/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'email=ada%40example.com&password=secret&recaptcha_token=a&recaptcha_token=b',
    });
    expect({ status: response.status, body: await response.json() }).toEqual(refused);
    expect(provider.received).toEqual([]);
    expect(upstream.received).toEqual([]);
  });
});

test('returns 400 when the provider does not answer within the limit', async () => {
  const siteverify = await startHttp(() => {});
  const gateway = await startGateway({
    env: { CAPTCHA_PROVIDER: 'recaptcha', CAPTCHA_VERIFY_URL: siteverify.url },
    limits: { captcha: 50 },
  });
  const { status, body } = await postForm(`${gateway.url}/v2/login`, { ...person, recaptcha_token: 'x' });
  expect({ status, body }).toEqual(refused);
  await gateway.stop();
  await siteverify.stop();
});
