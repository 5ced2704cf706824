import { createHmac } from 'node:crypto';
import { createTokens, newSessionId } from '@gatehouse/shared/identity/tokens';
import type { User } from '@gatehouse/shared/identity/user-record';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failuresAt, outcome } from '../fixtures/envelope.ts';
import { type Answered, decodeToken, postForm, postJson, send } from '../fixtures/http.ts';
import { newMember } from '../fixtures/members.ts';
import { JWT_SECRET, mailedCode, type Services, startServices } from '../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());

const seconds = () => Math.floor(services.clock.seconds());
const tokens = createTokens({ JWT_SECRET });
const newUser = (fields?: object) => newMember(services.db, fields);
const opened = async ({ email }: Pick<User, 'email'>) => {
  const answer = await postJson(`${services.login}/api/v1/auth/login`, { email, password: 'secret' });
  return answer.body.access_token as string;
};
const refresh = (token: string, { path = '/auth/refresh', where = services } = {}) =>
  send(`${where.login}${path}`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
const me = async (token: string) => {
  const headers = { authorization: `Bearer ${token}` };
  return (await send(`${services.user}/api/v1/users/me`, { headers })).status;
};
const failure = failuresAt(() => services.clock.now());
const refused = (answer: Answered, message: string) => failure(answer, 401, 'INVALID_TOKEN', message);
/** Signs a token without `sid`, as other services of the platform may. */
function withoutSid({ email, user_id }: User, exp: number) {
  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ email, user_id, exp })}`;
  return `${text}.${createHmac('sha256', JWT_SECRET).update(text).digest('base64url')}`;
}

describe.each(['/auth/refresh', '/api/v1/auth/refresh'])('POST %s', (path) => {
  test('returns a token of the same session that is valid for one hour', async () => {
    const user = await newUser();
    const token = await opened(user);
    services.clock.advance(1_799);
    const answer = await refresh(token, { path });
    expect(outcome(answer)).toStrictEqual({
      status: 200,
      body: {
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 3600,
        user_id: user.user_id,
      },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { header, payload } = decodeToken(answer.body.access_token);
    expect(payload).toEqual({
      email: user.email,
      user_id: user.user_id,
      exp: seconds() + 3600,
    });
    expect(header).toEqual(decodeToken(token).header);
    // The previous token stays valid until it expires.
    expect([await me(token), await me(answer.body.access_token)]).toEqual([200, 200]);
    services.clock.advance(1_801);
    expect([await me(token), await me(answer.body.access_token)]).toEqual([401, 200]);
  });

  test('exchanges a token of the Direct contract for a catalogue token of the same session', async () => {
    const { email } = await newUser();
    const login = await postForm(`${services.login}/v2/login`, { email, password: 'secret' });
    const { body } = await refresh(login.body.token, { path });
    expect(body.expires_in).toBe(3600);
    const { header, payload } = decodeToken(body.access_token);
    expect(header).toEqual(decodeToken(login.body.token).header);
    expect(payload.exp).toBe(seconds() + 3600);
  });

  test('works for an account without a user_id', async () => {
    const user = await newUser({ user_id: undefined });
    const { status, body } = await refresh(await opened(user), { path });
    expect({ status, user_id: body.user_id }).toEqual({ status: 200, user_id: null });
    expect(decodeToken(body.access_token).payload).toEqual({
      email: user.email,
      user_id: null,
      exp: seconds() + 3600,
    });
  });

  test.each([
    ['no body', undefined, {}],
    ['an empty body with a JSON content type', '', { 'content-type': 'application/json' }],
    ['any JSON', '{"expires_in":999999}', { 'content-type': 'application/json' }],
  ])('accepts %s', async (_, body, headers) => {
    const authorization = `Bearer ${await opened(await newUser())}`;
    const answer = await send(services.login + path, {
      method: 'POST',
      headers: { authorization, ...headers },
      ...(body !== undefined && { body }),
    });
    expect({ status: answer.status, expires_in: answer.body.expires_in }).toEqual({
      status: 200,
      expires_in: 3600,
    });
  });

  test('returns 400 for a body that is not JSON', async () => {
    const authorization = `Bearer ${await opened(await newUser())}`;
    const answer = await postJson(services.login + path, '[', { authorization });
    expect(outcome(answer)).toStrictEqual(failure(answer, 400, 'INVALID_FORMAT', 'The request is malformed'));
  });

  test('GET returns 404 with a bearer and 401 without', async () => {
    const headers = { authorization: `Bearer ${await opened(await newUser())}` };
    expect((await send(services.login + path, { headers })).status).toBe(404);
    expect((await send(services.login + path)).status).toBe(401);
  });
});

describe('a session', () => {
  test('ends SESSION_MAX_HOURS after its login, to the second', async () => {
    const where = await startServices({ env: { SESSION_MAX_HOURS: '2' }, clock: services.clock });
    const email = 'capped@example.com';
    await where.db.users.insertOne({
      email,
      user_id: 'User-100000',
      verified: true,
      account_status: 'active',
    } as User);
    // Begin off a whole second, to test the rounding.
    services.clock.advance(0.5);
    const sid = newSessionId(services.clock.now());
    const began = Math.floor(services.clock.seconds());
    const first = tokens.session({ email, user_id: 'User-100000' }, services.clock.now(), {
      lifetime: 3600,
      sid,
    });
    services.clock.advance(3_599.4);
    const { body: hour } = await refresh(first, { where });
    expect(hour.expires_in).toBe(3600);
    expect(decodeToken(hour.access_token).payload.exp).toBe(began + 7_199);

    services.clock.advance(0.6);
    const { body: whole } = await refresh(hour.access_token, { where });
    expect(whole.expires_in).toBe(3600);
    expect(decodeToken(whole.access_token).payload.exp).toBe(began + 7_200);

    services.clock.advance(1_800.4); // nine tenths of a second have passed
    const { body: half } = await refresh(whole.access_token, { where });
    expect(half.expires_in).toBe(1800);
    expect(decodeToken(half.access_token).payload.exp).toBe(began + 7_200);

    services.clock.advance(1_799);
    const { body: second } = await refresh(half.access_token, { where });
    expect(second.expires_in).toBe(1);
    expect(decodeToken(second.access_token).payload.exp).toBe(began + 7_200);

    services.clock.advance(1);
    const over = await refresh(second.access_token, { where });
    expect(outcome(over)).toStrictEqual(refused(over, 'Token expired'));
    await where.stop();
  });

  test('ends at its next refresh when SESSION_MAX_HOURS was lowered below its age', async () => {
    const { email, user_id = null } = await newUser();
    const sid = newSessionId(services.clock.now() - 24 * 3_600_000);
    const token = tokens.session({ email, user_id }, services.clock.now(), { lifetime: 60, sid });
    const answer = await refresh(token);
    expect(outcome(answer)).toStrictEqual(refused(answer, 'Token expired'));
  });

  test('can be refreshed for a day and no longer', async () => {
    let token = await opened(await newUser());
    const { sid } = decodeToken(token).header;
    for (let half = 1; half < 48; half += 1) {
      services.clock.advance(1_800);
      const { status, body } = await refresh(token);
      expect(status).toBe(200);
      token = body.access_token;
      expect(decodeToken(token).header.sid).toBe(sid);
    }
    services.clock.advance(1_799);
    expect(await me(token)).toBe(200);
    services.clock.advance(1);
    expect(await me(token)).toBe(401);
    const answer = await refresh(token);
    expect(outcome(answer)).toStrictEqual(refused(answer, 'Token expired'));
  });

  test('gets a sid if its token has none, with a start one hour before the expiry of that token', async () => {
    const user = await newUser();
    const exp = seconds() + 1_000;
    const { body } = await refresh(withoutSid(user, exp));
    expect(body.expires_in).toBe(3600);
    const { sid } = decodeToken(body.access_token).header;
    expect(Number.parseInt(sid.replace('-', '').slice(0, 12), 16)).toBe((exp - 3600) * 1000);
    const { body: next } = await refresh(body.access_token);
    expect(decodeToken(next.access_token).header.sid).toBe(sid);
  });

  test('starts now if its token has no sid and expires late', async () => {
    const user = await newUser();
    for (const exp of [seconds() + 7_200, 8.64e12]) {
      const { status, body } = await refresh(withoutSid(user, exp));
      expect({ status, expires_in: body.expires_in }).toEqual({ status: 200, expires_in: 3600 });
      const { sid } = decodeToken(body.access_token).header;
      expect(Number.parseInt(sid.replace('-', '').slice(0, 12), 16)).toBe(services.clock.now());
    }
  });

  test('a password reset ends every earlier session, refreshed or not, and no later one', async () => {
    const user = await newUser();
    const direct = (await postForm(`${services.login}/v2/login`, { email: user.email, password: 'secret' }))
      .body.token;
    const [one, two] = [await opened(user), await opened(user)];
    const refreshed = (await refresh(two)).body.access_token;
    const bare = withoutSid(user, seconds() + 3_000);
    services.clock.advance(10);
    await postForm(`${services.user}/v2/forgot-password`, { email: user.email });
    const otp = mailedCode(services.mailbox, user.email);
    const fields = { email: user.email, otp, new_password: 'secret' };
    expect((await postForm(`${services.user}/v2/reset-password`, fields)).status).toBe(200);
    services.clock.advance(0.001);
    const after = await opened(user);

    for (const token of [direct, one, two, refreshed, bare]) {
      const answer = await refresh(token);
      expect(outcome(answer)).toStrictEqual(refused(answer, 'Invalid token'));
      expect(await me(token)).toBe(401);
    }
    expect((await refresh(after)).status).toBe(200);
    expect(await me(after)).toBe(200);
  });

  test('a refused reset ends nothing', async () => {
    const user = await newUser();
    const token = await opened(user);
    await postForm(`${services.user}/v2/forgot-password`, { email: user.email });
    const fields = { email: user.email, otp: 'nought', new_password: 'eve' };
    expect((await postForm(`${services.user}/v2/reset-password`, fields)).status).toBe(400);
    expect(await me(token)).toBe(200);
  });

  test.each<[string, (email: string) => Promise<unknown>]>([
    ['disabled', (email) => services.db.users.updateOne({ email }, { $set: { account_status: 'disabled' } })],
    ['paused', (email) => services.db.users.updateOne({ email }, { $set: { account_status: 'paused' } })],
    ['unverified', (email) => services.db.users.updateOne({ email }, { $set: { verified: false } })],
    ['deleted', (email) => services.db.users.deleteOne({ email })],
  ])('a %s user has none', async (_, change) => {
    const user = await newUser();
    const token = await opened(user);
    await change(user.email);
    const answer = await refresh(token);
    expect(outcome(answer)).toStrictEqual(refused(answer, 'Invalid token'));
    expect(await me(token)).toBe(401);
  });
});
