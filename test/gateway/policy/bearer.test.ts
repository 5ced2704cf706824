import { createHmac } from 'node:crypto';
import { createTokens, newSessionId } from '@gatehouse/shared/identity/tokens';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildGateway } from '../../../services/gateway/app.ts';
import { failuresAt } from '../../fixtures/envelope.ts';
import { startUpstream } from '../../fixtures/gateway.ts';
import { type Answered, send } from '../../fixtures/http.ts';
import { newMember } from '../../fixtures/members.ts';
import { JWT_SECRET, listen, type Services, startServices, testConfig } from '../../fixtures/services.ts';

const PREVIOUS = 'the previous secret, as long as the current one';
const RETIRED = 'a retired secret, as long as the current one';

let services: Services;
let platform: Awaited<ReturnType<typeof startUpstream>>;
let gateway: FastifyInstance;
/** Each place that checks a bearer, and a call there that needs one. */
const doors: Record<string, (headers: Record<string, string>) => Promise<Answered>> = {};
beforeAll(async () => {
  const env = { JWT_SECRET_PREVIOUS: PREVIOUS };
  [services, platform] = await Promise.all([startServices({ env }), startUpstream()]);
  const config = testConfig('gateway', {
    ...env,
    CAPTCHA_PROVIDER: 'none',
    RATE_LIMIT: 'off',
    PRINCIPAL_CACHE_MS: '0',
    LOGIN_SERVICE_URL: services.login,
    USER_SERVICE_URL: services.user,
    UPSTREAM_PAYMENT: platform.url,
  });
  gateway = await buildGateway({ config, db: services.db, now: services.clock.now });
  const url = await listen(gateway);
  Object.assign(doors, {
    'the user service': (headers) => send(`${services.user}/api/v1/users/me`, { headers }),
    'the login service': (headers) => send(`${services.login}/auth/refresh`, { method: 'POST', headers }),
    'the gateway': (headers) => send(`${url}/api/v1/payment/invoices`, { headers }),
    'the gateway, to the user service': (headers) => send(`${url}/api/v1/users/me`, { headers }),
    'the gateway, to the login service': (headers) =>
      send(`${url}/api/v1/auth/refresh`, { method: 'POST', headers }),
  } satisfies typeof doors);
});
afterAll(async () => {
  await gateway.close();
  await platform.stop();
  await services.stop();
});

const newUser = (fields?: object) => newMember(services.db, fields);
const failure = failuresAt(() => services.clock.now());

const part = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url');
const signature = (text: string, secret: string, hash = 'sha256') =>
  createHmac(hash, secret).update(text).digest('base64url');
/** Signs any claims and header with any secret. */
function forge(claims: unknown, { header = {}, secret = JWT_SECRET, hash = 'sha256' } = {}): string {
  const payload = typeof claims === 'string' ? Buffer.from(claims).toString('base64url') : part(claims);
  const text = `${part({ alg: 'HS256', typ: 'JWT', sid: newSessionId(services.clock.now()), ...header })}.${payload}`;
  return `${text}.${signature(text, secret, hash)}`;
}
const good = ({ email, user_id }: User) => ({
  email,
  user_id: user_id ?? null,
  exp: services.clock.seconds() + 60,
});
const past = (user: User, exp = services.clock.seconds() - 1) => ({ ...good(user), exp });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const MISSING = 'No authorization header';
const INVALID = 'Invalid token';
const EXPIRED = 'Token expired';
async function expectEverywhere(headers: Record<string, string>, message: string | undefined): Promise<void> {
  for (const [door, knock] of Object.entries(doors)) {
    const answer = await knock(headers);
    const { status, body } = answer;
    const expected =
      message === undefined
        ? { door, status: 200 }
        : { door, ...failure(answer, 401, 'INVALID_TOKEN', message) };
    expect(message === undefined ? { door, status } : { door, status, body }).toEqual(expected);
  }
}

type Make = (user: User) => Record<string, string>;
const rows: [what: string, make: Make, message: string | undefined][] = [
  // 1. Authorization header.
  ['no header', () => ({}), MISSING],
  ['an empty header', () => ({ authorization: '' }), MISSING],
  ['a header of spaces', () => ({ authorization: '  ' }), MISSING],
  ['a token elsewhere', (user) => ({ 'x-authorization': `Bearer ${forge(good(user))}` }), MISSING],
  ['a cookie', (user) => ({ cookie: `token=${forge(good(user))}` }), MISSING],
  // 2. Form and signature, whatever `exp` says.
  ['nothing after Bearer', () => ({ authorization: 'Bearer ' }), INVALID],
  ['garbage', () => bearer('garbage'), INVALID],
  ['two parts', (user) => bearer(forge(good(user)).split('.').slice(0, 2).join('.')), INVALID],
  ['four parts', (user) => bearer(`${forge(good(user))}.x`), INVALID],
  ['no signature', (user) => bearer(forge(good(user)).replace(/[^.]*$/, '')), INVALID],
  ['a token in quotes', (user) => bearer(`"${forge(good(user))}"`), INVALID],
  ['Basic', (user) => ({ authorization: `Basic ${forge(good(user))}` }), INVALID],
  ['a payload that is not JSON', () => bearer(forge('{')), INVALID],
  ['a payload of null', () => bearer(forge(null)), INVALID],
  ['a payload that is an array', (user) => bearer(forge([good(user)])), INVALID],
  ['alg none', (user) => bearer(`${part({ alg: 'none' })}.${part(good(user))}.`), INVALID],
  ['alg HS512', (user) => bearer(forge(good(user), { header: { alg: 'HS512' }, hash: 'sha512' })), INVALID],
  ['alg HS384', (user) => bearer(forge(good(user), { header: { alg: 'HS384' }, hash: 'sha384' })), INVALID],
  ['alg RS256', (user) => bearer(forge(good(user), { header: { alg: 'RS256' } })), INVALID],
  ['crit', (user) => bearer(forge(good(user), { header: { crit: ['exp'] } })), INVALID],
  ['crit with b64', (user) => bearer(forge(good(user), { header: { crit: ['b64'], b64: false } })), INVALID],
  ['another secret', (user) => bearer(forge(good(user), { secret: RETIRED })), INVALID],
  ['an empty secret', (user) => bearer(forge(good(user), { secret: '' })), INVALID],
  [
    'edited claims',
    (user) => {
      const [head, , tail] = forge(good(user)).split('.');
      return bearer(`${head}.${part({ ...good(user), email: 'eve@example.com' })}.${tail}`);
    },
    INVALID,
  ],
  [
    'an edited session',
    (user) => {
      const [, payload, tail] = forge(good(user)).split('.');
      return bearer(`${part({ alg: 'HS256', typ: 'JWT' })}.${payload}.${tail}`);
    },
    INVALID,
  ],
  ['expired, signed with another secret', (user) => bearer(forge(past(user), { secret: RETIRED })), INVALID],
  [
    'expired, with another alg',
    (user) => bearer(forge(past(user), { header: { alg: 'HS512' }, hash: 'sha512' })),
    INVALID,
  ],
  ['expired, with crit', (user) => bearer(forge(past(user), { header: { crit: ['exp'] } })), INVALID],
  ['no exp', ({ email, user_id }) => bearer(forge({ email, user_id })), INVALID],
  ['a fraction as exp', (user) => bearer(forge({ ...good(user), exp: good(user).exp + 0.5 })), INVALID],
  ['a fraction in the past as exp', (user) => bearer(forge({ ...good(user), exp: 1.5 })), INVALID],
  ['a string as exp', (user) => bearer(forge({ ...good(user), exp: String(good(user).exp) })), INVALID],
  ['null as exp', (user) => bearer(forge({ ...good(user), exp: null })), INVALID],
  ['an exp that no date can hold', (user) => bearer(forge({ ...good(user), exp: 1e300 })), INVALID],
  // 3. Expiry.
  ['expired a second ago', (user) => bearer(forge(past(user))), EXPIRED],
  ['expiring now', (user) => bearer(forge(past(user, services.clock.seconds()))), EXPIRED],
  ['expired in 1970', (user) => bearer(forge(past(user, 0))), EXPIRED],
  [
    'expired, signed with the previous secret',
    (user) => bearer(forge(past(user), { secret: PREVIOUS })),
    EXPIRED,
  ],
  ['expired, with otp_sent', (user) => bearer(forge({ ...past(user), otp_sent: true })), EXPIRED],
  ['expired, without user_id', ({ email }) => bearer(forge({ email, exp: 1 })), EXPIRED],
  [
    'expired, of an unknown user',
    () => bearer(forge({ email: 'x@y.z', user_id: 'User-1', exp: 1 })),
    EXPIRED,
  ],
  // 4. Everything else.
  [
    'a signup token',
    ({ email }) => bearer(createTokens({ JWT_SECRET }).otpSent(email, services.clock.now())),
    INVALID,
  ],
  ['otp_sent and user_id', (user) => bearer(forge({ ...good(user), otp_sent: true })), INVALID],
  ['otp_sent false', (user) => bearer(forge({ ...good(user), otp_sent: false })), INVALID],
  ['otp_sent null', (user) => bearer(forge({ ...good(user), otp_sent: null })), INVALID],
  ['no user_id key', (user) => bearer(forge({ email: user.email, exp: good(user).exp })), INVALID],
  ['a number as user_id', (user) => bearer(forge({ ...good(user), user_id: 483_920 })), INVALID],
  ['an operator as user_id', (user) => bearer(forge({ ...good(user), user_id: { $ne: '' } })), INVALID],
  ['an array as user_id', (user) => bearer(forge({ ...good(user), user_id: [user.user_id] })), INVALID],
  ['no email', ({ user_id }) => bearer(forge({ user_id, exp: services.clock.seconds() + 60 })), INVALID],
  [
    'an operator as the email',
    (user) => bearer(forge({ ...good(user), email: { $ne: '' }, user_id: null })),
    INVALID,
  ],
  ['a sid that is not a UUIDv7', (user) => bearer(forge(good(user), { header: { sid: 'x' } })), INVALID],
  ['an unknown user', (user) => bearer(forge({ ...good(user), user_id: 'User-999999' })), INVALID],
  // 5. Accepted.
  ['a good token', (user) => bearer(forge(good(user))), undefined],
  ['bearer in lower case', (user) => ({ authorization: `bearer ${forge(good(user))}` }), undefined],
  ['the token alone', (user) => ({ authorization: forge(good(user)) }), undefined],
  ['the previous secret', (user) => bearer(forge(good(user), { secret: PREVIOUS })), undefined],
  ['no sid', (user) => bearer(forge(good(user), { header: { sid: undefined } })), undefined],
  ['additional claims', (user) => bearer(forge({ ...good(user), iat: 1, role: 'x' })), undefined],
  ['a second left', (user) => bearer(forge(past(user, services.clock.seconds() + 1))), undefined],
];

describe('a bearer at the user service, the login service and the gateway', () => {
  test.each(rows)('%s', async (_, make, message) => {
    await expectEverywhere(make(await newUser()), message);
  });

  test.each<[string, object, string | undefined]>([
    ['active', {}, undefined],
    ['without a status, as in older records', { account_status: undefined }, undefined],
    ['disabled', { account_status: 'disabled' }, INVALID],
    ['paused', { account_status: 'paused' }, INVALID],
    ['not verified', { verified: false }, INVALID],
  ])('the bearer of a user who is %s', async (_, fields, message) => {
    const user = await newUser(fields);
    await expectEverywhere(bearer(forge(good(user))), message);
  });

  test('refuses the bearer of a deleted user', async () => {
    const user = await newUser();
    const headers = bearer(forge(good(user)));
    await expectEverywhere(headers, undefined);
    await services.db.users.deleteOne({ email: user.email });
    await expectEverywhere(headers, INVALID);
  });

  test.each<[string, number, boolean]>([
    ['before', -1, true],
    ['at that moment', 0, false],
    ['after', 1, false],
  ])('without sid, of a user whose sessions ended %s one hour before its exp', async (_, ms, accepted) => {
    const user = await newUser();
    const claims = good(user);
    const moment = new Date((claims.exp - 3600) * 1000 + ms);
    await services.db.users.updateOne({ email: user.email }, { $set: { sessions_valid_from: moment } });
    const headers = bearer(forge(claims, { header: { sid: undefined } }));
    await expectEverywhere(headers, accepted ? undefined : INVALID);
    // With a sid, the start of the session decides.
    await expectEverywhere(bearer(forge(claims)), undefined);
  });

  test('signed with the previous secret, until that is removed', async () => {
    const user = await newUser();
    const rotated = await startServices({ clock: services.clock });
    await rotated.db.users.insertOne({ ...user });
    const { status, body } = await send(`${rotated.user}/api/v1/users/me`, {
      headers: bearer(forge(good(user), { secret: PREVIOUS })),
    });
    expect({ status, message: body.error.message }).toEqual({ status: 401, message: INVALID });
    await rotated.stop();
  });
});
