import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answered, postForm } from '../../fixtures/http.ts';
import { mailedCode, type Services, startServices } from '../../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());

let people = 0;

const signUpAs = (email: string) =>
  postForm(`${services.user}/v2/signup`, { email, password: 'secret', name: 'Person' });

/** Signs a new person up and returns the address and the mailed code. */
async function signUp() {
  people += 1;
  const email = `person${people}@example.com`;
  const { status } = await signUpAs(email);
  expect(status).toBe(200);
  return { email, code: mailedCode(services.mailbox, email) };
}

/** An active account. */
async function activate() {
  const { email, code } = await signUp();
  const { status, body } = await verify(email, code);
  expect(status).toBe(200);
  return { email, code, user_id: body.user_id as string };
}

async function newCode(email: string) {
  expect((await postForm(`${services.user}/v2/forgot-password`, { email })).status).toBe(200);
  return mailedCode(services.mailbox, email);
}

const verify = (email: string, otp: string) => postForm(`${services.user}/v2/verify-otp`, { email, otp });
const record = (email: string) => services.db.users.findOne({ email });
const featuresOf = (user_id: string) => services.db.features.find({ user_id }).toArray();
const otherThan = (code: string, by = 1) => String((Number(code) + by) % 1_000_000).padStart(6, '0');
const outcome = ({ status, body }: Answered) => ({ status, body });

async function guessWrong(email: string, code: string, times: number) {
  for (let guess = 1; guess <= times; guess += 1)
    expect(outcome(await verify(email, otherThan(code, guess)))).toEqual(invalid);
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
  test('1. an unknown e-mail is 404', async () => {
    expect(outcome(await verify('nobody@example.com', '123456'))).toEqual(notFound);
    expect(outcome(await verify('not an address', 'not a code'))).toEqual(notFound);
  });

  test('2. a code is good for 60 seconds and then expired', async () => {
    const { email, code } = await signUp();
    services.clock.advance(61);
    expect(outcome(await verify(email, code))).toEqual(expired);
    expect(await record(email)).toMatchObject({ verified: false, account_status: 'paused' });
  });

  test('2. the sixtieth second is in time', async () => {
    const { email, code } = await signUp();
    services.clock.advance(60);
    expect((await verify(email, code)).status).toBe(200);
  });

  test('2. a wrong code that is late is expired and costs nothing', async () => {
    const { email, code } = await signUp();
    services.clock.advance(61);
    const before = await record(email);
    expect(outcome(await verify(email, otherThan(code)))).toEqual(expired);
    expect(outcome(await verify(email, 'abc'))).toEqual(expired);
    expect(await record(email)).toEqual({ ...before, otp_verdict: 'expired' });
  });

  test('3. a wrong code is invalid and changes nothing but the count', async () => {
    const { email, code } = await signUp();
    const before = await record(email);
    expect(outcome(await verify(email, otherThan(code)))).toEqual(invalid);
    expect(await record(email)).toEqual({
      ...before,
      otp_wrong_guesses: 1,
      otp_wrong_guess_times: [services.clock.seconds()],
      otp_verdict: 'wrong',
    });
  });

  test('4. the right code activates the account and assigns the free plan', async () => {
    const { email, code } = await signUp();
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

  test('the e-mail is trimmed and matched without regard to case', async () => {
    const { email, code } = await signUp();
    expect(outcome(await verify(` ${email.toUpperCase()}\t`, code))).toEqual(success());
  });

  test('leading zeros count', async () => {
    const { email } = await signUp();
    await services.db.users.updateOne({ email }, { $set: { otp: '000042' } });
    expect(outcome(await verify(email, '42'))).toEqual(invalid);
    expect(outcome(await verify(email, '00042'))).toEqual(invalid);
    expect(await record(email)).toMatchObject({ otp_wrong_guesses: 0 });
    expect(outcome(await verify(email, '000042'))).toEqual(success());
  });

  test.each(['email', 'otp'])('without %s, or with an empty one, nothing happens', async (field) => {
    const { email, code } = await signUp();
    const before = await record(email);
    const { [field]: _, ...rest } = { email, otp: code } as Record<string, string>;
    for (const form of [rest, { ...rest, [field]: '' }])
      expect(outcome(await postForm(`${services.user}/v2/verify-otp`, form))).toEqual({
        status: 400,
        body: { detail: `${field} is required` },
      });
    expect(await record(email)).toEqual(before);
  });
});

describe('malformed codes cost nothing', () => {
  const FULL_WIDTH = 0xff10 - 0x30;
  const ARABIC = 0x660 - 0x30;
  const shifted = (code: string, by: number) =>
    [...code].map((digit) => String.fromCodePoint((digit.codePointAt(0) ?? 0) + by)).join('');

  test.each<[string, (code: string) => string]>([
    ['five digits', (code) => code.slice(0, 5)],
    ['seven digits', (code) => `${code}0`],
    ['a zero before', (code) => `0${code}`],
    ['full-width digits', (code) => shifted(code, FULL_WIDTH)],
    ['Arabic digits', (code) => shifted(code, ARABIC)],
    ['a blank before', (code) => ` ${code}`],
    ['a blank after', (code) => `${code} `],
    ['a blank between', (code) => `${code.slice(0, 3)} ${code.slice(3)}`],
    ['a line end after', (code) => `${code}\n`],
    ['a NUL after', (code) => `${code}\0`],
    ['a plus sign', (code) => `+${code}`],
    ['a minus sign', (code) => `-${code}`],
    ['a fraction', (code) => `${code}.0`],
    ['an exponent', () => '1234e5'],
    ['hexadecimal', () => '0x12ab'],
    ['letters', () => 'abcdef'],
    ['a path', () => '$otp'],
    ['an expression', () => '$$ROOT'],
    ['operators', () => '{"$ne":""}'],
    ['a list', (code) => `["${code}"]`],
    ['60,000 digits', (code) => code.repeat(10_000)],
  ])('%s', async (_what, malformed) => {
    const { email, code } = await signUp();
    const before = await record(email);
    for (let attempt = 0; attempt < 6; attempt += 1)
      expect(outcome(await verify(email, malformed(code)))).toEqual(invalid);
    expect(await record(email)).toEqual({ ...before, otp_verdict: 'invalid' });
    expect(outcome(await verify(email, code))).toEqual(success());
  });
});

describe('wrong guesses', () => {
  test('four leave the code alive', async () => {
    const { email, code } = await signUp();
    await guessWrong(email, code, 4);
    expect(outcome(await verify(email, code))).toEqual(success());
  });

  test('five, and the code is dead even when it is right', async () => {
    const { email, code } = await signUp();
    await guessWrong(email, code, 5);
    const dead = await record(email);
    expect(outcome(await verify(email, code))).toEqual(invalid);
    expect(outcome(await verify(email, otherThan(code)))).toEqual(invalid);
    expect(await record(email)).toEqual({ ...dead, otp_verdict: 'invalid' });
    expect(dead).toMatchObject({ verified: false, account_status: 'paused', otp_wrong_guesses: 5 });
    services.clock.advance(61);
    expect(outcome(await verify(email, code))).toEqual(expired);
  });

  test('a new code starts at none', async () => {
    const { email, code } = await signUp();
    await guessWrong(email, code, 5);
    await signUpAs(email);
    expect(await record(email)).toMatchObject({ otp_wrong_guesses: 0 });
    const next = mailedCode(services.mailbox, email);
    await guessWrong(email, next, 4);
    expect(outcome(await verify(email, next))).toEqual(success());
  });

  test('ten in an hour, and the account is refused until the oldest is an hour old', async () => {
    const { email, code } = await signUp();
    await guessWrong(email, code, 5);
    services.clock.advance(30);
    const second = await newCode(email);
    await guessWrong(email, second, 5);
    services.clock.advance(10);

    const refused = await verify(email, second);
    expect(outcome(refused)).toEqual(tooMany);
    expect(refused.headers.get('retry-after')).toBe('3560');
    // A new code does not reset it, and the refusal comes before any other check of a code.
    const third = await newCode(email);
    for (const otp of [third, otherThan(third), 'abc'])
      expect(outcome(await verify(email, otp))).toEqual(tooMany);
    services.clock.advance(61);
    expect(outcome(await verify(email, third))).toEqual(tooMany);
    expect(await record(email)).toMatchObject({ verified: false, otp_wrong_guesses: 0 });

    services.clock.advance(3560 - 62);
    const fourth = await newCode(email);
    const last = await verify(email, fourth);
    expect(outcome(last)).toEqual(tooMany);
    expect(last.headers.get('retry-after')).toBe('1');
    services.clock.advance(1);
    expect(outcome(await verify(email, fourth))).toEqual(success());
  });

  test('the hour slides: guesses made later are held against the account for longer', async () => {
    const { email, code } = await signUp();
    await guessWrong(email, code, 5);
    services.clock.advance(600);
    await guessWrong(email, await newCode(email), 5);
    services.clock.advance(3000);
    // The first five are an hour old, so five are left; after them the oldest is of ten minutes later.
    await guessWrong(email, await newCode(email), 5);
    const refused = await verify(email, await newCode(email));
    expect(outcome(refused)).toEqual(tooMany);
    expect(refused.headers.get('retry-after')).toBe('600');
  });

  test('fifty at once are compared five times', async () => {
    const { email, code } = await signUp();
    const guesses = Array.from({ length: 50 }, (_, index) => otherThan(code, index + 1));
    const answers = await Promise.all(guesses.map((guess) => verify(email, guess)));
    expect(answers.map(outcome)).toEqual(Array(50).fill(invalid));
    const { otp_wrong_guesses, otp_wrong_guess_times } = (await record(email)) ?? {};
    expect(otp_wrong_guesses).toBe(5);
    expect(otp_wrong_guess_times).toEqual(Array(5).fill(services.clock.seconds()));
  });

  test('fifty at once, the right one among them, never activate after five wrong ones', async () => {
    const { email, code } = await signUp();
    await guessWrong(email, code, 5);
    const guesses = Array.from({ length: 50 }, (_, index) => otherThan(code, index));
    const answers = await Promise.all(guesses.map((guess) => verify(email, guess)));
    expect(answers.map(outcome)).toEqual(Array(50).fill(invalid));
    expect(await record(email)).toMatchObject({
      verified: false,
      account_status: 'paused',
      otp_wrong_guesses: 5,
    });
    expect(await record(email)).not.toHaveProperty('user_id');
  });

  test('hundreds at once over two codes end at ten', async () => {
    const { email, code } = await signUp();
    const burst = (from: string) =>
      Promise.all(Array.from({ length: 100 }, (_, index) => verify(email, otherThan(from, index + 1))));
    await burst(code);
    const second = await newCode(email);
    await burst(second);
    expect((await record(email))?.otp_wrong_guess_times).toHaveLength(10);
    expect(outcome(await verify(email, second))).toEqual(tooMany);
  });
});

describe('again', () => {
  test('the same code succeeds while it is valid, and is then expired', async () => {
    const { email, code, user_id } = await activate();
    services.clock.advance(60);
    expect(outcome(await verify(email, code))).toEqual(success(user_id));
    services.clock.advance(1);
    expect(outcome(await verify(email, code))).toEqual(expired);
    expect(await record(email)).toMatchObject({ verified: true, account_status: 'active', user_id });
    expect(await featuresOf(user_id)).toHaveLength(1);
  });

  test('twenty at once activate once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { email, code } = await signUp();
      const answers = await Promise.all(Array.from({ length: 20 }, () => verify(email, code)));
      const { user_id } = (await record(email)) ?? {};
      expect(answers.map(outcome)).toEqual(Array(20).fill(success(user_id)));
      expect(await featuresOf(user_id as string)).toHaveLength(1);
    }
  });

  test('a code of forgot-password on an active account answers its user_id and changes no state', async () => {
    const { email, user_id } = await activate();
    const code = await newCode(email);
    const before = await record(email);
    expect(outcome(await verify(email, code))).toEqual(success(user_id));
    expect(await record(email)).toEqual(before);
  });

  test('it does not switch a disabled account on again', async () => {
    const { email, user_id } = await activate();
    const disabled = { account_status: 'disabled' as 'paused' };
    await services.db.users.updateOne({ email }, { $set: disabled });
    expect(outcome(await verify(email, await newCode(email)))).toEqual(success(user_id));
    expect(await record(email)).toMatchObject({ verified: true, account_status: 'disabled', user_id });
  });

  test('a verified record that never got a user_id gets one, and its features', async () => {
    const { email, user_id: former } = await activate();
    await services.db.users.updateOne({ email }, { $unset: { user_id: '', features_assigned: '' } });
    await services.db.features.deleteMany({ user_id: former });
    const { status, body } = await verify(email, await newCode(email));
    expect({ status, body }).toEqual(success());
    expect(await record(email)).toMatchObject({ user_id: body.user_id, account_status: 'active' });
    expect(await featuresOf(body.user_id)).toHaveLength(1);
  });
});
