import type { AuditAction } from '@gatehouse/shared/identity/audit-actions';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { auditEvent } from '../../fixtures/audit.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { gatewayDatabase, startGateway, startUpstream } from '../../fixtures/gateway.ts';
import { type Answered, postForm, postJson } from '../../fixtures/http.ts';

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let database: Awaited<ReturnType<typeof gatewayDatabase>>;
/** Asks for a CAPTCHA at every login. */
let asking: Awaited<ReturnType<typeof startGateway>>;
/** Asks for none. */
let trusting: Awaited<ReturnType<typeof startGateway>>;
const start = (env: NodeJS.ProcessEnv, db = database.db) =>
  startGateway({
    database: db,
    env: {
      LOGIN_SERVICE_URL: upstream.url,
      USER_SERVICE_URL: upstream.url,
      TRUST_PROXY: 'loopback',
      RATE_LIMIT_ANONYMOUS_PER_MINUTE: '100000',
      ...env,
    },
  });
beforeAll(async () => {
  [upstream, database] = await Promise.all([startUpstream(), gatewayDatabase()]);
  [asking, trusting] = await Promise.all([
    start({ CAPTCHA_PROVIDER: 'altcha', CAPTCHA_ON_CATALOGUE_LOGIN: 'always' }),
    start({}),
  ]);
});
afterAll(async () => {
  await Promise.all([asking.stop(), trusting.stop(), upstream.stop()]);
  await database.drop();
});

const says = (status: number, detail: string) => {
  upstream.answer.status = status;
  upstream.answer.body = JSON.stringify({ detail });
};
let networks = 0;
/** Headers of a client in a network of its own. */
const newClient = () => {
  networks += 1;
  return { 'x-forwarded-for': `198.51.100.${networks}` };
};
type Client = ReturnType<typeof newClient>;

const direct =
  (path: string, form: Record<string, string>) =>
  (url: string, client: Client): Promise<Answered> =>
    postForm(url + path, form, client);
const ada = { email: 'Ada@example.com', password: 'guess' };
const logIn = direct('/v2/login', ada);
const typo = direct('/v2/login', { ...ada, email: 'correct horse!' });
const catalogue = (url: string, client: Client) => postJson(`${url}/api/v1/auth/login`, ada, client);
const directory = (url: string, client: Client) =>
  postJson(`${url}/api/v1/auth/ldap`, { connection: 'acme', username: 'ada', password: 'guess' }, client);
const code = { email: 'ada@example.com', otp: '048213' };
const verify = direct('/v2/verify-otp', code);
const reset = direct('/v2/reset-password', { ...code, new_password: 'new' });

/** Waits for the one event of a client. */
async function expectEvent(client: Client, action: AuditAction, outcome: string, email: string | null) {
  const address = client['x-forwarded-for'];
  const stored = () =>
    database.db.auditEvents.find({ address }).project({ _id: 0, unlinked: 0, salts: 0 }).toArray();
  const event = auditEvent(trusting.clock.now(), { action, outcome, email, user_id: null, address });
  await eventually(async () => expect(await stored()).toEqual([event]));
}

test.each([
  ['/v2/login', logIn, 'login', 'ada@example.com'],
  ['/v2/login with a typed password', typo, 'login', '[not an address]'],
  ['/api/v1/auth/login', catalogue, 'login', 'ada@example.com'],
  ['/api/v1/auth/ldap', directory, 'sso.login', null],
] as const)('%s without a CAPTCHA leaves an event', async (_, attempt, action, email) => {
  const client = newClient();
  expect((await attempt(asking.url, client)).status).toBe(400);
  await expectEvent(client, action, 'CAPTCHA failed', email);
});

test.each([
  ['/v2/login', logIn, 20, 401, 'login', 'ada@example.com'],
  ['/api/v1/auth/login', catalogue, 20, 401, 'login', 'ada@example.com'],
  ['/api/v1/auth/ldap', directory, 20, 401, 'sso.login', null],
  ['/v2/verify-otp', verify, 30, 400, 'verify', 'ada@example.com'],
  ['/v2/reset-password', reset, 30, 400, 'reset', 'ada@example.com'],
] as const)('a throttled attempt at %s leaves an event', async (_, attempt, limit, status, action, email) => {
  says(status, 'refused');
  const client = newClient();
  for (let time = 0; time < limit; time += 1)
    expect((await attempt(trusting.url, client)).status).toBe(status);
  expect((await attempt(trusting.url, client)).status).toBe(429);
  await expectEvent(client, action, 'throttled', email);
});

test('beyond 100 in an hour they are counted, not stored', async () => {
  const { refusalTallies, auditEvents } = database.db;
  const client = newClient();
  const network = client['x-forwarded-for'];
  await logIn(asking.url, client);
  await expectEvent(client, 'login', 'CAPTCHA failed', 'ada@example.com');
  await refusalTallies.updateOne({ network }, { $set: { count: 100 } });
  await logIn(asking.url, client);
  await eventually(async () =>
    expect(await refusalTallies.findOne({ network })).toMatchObject({ count: 101 }),
  );
  expect(await auditEvents.countDocuments({ address: network })).toBe(1);
});

test('the answer is the same while the database is down', async () => {
  const away = () => Promise.reject(Object.assign(new Error('away'), { name: 'MongoNetworkError' }));
  const refusalTallies = Object.create(database.db.refusalTallies, { findOneAndUpdate: { value: away } });
  const env = { CAPTCHA_PROVIDER: 'altcha', LOG_LEVEL: 'error' };
  const gateway = await start(env, { ...database.db, refusalTallies });
  onTestFinished(() => gateway.stop());
  const { status, body } = await logIn(gateway.url, newClient());
  expect({ status, body }).toEqual({ status: 400, body: { detail: 'reCAPTCHA validation failed' } });
  await eventually(() => expect(gateway.logged.join('')).toContain('audit event not recorded'));
});
