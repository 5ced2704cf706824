import type { Connection } from '@gatehouse/sso/connection-records';
import { digest } from '@gatehouse/sso/digest';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventsOf } from '../../fixtures/audit.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { decodeToken, postJson, send } from '../../fixtures/http.ts';
import type { SsoService } from '../sso-service.ts';
import { startBrowserLogins } from './browser-login.ts';
import { type WithBrowser, withBrowser } from './with-browser.ts';

let service: SsoService;
let browser: WithBrowser['browser'];
let connection: Connection;

withBrowser((started) => {
  ({ service, browser } = started);
});
beforeAll(async () => {
  const organization = await service.newOrganization();
  connection = await service.newConnection(organization, { protocol: 'oidc' });
});
beforeEach(() =>
  service.db.users.updateMany(
    { email: 'grace@corp.example' },
    { $set: { account_status: 'active' }, $unset: { sessions_valid_from: true } },
  ),
);

const exchange = (code: unknown, headers: Record<string, string>) =>
  postJson(`${service.url}/api/v1/auth/sso/exchange`, { code }, headers);
const NOT_BEGUN = 'This login was not begun in this browser, or it took too long. Please begin again.';
const notBegun = (answer: Awaited<ReturnType<typeof exchange>>) =>
  service.failure(answer, 400, 'INVALID_FORMAT', 'The request is malformed', NOT_BEGUN);

describe('the end of a browser login', () => {
  it('is the account page with a code in the fragment', async () => {
    const { state, cookie } = await browser.begin(connection);
    const { status, headers } = await browser.finish(connection, state, {}, { cookie });
    expect(status).toBe(303);
    expect(headers.get('location')).toMatch(/^http:\/\/localhost:8000\/sso#code=[\w-]{43}$/);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('is JSON for a client that asks for it', async () => {
    const { state, cookie } = await browser.begin(connection);
    const { status, body } = await browser.finish(
      connection,
      state,
      {},
      { cookie, accept: 'application/json' },
    );
    expect({ status, body }).toEqual({
      status: 200,
      body: { code: expect.stringMatching(/^[\w-]{43}$/), expires_in: 60 },
    });
    expect((await exchange(body.code, { cookie })).status).toBe(200);
  });

  it('restores an account whose deletion is pending', async () => {
    const at = new Date(service.clock.now());
    await browser.logIn(connection);
    const account = { email: 'grace@corp.example' };
    await service.db.users.updateOne(account, {
      $set: { deletion: { requested_at: at, due_at: at, next: at }, sessions_valid_from: at },
    });
    service.clock.advance(1);
    const events = await eventsOf(service, async () => {
      const { code, cookie } = await browser.logIn(connection);
      expect((await exchange(code, { cookie })).status).toBe(200);
    });
    expect(await service.db.users.findOne(account)).not.toHaveProperty('deletion');
    expect(events.map(({ action }) => action)).toEqual(['sso.login', 'account.restore']);
  });

  it('does not restore it before the code is exchanged, nor if the exchange is refused', async () => {
    const at = new Date(service.clock.now());
    await browser.logIn(connection);
    const account = { email: 'grace@corp.example' };
    const deletion = { requested_at: at, due_at: at, next: at };
    await service.db.users.updateOne(account, { $set: { deletion } });
    const { code, cookie } = await browser.logIn(connection);
    expect((await service.db.users.findOne(account))?.deletion).toEqual(deletion);
    const { connection_id } = connection;
    const { user_id } = (await service.db.ssoSessions.findOne({ 'login_code.digest': digest(code) })) ?? {};
    const identity = await service.db.ssoIdentities.findOneAndDelete({
      connection_id,
      user_id: String(user_id),
    });
    const refused = await exchange(code, { cookie });
    expect(outcome(refused)).toStrictEqual(notBegun(refused));
    expect((await service.db.users.findOne(account))?.deletion).toEqual(deletion);
    if (identity) await service.db.ssoIdentities.insertOne(identity);
    await service.db.users.updateOne(account, { $unset: { deletion: true } });
  });

  it('is refused when the deletion of the account begins meanwhile', async () => {
    const at = new Date(service.clock.now());
    const account = { email: 'grace@corp.example' };
    const { code, cookie } = await browser.logIn(connection);
    const deletion = { requested_at: at, due_at: at, next: at, begun_at: at };
    await service.db.users.updateOne(account, { $set: { deletion } });
    const refused = await exchange(code, { cookie });
    expect([refused.status, refused.body.error.details]).toEqual([
      403,
      'Your account is disabled. Ask your administrator.',
    ]);
    expect((await service.db.users.findOne(account))?.deletion).toEqual(deletion);
    await service.db.users.updateOne(account, { $unset: { deletion: true } });
  });

  it('refuses a login that began at another connection, and creates nothing', async () => {
    const organization = await service.newOrganization({ domain: 'mixed.example' });
    const other = await service.newConnection(organization, { protocol: 'oidc' });
    const { state, cookie } = await browser.begin(connection);
    const profile = { email: 'ada@mixed.example', subject: 'ada' };
    const { status } = await browser.finish(other, state, { profile }, { cookie });
    expect(status).toBe(400);
    expect(await service.db.users.countDocuments({ email: profile.email })).toBe(0);
  });

  it('stores neither the code nor the cookie', async () => {
    const { code, cookie } = await browser.logIn(connection);
    const stored = JSON.stringify(await service.db.ssoSessions.find().toArray());
    expect(stored).toContain(digest(code));
    expect(stored).not.toContain(code);
    expect(stored).not.toContain(cookie.split('=')[1]);
  });

  it('marks the browser with a cookie that scripts cannot read', async () => {
    const { setCookie } = await browser.begin(connection);
    expect(setCookie).toMatch(/^gatehouse-sso=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=660$/);
    const https = await startBrowserLogins(service, { PUBLIC_URL: 'https://accounts.example' });
    expect((await https.begin(connection)).setCookie).toMatch(
      /^__Host-gatehouse-sso=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=660; Secure$/,
    );
    await https.stop();
  });

  it('keeps the mark of a browser that begins a second login', async () => {
    const first = await browser.begin(connection);
    expect((await browser.begin(connection, first.cookie)).cookie).toBe(first.cookie);
  });
});

describe('POST /api/v1/auth/sso/exchange', () => {
  it('answers like the catalogue login, with the stored session', async () => {
    const { code, cookie } = await browser.logIn(connection);
    const login = await service.db.ssoSessions.findOne({ 'login_code.digest': digest(code) });
    const { status, headers, body } = await exchange(code, { cookie });
    const { user_id } = (await service.db.users.findOne({ email: 'grace@corp.example' })) ?? {};
    expect({ status, body }).toEqual({
      status: 200,
      body: { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600, user_id },
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(decodeToken(body.access_token)).toEqual({
      header: { alg: 'HS256', typ: 'JWT', sid: login?.sid, sso: true },
      payload: { email: 'grace@corp.example', user_id, exp: service.clock.seconds() + 3600 },
    });
    const me = await send(`${service.url}/api/v1/users/me`, {
      headers: { authorization: `Bearer ${body.access_token}` },
    });
    expect([me.status, me.body.user_id]).toEqual([200, user_id]);
  });

  it('serves a login that began at the provider', async () => {
    const { headers } = await browser.finish(connection, undefined);
    const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';');
    const code = headers.get('location')?.split('#code=')[1];
    expect((await exchange(code, { cookie })).status).toBe(200);
  });

  it('gives one of eight exchanges at once a token', async () => {
    const { code, cookie } = await browser.logIn(connection);
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(code, { cookie })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)]);
  });

  it.each([
    ['no cookie', () => ''],
    ['the cookie of another browser', (cookie: string) => cookie.replace(/=./, '=A').replace(/.$/, 'Q')],
    ['two cookies of the name', (cookie: string) => `${cookie}; ${cookie}`],
    ['a cookie of another name', (cookie: string) => `x${cookie}`],
    ['a malformed cookie', (cookie: string) => `${cookie}x`],
  ])('refuses %s and keeps the code', async (_, given) => {
    const { code, cookie } = await browser.logIn(connection);
    const answer = await exchange(code, { cookie: given(cookie) });
    expect(outcome(answer)).toStrictEqual(notBegun(answer));
    expect((await exchange(code, { cookie: `other=1; ${cookie}` })).status).toBe(200);
  });

  it('refuses a code after 60 seconds', async () => {
    const late = await browser.logIn(connection);
    service.clock.advance(60);
    const answer = await exchange(late.code, late);
    expect(outcome(answer)).toStrictEqual(notBegun(answer));
    const inTime = await browser.logIn(connection);
    service.clock.advance(59);
    expect((await exchange(inTime.code, { cookie: inTime.cookie })).status).toBe(200);
  });

  it.each([
    [undefined, 400, 'code is required'],
    ['', 400, 'code is required'],
    [7, 400, 'code must be a string'],
    [{ $ne: null }, 400, 'code must be a string'],
  ])('refuses the code %j', async (code, status, details) => {
    const { cookie } = await browser.logIn(connection);
    const answer = await exchange(code, { cookie });
    expect([answer.status, answer.body.error.details]).toEqual([status, details]);
  });

  it.each([
    ['an account that was disabled', { $set: { account_status: 'disabled' as const } }, 403],
    ['a session that has ended', { $set: { sessions_valid_from: new Date('2999-01-01') } }, 400],
  ])('refuses %s', async (_, update, status) => {
    const { code, cookie } = await browser.logIn(connection);
    await service.db.users.updateOne({ email: 'grace@corp.example' }, update);
    expect((await exchange(code, { cookie })).status).toBe(status);
  });

  it('refuses a connection that was switched off', async () => {
    const organization = await service.newOrganization({ domain: 'off.example' });
    const off = await service.newConnection(organization, { protocol: 'oidc' });
    const { code, cookie } = await browser.logIn(off, { profile: { email: 'ada@off.example' } });
    await service.db.ssoConnections.updateOne(
      { connection_id: off.connection_id },
      { $set: { enabled: false } },
    );
    const [event] = await eventsOf(service, () => exchange(code, { cookie }));
    expect(event).toMatchObject({
      action: 'sso.login',
      outcome: 'connection disabled',
      organization_id: organization.organization_id,
      target: { connection_id: off.connection_id },
    });
  });

  it('audits a refusal with the reason for the operator', async () => {
    const { code } = await browser.logIn(connection);
    const [event, ...others] = await eventsOf(service, () => exchange(code, {}));
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      action: 'sso.login',
      outcome: 'login not begun here',
      after: { detail: 'the browser sent no cookie' },
    });
  });

  it('lets a person in who takes an unverified signup over', async () => {
    await service.db.users.updateOne({ email: 'grace@corp.example' }, { $set: { verified: false } });
    await service.db.ssoIdentities.deleteMany({});
    const { code, cookie } = await browser.logIn(connection);
    const { status, body } = await exchange(code, { cookie });
    expect(status).toBe(200);
    const me = await send(`${service.url}/api/v1/users/me`, {
      headers: { authorization: `Bearer ${body.access_token}` },
    });
    expect(me.status).toBe(200);
  });
});
