import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { postForm } from '../../fixtures/http.ts';
import { rounds } from '../../fixtures/property.ts';
import { mailedCode, type Services, startServices } from '../../fixtures/services.ts';
import { activeAccount, otherThan, unverifiedAccount } from './codes.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices({ env: { PASSWORD_STORAGE: 'plain' } });
});
afterAll(() => services.stop());

const unverified = () => unverifiedAccount(services);

async function newCode(email: string) {
  expect((await postForm(`${services.user}/v2/forgot-password`, { email })).status).toBe(200);
  return mailedCode(services.mailbox, email);
}

const verify = (email: string, otp: string) => postForm(`${services.user}/v2/verify-otp`, { email, otp });
const record = (email: string) => services.db.users.findOne({ email });
const featuresOf = (user_id: string) => services.db.features.find({ user_id }).toArray();

async function guessWrong(email: string, code: string, times: number) {
  for (let guess = 1; guess <= times; guess += 1)
    expect(outcome(await verify(email, otherThan(code, guess)))).toStrictEqual(invalid);
}

const notFound = { status: 404, body: { detail: 'User not found' } };
const expired = { status: 400, body: { detail: 'OTP expired' } };
const invalid = { status: 400, body: { detail: 'Invalid OTP' } };
const tooMany = { status: 429, body: { detail: 'Too many requests' } };
const success = (user_id: unknown = expect.stringMatching(/^User-[1-9]\d{5}$/)) => ({
  status: 200,
  body: { message: 'OTP verified successfully', user_id },
});

describe('POST /v2/verify-otp', () => {
  test('1. returns 404 for an unknown e-mail', async () => {
    expect(outcome(await verify('nobody@example.com', '123456'))).toStrictEqual(notFound);
    expect(outcome(await verify('not an address', 'not a code'))).toStrictEqual(notFound);
  });

  test('3. expires a code after 60 seconds', async () => {
    const { email, code } = await unverified();
    services.clock.advance(61);
    expect(outcome(await verify(email, code))).toStrictEqual(expired);
    expect(await record(email)).toMatchObject({ verified: false, account_status: 'paused' });
  });

  test('3. accepts a code in its sixtieth second', async () => {
    const { email, code } = await unverified();
    services.clock.advance(60);
    expect((await verify(email, code)).status).toBe(200);
  });

  test('3. does not count a wrong guess at an expired code', async () => {
    const { email, code } = await unverified();
    services.clock.advance(61);
    const before = await record(email);
    expect(outcome(await verify(email, otherThan(code)))).toStrictEqual(expired);
    expect(outcome(await verify(email, 'abc'))).toStrictEqual(expired);
    expect(await record(email)).toEqual({ ...before, otp_verdict: 'expired' });
  });

  test('4. counts a wrong guess and changes nothing else', async () => {
    const { email, code } = await unverified();
    const before = await record(email);
    expect(outcome(await verify(email, otherThan(code)))).toStrictEqual(invalid);
    expect(await record(email)).toEqual({
      ...before,
      otp_wrong_guesses: 1,
      otp_wrong_guess_times: [services.clock.seconds()],
      otp_verdict: 'wrong',
    });
  });

  test('5. activates the account and assigns the free plan', async () => {
    const { email, code } = await unverified();
    const before = await record(email);
    const { body, status } = await verify(email, code);
    expect({ status, body }).toEqual(success());
    expect(await record(email)).toStrictEqual({
      ...before,
      verified: true,
      account_status: 'active',
      user_id: body.user_id,
      otp_verdict: 'valid',
      features_assigned: true,
    });
    expect(await featuresOf(body.user_id)).toStrictEqual([
      {
        _id: expect.anything(),
        user_id: body.user_id,
        subscription_id: 'free',
        subscription_plan: 'Free',
        assigned_at: new Date(services.clock.now()).toISOString(),
      },
    ]);
  });

  test('trims the e-mail and ignores its case', async () => {
    const { email, code } = await unverified();
    expect(outcome(await verify(` ${email.toUpperCase()}\t`, code))).toStrictEqual(success());
  });

  test('requires leading zeros', async () => {
    const { email } = await unverified();
    await services.db.users.updateOne({ email }, { $set: { otp: '000042' } });
    expect(outcome(await verify(email, '42'))).toStrictEqual(invalid);
    expect(outcome(await verify(email, '00042'))).toStrictEqual(invalid);
    expect(await record(email)).toMatchObject({ otp_wrong_guesses: 0 });
    expect(outcome(await verify(email, '000042'))).toStrictEqual(success());
  });

  test.each(['email', 'otp'])('requires %s and changes nothing without it', async (field) => {
    const { email, code } = await unverified();
    const before = await record(email);
    const { [field]: _, ...rest } = { email, otp: code } as Record<string, string>;
    for (const form of [rest, { ...rest, [field]: '' }])
      expect(outcome(await postForm(`${services.user}/v2/verify-otp`, form))).toStrictEqual({
        status: 400,
        body: { detail: `${field} is required` },
      });
    expect(await record(email)).toEqual(before);
  });
});

describe('does not count a malformed code', () => {
  const digitsFrom = (zero: number, code: string) =>
    [...code].map((digit) => String.fromCodePoint(zero + Number(digit))).join('');

  test.each<[string, (code: string) => string]>([
    ['five digits', (code) => code.slice(0, 5)],
    ['seven digits', (code) => `${code}0`],
    ['a leading zero', (code) => `0${code}`],
    ['full-width digits', (code) => digitsFrom(0xff10, code)],
    ['Arabic digits', (code) => digitsFrom(0x660, code)],
    ['a leading space', (code) => ` ${code}`],
    ['a trailing space', (code) => `${code} `],
    ['a space inside', (code) => `${code.slice(0, 3)} ${code.slice(3)}`],
    ['a trailing newline', (code) => `${code}\n`],
    ['a trailing NUL', (code) => `${code}\0`],
    ['a plus sign', (code) => `+${code}`],
    ['a minus sign', (code) => `-${code}`],
    ['a fraction', (code) => `${code}.0`],
    ['an exponent', () => '1234e5'],
    ['hexadecimal', () => '0x12ab'],
    ['letters', () => 'abcdef'],
    ['a field path', () => '$otp'],
    ['an expression', () => '$$ROOT'],
    ['operators', () => '{"$ne":""}'],
    ['a list', (code) => `["${code}"]`],
    ['60,000 digits', (code) => code.repeat(10_000)],
  ])('%s', async (_what, malformed) => {
    const { email, code } = await unverified();
    const before = await record(email);
    for (let attempt = 0; attempt < 6; attempt += 1)
      expect(outcome(await verify(email, malformed(code)))).toStrictEqual(invalid);
    expect(await record(email)).toEqual({ ...before, otp_verdict: 'invalid' });
    expect(outcome(await verify(email, code))).toStrictEqual(success());
  });
});

describe('wrong guesses', () => {
  test('four leave the code valid', async () => {
    const { email, code } = await unverified();
    await guessWrong(email, code, 4);
    expect(outcome(await verify(email, code))).toStrictEqual(success());
  });

  test('five kill the code, even for the right guess', async () => {
    const { email, code } = await unverified();
    await guessWrong(email, code, 5);
    const dead = await record(email);
    expect(outcome(await verify(email, code))).toStrictEqual(invalid);
    expect(outcome(await verify(email, otherThan(code)))).toStrictEqual(invalid);
    expect(await record(email)).toEqual({ ...dead, otp_verdict: 'invalid' });
    expect(dead).toMatchObject({ verified: false, account_status: 'paused', otp_wrong_guesses: 5 });
    services.clock.advance(61);
    expect(outcome(await verify(email, code))).toStrictEqual(expired);
  });

  test('start at zero for a new code', async () => {
    const { email, code } = await unverified();
    await guessWrong(email, code, 5);
    await postForm(`${services.user}/v2/signup`, { email, password: 'secret', name: 'Person' });
    expect(await record(email)).toMatchObject({ otp_wrong_guesses: 0 });
    const next = mailedCode(services.mailbox, email);
    await guessWrong(email, next, 4);
    expect(outcome(await verify(email, next))).toStrictEqual(success());
  });

  test('ten in an hour block the account until the oldest is an hour old', async () => {
    const { email, code } = await unverified();
    await guessWrong(email, code, 5);
    services.clock.advance(30);
    const second = await newCode(email);
    await guessWrong(email, second, 5);
    services.clock.advance(10);

    const refused = await verify(email, second);
    expect(outcome(refused)).toStrictEqual(tooMany);
    expect(refused.headers.get('retry-after')).toBe('3560');
    // A new code does not lift the block, which comes before any other check of a code.
    const third = await newCode(email);
    for (const otp of [third, otherThan(third), 'abc'])
      expect(outcome(await verify(email, otp))).toStrictEqual(tooMany);
    services.clock.advance(61);
    expect(outcome(await verify(email, third))).toStrictEqual(tooMany);
    expect(await record(email)).toMatchObject({ verified: false, otp_wrong_guesses: 0 });

    services.clock.advance(3560 - 62);
    const fourth = await newCode(email);
    const last = await verify(email, fourth);
    expect(outcome(last)).toStrictEqual(tooMany);
    expect(last.headers.get('retry-after')).toBe('1');
    services.clock.advance(1);
    expect(outcome(await verify(email, fourth))).toStrictEqual(success());
  });

  test('are counted over a sliding hour', async () => {
    const { email, code } = await unverified();
    await guessWrong(email, code, 5);
    services.clock.advance(600);
    await guessWrong(email, await newCode(email), 5);
    services.clock.advance(3000);
    // The first five are an hour old, so five guesses are left; then the oldest is 50 minutes old.
    await guessWrong(email, await newCode(email), 5);
    const refused = await verify(email, await newCode(email));
    expect(outcome(refused)).toStrictEqual(tooMany);
    expect(refused.headers.get('retry-after')).toBe('600');
  });

  test('twelve in parallel are compared five times', async () => {
    const { email, code } = await unverified();
    const guesses = Array.from({ length: 12 }, (_, index) => otherThan(code, index + 1));
    const answers = await Promise.all(guesses.map((guess) => verify(email, guess)));
    expect(answers.map(outcome)).toStrictEqual(Array(12).fill(invalid));
    const { otp_wrong_guesses, otp_wrong_guess_times } = (await record(email)) ?? {};
    expect(otp_wrong_guesses).toBe(5);
    expect(otp_wrong_guess_times).toEqual(Array(5).fill(services.clock.seconds()));
  });

  test('five kill the code for twelve parallel guesses, one of them right', async () => {
    const { email, code } = await unverified();
    await guessWrong(email, code, 5);
    const guesses = Array.from({ length: 12 }, (_, index) => otherThan(code, index));
    const answers = await Promise.all(guesses.map((guess) => verify(email, guess)));
    expect(answers.map(outcome)).toStrictEqual(Array(12).fill(invalid));
    expect(await record(email)).toMatchObject({
      verified: false,
      account_status: 'paused',
      otp_wrong_guesses: 5,
    });
    expect(await record(email)).not.toHaveProperty('user_id');
  });

  test('sixteen in parallel, at two codes, count ten', async () => {
    const { email, code } = await unverified();
    const burst = (from: string) =>
      Promise.all(Array.from({ length: 8 }, (_, index) => verify(email, otherThan(from, index + 1))));
    await burst(code);
    const second = await newCode(email);
    await burst(second);
    expect((await record(email))?.otp_wrong_guess_times).toHaveLength(10);
    expect(outcome(await verify(email, second))).toStrictEqual(tooMany);
  });
});

describe('repeated verification', () => {
  test('succeeds with the same code while it is valid', async () => {
    const { email, code } = await unverified();
    const { user_id } = (await verify(email, code)).body;
    services.clock.advance(60);
    expect(outcome(await verify(email, code))).toStrictEqual(success(user_id));
    services.clock.advance(1);
    expect(outcome(await verify(email, code))).toStrictEqual(expired);
    expect(await record(email)).toMatchObject({ verified: true, account_status: 'active', user_id });
    expect(await featuresOf(user_id)).toHaveLength(1);
  });

  test('activates once for eight parallel calls', async () => {
    for (let round = 0; round < rounds(5); round += 1) {
      const { email, code } = await unverified();
      const answers = await Promise.all(Array.from({ length: 8 }, () => verify(email, code)));
      const { user_id } = (await record(email)) ?? {};
      expect(answers.map(outcome)).toStrictEqual(Array(8).fill(success(user_id)));
      expect(await featuresOf(user_id as string)).toHaveLength(1);
    }
  });

  test('returns the user_id of an active account and changes nothing', async () => {
    const { email, user_id } = await activeAccount(services);
    const code = await newCode(email);
    const { otp_unused, ...before } = (await record(email)) ?? {};
    expect(otp_unused).toHaveLength(1);
    expect(outcome(await verify(email, code))).toStrictEqual(success(user_id));
    expect(await record(email)).toEqual({ ...before, otp_verdict: 'valid' });
  });

  test('leaves an unverified account disabled that an operator has disabled', async () => {
    const { email, code } = await unverifiedAccount(services, { account_status: 'disabled' });
    expect(outcome(await verify(email, code))).toStrictEqual(success());
    expect(await record(email)).toMatchObject({ verified: true, account_status: 'disabled' });
  });

  test('leaves a disabled account disabled', async () => {
    const { email, code, user_id } = await activeAccount(services, { account_status: 'disabled' });
    expect(outcome(await verify(email, code))).toStrictEqual(success(user_id));
    expect(await record(email)).toMatchObject({ verified: true, account_status: 'disabled', user_id });
  });

  test('gives a verified account without a user_id one, with its features', async () => {
    const { email, code } = await activeAccount(services, {
      user_id: undefined,
      features_assigned: undefined,
    });
    const { status, body } = await verify(email, code);
    expect({ status, body }).toEqual(success());
    expect(await record(email)).toMatchObject({ user_id: body.user_id, account_status: 'active' });
    expect(await featuresOf(body.user_id)).toHaveLength(1);
  });
});
