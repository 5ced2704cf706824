import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, startUpstream } from '../../fixtures/gateway.ts';
import { postForm, send } from '../../fixtures/http.ts';

const refused = { status: 400, body: { detail: 'reCAPTCHA validation failed' } };
const person = { email: 'ada@example.com', password: 'secret' };

describe('POST /v2/login with ALTCHA', () => {
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  beforeAll(async () => {
    upstream = await startUpstream();
    gateway = await startGateway({
      env: { LOGIN_SERVICE_URL: upstream.url, CAPTCHA_PROVIDER: 'altcha', CAPTCHA_SECRET: 'ours' },
    });
  });
  afterEach(() => {
    upstream.received.length = 0;
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.stop();
  });

  const challengeOf = async (url: string): Promise<Challenge> =>
    (await send(`${url}/captcha/challenge`)).body;
  const solve = async (challenge: Challenge) => {
    const solution = await solveChallenge({ challenge, deriveKey });
    return { challenge, solution };
  };
  const encode = (payload: unknown) => Buffer.from(JSON.stringify(payload)).toString('base64');
  const login = async (recaptcha_token: string) => {
    const { status, body } = await postForm(`${gateway.url}/v2/login`, { ...person, recaptcha_token });
    return { status, body };
  };

  test('returns a signed challenge that expires after two minutes and is not cached', async () => {
    const { status, headers, body } = await send(`${gateway.url}/captcha/challenge`);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toStrictEqual({
      parameters: expect.objectContaining({ expiresAt: gateway.clock.seconds() + 120 }),
      signature: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test('forwards a login with a solved challenge, without the token', async () => {
    const token = encode(await solve(await challengeOf(gateway.url)));
    expect(await login(token)).toEqual({ status: 200, body: { ok: true } });
    expect(upstream.received.map(({ form }) => form)).toEqual([person]);
  });

  test('accepts a solution once, in any spelling, also among ten at once', async () => {
    const payload = await solve(await challengeOf(gateway.url));
    const spellings = Array.from({ length: 10 }, (_, index) => encode({ ...payload, took: index }));
    const answers = await Promise.all(spellings.map(login));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toEqual(Array(9).fill(refused));
    expect(await login(encode(payload))).toEqual(refused);
    expect(upstream.received).toHaveLength(1);
  });

  test('refuses a solution after two minutes', async () => {
    const token = encode(await solve(await challengeOf(gateway.url)));
    gateway.clock.advance(121);
    expect(await login(token)).toEqual(refused);
    gateway.clock.advance(-121);
    expect((await login(token)).status).toBe(200);
  });

  test('refuses a replay at another gateway with the same database and secret', async () => {
    const token = encode(await solve(await challengeOf(gateway.url)));
    expect((await login(token)).status).toBe(200);
    const { _id } = (await gateway.db.captchaRedemptions.find().sort({ $natural: -1 }).toArray())[0] ?? {};
    expect(_id).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await login(token)).toEqual(refused);
  });

  let solved: ReturnType<typeof solve> | undefined;
  /** One solution for all forgeries: none of them may redeem it. */
  const genuine = () => (solved ??= challengeOf(gateway.url).then(solve));

  test.each<[string, (payload: Awaited<ReturnType<typeof solve>>) => unknown]>([
    ['not solved', ({ challenge }) => ({ challenge, solution: { counter: 0, derivedKey: '' } })],
    [
      'wrong key',
      ({ challenge, solution }) => ({ challenge, solution: { ...solution, derivedKey: '00'.repeat(32) } }),
    ],
    [
      'longer lifetime',
      ({ challenge, solution }) => ({
        challenge: { ...challenge, parameters: { ...challenge.parameters, expiresAt: 4_000_000_000 } },
        solution,
      }),
    ],
    [
      'easier task',
      ({ challenge, solution }) => ({
        challenge: { ...challenge, parameters: { ...challenge.parameters, cost: 1, keyPrefix: '' } },
        solution,
      }),
    ],
    ['no signature', ({ challenge: { parameters }, solution }) => ({ challenge: { parameters }, solution })],
    [
      'another signature',
      ({ challenge, solution }) => ({ challenge: { ...challenge, signature: '0'.repeat(64) }, solution }),
    ],
    ['a string', () => 'solved'],
    ['nothing', () => null],
  ])('refuses a forged challenge: %s', async (_, forge) => {
    expect(await login(encode(forge(await genuine())))).toEqual(refused);
    expect(upstream.received).toEqual([]);
  });

  test('accepts the solution that was forged', async () => {
    expect((await login(encode(await genuine()))).status).toBe(200);
  });

  test.each(['not base64 at all!', 'e30=', '{"challenge":1}', '\u0000', 'A'.repeat(60_000)])(
    'refuses garbage: %.20s',
    async (token) => {
      expect(await login(token)).toEqual(refused);
      expect(upstream.received).toEqual([]);
    },
  );
});
