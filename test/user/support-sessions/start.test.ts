import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { failuresAt, outcome } from '../../fixtures/envelope.ts';
import { decodeToken, send } from '../../fixtures/http.ts';
import { member } from '../../fixtures/members.ts';
import { adminCaller } from '../../fixtures/operators.ts';
import { type Services, startServices } from '../../fixtures/services.ts';

const REASON = 'Cannot find their chatbots, ticket 4711';
const PUBLIC_URL = 'https://accounts.example.com';

let services: Services;
let ada: Awaited<ReturnType<typeof member>>;
let support: Awaited<ReturnType<typeof adminCaller>>;
let admin: Awaited<ReturnType<typeof adminCaller>>;
beforeAll(async () => {
  services = await startServices({ env: { PUBLIC_URL } });
});
afterAll(() => services.stop());
beforeEach(async () => {
  services.clock.advance(3_600);
  ada = await member(services.db, services.clock);
  support = await adminCaller(services, 'support');
  admin = await adminCaller(services, 'admin');
});

const failure = failuresAt(() => services.clock.now());
const READ = { mode: 'read', minutes: 30, reason: REASON };
const FULL = { ...READ, mode: 'full' };
type Caller = typeof admin;
const start = (who: Caller, body: object = READ, person = ada.user_id) =>
  who.call('POST', `/people/${person}/support-sessions`, body);
const end = (who: Caller, id: string) => who.call('DELETE', `/support-sessions/${id}`, { reason: REASON });
const tokenOf = (link: string) => String(new URL(link).searchParams.get('token'));
const use = (link: string, path = '/api/v1/users/me', method = 'GET') =>
  send(services.user + path, { method, headers: { authorization: `Bearer ${tokenOf(link)}` } });
const account = () => services.db.users.findOne({ user_id: ada.user_id });

describe('a support session', () => {
  test('begins with a link to the account pages, whose token is that of the person', async () => {
    const began = await start(support);
    const expires_at = new Date(services.clock.now() + 30 * 60_000).toISOString();
    expect(outcome(began)).toEqual({
      status: 201,
      body: { session_id: expect.any(String), expires_at, link: expect.any(String) },
    });
    expect(began.headers.get('cache-control')).toBe('no-store');
    const link = new URL(began.body.link);
    expect(link.origin + link.pathname).toBe(`${PUBLIC_URL}/login`);
    expect([...link.searchParams.keys()]).toEqual(['adminRedirect', 'token', 'user_id']);
    expect(link.searchParams.get('user_id')).toBe(ada.user_id);
    const { header, payload } = decodeToken(tokenOf(began.body.link));
    expect(header).toMatchObject({ sid: began.body.session_id, support: 'read', operator: support.user_id });
    expect(payload).toEqual({ email: ada.email, user_id: ada.user_id, exp: Date.parse(expires_at) / 1000 });
    expect(await use(began.body.link)).toMatchObject({ status: 200, body: { email: ada.email } });
  });

  test('is told to the person by mail and in their audit, and is no login', async () => {
    const before = await account();
    const events = await eventsOf(services, () => start(support));
    const after = await account();
    expect(events).toEqual([
      auditEvent(services.clock.now(), {
        action: 'admin.support_session',
        user_id: support.user_id,
        email: support.email.toLowerCase(),
        target: { user_id: ada.user_id, session_id: expect.any(String) },
        after: { mode: 'read', expires_at: expect.any(String), reason: REASON },
        request_id: expect.any(String),
      }),
    ]);
    expect(await services.db.auditEvents.countDocuments({ 'target.user_id': ada.user_id, relay: true })).toBe(
      0,
    );
    // The mail may have been sent already.
    const { notices: _, notices_due: __, notices_holder: ___, ...same } = after ?? {};
    expect(same).toEqual(before);
    const { authorization } = ada;
    const audit = await send(`${services.user}/api/v1/users/me/audit`, { headers: { authorization } });
    expect(audit.body.data).toMatchObject([
      {
        action: 'admin.support_session',
        actor: { user_id: support.user_id, email: null },
        after: { reason: REASON },
        address: null,
      },
    ]);
  });

  test.each([
    ['en', 'An operator opened your account'],
    ['de', 'Ein Betreiber hat Ihr Konto geöffnet'],
  ] as const)('the mail in %s says until when and why', async (language, subject) => {
    await services.db.users.updateOne({ user_id: ada.user_id }, { $set: { language } });
    await start(support);
    await expect
      .poll(() => services.mailbox.mails.find(({ recipients }) => recipients.includes(ada.email)))
      .toMatchObject({ content: { subject: expect.stringContaining(subject) } });
    const mail = services.mailbox.mails.find(({ recipients }) => recipients.includes(ada.email));
    expect(mail?.content.text).toContain(REASON);
  });

  test('leaves a pending deletion, and is refused once it has begun', async () => {
    const deletion = { requested_at: new Date(), due_at: new Date(services.clock.now() + 86_400_000) };
    await services.db.users.updateOne({ user_id: ada.user_id }, { $set: { deletion } as object });
    expect((await start(support)).status).toBe(201);
    expect((await account())?.deletion).toMatchObject({ due_at: deletion.due_at });
    await services.db.users.updateOne(
      { user_id: ada.user_id },
      { $set: { 'deletion.begun_at': new Date() } as object },
    );
    expect((await start(support)).status).toBe(404);
  });

  test('lasts as long as asked for, and its token is refused afterwards', async () => {
    const { link } = (await start(support, { ...READ, minutes: 60 })).body;
    services.clock.advance(3_599);
    expect((await use(link)).status).toBe(200);
    const refresh = await send(`${services.login}/auth/refresh`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokenOf(link)}` },
    });
    expect(refresh.body.error.code).toBe('SUPPORT_SESSION_READ_ONLY');
    services.clock.advance(1);
    const over = await use(link);
    expect(outcome(over)).toEqual(failure(over, 401, 'INVALID_TOKEN', 'Token expired'));
  });
});

describe('who may', () => {
  test('the level support has no full session', async () => {
    const refused = await start(support, FULL);
    expect(outcome(refused)).toEqual(failure(refused, 403, 'FORBIDDEN', 'Forbidden'));
    expect(await services.db.supportSessions.countDocuments({ person_id: ada.user_id })).toBe(0);
    expect((await start(admin, FULL)).status).toBe(201);
  });

  test.each([
    ['themselves', () => admin],
    ['another admin', async () => adminCaller(services, 'admin')],
    ['an operator of the level support', () => support],
  ])('nobody enters the account of %s', async (_, other) => {
    const refused = await start(admin, READ, (await other()).user_id);
    const text = 'Nobody enters the account of an operator';
    expect(outcome(refused)).toEqual(failure(refused, 403, 'FORBIDDEN', 'Forbidden', text));
  });

  test.each<[string, object]>([
    ['disabled', { account_status: 'disabled' }],
    ['paused', { account_status: 'paused' }],
    ['not verified', { verified: false }],
  ])('nobody enters an account that is %s', async (_, fields) => {
    await services.db.users.updateOne({ user_id: ada.user_id }, { $set: fields });
    const refused = await start(admin);
    const text = 'No active account has this user_id';
    expect(outcome(refused)).toEqual(failure(refused, 404, 'RESOURCE_NOT_FOUND', 'Not found', text));
    expect((await account())?.notices).toBeUndefined();
  });

  test('a session of an operator is no way to another one', async () => {
    const { link } = (await start(admin, FULL)).body;
    const path = `/api/v1/admin/people/${(await member(services.db, services.clock)).user_id}/support-sessions`;
    for (const [method, each] of [
      ['POST', path],
      ['GET', '/api/v1/admin/support-sessions'],
      ['GET', '/api/v1/admin/me'],
    ] as const)
      expect((await use(link, each, method)).body.error.code).toBe('SUPPORT_SESSION_REFUSED');
  });

  test.each<[string, object, string]>([
    ['no mode', { mode: undefined }, 'MISSING_FIELD'],
    ['another mode', { mode: 'write' }, 'INVALID_FORMAT'],
    ['4 minutes', { minutes: 4 }, 'INVALID_FORMAT'],
    ['61 minutes', { minutes: 61 }, 'INVALID_FORMAT'],
    ['half a minute more', { minutes: 5.5 }, 'INVALID_FORMAT'],
    ['no reason', { reason: undefined }, 'MISSING_FIELD'],
    ['a reason that is too short', { reason: 'ok' }, 'INVALID_FORMAT'],
  ])('%s is refused', async (_, fields, code) => {
    expect((await start(support, { ...READ, ...fields })).body.error.code).toBe(code);
  });
});

describe('it ends', () => {
  const isOver = async (link: string) => (await use(link)).status === 401;

  test('for the person, in the list of their sessions', async () => {
    const { link, session_id } = (await start(support)).body;
    const headers = { authorization: ada.authorization };
    const url = `${services.user}/api/v1/users/me/sessions`;
    const { data } = (await send(url, { headers })).body;
    expect(data.find((each: { session_id: string }) => each.session_id === session_id)).toEqual({
      session_id,
      name: null,
      device: { browser: null, os: null, user_agent: '' },
      address: '',
      place: null,
      began_at: new Date(services.clock.now()).toISOString(),
      last_used_at: new Date(services.clock.now()).toISOString(),
      current: false,
      support: { mode: 'read', operator: support.user_id },
    });
    expect((await send(`${url}/${session_id}`, { method: 'DELETE', headers })).status).toBe(200);
    expect(await isOver(link)).toBe(true);
    expect((await send(url, { headers })).body.data).toHaveLength(1);
    expect((await admin.call('GET', `/support-sessions?person_id=${ada.user_id}`)).body.data).toMatchObject([
      { session_id, live: false, ended_at: null },
    ]);
  });

  test('for its operator, who cannot end that of another one', async () => {
    const { link, session_id } = (await start(support)).body;
    const other = await adminCaller(services, 'support');
    const refused = await end(other, session_id);
    expect(outcome(refused)).toEqual(failure(refused, 403, 'FORBIDDEN', 'Forbidden'));
    expect(await isOver(link)).toBe(false);
    const events = await eventsOf(services, async () => {
      expect(outcome(await end(support, session_id))).toEqual({
        status: 200,
        body: { message: 'Support session ended' },
      });
    });
    expect(events).toMatchObject([
      {
        action: 'admin.support_session_end',
        target: { user_id: ada.user_id, session_id },
        after: { reason: REASON },
      },
    ]);
    expect(await isOver(link)).toBe(true);
    // Again, it changes nothing.
    expect(await eventsOf(services, () => end(support, session_id))).toEqual([]);
    expect((await end(support, 'unknown')).status).toBe(404);
  });

  test('for every admin', async () => {
    const { link, session_id } = (await start(support)).body;
    expect((await end(admin, session_id)).status).toBe(200);
    expect(await isOver(link)).toBe(true);
    expect((await use(link)).status).toBe(401);
  });

  test('a repeated call completes what a kill interrupted', async () => {
    const { link, session_id } = (await start(support)).body;
    await services.db.supportSessions.updateOne({ session_id }, { $set: { ended_at: new Date(0) } });
    expect((await end(support, session_id)).status).toBe(200);
    expect(await isOver(link)).toBe(true);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['when the operator is removed', () => services.db.operators.deleteOne({ _id: admin.user_id })],
    [
      'when the operator is lowered',
      () => services.db.operators.updateOne({ _id: admin.user_id }, { $set: { level: 'support' } }),
    ],
    [
      'when the operator is disabled',
      () => services.db.users.updateOne({ user_id: admin.user_id }, { $set: { account_status: 'disabled' } }),
    ],
  ])('%s', async (_, change) => {
    const { link, session_id } = (await start(admin, FULL)).body;
    const shown = async () =>
      (await support.call('GET', `/support-sessions?operator=${admin.user_id}`)).body.data;
    expect(await shown()).toEqual([
      {
        session_id,
        person_id: ada.user_id,
        operator: admin.user_id,
        mode: 'full',
        reason: REASON,
        began_at: new Date(services.clock.now()).toISOString(),
        expires_at: new Date(services.clock.now() + 30 * 60_000).toISOString(),
        ended_at: null,
        live: true,
      },
    ]);
    await change();
    expect(await isOver(link)).toBe(true);
    expect(await shown()).toMatchObject([{ live: false }]);
  });
});

describe('with ADMIN_APPROVALS', () => {
  let approving: Services;
  beforeAll(async () => {
    approving = await startServices({ env: { PUBLIC_URL, ADMIN_APPROVALS: 'on' } });
  });
  afterAll(() => approving.stop());

  test('a full session waits for another admin, and is then opened once', async () => {
    const { db, clock } = approving;
    const [eve, one] = [await member(db, clock), await adminCaller(approving, 'admin')];
    const path = `/people/${eve.user_id}/support-sessions`;
    const asked = await one.call('POST', path, FULL);
    expect(asked).toMatchObject({ status: 202, body: { act: 'support_session.full', status: 'pending' } });
    expect(await db.supportSessions.countDocuments()).toBe(0);
    await db.approvals.updateOne(
      { approval_id: asked.body.approval_id },
      { $set: { status: 'approved', decided_by: 'User-1', decided_at: new Date(clock.now()) } },
    );
    const [first, second] = await Promise.all([one.call('POST', path, FULL), one.call('POST', path, FULL)]);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.session_id).toBe(first.body.session_id);
    expect(await db.supportSessions.countDocuments()).toBe(1);
    // A repetition gets no more time.
    clock.advance(600);
    expect((await one.call('POST', path, FULL)).body.expires_at).toBe(first.body.expires_at);
    await one.call('DELETE', `/support-sessions/${first.body.session_id}`, { reason: REASON });
    const over = await one.call('POST', path, FULL);
    expect(over).toMatchObject({
      status: 409,
      body: { error: { details: 'The approved support session is over' } },
    });
  });

  test('a read-only one does not wait', async () => {
    const { db, clock } = approving;
    const [eve, one] = [await member(db, clock), await adminCaller(approving, 'support')];
    expect((await one.call('POST', `/people/${eve.user_id}/support-sessions`, READ)).status).toBe(201);
  });
});
