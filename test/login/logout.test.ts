import { createHmac } from 'node:crypto';
import { createTokens, newSessionId } from '@gatehouse/shared/identity/tokens';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildGateway } from '../../services/gateway/app.ts';
import { buildLoginService } from '../../services/login/app.ts';
import { failuresAt, outcome } from '../fixtures/envelope.ts';
import { startUpstream } from '../fixtures/gateway.ts';
import { type Answered, decodeToken, postForm, send } from '../fixtures/http.ts';
import { newMember } from '../fixtures/members.ts';
import { JWT_SECRET, listen, type Services, startServices, testConfig } from '../fixtures/services.ts';

let services: Services;
let platform: Awaited<ReturnType<typeof startUpstream>>;
const gateways: FastifyInstance[] = [];
let here: string;
let elsewhere: string;
beforeAll(async () => {
  services = await startServices();
  platform = await startUpstream();
  [here, elsewhere] = (await Promise.all([startGateway(), startGateway()])) as [string, string];
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await platform.stop();
  await services.stop();
});

/** Starts a gateway in front of both services and of a platform service that accepts every call. */
async function startGateway(): Promise<string> {
  const config = testConfig('gateway', {
    CAPTCHA_PROVIDER: 'none',
    RATE_LIMIT: 'off',
    LOGIN_SERVICE_URL: services.login,
    USER_SERVICE_URL: services.user,
    UPSTREAM_PAYMENT: platform.url,
  });
  const gateway = await buildGateway({ config, db: services.db, now: services.clock.now });
  gateways.push(gateway);
  return listen(gateway);
}

const tokens = createTokens({ JWT_SECRET });
const newUser = (fields?: object) => newMember(services.db, fields);
const logIn = async ({ email }: User): Promise<string> => {
  const answer = await postForm(`${services.login}/v2/login`, { email, password: 'secret' });
  return answer.body.token;
};
const post = (url: string, token: string) =>
  send(url, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
const refreshed = async (token: string): Promise<string> =>
  (await post(`${services.login}/auth/refresh`, token)).body.access_token;
const get = async (url: string, token: string) =>
  (await send(url, { headers: { authorization: `Bearer ${token}` } })).status;
/** Returns the statuses for a token at the login service, at the user service and at a gateway. */
const statusesOf = async (token: string, gateway = here) => [
  (await post(`${services.login}/auth/refresh`, token)).status,
  await get(`${services.user}/api/v1/users/me`, token),
  await get(`${gateway}/api/v1/payment/invoices`, token),
];
const stored = ({ email }: User) => services.db.users.findOne({ email });
const failure = failuresAt(() => services.clock.now());
const invalid = (answer: Answered) => failure(answer, 401, 'INVALID_TOKEN', 'Invalid token');
function withoutSid({ email, user_id }: User, exp: number) {
  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ email, user_id, exp })}`;
  return `${text}.${createHmac('sha256', JWT_SECRET).update(text).digest('base64url')}`;
}

describe.each(['/auth/logout', '/api/v1/auth/logout'])('POST %s', (path) => {
  test('ends every token of the session at both services and no other session', async () => {
    const user = await newUser();
    const token = await logIn(user);
    const later = await refreshed(token);
    const latest = await refreshed(later);
    const other = await logIn(user);
    const answer = await post(services.login + path, later);
    expect(outcome(answer)).toStrictEqual({ status: 200, body: { message: 'Logged out' } });
    for (const ended of [token, later, latest]) {
      expect(await statusesOf(ended)).toEqual([401, 401, 401]);
      const again = await post(services.login + path, ended);
      expect(outcome(again)).toStrictEqual(invalid(again));
    }
    expect(await statusesOf(other)).toEqual([200, 200, 200]);
  });

  test('through a gateway ends every token of the session there, cached or not', async () => {
    const user = await newUser();
    const token = await logIn(user);
    const later = await refreshed(token);
    const [other, stranger] = [await logIn(user), await logIn(await newUser())];
    // The gateway caches all of them, one in several spellings.
    for (const known of [token, later, other, stranger])
      expect(await statusesOf(known)).toEqual([200, 200, 200]);
    const spellings = [later, `Bearer ${later}`, `bearer ${later}`, `BEARER ${token}`, token];
    const statuses = () =>
      Promise.all(
        spellings.map(
          async (authorization) =>
            (await send(`${here}/api/v1/payment/invoices`, { headers: { authorization } })).status,
        ),
      );
    expect(await statuses()).toEqual([200, 200, 200, 200, 200]);

    const answer = await post(here + path, token);
    expect(outcome(answer)).toStrictEqual({ status: 200, body: { message: 'Logged out' } });
    expect(await statuses()).toEqual([401, 401, 401, 401, 401]);
    for (const ended of [token, later]) expect(await statusesOf(ended)).toEqual([401, 401, 401]);
    for (const known of [other, stranger]) expect(await statusesOf(known)).toEqual([200, 200, 200]);
  });

  test('takes effect at another gateway within PRINCIPAL_CACHE_MS', async () => {
    const token = await logIn(await newUser());
    expect(await statusesOf(token, elsewhere)).toEqual([200, 200, 200]);
    services.clock.advance(0.5);
    expect((await post(here + path, token)).status).toBe(200);
    services.clock.advance(0.499);
    // Our own services query the database, whatever a gateway has cached.
    expect(await statusesOf(token, elsewhere)).toEqual([401, 401, 200]);
    expect(await get(`${elsewhere}/api/v1/users/me`, token)).toBe(401);
    services.clock.advance(0.001);
    expect(await statusesOf(token, elsewhere)).toEqual([401, 401, 401]);
  });

  test('ends only that token when it has no sid', async () => {
    const user = await newUser();
    const exp = services.clock.seconds() + 600;
    const [one, two] = [withoutSid(user, exp), withoutSid(user, exp + 1)];
    const withSid = await logIn(user);
    expect((await post(services.login + path, one)).status).toBe(200);
    expect(await statusesOf(one)).toEqual([401, 401, 401]);
    for (const other of [two, withSid]) expect(await statusesOf(other)).toEqual([200, 200, 200]);
  });

  test('ends a token without sid for good, however late it expires', async () => {
    const user = await newUser();
    const token = withoutSid(user, 8.64e12);
    expect((await post(services.login + path, token)).status).toBe(200);
    services.clock.advance(48 * 3600);
    await post(services.login + path, await logIn(user)); // drops expired entries
    expect(await statusesOf(token)).toEqual([401, 401, 401]);
  });

  test('works for an account without a user_id', async () => {
    const token = await logIn(await newUser({ user_id: undefined }));
    expect((await post(services.login + path, token)).status).toBe(200);
    expect((await statusesOf(token)).slice(0, 2)).toEqual([401, 401]);
  });

  test('ends the session once when called concurrently', async () => {
    const user = await newUser();
    const token = await logIn(user);
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(services.login + path, token)));
    expect(answers.map(({ status }) => status)).toContain(200);
    expect(answers.filter(({ status }) => status !== 200 && status !== 401)).toEqual([]);
    expect((await stored(user))?.ended_sessions).toEqual([
      { id: decodeToken(token).header.sid, until: new Date(services.clock.now() + 24 * 3_600_000) },
    ]);
  });

  test('ends nothing without a valid session token', async () => {
    const user = await newUser();
    const token = await logIn(user);
    expect((await send(services.login + path, { method: 'POST' })).status).toBe(401);
    expect((await post(services.login + path, `${token}x`)).status).toBe(401);
    const otp = tokens.otpSent(user.email, services.clock.now());
    expect((await post(services.login + path, otp)).status).toBe(401);
    expect(await statusesOf(token)).toEqual([200, 200, 200]);
  });
});

test('an ended session is recorded until its last token expires', async () => {
  const user = await newUser();
  const [one, two] = [await logIn(user), await logIn(user)];
  await post(`${services.login}/auth/logout`, one);
  services.clock.advance(24 * 3600 - 1);
  await post(`${services.login}/auth/logout`, await logIn(user));
  expect((await stored(user))?.ended_sessions).toHaveLength(2);
  services.clock.advance(1);
  await post(`${services.login}/auth/logout`, await logIn(user));
  expect((await stored(user))?.ended_sessions).toHaveLength(2);
  expect(await statusesOf(two)).toEqual([401, 401, 401]);
});

test('an ended session stays ended after SESSION_MAX_HOURS is lowered', async () => {
  const user = await newUser();
  const first = await logIn(user);
  let token = first;
  for (let half = 0; half < 6; half += 1) {
    services.clock.advance(1_500);
    token = await refreshed(token);
  }
  const config = testConfig('login', { SESSION_MAX_HOURS: '1' });
  const stricter = await buildLoginService({ config, db: services.db, now: services.clock.now });
  const logOut = async (which: string) => (await post(`${await stricterUrl}/auth/logout`, which)).status;
  const stricterUrl = listen(stricter);
  expect(await logOut(token)).toBe(200);
  services.clock.advance(1);
  expect(await logOut(await logIn(user))).toBe(200);
  expect(await statusesOf(token)).toEqual([401, 401, 401]);
  await stricter.close();
});

test('the 1,001st logout ends every session and clears the list', { timeout: 60_000 }, async () => {
  const user = await newUser();
  const logOut = (token: string) => post(`${services.login}/auth/logout`, token);
  // The first and the last ten really log in and out; the others are written directly, to save time.
  const sessions = await Promise.all(Array.from({ length: 10 }, () => logIn(user)));
  await Promise.all(sessions.map(logOut));
  const until = (await stored(user))?.ended_sessions?.[0]?.until as Date;
  const between = Array.from({ length: 980 }, () => ({ id: newSessionId(services.clock.now()), until }));
  const who = { email: user.email, user_id: String(user.user_id) };
  // Every session has ended in the same way, so a sample of those between is enough.
  const sample = between.filter((_, turn) => turn % 50 === 0);
  sessions.push(...sample.map(({ id: sid }) => tokens.session(who, services.clock.now(), { sid })));
  await services.db.users.updateOne({ email: user.email }, { $push: { ended_sessions: { $each: between } } });
  const last = await Promise.all(Array.from({ length: 11 }, () => logIn(user)));
  sessions.push(...last);
  const bystander = await logIn(user);
  await Promise.all(last.slice(0, 10).map(logOut));
  expect((await stored(user))?.ended_sessions).toHaveLength(1_000);
  expect(await get(`${services.user}/api/v1/users/me`, bystander)).toBe(200);

  services.clock.advance(1);
  expect((await logOut(last[10] as string)).status).toBe(200);
  expect((await stored(user))?.ended_sessions).toEqual([]);
  const statuses = await Promise.all(
    [...sessions, bystander].map((token) => get(`${services.user}/api/v1/users/me`, token)),
  );
  expect(new Set(statuses)).toEqual(new Set([401]));
  services.clock.advance(0.001);
  expect(await statusesOf(await logIn(user))).toEqual([200, 200, 200]);
});
