import { createTokens } from '@gatehouse/shared/identity/tokens';
import type { User } from '@gatehouse/shared/identity/user-record';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { postForm } from '../../fixtures/http.ts';
import { JWT_SECRET, mailedCode, type Services, startServices } from '../../fixtures/services.ts';
import { activeAccount, fromNetwork, otherThan, unverifiedAccount } from './codes.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices({ env: { PASSWORD_STORAGE: 'plain', TRUST_PROXY: 'loopback' } });
});
afterAll(() => services.stop());

let people = 0;
const newEmail = () => `attempt${++people}@example.com`;

const post = (operation: string, fields: Record<string, string>, headers = {}) =>
  postForm(`${services.user}/v2/${operation}`, fields, headers);
const verify = (email: string, otp: string, token?: string) =>
  post('verify-otp', { email, otp, ...(token !== undefined && { token }) });
const reset = (email: string, otp: string, token?: string) =>
  post('reset-password', { email, otp, new_password: 'new', ...(token !== undefined && { token }) });
const logIn = async (email: string, password: string) =>
  (await postForm(`${services.login}/v2/login`, { email, password })).status;
const record = (email: string) => services.db.users.findOne({ email });
const codeOf = (email: string) => mailedCode(services.mailbox, email);

/** Signs up. @returns the token. */
async function signUp(email: string, password: string, network = 1): Promise<string> {
  const form = { email, password, name: `Name of ${password}` };
  const { status, body } = await post('signup', form, fromNetwork(network));
  expect(status).toBe(200);
  return body.token;
}
async function forgot(email: string, network = 1): Promise<string> {
  const { status, body } = await post('forgot-password', { email }, fromNetwork(network));
  expect(status).toBe(200);
  return body.token;
}

const tokens = createTokens({ JWT_SECRET });

const invalid = { status: 400, body: { detail: 'Invalid OTP' } };
const refusedReset = { status: 400, body: { detail: 'Invalid or expired OTP' } };
const tooMany = { status: 429, body: { detail: 'Too many requests' } };
const verified = (user_id: unknown = expect.stringMatching(/^User-/)) => ({
  status: 200,
  body: { message: 'OTP verified successfully', user_id },
});
const wasReset = { status: 200, body: { token: expect.any(String) } };

describe('verification with the token of a signup', () => {
  test('activates the password and name of that signup, not those of a later one', async () => {
    const email = newEmail();
    const token = await signUp(email, 'mine');
    await signUp(email, 'planted', 2);
    expect(outcome(await verify(email, codeOf(email), token))).toStrictEqual(verified());
    expect(await record(email)).toMatchObject({ verified: true, name: 'Name of mine', password: 'mine' });
    expect(await logIn(email, 'mine')).toBe(200);
    expect(await logIn(email, 'planted')).toBe(401);
  });

  test('activates the later one with its own token', async () => {
    const email = newEmail();
    await signUp(email, 'planted', 2);
    const token = await signUp(email, 'mine');
    expect(outcome(await verify(email, codeOf(email), token))).toStrictEqual(verified());
    expect(await logIn(email, 'mine')).toBe(200);
  });

  test.each([undefined, ''])('activates the newest signup without a token: %j', async (token) => {
    const email = newEmail();
    await signUp(email, 'first');
    await signUp(email, 'second');
    expect(outcome(await verify(email, codeOf(email), token))).toStrictEqual(verified());
    expect(await record(email)).toMatchObject({ name: 'Name of second', password: 'second' });
  });

  test('forgets every pending signup', async () => {
    const email = newEmail();
    const token = await signUp(email, 'mine');
    await signUp(email, 'planted', 2);
    await verify(email, codeOf(email), token);
    for (const field of ['signup_attempts', 'unverified_since'])
      expect(await record(email)).not.toHaveProperty(field);
  });

  test('succeeds again with the same code, with any token of the account and without one', async () => {
    const email = newEmail();
    const token = await signUp(email, 'mine');
    const other = await signUp(email, 'planted', 2);
    const { user_id } = (await verify(email, codeOf(email), token)).body;
    for (const again of [token, other, undefined])
      expect(outcome(await verify(email, codeOf(email), again))).toStrictEqual(verified(user_id));
    expect(await logIn(email, 'mine')).toBe(200);
  });

  test('leaves the password of an account that an operator has verified', async () => {
    const email = newEmail();
    const token = await signUp(email, 'mine');
    await services.db.users.updateOne({ email }, { $set: { verified: true, password: 'kept' } });
    expect(outcome(await verify(email, codeOf(email), token))).toStrictEqual(verified());
    expect(await record(email)).toMatchObject({ password: 'kept', name: 'Name of mine' });
  });

  test.each(['$password', '$$ROOT', '{"$gt":""}'])(
    'activates the password %j literally',
    async (password) => {
      const email = newEmail();
      const token = await signUp(email, password);
      await signUp(email, 'planted', 2);
      await verify(email, codeOf(email), token);
      expect(await logIn(email, password)).toBe(200);
    },
  );

  test('refuses the token of a record that has been deleted since', async () => {
    const email = newEmail();
    const token = await signUp(email, 'mine');
    await services.db.users.deleteOne({ email });
    await signUp(email, 'planted', 2);
    expect(outcome(await verify(email, codeOf(email), token))).toStrictEqual(invalid);
    expect(await record(email)).toMatchObject({ verified: false });
  });

  test('keeps as many pending signups as there are mails in an hour, and none that is older', async () => {
    const email = newEmail();
    const first = await signUp(email, 'first', 1);
    for (let signup = 2; signup <= 10; signup += 1) await signUp(email, `password ${signup}`, signup);
    expect((await record(email))?.signup_attempts?.map(({ password }) => password)).toEqual([
      'first',
      ...Array.from({ length: 9 }, (_, index) => `password ${index + 2}`),
    ]);
    services.clock.advance(3600);
    const token = await signUp(email, 'last');
    expect((await record(email))?.signup_attempts).toMatchObject([{ password: 'last' }]);
    expect(outcome(await verify(email, codeOf(email), first))).toStrictEqual(invalid);
    expect(outcome(await verify(email, codeOf(email), token))).toStrictEqual(verified());
  });
});

describe('verification with the token of forgot-password', () => {
  test('succeeds on an active account, as it does without the token', async () => {
    const { email, user_id } = await activeAccount(services, { password: 'old' });
    const token = await forgot(email);
    const { otp_unused: _, ...before } = (await record(email)) ?? {};
    for (const given of [token, undefined])
      expect(outcome(await verify(email, codeOf(email), given))).toStrictEqual(verified(user_id));
    expect(await record(email)).toEqual({ ...before, otp_verdict: 'valid' });
  });

  test('activates the only signup, also with a code that replaces an expired one', async () => {
    const email = newEmail();
    await signUp(email, 'mine');
    services.clock.advance(3601);
    const early = await forgot(email);
    const token = await forgot(email, 2);
    expect(outcome(await verify(email, codeOf(email), early))).toStrictEqual(invalid);
    expect(outcome(await verify(email, codeOf(email), token))).toStrictEqual(verified());
    expect(await record(email)).not.toHaveProperty('first_attempt');
    expect(await logIn(email, 'mine')).toBe(200);
  });

  test.each([
    ['with its token', 0],
    ['without a token', 0],
    ['with its token, hours after the first signup', 7200],
    ['without a token, hours after the first signup', 7200],
  ])('activates nothing once another signup has followed: %s', async (how, later) => {
    const email = newEmail();
    await signUp(email, 'mine');
    services.clock.advance(later);
    await signUp(email, 'planted', 2);
    const token = await forgot(email);
    const before = await record(email);
    const given = how.startsWith('with its') ? token : undefined;
    expect(outcome(await verify(email, codeOf(email), given))).toStrictEqual(invalid);
    // The answer and the count are those of a wrong code.
    const { otp_verdict, otp_wrong_guesses, otp_wrong_guess_times, otp_holder_guesses, ...rest } =
      (await record(email)) ?? {};
    expect({ otp_verdict, guesses: Number(otp_wrong_guesses) + Number(otp_holder_guesses) }).toEqual({
      otp_verdict: 'wrong',
      guesses: 1,
    });
    expect(otp_wrong_guess_times).toEqual(given ? undefined : [services.clock.seconds()]);
    expect(before).toMatchObject(rest);
    expect(await logIn(email, 'planted')).toBe(403);
    // The code still replaces the password.
    expect(outcome(await reset(email, codeOf(email), token))).toStrictEqual(wasReset);
  });

  test('activates the signup that is named by its token, for which it replaces the expired code', async () => {
    const email = newEmail();
    const token = await signUp(email, 'mine');
    await signUp(email, 'planted', 2);
    await forgot(email);
    expect(outcome(await verify(email, codeOf(email), token))).toStrictEqual(verified());
    expect(await logIn(email, 'mine')).toBe(200);
  });

  test.each([1, 2])(
    'activates the password of a reset, until somebody signs up (%i signups before)',
    async (signups) => {
      const email = newEmail();
      for (let signup = 1; signup <= signups; signup += 1) await signUp(email, `planted ${signup}`, 2);
      const resetNow = async () => {
        const token = await forgot(email, 3);
        return reset(email, codeOf(email), token);
      };
      expect(outcome(await resetNow())).toStrictEqual(wasReset);
      await signUp(email, 'planted again', 2);
      await forgot(email);
      expect(outcome(await verify(email, codeOf(email)))).toStrictEqual(invalid);
      expect(outcome(await resetNow())).toStrictEqual(wasReset);
      const token = await forgot(email, 3);
      expect(outcome(await verify(email, codeOf(email), token))).toStrictEqual(verified());
      expect(await logIn(email, 'new')).toBe(200);
    },
  );

  test.each([
    ['activates the only signup', 1, verified()],
    ['refuses the newest of two signups', 2, invalid],
  ])('%s of a record that the previous version wrote', async (_what, signups, expected) => {
    const email = newEmail();
    for (let signup = 1; signup <= signups; signup += 1) await signUp(email, `secret ${signup}`);
    await services.db.users.updateOne({ email }, { $unset: { first_attempt: true } });
    await forgot(email);
    expect(outcome(await verify(email, codeOf(email)))).toStrictEqual(expected);
  });

  test('refuses a signup that follows on a record that the previous version wrote', async () => {
    const email = newEmail();
    await signUp(email, 'mine');
    await services.db.users.updateOne({ email }, { $unset: { first_attempt: true } });
    services.clock.advance(3601);
    await signUp(email, 'planted', 2);
    await forgot(email);
    expect(outcome(await verify(email, codeOf(email)))).toStrictEqual(invalid);
  });

  test('activates an older record, which has no list of pending signups', async () => {
    for (const withToken of [true, false]) {
      const { email } = await unverifiedAccount(services, { password: 'old' });
      const token = await forgot(email);
      expect(outcome(await verify(email, codeOf(email), withToken ? token : undefined))).toStrictEqual(
        verified(),
      );
      expect(await logIn(email, 'old')).toBe(200);
    }
  });
});

describe('a token that is not valid', () => {
  const now = () => services.clock.now();
  test.each<[string, (email: string, user: Partial<User>) => string]>([
    ['text', () => 'token'],
    [
      'a token signed with another secret',
      (email, { otp_attempt }) =>
        createTokens({ JWT_SECRET: 'x'.repeat(32) }).otpSent(email, now(), otp_attempt),
    ],
    [
      'a token of another account',
      (_email, { otp_attempt }) => tokens.otpSent('eve@example.com', now(), otp_attempt),
    ],
    ['an expired token', (email, { otp_attempt }) => tokens.otpSent(email, now() - 30 * 60_000, otp_attempt)],
    ['a session token', (email) => tokens.session({ email, user_id: null }, now())],
    ['the token of a reset', (email) => tokens.otpSent(email, now())],
    ['a token of an unknown signup', (email) => tokens.otpSent(email, now(), 'unknown')],
  ])('is refused with the right code, changes nothing and costs no guess: %s', async (_what, forge) => {
    const email = newEmail();
    const token = await signUp(email, 'mine');
    const before = (await record(email)) ?? {};
    const forged = forge(email, before);
    for (const otp of [codeOf(email), otherThan(codeOf(email)), 'abc'])
      expect(outcome(await verify(email, otp, forged))).toStrictEqual(invalid);
    expect(outcome(await reset(email, codeOf(email), forged))).toStrictEqual(refusedReset);
    expect(await record(email)).toEqual({ ...before, otp_verdict: 'invalid' });
    expect(outcome(await verify(email, codeOf(email), token))).toStrictEqual(verified());
  });

  test('does not come before the other checks', async () => {
    expect((await verify('nobody@example.com', '123456', 'token')).status).toBe(404);
    const { email, code } = await activeAccount(services);
    services.clock.advance(61);
    expect(outcome(await verify(email, code, 'token'))).toStrictEqual({
      status: 400,
      body: { detail: 'OTP expired' },
    });
    const spent = Array(10).fill(services.clock.seconds());
    await services.db.users.updateOne({ email }, { $set: { otp_wrong_guess_times: spent } });
    expect(outcome(await verify(email, code, 'token'))).toStrictEqual(tooMany);
  });
});

describe('guesses with the token of the newest code', () => {
  /** Spends the guesses of everybody without the token: five for each of two codes. */
  async function spendGuesses(email: string) {
    for (let code = 0; code < 2; code += 1) {
      await forgot(email, 2);
      for (let guess = 1; guess <= 5; guess += 1) await verify(email, otherThan(codeOf(email), guess));
    }
    expect(outcome(await verify(email, codeOf(email)))).toStrictEqual(tooMany);
  }

  test.each([
    ['verify-otp', verify, verified()],
    ['reset-password', reset, wasReset],
  ] as const)('are compared while all others get 429, at %s', async (_operation, guess, success) => {
    const { email } = await activeAccount(services);
    await spendGuesses(email);
    const token = await forgot(email);
    expect(outcome(await guess(email, codeOf(email)))).toStrictEqual(tooMany);
    for (let wrong = 1; wrong <= 4; wrong += 1)
      expect((await guess(email, otherThan(codeOf(email), wrong), token)).status).toBe(400);
    expect(await record(email)).toMatchObject({ otp_holder_guesses: 4, otp_wrong_guesses: 0 });
    expect((await record(email))?.otp_wrong_guess_times).toHaveLength(10);
    expect(outcome(await guess(email, codeOf(email), token))).toStrictEqual(success);
  });

  test('are five for each code, also in parallel', async () => {
    const { email } = await activeAccount(services);
    for (let round = 1; round <= 2; round += 1) {
      const token = await forgot(email);
      const code = codeOf(email);
      const guesses = Array.from({ length: 12 }, (_, index) =>
        (index % 2 ? reset : verify)(email, otherThan(code, index + 1), token),
      );
      await Promise.all(guesses);
      expect(await record(email)).toMatchObject({ otp_holder_guesses: 5, otp_wrong_guesses: 0 });
      expect(outcome(await verify(email, code, token))).toStrictEqual(invalid);
      expect(outcome(await reset(email, code, token))).toStrictEqual(refusedReset);
    }
    expect((await record(email))?.otp_wrong_guess_times).toBeUndefined();
    // Guesses without the token are still open.
    expect(outcome(await verify(email, codeOf(email)))).toStrictEqual(verified());
  });

  test('end when a newer code is issued', async () => {
    const email = newEmail();
    const older = await signUp(email, 'mine');
    await signUp(email, 'planted', 2);
    for (let guess = 1; guess <= 5; guess += 1) await verify(email, otherThan(codeOf(email), guess), older);
    expect(await record(email)).toMatchObject({ otp_holder_guesses: 0, otp_wrong_guesses: 5 });
    expect(outcome(await verify(email, codeOf(email), older))).toStrictEqual(invalid);
  });
});

describe('a reset', () => {
  test('keeps its password when the account is verified afterwards', async () => {
    const email = newEmail();
    const token = await signUp(email, 'planted');
    expect(outcome(await reset(email, codeOf(email), token))).toStrictEqual(wasReset);
    expect(await record(email)).not.toHaveProperty('signup_attempts');
    const next = await forgot(email);
    expect(outcome(await verify(email, codeOf(email), token))).toStrictEqual(invalid);
    expect(outcome(await verify(email, codeOf(email), next))).toStrictEqual(verified());
    expect(await logIn(email, 'new')).toBe(200);
  });
});

describe('codes mailed for one client network', () => {
  test.each([
    ['signup', (email: string) => ({ email, password: 'planted', name: 'Eve' })],
    ['forgot-password', (email: string) => ({ email })],
  ])('are five an hour and account; others still get theirs (%s)', async (operation, form) => {
    const email = newEmail();
    await signUp(email, 'mine', 9);
    const ask = (address: string) => post(operation, form(email), { 'x-forwarded-for': address });
    for (let mail = 0; mail < 5; mail += 1) {
      expect((await ask(`2001:db8:1:2::${mail}`)).status).toBe(200);
      services.clock.advance(10);
    }
    const before = await record(email);
    const refused = await ask('2001:db8:1:2:ffff::1');
    expect(outcome(refused)).toStrictEqual(tooMany);
    expect(refused.headers.get('retry-after')).toBe('3550');
    expect(await record(email)).toEqual(before);
    expect((await ask('2001:db8:1:3::1')).status).toBe(200);
    services.clock.advance(3550);
    expect((await ask('2001:db8:1:2:ffff::1')).status).toBe(200);
  });

  test('are five for twelve parallel calls', async () => {
    const { email } = await activeAccount(services);
    const calls = Array.from({ length: 12 }, () => post('forgot-password', { email }, fromNetwork(1)));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([...Array(5).fill(200), ...Array(7).fill(429)]);
  });
});

describe('a record that is not verified', () => {
  const DAY = 86_400;

  test('is deleted 30 days after its last signup', async () => {
    expect(await services.db.users.indexes()).toContainEqual(
      expect.objectContaining({
        key: { unverified_since: 1 },
        expireAfterSeconds: 30 * DAY,
        partialFilterExpression: { verified: false },
      }),
    );
    const email = newEmail();
    await signUp(email, 'mine');
    expect(await record(email)).toMatchObject({ unverified_since: new Date(services.clock.now()) });
    services.clock.advance(60);
    await signUp(email, 'mine');
    expect(await record(email)).toMatchObject({ unverified_since: new Date(services.clock.now()) });
  });

  test('is kept when it is older than this rule', async () => {
    const { email } = await unverifiedAccount(services);
    await signUp(email, 'mine');
    await forgot(email);
    expect(await record(email)).not.toHaveProperty('unverified_since');
  });
});

test('the mail of a repeated signup says so and what to do', async () => {
  const email = newEmail();
  await signUp(email, 'mine');
  const textOf = () =>
    services.mailbox.mails.find(({ recipients }) => recipients.includes(email))?.content.text;
  expect(textOf()).not.toContain('more than once');
  await signUp(email, 'planted', 2);
  expect(textOf()).toMatch(
    /^Your code is \d{6}\n\nIt is valid for 60 seconds\. This address has signed up more than once/,
  );
  expect(textOf()).toContain('If it was not, someone else is using your address: ignore this mail.');
});

test('the mail of forgot-password says what its code can activate', async () => {
  const email = newEmail();
  const contentOf = () =>
    services.mailbox.mails.find(({ recipients }) => recipients.includes(email))?.content ?? {
      text: undefined,
      html: undefined,
    };
  const token = await signUp(email, 'mine');
  await forgot(email);
  expect(contentOf().text).toMatch(
    /^Your code is \d{6}\n\nIt is valid for 60 seconds\. The account of this address is not verified yet\./,
  );
  expect(contentOf().text).toContain('Do that only if the latest signup was yours.');
  await signUp(email, 'planted', 2);
  await forgot(email);
  const { text, html } = contentOf();
  expect(text).toMatch(
    /^Your code is \d{6}\n\nIt is valid for 60 seconds\. This address has signed up more than once/,
  );
  for (const part of [text, html]) {
    expect(part).toContain('To create your account, sign up again and enter the code that you get then.');
    expect(part).not.toContain('activates the latest signup');
  }
  await verify(email, codeOf(email), token);
  await forgot(email);
  expect(contentOf().text).toMatch(
    /It is valid for 60 seconds\. If you did not ask for it, ignore this mail\.\n\n-- \nGatehouse\n$/,
  );
});
