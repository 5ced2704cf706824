import type { User } from '@gatehouse/shared/identity/user-record';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { auditEvent, eventsOf } from '../fixtures/audit.ts';
import { decodeToken, postForm, postJson, send } from '../fixtures/http.ts';
import { type Services, startServices } from '../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices({ env: { LOG_LEVEL: 'info', TRUST_PROXY: 'loopback' } });
});
afterAll(() => services.stop());
beforeEach(async () => {
  services.logged.length = 0;
  await Promise.all([services.db.users.deleteMany({}), services.db.auditEvents.deleteMany({})]);
  const users: Partial<User>[] = [
    { email: 'Ada@Example.com', password: 'secret', verified: true, user_id: 'User-100001' },
    { email: 'new@example.com', password: 'secret', verified: false },
  ];
  await services.db.users.insertMany(users as User[]);
});

const login = (email: string, password: string, headers = {}) =>
  postForm(`${services.login}/v2/login`, { email, password }, headers);
const events = () =>
  services.db.auditEvents
    .find({}, { projection: { _id: 0, relay: 0, unlinked: 0, salts: 0 } })
    .sort({ $natural: 1 })
    .toArray();

describe('audit_events', () => {
  test.each([
    ['nobody@example.com', 'secret', 404, 'unknown account', 'nobody@example.com', null],
    ['correct horse!', 'secret', 404, 'unknown account', '[not an address]', null],
    ['Ada@Example.com:pass', 'secret', 404, 'unknown account', '[not an address]', null],
    ['ADA@example.com', 'wrong', 401, 'wrong password', 'ada@example.com', 'User-100001'],
    ['new@example.com', 'secret', 403, 'not verified', 'new@example.com', null],
    [' ada@EXAMPLE.com ', 'secret', 200, 'success', 'ada@example.com', 'User-100001'],
  ])('%j with %j: %i, and the event %s', async (email, password, status, outcome, key, user_id) => {
    const answer = await login(email, password, {
      'x-request-id': 'asked-1',
      'x-forwarded-for': '198.51.100.7',
      'user-agent': 'Browser/1.0',
    });
    expect(answer.status).toBe(status);
    expect(await events()).toEqual([
      auditEvent(services.clock.now(), {
        action: 'login',
        outcome,
        email: key,
        user_id,
        request_id: 'asked-1',
        address: '198.51.100.7',
        ...(status === 200 && {
          session: {
            id: decodeToken(answer.body.token).header.sid,
            device: 'Browser/1.0',
            expires_at: new Date(services.clock.now() + 30 * 60_000),
          },
        }),
      }),
    ]);
    const lines = services.logged
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === `login: ${outcome}`);
    expect(lines).toMatchObject([{ action: 'login', outcome, user_id, reqId: 'asked-1' }]);
  });

  test('an invalid form is not an event', async () => {
    expect((await postForm(`${services.login}/v2/login`, { email: 'ada@example.com' })).status).toBe(400);
    expect(await events()).toEqual([]);
  });

  test('a login succeeds when its event cannot be stored', async () => {
    // The second event violates a unique index.
    const index = await services.db.auditEvents.createIndex({ action: 1 }, { unique: true });
    onTestFinished(async () => {
      await services.db.auditEvents.dropIndex(index);
    });
    await login('ada@example.com', 'wrong');
    const { status, body } = await login('ada@example.com', 'secret');
    expect({ status, body }).toEqual({
      status: 200,
      body: { message: 'Login successful', token: expect.any(String), user_id: 'User-100001' },
    });
    expect((await login('ada@example.com', 'wrong')).status).toBe(401);
    expect(await events()).toHaveLength(1);
    expect(services.logged.filter((line) => line.includes('audit event not recorded'))).toHaveLength(2);
  });
});

describe('refused logins of unknown names', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const refuse = async (address: string) =>
    expect((await login('nobody@example.com', 'x', from(address))).status).toBe(404);
  const storedFrom = (address: string) => services.db.auditEvents.countDocuments({ address });
  const tallies = async () => {
    const all = await services.db.refusalTallies.find().toArray();
    return Object.fromEntries(all.map(({ network, count }) => [network, count]));
  };
  const setTally = (network: string, count: number) =>
    services.db.refusalTallies.updateOne({ network }, { $set: { count } });
  beforeEach(() => services.db.refusalTallies.deleteMany({}));

  test('are counted, not stored, beyond 100 an hour from one address', async () => {
    const address = '198.51.100.1';
    await refuse(address);
    await setTally(address, 99);
    for (let time = 0; time < 4; time += 1) await refuse(address);
    expect(await storedFrom(address)).toBe(2);
    expect(await tallies()).toEqual({ [address]: 103 });
    const lines = services.logged.map((line) => JSON.parse(line));
    expect(lines.filter(({ network }) => network)).toMatchObject([
      { level: 40, network: address, limit: 100 },
    ]);
    expect(lines.filter(({ msg }) => msg === 'login: unknown account')).toHaveLength(5);
    const { body } = await send(`${services.login}/metrics`);
    expect(body).toContain('audit_events_not_stored_total{action="login"} 3');

    await refuse('198.51.100.2');
    expect(await storedFrom('198.51.100.2')).toBe(1);
    await login('ada@example.com', 'wrong', from(address));
    expect(await storedFrom(address)).toBe(3);
    services.clock.advance(3600);
    await refuse(address);
    expect(await storedFrom(address)).toBe(4);
  });

  test('share the limits of a /56 and a /48', async () => {
    await refuse('2001:db8:0:1::1');
    await setTally('2001:db8:0:1::/64', 100);
    await refuse('2001:db8:0:1::2');
    expect(await storedFrom('2001:db8:0:1::2')).toBe(0);
    await refuse('2001:db8:0:2::1');
    expect(await storedFrom('2001:db8:0:2::1')).toBe(1);
    await setTally('2001:db8:0::/48', 1600);
    await refuse('2001:db8:0:3::1');
    expect(await storedFrom('2001:db8:0:3::1')).toBe(0);
    expect(await tallies()).toEqual({
      '2001:db8:0:1::/64': 101,
      '2001:db8:0:2::/64': 1,
      '2001:db8:0:0::/56': 3,
      '2001:db8:0::/48': 1601,
    });
  });
});

test('a login under the catalogue leaves the session, with at most 300 characters of the device', async () => {
  const credentials = { email: 'ada@example.com', password: 'secret' };
  const headers = { 'user-agent': 'x'.repeat(400) };
  const { body } = await postJson(`${services.login}/api/v1/auth/login`, credentials, headers);
  expect(await events()).toMatchObject([
    {
      action: 'login',
      session: {
        id: decodeToken(body.access_token).header.sid,
        device: 'x'.repeat(300),
        expires_at: new Date(services.clock.now() + 60 * 60_000),
      },
    },
  ]);
  expect(services.logged.join('')).not.toContain('xxx');
});

test.each(['refresh', 'logout'] as const)('%s leaves one event, without the token', async (action) => {
  const { body } = await login('ada@example.com', 'secret');
  const secrets: string[] = [body.token];
  const left = await eventsOf(services, async () => {
    const headers = { authorization: `Bearer ${body.token}`, 'user-agent': 'Browser/1.0' };
    const answer = await send(`${services.login}/auth/${action}`, { method: 'POST', headers });
    expect(answer.status).toBe(200);
    if (answer.body.access_token) secrets.push(answer.body.access_token);
  });
  const who = { user_id: 'User-100001', email: 'ada@example.com' };
  const session = {
    id: decodeToken(body.token).header.sid,
    device: 'Browser/1.0',
    expires_at: new Date(services.clock.now() + 60 * 60_000),
  };
  expect(left).toEqual([
    auditEvent(services.clock.now(), { action, ...who, ...(action === 'refresh' && { session }) }),
  ]);
  const kept = JSON.stringify(await events()) + services.logged.join('');
  for (const secret of secrets) expect(kept).not.toContain(secret);
});

test('a refused bearer is not an event', async () => {
  const headers = { authorization: 'Bearer nonsense' };
  expect((await send(`${services.login}/auth/logout`, { method: 'POST', headers })).status).toBe(401);
  expect(await events()).toEqual([]);
});

test('ignores X-Forwarded-For from untrusted clients', async () => {
  const direct = await startServices();
  await postForm(
    `${direct.login}/v2/login`,
    { email: 'nobody@example.com', password: 'x' },
    { 'x-forwarded-for': '198.51.100.7' },
  );
  expect(await direct.db.auditEvents.findOne()).toMatchObject({ address: '127.0.0.1' });
  await direct.stop();
});
