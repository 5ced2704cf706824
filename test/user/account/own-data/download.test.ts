import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { orderedUuid } from '@gatehouse/shared/identity/audit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { auditEvent, eventsOf } from '../../../fixtures/audit.ts';
import { failuresAt, outcome, rateLimited } from '../../../fixtures/envelope.ts';
import { eventually } from '../../../fixtures/eventually.ts';
import { send } from '../../../fixtures/http.ts';
import { bearerOf, newMember } from '../../../fixtures/members.ts';
import { type SsoService, startSsoService } from '../../../sso/sso-service.ts';
import { storeRichLife } from '../deletion/rich-life.ts';

const DAY = 86_400;
/** Marks whatever the document must not hold. */
const SECRET = 'must-stay-here';

let service: SsoService;
beforeAll(async () => {
  service = await startSsoService();
});
afterAll(() => service.stop());

const failure = failuresAt(() => service.clock.now());
const download = (authorization: string) =>
  send(`${service.url}/api/v1/users/me/data`, { headers: { authorization } });
type Owner = Awaited<ReturnType<typeof newMember>>;
const bearer = (user: Owner) => bearerOf(user, service.clock.now());

/** Stores many audit events of a user, a second apart, the newest one a second ago. */
const storeEvents = ({ user_id, email }: Owner, count: number, name: string) =>
  service.db.auditEvents.insertMany(
    Array.from({ length: count }, (_, index) => ({
      event_id: orderedUuid(),
      at: new Date(service.clock.now() - (count - index) * 1000),
      action: 'profile.update' as const,
      outcome: 'success',
      user_id: user_id as string,
      email: email.toLowerCase(),
      target: {},
      before: null,
      after: { name },
      organization_id: null,
      department_id: null,
      address: null,
      request_id: `event ${index}`,
    })),
  );

describe('GET /api/v1/users/me/data', () => {
  test('answers what the account holds, without secrets and without the data of others', async () => {
    const { db, clock } = service;
    // The account is not due before the test ends.
    const later = { ...clock, now: () => clock.now() + 7 * DAY * 1000 };
    const { ada, grace, texts, chatbots, organization_id } = await storeRichLife({ db, clock: later });
    const { user_id } = ada;
    const at = new Date(clock.now() - DAY * 1000);
    const until = new Date(clock.now() + DAY * 1000);
    await db.users.updateOne(
      { user_id },
      {
        $set: {
          password: `${SECRET} password`,
          otp: `${SECRET} code`,
          otp_attempt: SECRET,
          signup_attempts: [{ id: SECRET, at: 1, password: SECRET, name: SECRET }],
          second_factor: {
            id: SECRET,
            secret: SECRET,
            enrolled_at: at,
            last_step: 1,
            recovery_codes: [`${SECRET} 1`, `${SECRET} 2`],
          },
          pending_factor: { id: SECRET, secret: SECRET, created_at: at },
          email_change: {
            id: SECRET,
            email: 'next@lovelace.example',
            code: SECRET,
            expires_at: until,
            wrong_guesses: 0,
          },
          email_undos: [{ id: SECRET, email: 'former@lovelace.example', until }],
          login_networks: [SECRET],
          sign_ins: [{ id: SECRET, day: at }],
          session_names: [{ id: SECRET, name: 'another device' }],
        },
      },
    );
    await db.users.updateOne({ _id: grace._id }, { $set: { name: `${SECRET} of Grace` } });
    await db.webhooks.updateOne(
      { owner_id: user_id },
      {
        $set: {
          secret: SECRET,
          previous_secrets: [{ secret: SECRET, until }],
          headers: [{ name: 'X-Key', value: SECRET }],
        },
      },
    );
    const identity = await db.ssoIdentities.findOne({ user_id });
    await db.ssoConnections.insertOne({
      connection_id: identity?.connection_id,
      name: 'Directory',
      slug: SECRET,
      organization_id,
      scim_token: SECRET,
    } as never);
    await db.ssoSessions.updateOne({ user_id }, { $set: { refresh_token: SECRET } });
    const link = 'google:https://accounts.google.com 1815';
    const unnamed = 'google:https://accounts.google.com 1816';
    for (const _id of [link, unnamed])
      await db.loginNames.insertOne({ _id, user_id: String(user_id), email: null, created_at: at });
    await db.users.updateOne({ user_id }, { $set: { links: [link] } });
    // A field that a later version stores.
    const everything = Object.values(db).filter((each) => typeof each === 'object');
    for (const collection of everything)
      await (collection as typeof db.users).updateMany({}, { $set: { later: SECRET } as never });

    const answer = await download(bearer(ada));
    expect({ status: answer.status, type: answer.headers.get('content-type') }).toEqual({
      status: 200,
      type: 'application/json; charset=utf-8',
    });
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="my-data.json"');
    expect(answer.headers.get('cache-control')).toBe('no-store');

    const { body } = answer;
    expect(Object.keys(body)).toEqual([
      'exported_at',
      'profile',
      'picture',
      'addresses',
      'second_factor',
      'passkeys',
      'keys',
      'sessions',
      'organizations',
      'shared_chatbots',
      'invitations',
      'chatbots',
      'webhooks',
      'identities',
      'links',
      'audit',
    ]);
    expect(body.exported_at).toBe(new Date(clock.now()).toISOString());
    expect(body.profile).toMatchObject({ user_id, email: texts.address, phone: texts.phone, language: null });
    expect(body.addresses).toEqual({
      pending: { email: 'next@lovelace.example', expires_at: until.toISOString() },
      former: [{ email: 'former@lovelace.example', until: until.toISOString() }],
    });
    expect(body.second_factor).toEqual({
      totp: { enrolled_at: at.toISOString() },
      recovery_codes_left: 2,
      reset_at: null,
    });
    expect(body.sessions).toMatchObject([{ current: true, address: '127.0.0.1' }]);
    expect(body.organizations).toMatchObject([
      {
        organization_id,
        name: 'Engines',
        role: 'Owner',
        departments: [{ name: 'Sales' }, { name: 'Support' }],
      },
    ]);
    expect(body.shared_chatbots).toMatchObject([
      { chatbot_id: chatbots.received.chatbot_id, role: 'Editor' },
    ]);
    expect(body.invitations.map((each: { role: string }) => each.role).sort()).toEqual([
      'Editor',
      'Editor',
      'Owner',
    ]);
    const { own, shared, department } = chatbots;
    const idsOf = (records: { chatbot_id: string }[]) => records.map((each) => each.chatbot_id).sort();
    expect(idsOf(body.chatbots)).toEqual(idsOf([own, shared, department]));
    expect(body.webhooks).toMatchObject([{ url: 'https://app.example.com/', headers: ['X-Key'] }]);
    expect(body.identities).toMatchObject([{ connection_name: 'Directory', subject: texts.name }]);
    expect(body.links).toMatchObject([
      { provider: 'google', email: null, identity: 'https://accounts.google.com 1815' },
    ]);

    const listed = await send(`${service.url}/api/v1/users/me/audit?limit=100`, {
      headers: { authorization: bearer(ada) },
    });
    expect(body.audit).toEqual(listed.body.data);
    expect(body.audit.map((each: { action: string }) => each.action)).toEqual([
      'account.export',
      ...['invitation.accept', 'scim.user', 'department.update', 'profile.update', 'login', 'login'],
    ]);

    const text = JSON.stringify(body);
    expect(text).not.toContain(SECRET);
    for (const theirs of [grace.email, 'grace@example.com', '192.0.2.8', '_id"', 'friend-'])
      expect(text.replaceAll(/"\w+_id"/g, '').toLowerCase()).not.toContain(theirs.toLowerCase());
  });

  test('answers empty lists for a new account', async () => {
    const answer = await download(bearer(await newMember(service.db)));
    expect(answer.body).toMatchObject({
      addresses: { pending: null, former: [] },
      second_factor: { totp: null, recovery_codes_left: 0, reset_at: null },
      passkeys: [],
      organizations: [],
      shared_chatbots: [],
      invitations: [],
      chatbots: [],
      webhooks: [],
      identities: [],
      links: [],
    });
  });

  test('leaves one audit event', async () => {
    const ada = await newMember(service.db);
    const events = await eventsOf(service, () => download(bearer(ada)));
    const { user_id, email } = ada;
    expect(events).toEqual([
      auditEvent(service.clock.now(), {
        action: 'account.export',
        user_id: user_id as string,
        email: email.toLowerCase(),
      }),
    ]);
  });

  test('is told by mail once a day', async () => {
    const ada = await newMember(service.db);
    const mails = () =>
      service.mailbox.mails.filter(
        ({ recipients, content }) =>
          recipients.includes(ada.email) && content.subject === 'The data of your account was downloaded',
      );
    const head = { method: 'HEAD', headers: { authorization: bearer(ada) } };
    await fetch(`${service.url}/api/v1/users/me/data`, head);
    expect(await service.db.users.findOne({ _id: ada._id })).not.toHaveProperty('data_notice_at');
    expect((await download(bearer(ada))).status).toBe(200);
    await eventually(() => expect(mails()).toHaveLength(1));
    await Promise.all([download(bearer(ada)), download(bearer(ada))]);
    expect(await service.db.users.findOne({ _id: ada._id })).not.toHaveProperty('notices');
    service.clock.advance(DAY);
    await Promise.all([download(bearer(ada)), download(bearer(ada))]);
    await eventually(() => expect(mails()).toHaveLength(2));
    expect(await service.db.users.findOne({ _id: ada._id })).not.toHaveProperty('notices');
  });

  test('refuses a session that is not fresh', async () => {
    const authorization = bearer(await newMember(service.db));
    service.clock.advance(601);
    const answer = await download(authorization);
    expect(outcome(answer)).toEqual(
      failure(answer, 403, 'CONFIRMATION_REQUIRED', 'Please confirm that it is you', {
        methods: ['password'],
      }),
    );
  });

  test('refuses an account without a user_id', async () => {
    const old = await newMember(service.db, { user_id: undefined });
    const answer = await download(bearer(old));
    expect(outcome(answer)).toEqual(failure(answer, 403, 'FORBIDDEN', 'Forbidden'));
  });

  test('three downloads a day, not counting HEAD', async () => {
    const ada = await newMember(service.db);
    const events = await eventsOf(service, async () => {
      const headers = { authorization: bearer(ada) };
      const head = await fetch(`${service.url}/api/v1/users/me/data`, { method: 'HEAD', headers });
      expect([head.status, await head.text()]).toEqual([200, '']);
    });
    expect(events).toEqual([]);
    for (const _ of [1, 2, 3]) expect((await download(bearer(ada))).status).toBe(200);
    expect(outcome(await download(bearer(ada)))).toEqual(rateLimited(3, DAY, service.clock.now()));
    expect((await download(bearer(await newMember(service.db)))).status).toBe(200);
    service.clock.advance(DAY);
    expect((await download(bearer(ada))).status).toBe(200);
  });

  test('holds 10,000 audit events, each once and the newest first', async () => {
    const ada = await newMember(service.db);
    await storeEvents(ada, 10_000, 'Ada');
    const { body } = await download(bearer(ada));
    expect(body.audit.map((each: { request_id: string }) => each.request_id).slice(1)).toEqual(
      Array.from({ length: 10_000 }, (_, index) => `event ${9_999 - index}`),
    );
  });

  test('stops reading when the client disconnects', async () => {
    const ada = await newMember(service.db);
    // More than the buffers of both sockets hold.
    await storeEvents(ada, 4_000, 'x'.repeat(8_000));
    const { auditEvents } = service.db;
    const find = auditEvents.find.bind(auditEvents);
    const cursors: ReturnType<typeof find>[] = [];
    const spy = vi.spyOn(auditEvents, 'find').mockImplementation(((...given: Parameters<typeof find>) => {
      const cursor = find(...given);
      if (given[1]?.batchSize) cursors.push(cursor);
      return cursor;
    }) as never);
    try {
      const request = get(`${service.url}/api/v1/users/me/data`, { headers: { authorization: bearer(ada) } });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      await eventually(() => expect(cursors).toHaveLength(1));
      response.destroy();
      // A cursor that was read to its end is not killed.
      await eventually(() => expect(cursors[0]?.killed).toBe(true));
    } finally {
      spy.mockRestore();
    }
  });
});
