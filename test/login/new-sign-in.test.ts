import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildLoginService } from '../../services/login/app.ts';
import { COLLECTIONS } from '../../services/login/database.ts';
import { type Clock, testClock } from '../fixtures/clock.ts';
import { freshDatabase } from '../fixtures/database.ts';
import { postForm, postJson } from '../fixtures/http.ts';
import { newMember } from '../fixtures/members.ts';
import { listen, testConfig } from '../fixtures/services.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const NEWER_FIREFOX = FIREFOX.replaceAll('140', '141');
const SAFARI = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1';
const DAY = 86_400;

let database: Awaited<ReturnType<typeof freshDatabase<typeof COLLECTIONS>>>;
let app: Awaited<ReturnType<typeof buildLoginService>>;
let url: string;
let clock: Clock;
beforeAll(async () => {
  clock = testClock();
  database = await freshDatabase(COLLECTIONS);
  const config = testConfig('login', { PASSWORD_STORAGE: 'plain', TRUST_PROXY: 'loopback' });
  app = await buildLoginService({ config, db: database.db, now: clock.now });
  url = await listen(app);
});
afterAll(async () => {
  await app.close();
  await database.drop();
});

let email: string;
beforeEach(async () => {
  ({ email } = await newMember(database.db));
});

const from = (address: string, device: string) => ({ 'x-forwarded-for': address, 'user-agent': device });
async function login(address = '198.51.100.7', device = FIREFOX, password = 'secret') {
  const { status } = await postForm(`${url}/v2/login`, { email, password }, from(address, device));
  return status;
}
const record = () => database.db.users.findOne({ email });
const notices = async () => (await record())?.notices ?? [];

test('the first login tells nothing', async () => {
  expect(await login()).toBe(200);
  expect(await notices()).toEqual([]);
  expect((await record())?.sign_ins).toEqual([
    {
      id: expect.stringMatching(/^[\w-]{16}$/),
      day: new Date(Math.floor(clock.now() / 86_400_000) * 86_400_000),
    },
  ]);
});

test('the first login after an update tells nothing', async () => {
  await database.db.users.updateOne({ email }, { $set: { login_networks: ['of the previous version'] } });
  expect(await login()).toBe(200);
  expect(await notices()).toEqual([]);
});

test.each([
  ['the same device and address', '198.51.100.7', FIREFOX, false],
  ['a newer version of the browser', '198.51.100.7', NEWER_FIREFOX, false],
  ['another address of the same /16', '198.51.7.1', FIREFOX, false],
  ['another /16', '198.52.100.7', FIREFOX, true],
  ['another device', '198.51.100.7', SAFARI, true],
  ['IPv6', '2001:db8::7', FIREFOX, true],
  ['no address', 'unknown', FIREFOX, true],
])('a login from %s', async (_, address, device, isNew) => {
  await login();
  expect(await login(address, device)).toBe(200);
  const origin = { device, address: expect.any(String) };
  const at = new Date(clock.now());
  const notice = { kind: 'new_sign_in', to: email, at, from: origin, details: {}, minor: true };
  expect(await notices()).toStrictEqual(isNew ? [{ id: expect.any(String), ...notice }] : []);
  expect((await record())?.notices_due).toEqual(isNew ? new Date(clock.now()) : undefined);
  // Once.
  await login(address, device);
  expect(await notices()).toHaveLength(isNew ? 1 : 0);
});

test('IPv6 addresses of one /32 are one network', async () => {
  await login('2001:db8:1::7');
  await login('2001:db8:ffff::7');
  expect(await notices()).toEqual([]);
  await login('2001:db9::7');
  expect(await notices()).toHaveLength(1);
});

test('a wrong password tells nothing and remembers nothing', async () => {
  await login();
  const before = await record();
  expect(await login('203.0.113.1', SAFARI, 'wrong')).toBe(401);
  expect(await record()).toEqual(before);
});

test('the catalogue login tells it as well', async () => {
  await login();
  const { status } = await postJson(
    `${url}/api/v1/auth/login`,
    { email, password: 'secret' },
    from('203.0.113.1', FIREFOX),
  );
  expect(status).toBe(200);
  expect(await notices()).toHaveLength(1);
});

test('a pair is new again when it was not seen for 90 days', async () => {
  await login('198.51.100.7', FIREFOX);
  await login('203.0.113.1', SAFARI);
  expect(await notices()).toHaveLength(1);
  // Seen each week, so it stays known for long.
  for (let week = 0; week < 20; week += 1) {
    clock.advance(7 * DAY);
    await login('198.51.100.7', FIREFOX);
  }
  expect(await notices()).toHaveLength(1);
  await login('203.0.113.1', SAFARI);
  expect(await notices()).toHaveLength(2);
  clock.advance(90 * DAY);
  await login('203.0.113.1', SAFARI);
  expect(await notices()).toHaveLength(2);
});

test('one of several equal concurrent logins tells it', async () => {
  await login();
  await Promise.all(Array.from({ length: 5 }, () => login('203.0.113.1', SAFARI)));
  expect(await notices()).toHaveLength(1);
  expect((await record())?.sign_ins).toHaveLength(2);
});

test('at most twenty pairs are remembered, the latest ones', async () => {
  for (let network = 1; network <= 21; network += 1) {
    await login(`10.${network}.0.1`);
    clock.advance(DAY);
  }
  expect((await record())?.sign_ins).toHaveLength(20);
  // As if they had been mailed.
  await database.db.users.updateOne({ email }, { $unset: { notices: true } });
  await login('10.21.0.1');
  expect(await notices()).toEqual([]);
  await login('10.1.0.1');
  expect(await notices()).toHaveLength(1);
});

describe('the budget of three notices a day', () => {
  /** Logs in from so many networks. @returns the statuses. */
  const rotate = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => login(`10.${index}.0.1`)));

  test('holds for logins at once, and keeps the pairs of the owner', async () => {
    await login();
    const [owner] = (await record())?.sign_ins ?? [];
    expect(new Set(await rotate(30))).toEqual(new Set([200]));
    expect(await notices()).toHaveLength(3);
    expect(await record()).toMatchObject({ sign_in_notices: Array(3).fill(new Date(clock.now())) });
    expect((await record())?.sign_ins).toHaveLength(4);
    expect((await record())?.sign_ins).toContainEqual(owner);
  });

  test('does not make a sign-in known that was not told', async () => {
    await login();
    await rotate(3);
    await login('203.0.113.1', SAFARI);
    expect(await notices()).toHaveLength(3);
    clock.advance(DAY);
    await login('203.0.113.1', SAFARI);
    expect(await notices()).toHaveLength(4);
    expect(await record()).toMatchObject({ sign_in_notices: [new Date(clock.now())] });
  });

  test('still remembers the week of a known pair, and a new network', async () => {
    await login('198.51.100.7');
    clock.advance(7 * DAY);
    await rotate(3);
    await login('198.51.100.8');
    const { sign_ins = [], login_networks } = (await record()) ?? {};
    expect(sign_ins.at(-1)?.day).toEqual(new Date(Math.floor(clock.now() / 86_400_000) * 86_400_000));
    expect(login_networks).toHaveLength(5);
    expect(await notices()).toHaveLength(3);
  });
});

test('a new sign-in gives way before any other notice', async () => {
  await login();
  await login('203.0.113.1', SAFARI);
  const other = () => newNotice({ kind: 'totp_enabled', to: email, at: clock.now(), details: {} });
  for (let turn = 0; turn < 18; turn += 1) {
    await database.db.users.updateOne({ email }, withNotice({}, other()));
    clock.advance(1);
  }
  await login('203.1.113.1', SAFARI);
  const kinds = async () => (await notices()).map(({ kind }) => kind);
  expect(await kinds()).toEqual(['new_sign_in', 'new_sign_in', ...Array(18).fill('totp_enabled')]);
  expect((await notices())[1]?.from?.address).toBe('203.1.113.1');
  clock.advance(1);
  for (let turn = 0; turn < 2; turn += 1)
    await database.db.users.updateOne({ email }, withNotice({}, other()));
  const kept = await notices();
  expect(await kinds()).toEqual(Array(20).fill('totp_enabled'));
  await login('203.2.113.1', SAFARI);
  expect(await notices()).toEqual(kept);
});
