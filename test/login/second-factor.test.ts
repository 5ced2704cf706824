import { stepOf } from '@gatehouse/shared/identity/second-factor';
import { createTokens } from '@gatehouse/shared/identity/tokens';
import { Secret } from 'otpauth';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildLoginService } from '../../services/login/app.ts';
import { enrolled } from '../fixtures/enrolled.ts';
import { errorEnvelope, failuresAt, outcome, rateLimited } from '../fixtures/envelope.ts';
import { startGateway } from '../fixtures/gateway.ts';
import { decodeToken, postForm, postJson, send } from '../fixtures/http.ts';
import { newMember } from '../fixtures/members.ts';
import { rounds } from '../fixtures/property.ts';
import {
  JWT_SECRET,
  listen,
  mailedCode,
  type Services,
  startServices,
  testConfig,
} from '../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());

const tokens = createTokens({ JWT_SECRET });
const failure = failuresAt(() => services.clock.now());
const newEnrolled = (fields?: object) => enrolled(services.db, services.clock, fields);

const direct = (email: string, password = 'secret') =>
  postForm(`${services.login}/v2/login`, { email, password });
const directFactor = (factor_token: string, code: string, login = services.login) =>
  postForm(`${login}/v2/login/factor`, { factor_token, code });
const catalogue = (email: string, password = 'secret') =>
  postJson(`${services.login}/api/v1/auth/login`, { email, password });
const catalogueFactor = (factor_token: string, code: string) =>
  postJson(`${services.login}/api/v1/auth/login/factor`, { factor_token, code });
/** The token of half a login. */
const halfOf = async (email: string): Promise<string> => (await direct(email)).body.factor_token;
const me = async (token: string) =>
  (await send(`${services.user}/api/v1/users/me`, { headers: { authorization: `Bearer ${token}` } })).status;
const secondFactorOf = async ({ email }: { email: string }) =>
  (await services.db.users.findOne({ email }))?.second_factor;
const eventsOf = (email: string) =>
  services.db.auditEvents.find({ email: email.toLowerCase() }).sort({ event_id: 1 }).toArray();
const expired = { status: 401, body: { detail: 'The login has expired, please log in again' } };
const wrongCode = { status: 401, body: { detail: 'Invalid code' } };

describe('stepOf', () => {
  // RFC 6238, appendix B, for SHA-1: the last six of its eight digits.
  const secret = Secret.fromUTF8('12345678901234567890').base32;
  test.each([
    [59, '287082', 1],
    [1_111_111_109, '081804', 37_037_036],
    [1_111_111_111, '050471', 37_037_037],
    [1_234_567_890, '005924', 41_152_263],
    [2_000_000_000, '279037', 66_666_666],
    [20_000_000_000, '353130', 666_666_666],
  ])('at %i s, %s is the code of step %i', (seconds, code, step) => {
    expect(stepOf(secret, code, seconds * 1000)).toBe(step);
  });

  test('accepts the step before and the step after', () => {
    expect(stepOf(secret, '287082', 89_999)).toBe(1);
    expect(stepOf(secret, '287082', 90_000)).toBeUndefined();
    expect(stepOf(secret, '081804', 1_111_111_050_000)).toBe(37_037_036);
    expect(stepOf(secret, '081804', 1_111_111_049_999)).toBeUndefined();
  });

  test.each(['', '28708', '2870822', ' 287082', 'abcdef', '２８７０８２'])('%j is no code', (code) => {
    expect(stepOf(secret, code, 59_000)).toBeUndefined();
  });
});

describe('the login of an account with a second factor', () => {
  test('takes a password and a code at the Direct contract', async () => {
    const { email, user_id, code } = await newEnrolled();
    const half = await direct(email);
    expect(outcome(half)).toEqual({
      status: 403,
      body: {
        detail: 'Second factor required',
        factor_token: expect.any(String),
        methods: ['totp', 'recovery_code'],
      },
    });
    const answer = await directFactor(half.body.factor_token, code());
    expect(outcome(answer)).toEqual({
      status: 200,
      body: { message: 'Login successful', token: expect.any(String), user_id },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(decodeToken(answer.body.token).payload).toEqual({
      email,
      user_id,
      exp: services.clock.seconds() + 1_800,
    });
    expect(await me(answer.body.token)).toBe(200);
    expect((await eventsOf(email)).map(({ action, outcome }) => [action, outcome])).toEqual([
      ['login', 'second factor required'],
      ['login', 'success'],
    ]);
  });

  test('takes a password and a code at the catalogue contract', async () => {
    const { email, user_id, code } = await newEnrolled();
    const half = await catalogue(email);
    expect(outcome(half)).toEqual(
      failure(half, 403, 'SECOND_FACTOR_REQUIRED', 'Second factor required', {
        factor_token: expect.any(String),
        methods: ['totp', 'recovery_code'],
      }),
    );
    expect(half.headers.get('cache-control')).toBe('no-store');
    const answer = await catalogueFactor(half.body.error.details.factor_token, code());
    expect(outcome(answer)).toEqual({
      status: 200,
      body: { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3_600, user_id },
    });
    expect(await me(answer.body.access_token)).toBe(200);
  });

  test('leaves nothing behind before the code', async () => {
    const { email, _id } = await newEnrolled();
    const before = await services.db.users.findOne({ _id }, { projection: { password: 0 } });
    await direct(email);
    expect(await services.db.users.findOne({ _id }, { projection: { password: 0 } })).toEqual(before);
    const [event, ...others] = await eventsOf(email);
    expect(others).toEqual([]);
    expect(event).not.toHaveProperty('session');
    expect(event).not.toHaveProperty('relay');
  });

  test('takes a recovery code once, in any spelling', async () => {
    const { email, recoveryCodes } = await newEnrolled();
    const [first = '', second = ''] = recoveryCodes;
    const spelled = ` ${first.toLowerCase().replaceAll('-', ' ')} `;
    expect((await directFactor(await halfOf(email), spelled)).status).toBe(200);
    expect(outcome(await directFactor(await halfOf(email), first))).toEqual(wrongCode);
    expect((await directFactor(await halfOf(email), second)).status).toBe(200);
    expect((await direct(email)).body.methods).toEqual(['totp']);
  });

  test('a recovery code used twice at once opens one session', async () => {
    const { email, recoveryCodes } = await newEnrolled();
    const [code = ''] = recoveryCodes;
    const half = await halfOf(email);
    const answers = await Promise.all(Array.from({ length: 4 }, () => directFactor(half, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  });

  test('a code opens one session, over two processes at once', async () => {
    const { db, clock, user } = services;
    const other = await buildLoginService({
      config: testConfig('login', { USER_SERVICE_URL: user }),
      db,
      now: clock.now,
    });
    onTestFinished(() => other.close());
    const logins = [services.login, await listen(other)];
    const { email, code } = await newEnrolled();
    const half = await halfOf(email);
    const answers = await Promise.all([...logins, ...logins].map((url) => directFactor(half, code(), url)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  });

  test('no code of an accepted step or an earlier one is accepted', async () => {
    const { email, code } = await newEnrolled();
    const half = await halfOf(email);
    const [earlier, current, later] = [code(-1), code(), code(1)];
    expect((await directFactor(half, current)).status).toBe(200);
    expect(outcome(await directFactor(half, earlier))).toEqual(wrongCode);
    expect(outcome(await directFactor(half, current))).toEqual(wrongCode);
    expect((await directFactor(half, later)).status).toBe(200);
  });

  test('five wrong codes in 15 minutes lead to 429, also for a right code', async () => {
    const { email, code } = await newEnrolled();
    const half = await halfOf(email);
    for (let guess = 0; guess < 5; guess += 1) {
      expect(outcome(await directFactor(half, 'wrong'))).toEqual(wrongCode);
      services.clock.advance(10);
    }
    const refused = await directFactor(half, code());
    expect(outcome(refused)).toEqual({ status: 429, body: { detail: 'Too many requests' } });
    expect(refused.headers.get('retry-after')).toBe('850');
    const atCatalogue = await catalogueFactor(half, code());
    expect(outcome(atCatalogue)).toEqual(rateLimited(5, 850, services.clock.now()));
    services.clock.advance(850);
    expect((await directFactor(await halfOf(email), code())).status).toBe(200);
  });

  test('five of many concurrent guesses are answered', async () => {
    const { email, code } = await newEnrolled();
    const half = await halfOf(email);
    const [right, statuses] = [new Set([-1, 0, 1].map(code)), new Map<number, number>()];
    const count = rounds(1_000);
    const guesses = Array.from({ length: count + 10 }, (_, guess) => String(guess * 987).padStart(6, '0'))
      .filter((guess) => !right.has(guess))
      .slice(0, count);
    const guessed = async () => {
      for (let guess = guesses.pop(); guess !== undefined; guess = guesses.pop()) {
        const { status } = await directFactor(half, guess);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 50 }, guessed));
    expect(Object.fromEntries(statuses)).toEqual({ 401: 5, 429: count - 5 });
    expect((await services.db.users.findOne({ email }))?.factor_guesses).toHaveLength(5);
  });
});

describe('the token of half a login', () => {
  test('is no bearer at any service', async () => {
    const { email } = await newEnrolled();
    const gateway = await startGateway({
      clock: services.clock,
      env: { LOGIN_SERVICE_URL: services.login, USER_SERVICE_URL: services.user },
    });
    onTestFinished(() => gateway.stop());
    const authorization = `Bearer ${await halfOf(email)}`;
    const calls = [
      ['GET', `${services.user}/api/v1/users/me`],
      ['GET', `${services.user}/api/v1/users/me/sessions`],
      ['GET', `${services.user}/api/v1/chatbots`],
      ['POST', `${services.login}/auth/refresh`],
      ['POST', `${services.login}/auth/logout`],
      ['POST', `${services.login}/api/v1/auth/confirm`],
      ['GET', `${gateway.url}/api/v1/users/me`],
      ['POST', `${gateway.url}/auth/refresh`],
      ['POST', `${gateway.url}/api/v1/chat-3d/respond`],
    ] as const;
    for (const [method, url] of calls) {
      const answer = await send(url, { method, headers: { authorization } });
      expect([method, url, answer.status, answer.body]).toEqual([
        method,
        url,
        401,
        errorEnvelope('INVALID_TOKEN', 'Invalid token'),
      ]);
    }
    const session = await postJson(`${services.user}/api/v1/auth/sso/exchange`, {
      code: authorization.slice(7),
    });
    expect(session.status).toBeGreaterThanOrEqual(400);
  });

  test.each([
    ['a session', (email: string) => tokens.session({ email, user_id: null }, services.clock.now())],
    ['a signup', (email: string) => tokens.otpSent(email, services.clock.now())],
    ['nothing', () => 'no token'],
  ])('the token of %s is not one', async (_, tokenOf) => {
    const { email, code } = await newEnrolled();
    expect(outcome(await directFactor(tokenOf(email), code()))).toEqual(expired);
  });

  test('expires after five minutes', async () => {
    const { email, code } = await newEnrolled();
    const half = await halfOf(email);
    services.clock.advance(299);
    const other = await halfOf(email);
    expect((await directFactor(half, code())).status).toBe(200);
    services.clock.advance(300);
    expect(outcome(await directFactor(other, code()))).toEqual(expired);
  });

  test('takes codes of its own account only', async () => {
    const [ada, eve] = [await newEnrolled(), await newEnrolled()];
    const half = await halfOf(ada.email);
    expect(outcome(await directFactor(half, eve.code()))).toEqual(wrongCode);
    expect((await secondFactorOf(eve))?.last_step).toBe(0);
  });

  test('ends with a password reset, which keeps the factor', async () => {
    const { email, code } = await newEnrolled();
    const half = await halfOf(email);
    await postForm(`${services.user}/v2/forgot-password`, { email });
    const otp = mailedCode(services.mailbox, email);
    const reset = await postForm(`${services.user}/v2/reset-password`, { email, otp, new_password: 'other' });
    expect(reset.status).toBe(200);
    expect(outcome(await directFactor(half, code()))).toEqual(expired);
    services.clock.advance(1);
    const again = await direct(email, 'other');
    expect(again.status).toBe(403);
    expect((await directFactor(again.body.factor_token, code())).status).toBe(200);
  });

  test.each([
    ['is disabled', { account_status: 'disabled' }],
    ['is no longer verified', { verified: false }],
    ['has ended its sessions', { sessions_valid_from: new Date(8.64e15) }],
    ['has another enrollment', { 'second_factor.id': 'another' }],
  ] as const)('ends when the account %s', async (_, $set) => {
    const { email, code } = await newEnrolled();
    const half = await halfOf(email);
    await services.db.users.updateOne({ email }, { $set });
    expect(outcome(await directFactor(half, code()))).toEqual(expired);
  });

  test('ends when the account has no factor any more', async () => {
    const { email, code } = await newEnrolled();
    const half = await halfOf(email);
    await services.db.users.updateOne({ email }, { $unset: { second_factor: true } });
    expect(outcome(await directFactor(half, code()))).toEqual(expired);
  });
});

describe('before the password is right', () => {
  test.each([
    ['wrong', {}, 401, 'Invalid credentials'],
    ['secret', { account_status: 'disabled' }, 401, 'Invalid credentials'],
    ['secret', { verified: false }, 403, 'Account not verified'],
  ])('with %j and %j, an enrolled account answers as any other', async (password, fields, status, detail) => {
    for (const account of [await newEnrolled(fields), await newMember(services.db, fields)])
      expect(outcome(await direct(account.email, password))).toEqual({ status, body: { detail } });
  });
});

test.each([{ code: '123456' }, { factor_token: 'x' }, { factor_token: 'x', code: '1'.repeat(101) }])(
  'the form %j is 400',
  async (fields) => {
    expect(
      (await postForm(`${services.login}/v2/login/factor`, fields as Record<string, string>)).status,
    ).toBe(400);
  },
);

describe('the gateway', () => {
  const startedGateway = async () => {
    const { clock, db: database } = services;
    const env = { LOGIN_SERVICE_URL: services.login, USER_SERVICE_URL: services.user };
    const gateway = await startGateway({ clock, database, env });
    onTestFinished(() => gateway.stop());
    return gateway.url;
  };

  test('counts thirty wrong codes of a network, at every door and at confirmations', async () => {
    const url = await startedGateway();
    const people = await Promise.all(Array.from({ length: 8 }, () => newEnrolled()));
    const halves = await Promise.all(people.map(({ email }) => halfOf(email)));
    const guess = (factor_token: string) =>
      postForm(`${url}/v2/login/factor`, { factor_token, code: 'wrong' });
    for (const half of halves.slice(0, 5))
      for (let count = 0; count < 5; count += 1) expect((await guess(half)).status).toBe(401);
    const member = await newMember(services.db);
    const { token } = (await direct(member.email)).body;
    const confirm = () =>
      postJson(`${url}/api/v1/auth/confirm`, { password: 'wrong' }, { authorization: `Bearer ${token}` });
    for (let count = 0; count < 5; count += 1) expect((await confirm()).status).toBe(401);
    expect((await confirm()).status).toBe(429);
    expect((await guess(halves[7] as string)).status).toBe(429);
  });

  test('counts no code that came too late', async () => {
    const url = await startedGateway();
    const late = () => postForm(`${url}/v2/login/factor`, { factor_token: 'no token', code: '123456' });
    for (let count = 0; count < 31; count += 1) expect((await late()).status).toBe(401);
  });

  test('forgets wrong passwords once the right one leads to the second factor', async () => {
    const url = await startedGateway();
    const { email } = await newEnrolled();
    const login = (password: string) => postForm(`${url}/v2/login`, { email, password });
    for (let round = 0; round < 2; round += 1) {
      for (let count = 0; count < 19; count += 1) expect((await login('wrong')).status).toBe(401);
      expect((await login('secret')).status).toBe(403);
    }
  });
});

describe('the budget of wrong codes', () => {
  test('is twenty a day', async () => {
    const { email, code } = await newEnrolled();
    for (let burst = 0; burst < 4; burst += 1) {
      const half = await halfOf(email);
      for (let guess = 0; guess < 5; guess += 1) await directFactor(half, 'wrong');
      services.clock.advance(901);
    }
    const refused = await directFactor(await halfOf(email), code());
    expect(outcome(refused)).toEqual({ status: 429, body: { detail: 'Too many requests' } });
    expect(refused.headers.get('retry-after')).toBe(String(86_400 - 4 * 901));
    services.clock.advance(86_400 - 4 * 901);
    expect((await directFactor(await halfOf(email), code())).status).toBe(200);
  });

  test('does not hold up a recovery code', async () => {
    const { email, code, recoveryCodes } = await newEnrolled();
    const half = await halfOf(email);
    for (let guess = 0; guess < 5; guess += 1) await directFactor(half, 'wrong');
    expect((await directFactor(half, code())).status).toBe(429);
    expect((await directFactor(half, String(recoveryCodes[0]))).status).toBe(200);
    expect((await directFactor(half, String(recoveryCodes[0]))).status).toBe(429);
  });

  test('leaves one notice when a burst is spent', async () => {
    const { email } = await newEnrolled();
    const half = await halfOf(email);
    for (let guess = 0; guess < 7; guess += 1) await directFactor(half, 'wrong');
    const mailed = () => services.mailbox.mails.filter(({ recipients }) => recipients.includes(email));
    const { notices = [] } = (await services.db.users.findOne({ email })) ?? {};
    const subjects = mailed().map(({ content }) => content.subject);
    const told = [...notices.map(({ kind }) => kind), ...subjects];
    expect(told).toHaveLength(1);
    expect(['factor_codes_wrong', 'Someone knows the password of your account']).toContain(told[0]);
  });
});

test('a recovery code works although the secret cannot be opened', async () => {
  const { email, recoveryCodes } = await newEnrolled();
  await services.db.users.updateOne({ email }, { $set: { 'second_factor.secret': 'unreadable' } });
  const half = await halfOf(email);
  expect((await directFactor(half, '123456')).status).toBe(503);
  expect((await directFactor(half, recoveryCodes[0] as string)).status).toBe(200);
});
