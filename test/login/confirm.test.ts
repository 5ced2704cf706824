import { createHmac } from 'node:crypto';
import { createPasswords } from '@gatehouse/shared/identity/passwords';
import { createTokens } from '@gatehouse/shared/identity/tokens';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildLoginService } from '../../services/login/app.ts';
import { enrolled } from '../fixtures/enrolled.ts';
import { failuresAt, outcome, rateLimited } from '../fixtures/envelope.ts';
import { decodeToken, postJson, send } from '../fixtures/http.ts';
import { newMember } from '../fixtures/members.ts';
import { JWT_SECRET, listen, type Services, startServices, testConfig } from '../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());

const tokens = createTokens({ JWT_SECRET });
const failure = failuresAt(() => services.clock.now());
const newUser = (fields?: object) => newMember(services.db, fields);
const newEnrolled = () => enrolled(services.db, services.clock);
const opened = ({ email, user_id }: { email: string; user_id?: string }, options = {}) =>
  tokens.session({ email, user_id: user_id ?? null }, services.clock.now(), { lifetime: 3_600, ...options });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const confirm = (token: string, body: object) =>
  postJson(`${services.login}/api/v1/auth/confirm`, body, bearer(token));
/** An operation that needs a fresh session. */
const disable = (token: string) =>
  send(`${services.user}/api/v1/users/me/factors/totp`, { method: 'DELETE', headers: bearer(token) });

const required = (answer: Parameters<typeof failure>[0], ...methods: string[]) =>
  failure(answer, 403, 'CONFIRMATION_REQUIRED', 'Please confirm that it is you', { methods });
/** A session that has become stale. */
async function stale(user: { email: string; user_id?: string }, options = {}) {
  const token = opened(user, options);
  services.clock.advance(601);
  return token;
}
const outcomesOf = async (email: string) =>
  (await services.db.auditEvents.find({ email: email.toLowerCase() }).sort({ event_id: 1 }).toArray())
    .filter(({ action }) => action === 'session.confirm')
    .map(({ outcome }) => outcome);

describe('a session', () => {
  test('is fresh for ten minutes after the login', async () => {
    const token = opened(await newUser());
    services.clock.advance(600);
    expect((await disable(token)).status).toBe(404);
    services.clock.advance(1);
    const refused = await disable(token);
    expect(outcome(refused)).toEqual(required(refused, 'password'));
    expect(refused.headers.get('cache-control')).toBe('no-store');
  });

  test.each([
    ['password', {}, newUser],
    ['login', { sso: true }, newUser],
  ])('that is stale is told of %s', async (method, options, account) => {
    const refused = await disable(await stale(await account(), options));
    expect(outcome(refused)).toEqual(required(refused, method));
  });

  test('that is stale is told of the methods of its second factor', async () => {
    const user = await newEnrolled();
    const token = await stale(user);
    const refused = await disable(token);
    expect(outcome(refused)).toEqual(required(refused, 'totp', 'recovery_code'));
    await services.db.users.updateOne(
      { email: user.email },
      { $set: { 'second_factor.recovery_codes': [] } },
    );
    const last = await disable(token);
    expect(outcome(last)).toEqual(required(last, 'totp'));
  });

  test('from before the enrollment of a second factor is not fresh any more', async () => {
    const user = await newEnrolled();
    const before = tokens.session(
      { email: user.email, user_id: user.user_id ?? null },
      services.clock.now() - 1_000,
      { lifetime: 3_600 },
    );
    const refused = await disable(before);
    expect(outcome(refused)).toEqual(required(refused, 'totp', 'recovery_code'));
    expect((await disable(opened(user))).status).toBe(200);
  });

  test('is fresh after a code in the second of the enrollment', async () => {
    services.clock.advance(0.5);
    const user = await newEnrolled();
    services.clock.advance(0.25);
    onTestFinished(() => services.clock.advance(0.25));
    const { body } = await confirm(opened(user), { code: user.code() });
    expect((await disable(body.access_token)).status).toBe(200);
  });

  test('is not fresh after a password that was checked while a second factor was enrolled', async () => {
    const { clock, db } = services;
    const user = await newUser();
    const passwords = createPasswords();
    const slow = await buildLoginService({
      config: testConfig('login'),
      db,
      now: clock.now,
      passwords: {
        ...passwords,
        async matches(...password) {
          clock.advance(1);
          const factor = { id: 'one', secret: '', last_step: 0, recovery_codes: ['a digest'] };
          const second_factor = { ...factor, enrolled_at: new Date(clock.now()) };
          await db.users.updateOne({ _id: user._id }, { $set: { second_factor } });
          clock.advance(1);
          return passwords.matches(...password);
        },
      },
    });
    onTestFinished(() => slow.close());
    const url = await listen(slow);
    const path = `${url}/api/v1/auth/confirm`;
    const { status, body } = await postJson(path, { password: 'secret' }, bearer(await stale(user)));
    expect(status).toBe(200);
    const refused = await disable(body.access_token);
    expect(outcome(refused)).toEqual(required(refused, 'totp', 'recovery_code'));
  });

  test('from a provider is fresh only without a second factor, or after a code of it', async () => {
    const user = await newEnrolled();
    const token = opened(user, { sso: true });
    const refused = await disable(token);
    expect(outcome(refused)).toEqual(required(refused, 'totp', 'recovery_code'));
    services.clock.advance(1);
    const { body } = await confirm(token, { code: user.code() });
    expect((await disable(body.access_token)).status).toBe(200);
    // Without a second factor, a login at the provider is a confirmation: there is nothing to remove.
    expect((await disable(opened(await newUser(), { sso: true }))).status).toBe(404);
  });

  test('without a sid is never fresh and cannot confirm', async () => {
    const { email, user_id } = await newUser();
    const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
    const exp = services.clock.seconds() + 3_600;
    const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ email, user_id, exp })}`;
    const token = `${text}.${createHmac('sha256', JWT_SECRET).update(text).digest('base64url')}`;
    const refused = await disable(token);
    expect(outcome(refused)).toEqual(required(refused, 'password'));
    const unconfirmed = await confirm(token, { password: 'secret' });
    expect(outcome(unconfirmed)).toEqual(failure(unconfirmed, 403, 'FORBIDDEN', 'Forbidden'));
    expect(await outcomesOf(email)).toEqual(['Forbidden']);
  });
});

describe('POST /api/v1/auth/confirm', () => {
  test('answers a token of the same session, fresh for ten minutes, that expires with the old one', async () => {
    const user = await newUser();
    const token = await stale(user);
    const answer = await confirm(token, { password: 'secret' });
    expect(outcome(answer)).toEqual({
      status: 200,
      body: {
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 2_999,
        user_id: user.user_id,
      },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const [before, after] = [decodeToken(token), decodeToken(answer.body.access_token)];
    expect(after.payload).toEqual(before.payload);
    expect(after.header).toEqual({ ...before.header, confirmed_at: services.clock.seconds() });
    expect((await disable(answer.body.access_token)).status).toBe(404);
    expect((await disable(token)).status).toBe(403);
    services.clock.advance(601);
    expect((await disable(answer.body.access_token)).status).toBe(403);
    expect(await outcomesOf(user.email)).toEqual(['success']);
  });

  test('a refresh keeps the time of the confirmation', async () => {
    const { body } = await confirm(await stale(await newUser()), { password: 'secret' });
    services.clock.advance(590);
    const headers = bearer(body.access_token);
    const refreshed = await send(`${services.login}/auth/refresh`, { method: 'POST', headers });
    const token = refreshed.body.access_token;
    expect(decodeToken(token).header).toEqual(decodeToken(body.access_token).header);
    services.clock.advance(10);
    expect((await disable(token)).status).toBe(404);
    services.clock.advance(1);
    expect((await disable(token)).status).toBe(403);
  });

  test('does not carry over to another session', async () => {
    const user = await newUser();
    const token = await stale(user);
    const other = tokens.session(
      { email: user.email, user_id: user.user_id ?? null },
      services.clock.now() - 601_000,
      { lifetime: 3_600 },
    );
    await confirm(token, { password: 'secret' });
    expect((await disable(other)).status).toBe(403);
  });

  test('keeps the mark of a session that began at a provider', async () => {
    const token = await stale(await newUser(), { sso: true });
    const { body } = await confirm(token, { password: 'secret' });
    expect(decodeToken(body.access_token).header.sso).toBe(true);
  });

  test('takes a code of the second factor, and not the password', async () => {
    const user = await newEnrolled();
    const token = await stale(user);
    const withPassword = await confirm(token, { password: 'secret' });
    expect(outcome(withPassword)).toEqual(
      failure(withPassword, 400, 'MISSING_FIELD', 'A required field is missing', 'code is required'),
    );
    const wrong = await confirm(token, { code: 'wrong' });
    expect(outcome(wrong)).toEqual(failure(wrong, 401, 'INVALID_CREDENTIALS', 'Invalid code'));
    const { status, body } = await confirm(token, { code: user.code() });
    expect(status).toBe(200);
    expect((await confirm(token, { code: user.code() })).status).toBe(401);
    expect((await confirm(token, { code: user.recoveryCodes[0] })).status).toBe(200);
    expect((await disable(body.access_token)).status).toBe(200);
    expect(await outcomesOf(user.email)).toEqual(['Invalid code', 'success', 'Invalid code', 'success']);
  });

  test('shares the budget of five wrong codes with the login', async () => {
    const user = await newEnrolled();
    const token = await stale(user);
    const login = { email: user.email, password: 'secret' };
    const { body } = await postJson(`${services.login}/api/v1/auth/login`, login);
    const { factor_token } = body.error.details;
    for (let guess = 0; guess < 2; guess += 1) expect((await confirm(token, { code: '1' })).status).toBe(401);
    for (let guess = 0; guess < 3; guess += 1)
      await postJson(`${services.login}/api/v1/auth/login/factor`, { factor_token, code: '1' });
    const refused = await confirm(token, { code: user.code() });
    expect(outcome(refused)).toEqual(rateLimited(5, 900, services.clock.now()));
  });

  test('answers ten wrong passwords in 15 minutes; right ones are not counted', async () => {
    const token = opened(await newUser());
    expect((await confirm(token, { password: 'secret' })).status).toBe(200);
    for (let guess = 0; guess < 10; guess += 1) {
      const wrong = await confirm(token, { password: 'wrong' });
      expect(outcome(wrong)).toEqual(failure(wrong, 401, 'INVALID_CREDENTIALS', 'Invalid credentials'));
    }
    const refused = await confirm(token, { password: 'secret' });
    expect(outcome(refused)).toEqual(rateLimited(10, 900, services.clock.now()));
    services.clock.advance(900);
    expect((await confirm(token, { password: 'secret' })).status).toBe(200);
  });

  test.each([
    [{}, 'INVALID_FORMAT'],
    [{ password: 'secret', code: '123456' }, 'INVALID_FORMAT'],
    [{ code: '1'.repeat(101) }, 'INVALID_FORMAT'],
  ])('%j is 400', async (body, code) => {
    const { status, body: answer } = await confirm(opened(await newUser()), body);
    expect([status, answer.error.code]).toEqual([400, code]);
  });

  test('a code of an account without a second factor is 400', async () => {
    const refused = await confirm(opened(await newUser()), { code: '123456' });
    expect(outcome(refused)).toEqual(
      failure(refused, 400, 'MISSING_FIELD', 'A required field is missing', 'password is required'),
    );
  });

  test('an account that must use single sign-on gets 403', async () => {
    const [domain, organization_id] = ['required.example', 'org-required'];
    const { db } = services;
    const owner = await newUser({ subscription_plan: 'Enterprise' });
    await db.organizations.insertOne({
      organization_id,
      name: 'Required',
      owners: [{ user_id: owner.user_id }],
    } as never);
    await db.ssoDomains.insertOne({
      domain_id: 'domain-required',
      organization_id,
      domain,
      token: 'token',
      verified_at: new Date(),
      verified_domain: domain,
      sso_required: true,
      created_at: new Date(),
    });
    await db.ssoConnections.insertOne({ connection_id: 'required', organization_id, enabled: true } as never);
    const user = await newUser({ email: `ada@${domain}` });
    const refused = await confirm(opened(user), { password: 'secret' });
    expect(refused.body.error.code).toBe('SSO_REQUIRED');
    expect((await confirm(opened(user), { password: 'wrong' })).body).toEqual({
      ...refused.body,
      error: { ...refused.body.error, request_id: expect.any(String) },
    });
  });
});
