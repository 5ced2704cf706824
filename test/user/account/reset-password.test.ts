import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answered, decodeToken, postForm } from '../../fixtures/http.ts';
import { mailedCode, type Services, startServices } from '../../fixtures/services.ts';

let services: Services;
let plain: Services;
beforeAll(async () => {
  [services, plain] = await Promise.all([
    startServices(),
    startServices({ env: { PASSWORD_STORAGE: 'plain' } }),
  ]);
});
afterAll(() => Promise.all([services.stop(), plain.stop()]));

let people = 0;
const post = (operation: string, fields: Record<string, string>, { user } = services) =>
  postForm(`${user}/v2/${operation}`, fields);
const reset = (email: string, otp: string, new_password = 'new', where = services) =>
  post('reset-password', { email, otp, new_password }, where);
const verify = (email: string, otp: string) => post('verify-otp', { email, otp });
const logIn = async (email: string, password: string, { login } = services) =>
  (await postForm(`${login}/v2/login`, { email, password })).status;
const record = (email: string, { db } = services) => db.users.findOne({ email });
const otherThan = (code: string, by = 1) => String((Number(code) + by) % 1_000_000).padStart(6, '0');
const outcome = ({ status, body }: Answered) => ({ status, body });

async function signUp(where = services) {
  people += 1;
  const email = `Person${people}@example.com`;
  expect((await post('signup', { email, password: 'old', name: 'Person' }, where)).status).toBe(200);
  return { email, code: mailedCode(where.mailbox, email) };
}

/** An active account that has just been mailed a code to reset its password. */
async function forgetful(where = services) {
  const { email, code } = await signUp(where);
  expect((await post('verify-otp', { email, otp: code }, where)).status).toBe(200);
  return { email, code: await newCode(email, where) };
}

async function newCode(email: string, where = services) {
  expect((await post('forgot-password', { email }, where)).status).toBe(200);
  return mailedCode(where.mailbox, email);
}

const refused = { status: 400, body: { detail: 'Invalid or expired OTP' } };
const tooMany = { status: 429, body: { detail: 'Too many requests' } };
const success = { status: 200, body: { token: expect.any(String) } };

describe('POST /v2/reset-password', () => {
  test('an unknown e-mail is 404', async () => {
    expect(outcome(await reset('nobody@example.com', '123456'))).toEqual({
      status: 404,
      body: { detail: 'User not found' },
    });
  });

  test('a wrong, malformed or late code is refused and changes nothing but the count', async () => {
    const { email, code } = await forgetful();
    const before = await record(email);
    for (const malformed of [code.slice(1), ` ${code}`, `+${code}`, 'abcdef', '$otp'])
      expect(outcome(await reset(email, malformed))).toEqual(refused);
    expect(await record(email)).toEqual({ ...before, otp_verdict: 'invalid' });

    expect(outcome(await reset(email, otherThan(code)))).toEqual(refused);
    const counted = {
      ...before,
      otp_wrong_guesses: 1,
      otp_wrong_guess_times: [services.clock.seconds()],
    };
    expect(await record(email)).toEqual({ ...counted, otp_verdict: 'wrong' });

    services.clock.advance(61);
    expect(outcome(await reset(email, code))).toEqual(refused);
    expect(await record(email)).toEqual({ ...counted, otp_verdict: 'expired' });
    expect(await logIn(email, 'old')).toBe(200);
  });

  test('the right code replaces the password, is used up and ends earlier sessions', async () => {
    const { email, code } = await forgetful();
    const before = (await record(email)) ?? {};
    services.clock.advance(60);
    const { status, body, headers } = await reset(` ${email.toUpperCase()} `, code);
    expect({ status, body }).toEqual(success);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(decodeToken(body.token)).toEqual({
      header: { alg: 'HS256', typ: 'JWT' },
      payload: { email, otp_sent: true, exp: services.clock.seconds() + 30 * 60 },
    });
    const { otp: _, otp_expiration: __, ...rest } = before as Record<string, unknown>;
    expect(await record(email)).toStrictEqual({
      ...rest,
      password: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/),
      sessions_valid_from: new Date(services.clock.now()),
      otp_verdict: 'valid',
    });
    expect(await logIn(email, 'old')).toBe(401);
    expect(await logIn(email, 'new')).toBe(200);
  });

  test('a used code is invalid everywhere, for good, and costs nothing', async () => {
    const { email, code } = await forgetful();
    expect(outcome(await reset(email, code))).toEqual(success);
    const before = await record(email);
    for (const seconds of [0, 60, 1, 86_400]) {
      services.clock.advance(seconds);
      expect(outcome(await reset(email, code, 'eve'))).toEqual(refused);
      expect(outcome(await verify(email, code))).toEqual({ status: 400, body: { detail: 'Invalid OTP' } });
      expect(outcome(await verify(email, otherThan(code)))).toEqual({
        status: 400,
        body: { detail: 'Invalid OTP' },
      });
    }
    expect(await record(email)).toEqual({ ...before, otp_verdict: 'invalid' });
    expect(await logIn(email, 'new')).toBe(200);
    expect(outcome(await reset(email, await newCode(email), 'newer'))).toEqual(success);
    expect(await logIn(email, 'newer')).toBe(200);
  });

  test('an unverified account may reset, and stays unverified', async () => {
    const { email, code } = await signUp();
    expect(outcome(await reset(email, code))).toEqual(success);
    expect(await record(email)).toMatchObject({ verified: false, account_status: 'paused' });
    expect(await record(email)).not.toHaveProperty('user_id');
    expect(await logIn(email, 'new')).toBe(403);
    expect(await logIn(email, 'old')).toBe(401);
    expect((await verify(email, await newCode(email))).status).toBe(200);
    expect(await logIn(email, 'new')).toBe(200);
  });

  test('a code that has verified may still reset', async () => {
    const { email, code } = await signUp();
    expect((await verify(email, code)).status).toBe(200);
    expect(outcome(await reset(email, code))).toEqual(success);
    expect(await logIn(email, 'new')).toBe(200);
  });

  test('a disabled account stays disabled', async () => {
    const { email, code } = await forgetful();
    await services.db.users.updateOne({ email }, { $set: { account_status: 'disabled' as 'paused' } });
    expect(outcome(await reset(email, code))).toEqual(success);
    expect(await record(email)).toMatchObject({ account_status: 'disabled', verified: true });
  });

  test.each(['email', 'otp', 'new_password'])(
    'without %s, or with an empty one, nothing happens',
    async (field) => {
      const { email, code } = await forgetful();
      const before = await record(email);
      const form: Record<string, string> = { email, otp: code, new_password: 'new' };
      const { [field]: _, ...rest } = form;
      for (const bad of [rest, { ...rest, [field]: '' }])
        expect(outcome(await post('reset-password', bad))).toEqual({
          status: 400,
          body: { detail: `${field} is required` },
        });
      expect(await record(email)).toEqual(before);
    },
  );
});

describe('the new password', () => {
  const odd = [
    '$password',
    '$$REMOVE',
    '$$ROOT',
    'a.b.c',
    '.',
    '{"$gt":""}',
    '{"$literal":"x"}',
    '  new  ',
    'e\u0301',
    'nul\u0000nul',
    '€'.repeat(341),
    'x'.repeat(1024),
  ];

  test.each(odd)('%j is what logs in', async (password) => {
    const { email, code } = await forgetful();
    expect(outcome(await reset(email, code, password))).toEqual(success);
    expect(await logIn(email, password)).toBe(200);
    expect(await logIn(email, 'old')).toBe(401);
    expect(await logIn(email, `${password}.`)).toBe(401);
  });

  test.each(odd)('%j is stored as it is when PASSWORD_STORAGE=plain', async (password) => {
    const { email, code } = await forgetful(plain);
    expect(outcome(await reset(email, code, password, plain))).toEqual(success);
    expect((await record(email, plain))?.password).toBe(password);
    expect(await logIn(email, password, plain)).toBe(200);
  });

  test.each(['x'.repeat(1025), `${'é'.repeat(512)}a`])(
    'over 1024 bytes is refused and costs no code',
    async (password) => {
      const { email, code } = await forgetful();
      expect(outcome(await reset(email, code, password))).toEqual({
        status: 400,
        body: { detail: 'new_password must not be longer than 1024 bytes' },
      });
      expect(outcome(await reset(email, code, 'shorter'))).toEqual(success);
    },
  );
});

describe('wrong guesses are shared with verify-otp', () => {
  test('two here and three there kill the code at both', async () => {
    const { email, code } = await forgetful();
    for (let guess = 1; guess <= 5; guess += 1)
      await (guess <= 2 ? reset : verify)(email, otherThan(code, guess));
    expect(outcome(await reset(email, code))).toEqual(refused);
    expect(outcome(await verify(email, code))).toEqual({ status: 400, body: { detail: 'Invalid OTP' } });
    expect(await logIn(email, 'old')).toBe(200);
  });

  test('ten in an hour are refused at both', async () => {
    const { email, code } = await forgetful();
    for (let guess = 1; guess <= 5; guess += 1) await reset(email, otherThan(code, guess));
    services.clock.advance(20);
    const second = await newCode(email);
    for (let guess = 1; guess <= 5; guess += 1) await verify(email, otherThan(second, guess));
    for (const answer of [await reset(email, second), await verify(email, second)]) {
      expect(outcome(answer)).toEqual(tooMany);
      expect(answer.headers.get('retry-after')).toBe('3580');
    }
    services.clock.advance(61);
    expect(outcome(await reset(email, second))).toEqual(tooMany);
    services.clock.advance(3519);
    expect(outcome(await reset(email, await newCode(email)))).toEqual(success);
  });

  test('fifty at once, half here and half there, are compared five times', async () => {
    const { email, code } = await forgetful();
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 ? reset : verify)(email, otherThan(code, index + 1)),
      ),
    );
    expect(await record(email)).toMatchObject({ otp_wrong_guesses: 5 });
    expect((await record(email))?.otp_wrong_guess_times).toHaveLength(5);
    expect(outcome(await reset(email, code))).toEqual(refused);
  });
});

test('of resets at once with one code exactly one wins', async () => {
  for (const where of [services, plain])
    for (let round = 0; round < 5; round += 1) {
      const { email, code } = await forgetful(where);
      const passwords = Array.from({ length: 6 }, (_, index) => `new ${index}`);
      const answers = await Promise.all(passwords.map((password) => reset(email, code, password, where)));
      const winner = answers.findIndex(({ status }) => status === 200);
      for (const [index, answer] of answers.entries())
        expect(outcome(answer)).toEqual(index === winner ? success : refused);
      const logins = await Promise.all(passwords.map((password) => logIn(email, password, where)));
      expect(logins).toEqual(passwords.map((_, index) => (index === winner ? 200 : 401)));
    }
});
