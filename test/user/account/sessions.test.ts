import { createHmac } from 'node:crypto';
import { deviceNames } from '@gatehouse/shared/identity/device';
import type { User } from '@gatehouse/shared/identity/user-record';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildGateway } from '../../../services/gateway/app.ts';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { failuresAt, outcome } from '../../fixtures/envelope.ts';
import { type Answered, decodeToken, postForm, send } from '../../fixtures/http.ts';
import { newMember } from '../../fixtures/members.ts';
import {
  JWT_SECRET,
  listen,
  mailedCode,
  type Services,
  startServices,
  testConfig,
} from '../../fixtures/services.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

let services: Services;
let gateway: Awaited<ReturnType<typeof buildGateway>>;
let gatewayUrl: string;
let ada: User;
beforeAll(async () => {
  services = await startServices({
    env: { TRUST_PROXY: 'loopback', GEOIP_DATABASE: 'test/fixtures/geolocation/places.mmdb' },
  });
  const env = {
    CAPTCHA_PROVIDER: 'none',
    RATE_LIMIT: 'off',
    LOGIN_SERVICE_URL: services.login,
    USER_SERVICE_URL: services.user,
  };
  gateway = await buildGateway({
    config: testConfig('gateway', env),
    db: services.db,
    now: services.clock.now,
  });
  gatewayUrl = await listen(gateway);
});
afterAll(async () => {
  await gateway.close();
  await services.stop();
});
beforeEach(async () => {
  services.clock.advance(3_600);
  ada = await newMember(services.db, { name: 'Ada' });
});

const PATH = '/api/v1/users/me/sessions';
const failure = failuresAt(() => services.clock.now());
const headersOf = (token: string, device = FIREFOX, address = '198.51.100.7') => ({
  authorization: `Bearer ${token}`,
  'user-agent': device,
  'x-forwarded-for': address,
});
/** Logs in. Time passes, so that no two sessions begin at once. */
async function logIn({ device = FIREFOX, address = '198.51.100.7', user = ada, door = services.login } = {}) {
  services.clock.advance(1);
  const form = { email: user.email, password: 'secret' };
  const headers = { 'user-agent': device, 'x-forwarded-for': address };
  const { body } = await postForm(`${door}/v2/login`, form, headers);
  return body.token as string;
}
const refresh = (token: string, device?: string, address?: string) =>
  send(`${services.login}/auth/refresh`, { method: 'POST', headers: headersOf(token, device, address) });
const sidOf = (token: string): string => decodeToken(token).header.sid;
const list = (token: string, query = '', where = services.user) =>
  send(`${where}${PATH}${query}`, { headers: headersOf(token) });
const idsOf = async (token: string, query?: string): Promise<string[]> =>
  (await list(token, query)).body.data.map(({ session_id }: { session_id: string }) => session_id);
const end = (token: string, sid = '', where = services.user) =>
  send(`${where}${PATH}${sid && `/${sid}`}`, { method: 'DELETE', headers: headersOf(token) });
const statusOf = async (token: string, where = services.user) =>
  (await send(`${where}/api/v1/users/me`, { headers: headersOf(token) })).status;
const invalid = (answer: Answered) => failure(answer, 401, 'INVALID_TOKEN', 'Invalid token');
const notFound = (answer: Answered) => failure(answer, 404, 'RESOURCE_NOT_FOUND', 'Not found');

function withoutSid({ email, user_id }: User, exp: number) {
  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ email, user_id, exp })}`;
  return `${text}.${createHmac('sha256', JWT_SECRET).update(text).digest('base64url')}`;
}

describe('GET /api/v1/users/me/sessions', () => {
  test('lists device, place and times of each session, the last used first', async () => {
    const phone = await logIn({ device: SAFARI, address: '203.0.113.9' });
    const phoneAt = services.clock.now();
    services.clock.advance(60);
    const laptop = await logIn();
    const laptopAt = services.clock.now();
    services.clock.advance(60);
    const { status, body } = await list(laptop);
    expect(status).toBe(200);
    expect(body).toStrictEqual({
      data: [
        {
          name: null,
          session_id: sidOf(laptop),
          device: { browser: 'Firefox', os: 'Linux', user_agent: FIREFOX },
          address: '198.51.100.7',
          place: null,
          began_at: new Date(laptopAt).toISOString(),
          last_used_at: new Date(services.clock.now()).toISOString(),
          current: true,
        },
        {
          name: null,
          session_id: sidOf(phone),
          device: { browser: 'Safari', os: 'iOS', user_agent: SAFARI },
          address: '203.0.113.9',
          place: { country: 'DE', city: 'Berlin' },
          began_at: new Date(phoneAt).toISOString(),
          last_used_at: new Date(phoneAt).toISOString(),
          current: false,
        },
      ],
      pagination: { page: 1, limit: 20, total_items: 2, total_pages: 1, has_next: false, has_prev: false },
    });
  });

  test('shows a session once, as its latest refresh left it', async () => {
    const phone = await logIn({ device: SAFARI });
    const laptop = await logIn();
    services.clock.advance(600);
    await refresh(phone, SAFARI, '203.0.113.77');
    const { body } = await list(laptop);
    expect(body.data).toHaveLength(2);
    expect(body.data[1]).toMatchObject({
      session_id: sidOf(phone),
      address: '203.0.113.77',
      last_used_at: new Date(services.clock.now()).toISOString(),
    });
  });

  test('leaves out a session whose tokens have expired', async () => {
    const phone = await logIn();
    services.clock.advance(1_700);
    const laptop = await logIn();
    expect(await idsOf(laptop)).toEqual([sidOf(laptop), sidOf(phone)]);
    services.clock.advance(100);
    expect(await statusOf(phone)).toBe(401);
    expect(await idsOf(laptop)).toEqual([sidOf(laptop)]);
  });

  test('shows nobody else’s session and no refused login', async () => {
    const other = await newMember(services.db);
    await logIn({ user: other });
    await postForm(`${services.login}/v2/login`, { email: ada.email, password: 'wrong' });
    const mine = await logIn();
    expect(await idsOf(mine)).toEqual([sidOf(mine)]);
  });

  test('shows the current session when the audit has no event of it', async () => {
    const token = await logIn();
    await services.db.auditEvents.deleteMany({});
    const { body } = await list(token);
    expect(body.data).toMatchObject([{ session_id: sidOf(token), current: true }]);
  });

  test.each([
    ['?sort_by=began_at&order=asc', [0, 1, 2]],
    ['?sort_by=began_at', [2, 1, 0]],
    ['?limit=2', [2, 1]],
    ['?limit=2&page=2', [0]],
    ['?search=IPHONE', [0]],
    ['?search=203.0.113.9', [0]],
    ['?search=nothing', []],
  ])('%s', async (query, expected) => {
    const first = await logIn({ device: SAFARI, address: '203.0.113.9' });
    const tokens = [first, await logIn(), await logIn()];
    expect(await idsOf(tokens[2] as string, query)).toEqual(
      expected.map((index) => sidOf(tokens[index] as string)),
    );
  });

  test.each(['?sort_by=address', '?limit=0', '?device=x'])('refuses %s', async (query) => {
    const answer = await list(await logIn(), query);
    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe('INVALID_FORMAT');
  });

  test('refuses an account without a user_id', async () => {
    const user = await newMember(services.db, { user_id: undefined });
    const answer = await list(await logIn({ user }));
    expect(outcome(answer)).toStrictEqual(failure(answer, 403, 'FORBIDDEN', 'Forbidden'));
  });

  test('holds nothing that opens a session', async () => {
    const token = await logIn();
    const text = JSON.stringify((await list(token)).body);
    expect(text).not.toContain(token.split('.')[2]);
    expect(await statusOf(sidOf(token))).toBe(401);
  });
});

describe('DELETE /api/v1/users/me/sessions/{session_id}', () => {
  test('ends every token of that session and no other', async () => {
    const phone = await logIn();
    const later = (await refresh(phone)).body.access_token;
    const [laptop, tablet] = [await logIn(), await logIn()];
    const events = await eventsOf(services, async () => {
      const answer = await end(laptop, sidOf(phone));
      expect(outcome(answer)).toStrictEqual({ status: 200, body: { message: 'Session ended' } });
    });
    expect(events).toEqual([
      auditEvent(services.clock.now(), {
        action: 'session.end',
        user_id: ada.user_id as string,
        email: ada.email.toLowerCase(),
        target: { session_id: sidOf(phone) },
        address: '198.51.100.7',
      }),
    ]);
    const statuses = await Promise.all([phone, later, laptop, tablet].map((token) => statusOf(token)));
    expect(statuses).toEqual([401, 401, 200, 200]);
    services.clock.advance(1);
    expect(await idsOf(laptop)).toEqual([sidOf(laptop), sidOf(tablet)]);
    expect(outcome(await refresh(phone)).status).toBe(401);
  });

  test('ends the current session like a logout', async () => {
    const token = await logIn();
    const events = await eventsOf(services, () => end(token, sidOf(token)));
    expect(events).toMatchObject([{ action: 'logout', target: {} }]);
    expect(await statusOf(token)).toBe(401);
    const { ended_sessions } = (await services.db.users.findOne({ email: ada.email })) ?? {};
    const until = new Date(services.clock.now() + 24 * 3_600_000);
    expect(ended_sessions).toEqual([{ id: sidOf(token), until }]);
  });

  test.each<[string, () => Promise<string>]>([
    ['of another account', async () => sidOf(await logIn({ user: await newMember(services.db) }))],
    ['that never was', async () => '01936f31-2c4b-7b1d-8e52-6a0d4f9c7e13'],
    [
      'that has ended',
      async () => {
        const token = await logIn();
        await end(token, sidOf(token));
        return sidOf(token);
      },
    ],
  ])('returns 404 for a session %s and writes nothing', async (_what, sid) => {
    const [foreign, token] = [await sid(), await logIn()];
    const before = await services.db.users.find().toArray();
    const answer = await end(token, foreign);
    expect(outcome(answer)).toStrictEqual(notFound(answer));
    expect(await services.db.users.find().toArray()).toEqual(before);
  });
});

describe('DELETE /api/v1/users/me/sessions', () => {
  test('ends all sessions but the current one, also one that the audit does not know', async () => {
    const [one, two] = [await logIn(), await logIn()];
    await services.db.auditEvents.deleteMany({});
    const mine = await logIn();
    const later = (await refresh(mine)).body.access_token;
    const events = await eventsOf(services, async () => {
      expect(outcome(await end(mine))).toStrictEqual({
        status: 200,
        body: { message: 'Other sessions ended' },
      });
    });
    expect(events).toMatchObject([{ action: 'session.end_others', target: {} }]);
    const statuses = await Promise.all([one, two, mine, later].map((token) => statusOf(token)));
    expect(statuses).toEqual([401, 401, 200, 200]);
    const next = await logIn();
    expect(await idsOf(next)).toEqual([sidOf(next), sidOf(mine)]);
  });

  test('a later session ends the one that was kept', async () => {
    const first = await logIn();
    await end(first);
    const second = await logIn();
    await end(second);
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
  });

  test('a password reset ends the kept session as well', async () => {
    const token = await logIn();
    await end(token);
    await postForm(`${services.user}/v2/forgot-password`, { email: ada.email });
    const otp = mailedCode(services.mailbox, ada.email);
    const form = { email: ada.email, otp, new_password: 'another secret' };
    expect((await postForm(`${services.user}/v2/reset-password`, form)).status).toBe(200);
    expect(await statusOf(token)).toBe(401);
  });

  test('one of two sessions that end each other at once goes on', async () => {
    const [one, two] = [await logIn(), await logIn()];
    const answers = await Promise.all([end(one), end(two)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect([await statusOf(one), await statusOf(two)].sort()).toEqual([200, 401]);
  });

  test('can be repeated', async () => {
    const token = await logIn();
    expect([(await end(token)).status, (await end(token)).status]).toEqual([200, 200]);
  });

  test('keeps a session whose token has no sid', async () => {
    const other = await logIn();
    const token = withoutSid(ada, services.clock.seconds() + 600);
    expect((await end(token)).status).toBe(200);
    expect([await statusOf(other), await statusOf(token)]).toEqual([401, 200]);
  });
});

describe('the gateway', () => {
  test('refuses an ended session at once, cached or not', async () => {
    const [phone, laptop] = [await logIn({ door: gatewayUrl }), await logIn({ door: gatewayUrl })];
    expect([await statusOf(phone, gatewayUrl), await statusOf(laptop, gatewayUrl)]).toEqual([200, 200]);
    expect((await end(laptop, sidOf(phone), gatewayUrl)).status).toBe(200);
    const answer = await send(`${gatewayUrl}/api/v1/users/me`, { headers: headersOf(phone) });
    expect(outcome(answer)).toStrictEqual(invalid(answer));
    expect(await statusOf(laptop, gatewayUrl)).toBe(200);
  });

  test('refuses all other sessions at once', async () => {
    const [phone, laptop] = [await logIn(), await logIn()];
    expect([await statusOf(phone, gatewayUrl), await statusOf(laptop, gatewayUrl)]).toEqual([200, 200]);
    expect((await end(laptop, '', gatewayUrl)).status).toBe(200);
    expect([await statusOf(phone, gatewayUrl), await statusOf(laptop, gatewayUrl)]).toEqual([401, 200]);
  });

  test('passes the device of a login on', async () => {
    const token = await logIn({ device: SAFARI, door: gatewayUrl });
    const { body } = await list(await logIn(), '?search=safari');
    expect(body.data).toMatchObject([{ session_id: sidOf(token), device: { user_agent: SAFARI } }]);
  });
});

test('your own audit does not show the session of an event', async () => {
  const token = await logIn();
  const owned = await send(`${services.user}/api/v1/users/me/audit`, { headers: headersOf(token) });
  expect(owned.body.data[0]).toMatchObject({ action: 'login' });
  expect(owned.body.data[0]).not.toHaveProperty('session');
  expect(JSON.stringify(owned.body)).not.toContain(sidOf(token));
});

test.each([
  [FIREFOX, 'Firefox', 'Linux'],
  [SAFARI, 'Safari', 'iOS'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0',
    'Edge',
    'Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
    'Chrome',
    'macOS',
  ],
  [
    'Mozilla/5.0 (Linux; Android 15; SM-S931B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
    'Samsung Internet',
    'Android',
  ],
  ['curl/8.14.1', 'curl', null],
  ['', null, null],
  ['<script>alert(1)</script>', null, null],
])('names the device of %j', (userAgent, browser, os) => {
  expect(deviceNames(userAgent)).toEqual({ browser, os });
});

describe('PATCH /api/v1/users/me/sessions/{session_id}', () => {
  const rename = (token: string, sid: string, name: unknown) =>
    send(`${services.user}${PATH}/${sid}`, {
      method: 'PATCH',
      headers: { ...headersOf(token), 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    });
  const namesOf = async (token: string, query?: string) =>
    (await list(token, query)).body.data.map(({ name }: { name: string | null }) => name);

  test('names a device, replaces the name and removes it', async () => {
    const phone = await logIn({ device: SAFARI });
    const laptop = await logIn();
    const renamed = await rename(laptop, sidOf(phone), ' Old phone ');
    expect(renamed).toMatchObject({ status: 200, body: { session_id: sidOf(phone), name: 'Old phone' } });
    expect(await namesOf(laptop)).toStrictEqual([null, 'Old phone']);
    expect(await idsOf(laptop, '?search=old+phone')).toStrictEqual([sidOf(phone)]);
    await rename(phone, sidOf(phone), 'New phone');
    expect(await namesOf(laptop)).toStrictEqual([null, 'New phone']);
    await rename(laptop, sidOf(phone), null);
    expect(await namesOf(laptop)).toStrictEqual([null, null]);
  });

  test.each(['', ' ', 'x'.repeat(61), 'a\nb', 7, undefined])('refuses the name %j', async (name) => {
    const token = await logIn();
    expect(await rename(token, sidOf(token), name)).toMatchObject({ status: 400 });
    expect(await namesOf(token)).toStrictEqual([null]);
  });

  test('knows no session of another account', async () => {
    const other = await logIn({ user: await newMember(services.db) });
    const token = await logIn();
    const answer = await rename(token, sidOf(other), 'Mine');
    expect(outcome(answer)).toEqual(notFound(answer));
    expect(await namesOf(other)).toStrictEqual([null]);
  });

  test('keeps the latest 50 names', async () => {
    const token = await logIn();
    const session_names = Array.from({ length: 50 }, (_, index) => ({ id: `${index}`, name: 'Old' }));
    await services.db.users.updateOne({ email: ada.email }, { $set: { session_names } });
    await rename(token, sidOf(token), 'Newest');
    const stored = (await services.db.users.findOne({ email: ada.email }))?.session_names ?? [];
    expect([stored.length, stored[0]?.id, stored.at(-1)?.name]).toStrictEqual([50, '1', 'Newest']);
  });
});

describe('the approximate place of a session', () => {
  const placeAt = async (address: string) => {
    const token = await logIn({ address });
    const [session] = (await send(`${services.user}${PATH}`, { headers: headersOf(token, FIREFOX, address) }))
      .body.data;
    return session.place;
  };

  test.each([
    ['203.0.113.9', { country: 'DE', city: 'Berlin' }],
    ['2001:db8::1', { country: 'FR', city: null }],
    ['198.51.100.7', null],
  ])('the list shows for %s the place %j', async (address, place) => {
    expect(await placeAt(address)).toStrictEqual(place);
  });

  test('a service does not start with a database that cannot be read', async () => {
    await expect(startServices({ env: { GEOIP_DATABASE: 'package.json' } })).rejects.toThrow(
      'GEOIP_DATABASE package.json cannot be opened',
    );
  });
});

test('SESSION_IDLE_MINUTES ends a session that is not extended', async () => {
  const { clock } = services;
  const where = await startServices({ env: { SESSION_IDLE_MINUTES: '5' }, clock });
  const { email } = await newMember(where.db);
  const opened = await postForm(`${where.login}/v2/login`, { email, password: 'secret' });
  expect(decodeToken(opened.body.token).payload.exp).toBe(clock.seconds() + 300);
  clock.advance(299);
  const headers = { authorization: `Bearer ${opened.body.token}` };
  const extended = await send(`${where.login}/auth/refresh`, { method: 'POST', headers });
  expect(extended.body).toMatchObject({ expires_in: 300 });
  clock.advance(300);
  const idle = { authorization: `Bearer ${extended.body.access_token}` };
  expect(await send(`${where.user}/api/v1/users/me`, { headers: idle })).toMatchObject({ status: 401 });
  await where.stop();
});
