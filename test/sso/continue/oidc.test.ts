import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '@gatehouse/sso/connection-records';
import type { JWTPayload } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { eventsOf } from '../../fixtures/audit.ts';
import { decodeToken } from '../../fixtures/http.ts';
import { locationOf, newBrowser, type OidcService } from '../oidc/oidc-service.ts';
import { ADA, CLIENT_ID, type Provider, sendJson } from '../oidc/provider.ts';
import { type WithProvider, withProvider } from '../oidc/with-provider.ts';
import { callsWith, exchanged } from './sessions.ts';

let service: OidcService;
let provider: Provider;
let organization: WithProvider['organization'];
let calls: ReturnType<typeof callsWith>;
let connection: Connection;
withProvider(
  (started) => {
    ({ service, provider, organization } = started);
    calls = callsWith(service);
  },
  { oidc: { loginTimeout: 2_000 }, env: { SSO_SESSION_HOURS: '2' } },
);
beforeEach(async () => {
  provider.offerOfflineAccess();
  connection = await service.connect(organization, provider);
});

const token = async (): Promise<string> => (await exchanged(service, connection)).body.access_token;
const grants = () => provider.tokenRequests.filter(({ grant_type }) => grant_type === 'refresh_token').length;
const sessionOf = (access_token: string) =>
  service.db.ssoSessions.findOne({ sid: String(decodeToken(access_token).header.sid) });
/** Lets the provider answer refresh tokens with an ID token besides. */
const refreshWith = async (claims: JWTPayload) => {
  const now = service.clock.seconds();
  const honest = { iss: provider.issuer, aud: CLIENT_ID, sub: ADA.sub, iat: now, exp: now + 300 };
  const id_token = await provider.key.sign({ ...honest, ...claims });
  provider.lies.refreshed = (answer) => ({ ...answer, id_token });
};
const unreachable = () => {
  provider.lies.paths = { '/token': (_request, response) => void response.writeHead(503).end() };
};

describe('a session with a refresh token of the provider', () => {
  test('asks the provider at each refresh, with the token that replaced the last one', async () => {
    let current = await token();
    expect((await sessionOf(current))?.refresh_token).not.toContain(provider.tokenRequests.at(-1)?.code);
    for (let turn = 1; turn <= 3; turn += 1) {
      service.clock.advance(1_800);
      const { status, body } = await calls.refresh(current);
      expect({ status, grants: grants() }).toEqual({ status: 200, grants: turn });
      current = body.access_token;
    }
    expect(await calls.status(current)).toBe(200);
  });

  test('goes on beyond SSO_SESSION_HOURS, up to SESSION_MAX_HOURS', async () => {
    let current = await token();
    for (let hour = 0; hour < 4; hour += 1) {
      service.clock.advance(3_590);
      current = (await calls.refresh(current)).body.access_token;
    }
    expect(await calls.status(current)).toBe(200);
  });

  test('ends when the provider refuses the refresh token', async () => {
    const current = await token();
    provider.revokeRefreshTokens();
    const events = await eventsOf(service, async () => {
      const { status, body } = await calls.refresh(current);
      expect({ status, code: body.error.code }).toEqual({ status: 401, code: 'INVALID_TOKEN' });
    });
    expect(events.map(({ action, after }) => [action, after?.detail])).toEqual([
      ['sso.logout', 'the provider refuses the refresh token: invalid_grant'],
    ]);
    expect(await calls.status(current)).toBe(401);
    expect(await sessionOf(current)).toBeNull();
  });

  test('ends when the refreshed ID token is of another person', async () => {
    const current = await token();
    await refreshWith({ sub: 'eve' });
    expect((await calls.refresh(current)).status).toBe(401);
    expect(await calls.status(current)).toBe(401);
  });

  test('keeps a refresh token that comes with a refused ID token', async () => {
    const current = await token();
    await refreshWith({ iss: 'https://other.example' });
    await calls.refresh(current);
    provider.lies.refreshed = (answer) => answer;
    // The provider would have taken the second use of a refresh token for theft.
    expect((await calls.refresh(current)).status).toBe(200);
  });

  test('uses each refresh token once for eight refreshes at once', async () => {
    const current = await token();
    const answers = await Promise.all(Array.from({ length: 8 }, () => calls.refresh(current)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    // The provider would have taken the second use of a refresh token for theft.
    expect((await calls.refresh(current)).status).toBe(200);
  });

  test('has a grace of one refresh while the provider cannot be reached', async () => {
    const current = await token();
    unreachable();
    const events = await eventsOf(service, async () => {
      expect((await calls.refresh(current)).status).toBe(200);
      const { status, body } = await calls.refresh(current);
      expect({ status, code: body.error.code }).toEqual({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    });
    const { connection_id, organization_id } = connection;
    expect(
      events.map(({ action, outcome, target, organization_id: place, after }) => ({
        action,
        outcome,
        target,
        place,
        after,
      })),
    ).toEqual([
      {
        action: 'refresh',
        outcome: 'success',
        target: { connection_id },
        place: organization_id,
        after: { grace: 'provider unavailable' },
      },
      {
        action: 'refresh',
        outcome: 'provider unavailable',
        target: { connection_id },
        place: organization_id,
        after: { detail: expect.stringContaining('503') },
      },
    ]);
    expect(await calls.status(current)).toBe(200);
    provider.lies.paths = {};
    expect((await calls.refresh(current)).status).toBe(200);
    unreachable();
    expect((await calls.refresh(current)).status).toBe(200);
  });

  test('gives one of eight refreshes at once the grace', async () => {
    const current = await token();
    unreachable();
    const answers = await Promise.all(Array.from({ length: 8 }, () => calls.refresh(current)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(7);
  });

  test('gives up on a provider that hangs', async () => {
    const current = await token();
    provider.lies.paths = { '/token': () => {} };
    expect((await calls.refresh(current)).status).toBe(200);
    expect((await calls.refresh(current)).status).toBe(503);
  });

  test('keeps a refresh token that arrives when the refresh has given up', async () => {
    const current = await token();
    const before = await sessionOf(current);
    const document = await (await fetch(`${provider.issuer}/.well-known/openid-configuration`)).json();
    const hasGivenUp = Promise.withResolvers<void>();
    const late = { access_token: 'a', token_type: 'Bearer', expires_in: 300, refresh_token: 'late' };
    provider.lies.paths = {
      '/.well-known/openid-configuration': async (_request, response) => {
        await sleep(1_000);
        sendJson(response, document);
      },
      '/token': async (_request, response) => {
        await hasGivenUp.promise;
        sendJson(response, late);
      },
    };
    // The documents of the login are kept for five minutes.
    service.clock.advance(301);
    expect((await calls.refresh(current)).status).toBe(200);
    hasGivenUp.resolve();
    await expect.poll(async () => (await sessionOf(current))?.refresh_token).not.toBe(before?.refresh_token);
  });

  test('is asked again when a process was killed while it asked', async () => {
    const current = await token();
    const sid = String(decodeToken(current).header.sid);
    const check = { id: 'killed', until: new Date(service.clock.now() - 1) };
    await service.db.ssoSessions.updateOne({ sid }, { $set: { check } });
    expect((await calls.refresh(current)).status).toBe(200);
  });

  test.each<[string, (current: string) => Promise<unknown>]>([
    ['it is logged out', async (current) => expect((await calls.logout(current)).status).toBe(200)],
    [
      'its account is disabled',
      async (current) => {
        const { user_id } = (await sessionOf(current)) ?? {};
        const disabled = { account_status: 'disabled' as const };
        await service.db.users.updateOne({ user_id: String(user_id) }, { $set: disabled });
      },
    ],
  ])('does not come back when %s while the provider is asked', async (_what, end) => {
    const current = await token();
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    provider.lies.paths = {
      '/token': async (_request, response) => {
        asked.resolve();
        await answer.promise;
        sendJson(response, { access_token: 'a', token_type: 'Bearer', expires_in: 300 });
      },
    };
    const refreshing = calls.refresh(current);
    await asked.promise;
    await end(current);
    answer.resolve();
    const { status, body } = await refreshing;
    if (status === 200) expect(await calls.status(body.access_token)).toBe(401);
    expect(await calls.status(current)).toBe(401);
    const ended = { user_id: decodeToken(current).payload.user_id };
    await service.db.users.updateOne(ended, { $set: { account_status: 'active' } });
  });

  test('ends with the connection', async () => {
    const current = await token();
    const { connection_id } = connection;
    await service.db.ssoConnections.updateOne({ connection_id }, { $set: { enabled: false } });
    expect((await calls.refresh(current)).status).toBe(401);
    expect(await calls.status(current)).toBe(401);
  });

  test('keeps its refresh token from another issuer', async () => {
    const current = await token();
    const { connection_id } = connection;
    const moved = { 'oidc.client_id': 'another', updated_at: new Date() };
    await service.db.ssoConnections.updateOne({ connection_id }, { $set: moved });
    expect((await calls.refresh(current)).status).toBe(200);
    expect(grants()).toBe(0);
  });
});

describe('a session without a refresh token', () => {
  beforeEach(() => {
    provider.lies = {};
  });

  test('needs a new login after SSO_SESSION_HOURS', async () => {
    const first = await token();
    service.clock.advance(3_590);
    const second = (await calls.refresh(first)).body.access_token;
    service.clock.advance(3_000);
    const third = await calls.refresh(second);
    expect(third.body.expires_in).toBeLessThanOrEqual(610);
    expect(third.body.expires_in).toBeGreaterThan(600);
    service.clock.advance(605);
    expect(await calls.status(third.body.access_token)).toBe(200);
    service.clock.advance(10);
    const { status, body } = await calls.refresh(third.body.access_token);
    expect({ status, text: body.error.message }).toEqual({ status: 401, text: 'Token expired' });
  });

  test('is refreshed through the mark in its token alone', async () => {
    const { header } = decodeToken(await token());
    expect(header.sso).toBe(true);
    const refreshed = await calls.refresh(await token());
    expect(decodeToken(refreshed.body.access_token).header.sso).toBe(true);
  });
});

describe('a provider that refuses offline_access', () => {
  const scopeOf = (address: string) => new URL(address).searchParams.get('scope');
  beforeEach(() => {
    provider.lies.answer = ({ state, iss }) => ({
      error: 'invalid_scope',
      state: String(state),
      iss: String(iss),
    });
  });

  test('is asked without it in the same login', async () => {
    const browser = newBrowser(service);
    const refused = await service.beginLogin(connection, browser);
    const again = await browser(refused);
    expect({ status: again.status, scope: scopeOf(locationOf(again)) }).toEqual({
      status: 303,
      scope: 'openid email profile',
    });
    provider.lies.answer = (honest) => honest;
    const ended = await browser(locationOf(await browser(locationOf(again))));
    expect(locationOf(ended)).toContain('/sso#code=');
  });

  test('refuses the login when it refuses the other scopes too', async () => {
    const browser = newBrowser(service);
    const again = await browser(await service.beginLogin(connection, browser));
    const { status } = await browser(locationOf(await browser(locationOf(again))));
    expect(status).toBe(403);
  });

  test('is asked for it at the next login, since a stranger can forge the refusal', async () => {
    await service.tryLogIn(connection);
    const begun = await newBrowser(service)(`/oauth/login/${connection.slug}`);
    expect(scopeOf(locationOf(begun))).toBe('openid email profile offline_access');
  });

  test('is asked for a fresh proof again if the login wants one', async () => {
    const browser = newBrowser(service);
    const begun = await browser(`/oauth/login/${connection.slug}?prompt=login`);
    const again = await browser(locationOf(await browser(locationOf(begun))));
    expect(new URL(locationOf(again)).searchParams.get('prompt')).toBe('login');
  });
});
