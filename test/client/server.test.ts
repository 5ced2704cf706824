import { createHmac } from 'node:crypto';
import { createTokens } from '@gatehouse/shared/identity/tokens';
import { createServerGatehouse, type GatehouseEvent, refusal, verifyWebhook } from 'gatehouse/server';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { signatureHeaders } from '../../packages/webhooks/delivery/signature.ts';
import { startGateway, startHttp } from '../fixtures/gateway.ts';
import { bearerOf, loggedIn, newMember } from '../fixtures/members.ts';
import { JWT_SECRET, type Services, startServices } from '../fixtures/services.ts';

let services: Services;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  services = await startServices();
  gateway = await startGateway({
    env: { LOGIN_SERVICE_URL: services.login, USER_SERVICE_URL: services.user },
    clock: services.clock,
    database: services.db,
  });
});
afterAll(async () => {
  await gateway.stop();
  await services.stop();
});

const tokens = createTokens({ JWT_SECRET });
const ADA = { email: 'ada@example.com', user_id: 'User-483920' };
const COOKIE = '__Host-gatehouse-session';
const APP = 'https://app.example.com';

const newServer = (options: Partial<Parameters<typeof createServerGatehouse>[0]> = {}) =>
  createServerGatehouse({ url: gateway.url, now: services.clock.now, ...options });
const withBearer = (authorization: string) => new Request(`${APP}/things`, { headers: { authorization } });

describe.each([
  ['at the gateway', {}],
  ['with the secret', { secret: ['another secret of a rotation, long enough', JWT_SECRET] }],
])('a session that is verified %s', (_, options) => {
  const now = () => services.clock.now();

  test('is that of the person', async () => {
    const account = await newMember(services.db);
    const session = await newServer(options).session(withBearer(bearerOf(account, now())));
    expect({ userId: session?.userId, email: session?.email }).toEqual({
      userId: account.user_id,
      email: account.email,
    });
    expect((await session?.profile())?.name).toBe(account.name);
  });

  test.each<[string, () => string]>([
    ['no token', () => ''],
    ['nonsense', () => 'Bearer a.b.c'],
    ['a machine key', () => `Bearer gh_${'a'.repeat(16)}_${'b'.repeat(49)}`],
    ['an expired token', () => tokens.session(ADA, now() - 3_600_000, { lifetime: 60 })],
    ['a token of another secret', () => createTokens({ JWT_SECRET: 'x'.repeat(40) }).session(ADA, now())],
    ['half a login', () => tokens.factor({ account: 'a', enrollment: 'b', began: 0 }, now())],
    ['the token of a signup', () => tokens.otpSent(ADA.email, now(), 'attempt')],
    ['the token of a login code', () => tokens.loginCode({ email: ADA.email, attempt: 'a' }, now())],
    ['a token without a signature', () => `${encoded({ alg: 'none' })}.${encoded({ ...ADA, exp: 9e9 })}.`],
  ])('refuses %s', async (_, token) => {
    const headers = token() === '' ? {} : { authorization: token() };
    expect(await newServer(options).session(new Request(APP, { headers }))).toBeUndefined();
  });

  test('refuses a support session: its bearer is not the person', async () => {
    const person = await newMember(services.db);
    const token = tokens.supportSession(
      { email: person.email, user_id: String(person.user_id) },
      { mode: 'read', operator: 'User-100000' },
      now(),
      { lifetime: 3600, sid: sidAt(now()) },
    );
    expect(await newServer(options).session(withBearer(token))).toBeUndefined();
  });
});

const encoded = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
const sidAt = (now: number) => {
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
};

/** Signs a token as only somebody with the secret can. */
function signed(header: object, claims: object = { ...ADA, exp: 9_000_000_000 }): string {
  const text = `${encoded({ alg: 'HS256', ...header })}.${encoded(claims)}`;
  return `${text}.${createHmac('sha256', JWT_SECRET).update(text).digest('base64url')}`;
}

test.each<[string, string]>([
  ['another algorithm', signed({ alg: 'HS512' })],
  ['another type', signed({ typ: 'factor+jwt' })],
  ['a critical parameter', signed({ crit: ['support'], support: 'read' })],
  ['an operator that is not critical', signed({ operator: 'User-100000' })],
  ['a sid of another form', signed({ sid: 'x' })],
  ['no exp', signed({}, ADA)],
  ['an exp that is no integer', signed({}, { ...ADA, exp: 9_000_000_000.5 })],
  ['an empty user_id', signed({}, { ...ADA, user_id: '', exp: 9_000_000_000 })],
  ['no email', signed({}, { user_id: ADA.user_id, exp: 9_000_000_000 })],
])('refuses a token with the right signature and %s', async (_, token) => {
  const server = newServer({ secret: JWT_SECRET });
  expect(await server.session(withBearer(token))).toBeUndefined();
  expect((await server.session(withBearer(signed({}))))?.userId).toBe(ADA.user_id);
});

test('asks the gateway once a second, and notices the end of a session then', async () => {
  const paths: unknown[] = [];
  const counting: typeof fetch = (input, init) => {
    paths.push(input);
    return fetch(input, init);
  };
  const { headers } = await loggedIn(services);
  const server = newServer({ fetch: counting });
  const ask = async () => (await server.session(new Request(APP, { headers })))?.email !== undefined;
  expect(await Promise.all([ask(), ask()])).toEqual([true, true]);
  expect(paths).toHaveLength(1);
  await fetch(`${gateway.url}/api/v1/auth/logout`, { method: 'POST', headers });
  services.clock.advance(2);
  expect(await ask()).toBe(false);
});

test('does not let a person in while the gateway cannot say who they are', async () => {
  const server = newServer({ fetch: () => Promise.reject(new TypeError('fetch failed')) });
  const account = await newMember(services.db);
  const asked = server.session(withBearer(bearerOf(account, services.clock.now())));
  await expect(asked).rejects.toMatchObject({ reason: 'unreachable' });
});

describe('a cookie', () => {
  const token = signed({});
  const cookie = `${COOKIE}=${token}`;

  test.each<[string, string, Record<string, string>, boolean]>([
    ['of a page that is opened', 'GET', {}, true],
    ['of a write by an own page', 'POST', { origin: APP }, true],
    ['of a write without an origin', 'POST', {}, false],
    ['of a write by a page elsewhere', 'POST', { origin: 'https://elsewhere.example' }, false],
    ['of a read by a page elsewhere', 'GET', { origin: 'https://elsewhere.example' }, false],
    ['that is there twice', 'GET', { cookie: `${cookie}; ${cookie}` }, false],
    ['of another name', 'GET', { cookie: `x${cookie}` }, false],
  ])('%s', async (_, method, headers, accepted) => {
    const server = newServer({ secret: JWT_SECRET, cookieOrigins: [APP] });
    const session = await server.session({ method, headers: { cookie, ...headers } });
    expect(session !== undefined).toBe(accepted);
  });

  test('counts only if the origins of the pages are known', async () => {
    const request = { method: 'GET', headers: { cookie } };
    expect(await newServer({ secret: JWT_SECRET }).session(request)).toBeUndefined();
  });
});

describe('a requirement', () => {
  test('of a plan, and of a permission by the role in a department', async () => {
    const owner = await loggedIn(services, { subscription_plan: 'Enterprise' });
    const call = async (path: string, body: object) => {
      const headers = { ...owner.headers, 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await fetch(`${gateway.url}/api/v1/organizations${path}`, init)).json();
    };
    const { organization_id } = await call('', { name: 'Analytical Engines' });
    const { department_id: departmentId } = await call(`/${organization_id}/departments`, { name: 'Mills' });
    const server = newServer();
    const request = new Request(APP, { headers: owner.headers });
    const permission = 'manage payment';
    expect(await server.require(request, { plan: 'Enterprise', permission, departmentId })).toBeDefined();
    const stranger = new Request(APP, { headers: (await loggedIn(services)).headers });
    for (const lacking of [
      { plan: ['Starter', 'Business'] },
      { permission, departmentId },
      { permission },
    ] as const) {
      await expect(server.require(stranger, lacking)).rejects.toMatchObject({
        reason: 'forbidden',
        status: 403,
      });
    }
    const refused = await server.require(new Request(APP)).catch(refusal);
    expect(refused).toMatchObject({ status: 401 });
    expect(await (refused as Response).json()).toEqual({
      error: { code: 'INVALID_TOKEN', message: 'Please sign in' },
    });
  });
});

test('takes the request of a Node server', async () => {
  const server = newServer({ secret: JWT_SECRET });
  const http = await startHttp(async (request, response) => {
    response.end((await server.session(request))?.userId ?? 'nobody');
  });
  const answer = async (headers: Record<string, string>) => (await fetch(http.url, { headers })).text();
  expect(await answer({ authorization: `bearer ${signed({})}` })).toBe(ADA.user_id);
  expect(await answer({})).toBe('nobody');
  await http.stop();
});

describe('a delivery', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const body = JSON.stringify({
    event: 'user.deleted',
    timestamp: '2026-01-15T09:30:00.000Z',
    data: { user_id: ADA.user_id },
  });
  const headersOf = (secrets: [string, ...string[]], at = Date.now(), text = body) =>
    signatureHeaders('event-1', Buffer.from(text), secrets, at);

  test.each<[string, [string, ...string[]], string | string[]]>([
    ['with the secret', [secret], secret],
    ['with a secret that is no base64', ['plain and häßlich'], 'plain and häßlich'],
    ['with the previous secret after a rotation', ['new', secret], secret],
    ['with one of two secrets', [secret], ['other', secret]],
  ])('is accepted %s', async (_, signing, known) => {
    const headers = headersOf(signing);
    const expected = { ...JSON.parse(body), id: 'event-1' };
    expect(await verifyWebhook({ headers }, known, body)).toEqual(expected);
    const request = new Request(APP, { method: 'POST', headers, body });
    const event = await verifyWebhook(request, known);
    expect(event).toEqual(expected);
    if (event.event === 'user.deleted') expectTypeOf(event.data.user_id).toBeString();
    expectTypeOf<GatehouseEvent['event']>().extract<'user.created'>().not.toBeNever();
  });

  test.each<[string, Record<string, string>, string]>([
    ['with another secret', headersOf(['other']), body],
    ['with another body', headersOf([secret]), body.replace('483920', '483921')],
    ['of another id', { ...headersOf([secret]), 'webhook-id': 'event-2' }, body],
    ['that is older than five minutes', headersOf([secret], Date.now() - 301_000), body],
    ['from the future', headersOf([secret], Date.now() + 360_000), body],
    ['without a signature', {}, body],
  ])('is refused %s', async (_, headers, text) => {
    await expect(verifyWebhook({ headers }, secret, text)).rejects.toMatchObject({ reason: 'forbidden' });
  });
});
