import { createPasswords } from '@gatehouse/shared/identity/passwords';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { decodeToken, postForm } from '../../fixtures/http.ts';
import { rounds } from '../../fixtures/property.ts';
import { mailedCode, type Services, startServices } from '../../fixtures/services.ts';
import { activeAccount, otherThan, unverifiedAccount } from './codes.ts';

let services: Services;
let hashing: Services;
beforeAll(async () => {
  [services, hashing] = await Promise.all([
    startServices({ env: { PASSWORD_STORAGE: 'plain' } }),
    startServices({ passwords: createPasswords() }),
  ]);
});
afterAll(() => Promise.all([services.stop(), hashing.stop()]));

const post = (operation: string, fields: Record<string, string>, { user } = services) =>
  postForm(`${user}/v2/${operation}`, fields);
const reset = (email: string, otp: string, new_password = 'new', where = services) =>
  post('reset-password', { email, otp, new_password }, where);
const verify = (email: string, otp: string) => post('verify-otp', { email, otp });
const logIn = async (email: string, password: string, { login } = services) =>
  (await postForm(`${login}/v2/login`, { email, password })).status;
/** The record once its notices are mailed. */
const record = (email: string, { db } = services) =>
  eventually(async () => {
    const user = await db.users.findOne({ email });
    expect(user).not.toHaveProperty('notices_due');
    return user;
  });

const active = (where = services) => activeAccount(where, { password: 'old' });
const unverified = () => unverifiedAccount(services, { password: 'old' });

async function newCode(email: string) {
  expect((await post('forgot-password', { email })).status).toBe(200);
  return mailedCode(services.mailbox, email);
}

const refused = { status: 400, body: { detail: 'Invalid or expired OTP' } };
const tooMany = { status: 429, body: { detail: 'Too many requests' } };
const success = { status: 200, body: { token: expect.any(String) } };

describe('POST /v2/reset-password', () => {
  test('1. returns 404 for an unknown e-mail', async () => {
    expect(outcome(await reset('nobody@example.com', '123456'))).toStrictEqual({
      status: 404,
      body: { detail: 'User not found' },
    });
  });

  test('3. refuses a wrong, malformed or expired code and changes nothing but the count', async () => {
    const { email, code } = await active();
    const before = await record(email);
    for (const malformed of [code.slice(1), ` ${code}`, `+${code}`, 'abcdef', '$otp'])
      expect(outcome(await reset(email, malformed))).toStrictEqual(refused);
    expect(await record(email)).toEqual({ ...before, otp_verdict: 'invalid' });

    expect(outcome(await reset(email, otherThan(code)))).toStrictEqual(refused);
    const counted = {
      ...before,
      otp_wrong_guesses: 1,
      otp_wrong_guess_times: [services.clock.seconds()],
    };
    expect(await record(email)).toEqual({ ...counted, otp_verdict: 'wrong' });

    services.clock.advance(61);
    expect(outcome(await reset(email, code))).toStrictEqual(refused);
    expect(await record(email)).toEqual({ ...counted, otp_verdict: 'expired' });
    expect(await logIn(email, 'old')).toBe(200);
  });

  test('4. replaces a plain password with a hash, uses up the code and ends earlier sessions', async () => {
    const { email, code } = await active(hashing);
    const before = (await record(email, hashing)) ?? {};
    hashing.clock.advance(60);
    const { status, body, headers } = await reset(` ${email.toUpperCase()} `, code, 'new', hashing);
    expect({ status, body }).toEqual(success);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(decodeToken(body.token)).toEqual({
      header: { alg: 'HS256', typ: 'JWT' },
      payload: { email, otp_sent: true, exp: hashing.clock.seconds() + 30 * 60 },
    });
    const { otp: _, otp_expiration: __, ...rest } = before as Record<string, unknown>;
    expect(await record(email, hashing)).toStrictEqual({
      ...rest,
      password: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/),
      sessions_valid_from: new Date(hashing.clock.now()),
      otp_verdict: 'valid',
    });
    expect(await logIn(email, 'old', hashing)).toBe(401);
    expect(await logIn(email, 'new', hashing)).toBe(200);
  });

  test('never moves sessions_valid_from back', async () => {
    const { email, code } = await active();
    const ahead = new Date(services.clock.now() + 5_000);
    await services.db.users.updateOne({ email }, { $set: { sessions_valid_from: ahead } });
    expect(outcome(await reset(email, code))).toStrictEqual(success);
    expect(await record(email)).toMatchObject({ sessions_valid_from: ahead });
  });

  test('refuses a used code everywhere, forever, and does not count it', async () => {
    const { email, code } = await active();
    expect(outcome(await reset(email, code))).toStrictEqual(success);
    const before = await record(email);
    for (const seconds of [0, 60, 1, 86_400]) {
      services.clock.advance(seconds);
      expect(outcome(await reset(email, code, 'eve'))).toStrictEqual(refused);
      expect(outcome(await verify(email, code))).toStrictEqual({
        status: 400,
        body: { detail: 'Invalid OTP' },
      });
      expect(outcome(await verify(email, otherThan(code)))).toStrictEqual({
        status: 400,
        body: { detail: 'Invalid OTP' },
      });
    }
    expect(await record(email)).toEqual({ ...before, otp_verdict: 'invalid' });
    expect(await logIn(email, 'new')).toBe(200);
    expect(outcome(await reset(email, await newCode(email), 'newer'))).toStrictEqual(success);
    expect(await logIn(email, 'newer')).toBe(200);
  });

  test('leaves an unverified account unverified', async () => {
    const { email, code } = await unverified();
    expect(outcome(await reset(email, code))).toStrictEqual(success);
    expect(await record(email)).toMatchObject({ verified: false, account_status: 'paused' });
    expect(await record(email)).not.toHaveProperty('user_id');
    expect(await logIn(email, 'new')).toBe(403);
    expect(await logIn(email, 'old')).toBe(401);
    expect((await verify(email, await newCode(email))).status).toBe(200);
    expect(await logIn(email, 'new')).toBe(200);
  });

  test('accepts a code that has verified the account', async () => {
    const { email, code } = await unverified();
    expect((await verify(email, code)).status).toBe(200);
    expect(outcome(await reset(email, code))).toStrictEqual(success);
    expect(await logIn(email, 'new')).toBe(200);
  });

  test('leaves a disabled account disabled', async () => {
    const { email, code } = await activeAccount(services, { account_status: 'disabled' });
    expect(outcome(await reset(email, code))).toStrictEqual(success);
    expect(await record(email)).toMatchObject({ account_status: 'disabled', verified: true });
  });

  test.each(['email', 'otp', 'new_password'])('requires %s and changes nothing without it', async (field) => {
    const { email, code } = await active();
    const before = await record(email);
    const form: Record<string, string> = { email, otp: code, new_password: 'new' };
    const { [field]: _, ...rest } = form;
    for (const bad of [rest, { ...rest, [field]: '' }])
      expect(outcome(await post('reset-password', bad))).toStrictEqual({
        status: 400,
        body: { detail: `${field} is required` },
      });
    expect(await record(email)).toEqual(before);
  });
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

  test.each(odd)('%j logs in', async (password) => {
    const { email, code } = await active(hashing);
    expect(outcome(await reset(email, code, password, hashing))).toStrictEqual(success);
    expect(await logIn(email, password, hashing)).toBe(200);
    expect(await logIn(email, 'old', hashing)).toBe(401);
    expect(await logIn(email, `${password}.`, hashing)).toBe(401);
  });

  test.each(odd)('%j is stored as submitted when PASSWORD_STORAGE=plain', async (password) => {
    const { email, code } = await active();
    expect(outcome(await reset(email, code, password))).toStrictEqual(success);
    expect((await record(email))?.password).toBe(password);
    expect(await logIn(email, password)).toBe(200);
  });

  test.each(['x'.repeat(1025), `${'é'.repeat(512)}a`])(
    'over 1024 bytes is refused and does not use up the code',
    async (password) => {
      const { email, code } = await active();
      expect(outcome(await reset(email, code, password))).toStrictEqual({
        status: 400,
        body: { detail: 'new_password must not be longer than 1024 bytes' },
      });
      expect(outcome(await reset(email, code, 'shorter'))).toStrictEqual(success);
    },
  );
});

describe('wrong guesses shared with verify-otp', () => {
  test('two and three kill the code at both', async () => {
    const { email, code } = await active();
    for (let guess = 1; guess <= 5; guess += 1)
      await (guess <= 2 ? reset : verify)(email, otherThan(code, guess));
    expect(outcome(await reset(email, code))).toStrictEqual(refused);
    expect(outcome(await verify(email, code))).toStrictEqual({
      status: 400,
      body: { detail: 'Invalid OTP' },
    });
    expect(await logIn(email, 'old')).toBe(200);
  });

  test('ten in an hour block the account at both', async () => {
    const { email, code } = await active();
    for (let guess = 1; guess <= 5; guess += 1) await reset(email, otherThan(code, guess));
    services.clock.advance(20);
    const second = await newCode(email);
    for (let guess = 1; guess <= 5; guess += 1) await verify(email, otherThan(second, guess));
    for (const answer of [await reset(email, second), await verify(email, second)]) {
      expect(outcome(answer)).toStrictEqual(tooMany);
      expect(answer.headers.get('retry-after')).toBe('3580');
    }
    services.clock.advance(61);
    expect(outcome(await reset(email, second))).toStrictEqual(tooMany);
    services.clock.advance(3519);
    expect(outcome(await reset(email, await newCode(email)))).toStrictEqual(success);
  });

  test('twelve in parallel at both are compared five times', async () => {
    const { email, code } = await active();
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        (index % 2 ? reset : verify)(email, otherThan(code, index + 1)),
      ),
    );
    expect(await record(email)).toMatchObject({ otp_wrong_guesses: 5 });
    expect((await record(email))?.otp_wrong_guess_times).toHaveLength(5);
    expect(outcome(await reset(email, code))).toStrictEqual(refused);
  });
});

test('exactly one of several parallel resets with one code succeeds', async () => {
  for (const where of [...Array<Services>(rounds(5)).fill(services), hashing]) {
    const { email, code } = await active(where);
    const passwords = Array.from({ length: 6 }, (_, index) => `new ${index}`);
    const answers = await Promise.all(passwords.map((password) => reset(email, code, password, where)));
    const winner = answers.findIndex(({ status }) => status === 200);
    for (const [index, answer] of answers.entries())
      expect(outcome(answer)).toStrictEqual(index === winner ? success : refused);
    const logins = await Promise.all(passwords.map((password) => logIn(email, password, where)));
    expect(logins).toEqual(passwords.map((_, index) => (index === winner ? 200 : 401)));
  }
});
