import { randomUUID } from 'node:crypto';
import type { Connection } from '@gatehouse/sso/connection-records';
import type { JWTPayload } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { type Answered, postForm, send } from '../../fixtures/http.ts';
import { locationOf, newBrowser, type OidcService } from './oidc-service.ts';
import { ADA, CLIENT_ID, newKey, type Provider, startProvider } from './provider.ts';
import { type WithProvider, withProvider } from './with-provider.ts';

let service: OidcService;
let provider: Provider;
let organization: WithProvider['organization'];
let connection: Connection;
withProvider(
  (started) => {
    ({ service, provider, organization } = started);
  },
  { oidc: { documentTimeout: 1_000 } },
);
beforeEach(async () => {
  connection = await service.connect(organization, provider);
});

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

const claims = (change: Record<string, unknown> = {}): JWTPayload => ({
  iss: provider.issuer,
  aud: CLIENT_ID,
  iat: service.clock.seconds(),
  exp: service.clock.seconds() + 120,
  jti: randomUUID(),
  sid: 'session-1',
  sub: 'ada',
  events: { [EVENT]: {} },
  ...change,
});

const logoutToken = (change?: Record<string, unknown>) =>
  provider.key.sign(claims(change), { typ: 'logout+jwt' });

const logOut = (logout_token: string, path = ''): Promise<Answered> =>
  postForm(`${service.url}/oauth/backchannel-logout${path}`, { logout_token });

/** Logs in and exchanges the code. @returns whether the session lives. */
async function session({ slug }: { slug: string } = connection): Promise<() => Promise<boolean>> {
  const browser = newBrowser(service);
  const code = new URL(locationOf(await service.logIn({ slug }, browser))).hash.replace('#code=', '');
  const { body } = await browser.post('/api/v1/auth/sso/exchange', { code });
  const authorization = `Bearer ${body.access_token}`;
  return async () =>
    (await send(`${service.url}/api/v1/users/me`, { headers: { authorization } })).status === 200;
}

describe.each(['the shared address', 'the address of the connection'])('at %s', (which) => {
  const path = () => (which === 'the shared address' ? '' : `/${connection.slug}`);

  test('ends the session that the token names, and no other', async () => {
    const lives = await session();
    provider.lies.claims = (honest) => ({ ...honest, sid: 'session-2' });
    const other = await session();
    expect([await lives(), await other()]).toEqual([true, true]);
    let answered: Answered | undefined;
    const events = await eventsOf(service, async () => {
      answered = await logOut(await logoutToken(), path());
    });
    expect({ status: answered?.status, body: answered?.body }).toEqual({ status: 200, body: {} });
    expect(answered?.headers.get('cache-control')).toBe('no-store');
    expect([await lives(), await other()]).toEqual([false, true]);
    const user = await service.db.users.findOne({ email: ADA.email });
    expect(events).toEqual([
      auditEvent(service.clock.now(), {
        action: 'sso.logout',
        user_id: String(user?.user_id),
        email: null,
        organization_id: organization.organization_id,
        target: { connection_id: connection.connection_id },
      }),
    ]);
  });

  test('ends every session of a person without a session id', async () => {
    const lives = await session();
    provider.lies.claims = (honest) => ({ ...honest, sid: 'session-2' });
    const other = await session();
    expect((await logOut(await logoutToken({ sid: undefined }), path())).status).toBe(200);
    expect([await lives(), await other()]).toEqual([false, false]);
  });

  test('answers 200 when the session has ended already', async () => {
    expect((await logOut(await logoutToken(), path())).status).toBe(200);
  });

  test('ends sessions of a connection that is switched off', async () => {
    const lives = await session();
    await service.db.ssoConnections.updateOne({ slug: connection.slug }, { $set: { enabled: false } });
    expect((await logOut(await logoutToken(), path())).status).toBe(200);
    expect(await lives()).toBe(false);
  });
});

test('an equal connection of another organization does not keep a session alive', async () => {
  const foreign = await service.newOrganization({ domain: null });
  const copy = await service.connect(foreign, provider, { oidc: { client_secret: null } });
  const lives = await session();
  expect((await logOut(await logoutToken())).status).toBe(200);
  expect(await lives()).toBe(false);
  expect((await logOut(await logoutToken(), `/${copy.slug}`)).status).toBe(200);
});

test('a logout at another connection does not end the session', async () => {
  const other = await startProvider(service.clock);
  const elsewhere = await service.connect(organization, other);
  const lives = await session();
  const token = await other.key.sign(claims({ iss: other.issuer }), { typ: 'logout+jwt' });
  expect((await logOut(token, `/${elsewhere.slug}`)).status).toBe(200);
  expect((await logOut(token, `/${connection.slug}`)).status).toBe(400);
  expect(await lives()).toBe(true);
  await other.stop();
});

describe('pins the algorithm of the connection', () => {
  const listing = (...names: string[]) => {
    provider.lies.discovery = (document) => ({ ...document, id_token_signing_alg_values_supported: names });
  };
  /** A second key that the provider publishes. */
  async function anotherKey(alg = 'ES256') {
    const key = await newKey(alg);
    provider.keys = [provider.key.jwk, key.jwk];
    return key;
  }

  test.each([
    ['does not list', ['RS256']],
    ['lists beside that of its ID tokens', ['RS256', 'ES256']],
  ])('and refuses a token with one that the provider %s', async (_name, names) => {
    listing(...names);
    const other = await anotherKey();
    const lives = await session();
    const token = await other.sign(claims(), { typ: 'logout+jwt' });
    await expectRefusal(() => logOut(token), 'message refused', /"alg"/);
    expect(await lives()).toBe(true);
    expect((await logOut(await logoutToken())).status).toBe(200);
    expect(await lives()).toBe(false);
  });

  test('which is that of the last ID token', async () => {
    listing('RS256', 'ES256');
    const other = await anotherKey();
    provider.lies.sign = other.sign;
    const lives = await session();
    await expectRefusal(async () => logOut(await logoutToken()), 'message refused', /"alg"/);
    expect(await lives()).toBe(true);
    expect((await logOut(await other.sign(claims(), { typ: 'logout+jwt' }))).status).toBe(200);
    expect(await lives()).toBe(false);
  });

  test('which is one that the provider lists before the first login, without RS256', async () => {
    listing('ES256');
    const other = await anotherKey();
    expect((await logOut(await other.sign(claims(), { typ: 'logout+jwt' }))).status).toBe(200);
    await expectRefusal(async () => logOut(await logoutToken()), 'message refused', /"alg"/);
  });
});

test('a token that comes twice is refused, and the session that has begun since lives', async () => {
  const token = await logoutToken();
  expect((await logOut(token)).status).toBe(200);
  const lives = await session();
  await expectRefusal(() => logOut(token), 'message used before');
  expect(await lives()).toBe(true);
});

test('eight at once end the session, and none answers 5xx', async () => {
  const lives = await session();
  const token = await logoutToken();
  const answers = await Promise.all(Array.from({ length: 8 }, () => logOut(token)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses).toContain(200);
  expect(statuses.filter((status) => status !== 200 && status !== 400)).toEqual([]);
  expect(await lives()).toBe(false);
});

test('forged tokens leave logins the reading of keys that a new key of the provider needs', async () => {
  await session();
  const forged = await newKey('RS256');
  for (let turn = 0; turn < 4; turn += 1)
    expect((await logOut(await forged.sign(claims()))).status).toBe(400);
  const reads = () => provider.calls.filter((path) => path === '/jwks').length;
  expect(reads()).toBe(2);
  const next = await newKey('RS256');
  provider.keys = [next.jwk];
  provider.lies.sign = next.sign;
  expect((await service.logIn(connection)).status).toBe(303);
  expect(reads()).toBe(3);
});

/** Expects a 400 in JSON with an audit event, and that the session goes on. */
async function expectRefusal(step: () => Promise<Answered>, outcome: string, detail = /./): Promise<void> {
  let answered: Answered | undefined;
  const events = await eventsOf(service, async () => {
    answered = await step();
  });
  expect(answered?.headers.get('cache-control')).toBe('no-store');
  expect({ status: answered?.status, body: answered?.body }).toEqual(
    service.failure(
      answered as Answered,
      400,
      'INVALID_FORMAT',
      'The request is malformed',
      'The logout token was not accepted',
    ),
  );
  expect(events.map((event) => [event.action, event.outcome])).toEqual([['sso.logout', outcome]]);
  expect(events[0]?.after?.detail).toMatch(detail);
}

describe('refuses a token', () => {
  const seconds = () => service.clock.seconds();
  test.each<[string, () => Promise<string>, string, RegExp]>([
    ['without the event', () => logoutToken({ events: {} }), 'message refused', /event/],
    [
      'whose event is no object',
      () => logoutToken({ events: { [EVENT]: 'yes' } }),
      'message refused',
      /event/,
    ],
    ['without events', () => logoutToken({ events: undefined }), 'message refused', /event/],
    ['with a nonce', () => logoutToken({ nonce: 'n' }), 'message refused', /nonce/],
    ['without an id', () => logoutToken({ jti: undefined }), 'message refused', /jti/],
    [
      'without a subject and a session',
      () => logoutToken({ sid: undefined, sub: undefined }),
      'message refused',
      /sid/,
    ],
    ['that has expired', () => logoutToken({ exp: seconds() - 61 }), 'message refused', /exp/],
    ['from ten minutes ago', () => logoutToken({ iat: seconds() - 600 }), 'message refused', /iat/],
    ['from the future', () => logoutToken({ iat: seconds() + 120 }), 'message refused', /iat/],
    ['without a time of issue', () => logoutToken({ iat: undefined }), 'message refused', /iat/],
    ['of another type', () => provider.key.sign(claims(), { typ: 'at+jwt' }), 'message refused', /type/],
    [
      'that is an ID token',
      () => provider.key.sign(claims({ nonce: 'n', events: undefined })),
      'message refused',
      /event/,
    ],
    [
      'signed with another key',
      async () => (await newKey('RS256')).sign(claims(), { typ: 'logout+jwt', kid: provider.key.jwk.kid }),
      'message refused',
      /signature/,
    ],
    [
      'without a signature (alg none)',
      async () => {
        const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
        return `${encode({ alg: 'none', typ: 'logout+jwt' })}.${encode(claims())}.`;
      },
      'message refused',
      /alg/i,
    ],
  ])('%s', async (_name, token, outcome, detail) => {
    const lives = await session();
    const sent = await token();
    await expectRefusal(() => logOut(sent, `/${connection.slug}`), outcome, detail);
    await expectRefusal(() => logOut(sent), outcome, detail);
    expect(await lives()).toBe(true);
  });

  test.each<[string, () => Promise<string> | string, string, RegExp]>([
    ['of another issuer', () => logoutToken({ iss: 'https://idp.evil.test' }), 'message refused', /"iss"/],
    ['for another client', () => logoutToken({ aud: 'other' }), 'message refused', /"aud"/],
    ['that is no token', () => 'not a token', 'message refused', /./],
  ])('%s', async (_name, token, outcome, detail) => {
    const lives = await session();
    const sent = await token();
    await expectRefusal(() => logOut(sent, `/${connection.slug}`), outcome, detail);
    const shared = sent.includes(' ') ? 'message malformed' : 'unknown connection';
    await expectRefusal(() => logOut(sent), shared);
    expect(await lives()).toBe(true);
  });

  test('when the key set cannot be read', async () => {
    const token = await logoutToken();
    provider.lies.paths = { '/jwks': (_request, response) => void response.writeHead(500).end() };
    await expectRefusal(() => logOut(token), 'provider unavailable', /500/);
    await expectRefusal(() => logOut(token), 'provider unavailable', /500/);
    expect(provider.calls.filter((path) => path === '/jwks')).toHaveLength(1);
  });

  test('at the address of an unknown connection', async () => {
    const token = await logoutToken();
    await expectRefusal(() => logOut(token, '/unknown'), 'unknown connection');
  });

  test('that is missing', async () => {
    const { status, headers } = await postForm(`${service.url}/oauth/backchannel-logout`, { other: 'x' });
    expect({ status, caching: headers.get('cache-control') }).toEqual({ status: 400, caching: 'no-store' });
  });
});
