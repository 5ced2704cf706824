import { randomUUIDv7 } from 'node:crypto';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { TOTP } from 'otpauth';
import { beforeAll, describe, expect, test } from 'vitest';
import { EVENTS, type EventName } from '../../../packages/webhooks/events.ts';
import { ownEventsOf } from '../../../packages/webhooks/relay/own-events.ts';
import { endWithGrants } from '../../../services/user/access/departures/end-with-grants.ts';
import { softwareAuthenticator } from '../../fixtures/authenticator.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { decodeToken, postForm, send, sendJson } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { logIn, register } from '../../fixtures/passkeys.ts';
import { mailedCode } from '../../fixtures/services.ts';
import { storeOrganization } from '../../user/access/store-organization.ts';
import { hostOf } from '../host.ts';
import { receiver, service, withWebhooks } from '../with-webhooks.ts';

withWebhooks({ env: { PASSWORD_STORAGE: 'plain' } });

/** The events of an account once everything is relayed, oldest first. */
async function eventsOf(owner_id: string) {
  await eventually(async () => (await service.db.auditEvents.countDocuments({ relay: true })) === 0);
  const events = await service.db.events.find({ owner_id }).sort({ accepted_at: 1, _id: 1 }).toArray();
  return events.map(({ payload }) => JSON.parse(payload));
}

const timestamp = () => new Date(service.clock.now()).toISOString();
const post = (path: string, form: Record<string, string>) => postForm(`${service.user}/v2/${path}`, form);

test('a person who changes password and address has an event for each, without the address', async () => {
  const ada = await newMember(service.db, { name: 'Ada' });
  const user_id = ada.user_id as string;
  const email = 'ada@elsewhere.example';
  const change = (path: string, body: object) =>
    sendJson('POST', `${service.user}/api/v1/users/me/${path}`, body, {
      authorization: bearerOf(ada, service.clock.now()),
    });
  expect((await change('password', { new_password: 'another' })).status).toBe(200);
  service.clock.advance(1);
  await change('email', { email });
  const code = mailedCode(service.mailbox, email);
  expect((await change('email/verify', { code: '' })).status).toBe(400);
  expect((await change('email/verify', { code })).status).toBe(200);
  expect((await eventsOf(user_id)).map(({ event, data }) => ({ event, data }))).toEqual([
    { event: 'password.changed', data: { user_id, first: false } },
    { event: 'user.updated', data: { user_id, name: 'Ada', changed: ['email'] } },
  ]);
});

describe('an account', () => {
  const email = 'Grace@example.com';
  let user_id: string;

  test('that verifies its signup is created, once', async () => {
    await post('signup', { email, password: 'secret', name: 'Grace' });
    const form = { email, otp: mailedCode(service.mailbox, email) };
    const answers = await Promise.all([post('verify-otp', form), post('verify-otp', form)]);
    // Either call may win; the other finds no code.
    user_id = answers.find(({ status }) => status === 200)?.body.user_id;
    await post('verify-otp', form);
    expect(await eventsOf(user_id)).toEqual([
      {
        event: 'user.created',
        timestamp: timestamp(),
        data: { user_id, name: 'Grace', email, source: 'signup' },
      },
    ]);
  });

  test('that logs in has a new session; a refused login is no event', async () => {
    await postForm(`${service.login}/v2/login`, { email, password: 'wrong' });
    const { body } = await postForm(`${service.login}/v2/login`, { email, password: 'secret' });
    const { sid } = decodeToken(body.token).header;
    const data = { session_id: sid, user_id, method: 'password', connection_id: null };
    const events = await eventsOf(user_id);
    expect(events.filter(({ event }) => event !== 'user.created')).toEqual([
      { event: 'session.created', timestamp: timestamp(), data },
    ]);
  });

  test('that changes its profile is updated; what stays the same is no event', async () => {
    const { body } = await postForm(`${service.login}/v2/login`, { email, password: 'secret' });
    const headers = { authorization: `Bearer ${body.token}` };
    const change = (fields: object) => sendJson('PATCH', `${service.user}/api/v1/users/me`, fields, headers);
    await change({ name: 'Grace Hopper', phone: '+44 20 7946 0000' });
    await change({ name: 'Grace Hopper' });
    const events = await eventsOf(user_id);
    expect(events.filter(({ event }) => event === 'user.updated')).toEqual([
      {
        event: 'user.updated',
        timestamp: timestamp(),
        data: { user_id, name: 'Grace Hopper', changed: ['name', 'phone'] },
      },
    ]);
  });

  test('that enrolls a second factor and removes it has an event of each', async () => {
    const { body } = await postForm(`${service.login}/v2/login`, { email, password: 'secret' });
    const headers = { authorization: `Bearer ${body.token}` };
    const totp = `${service.user}/api/v1/users/me/factors/totp`;
    const { enrollment_id, secret } = (await send(totp, { method: 'POST', headers })).body;
    const code = new TOTP({ secret }).generate({ timestamp: service.clock.now() });
    await sendJson('POST', `${totp}/confirm`, { enrollment_id, code: '1' }, headers);
    await sendJson('POST', `${totp}/confirm`, { enrollment_id, code }, headers);
    await send(totp, { method: 'DELETE', headers });
    const events = await eventsOf(user_id);
    const data = { user_id, name: 'Grace Hopper' };
    expect(events.filter(({ event }) => event.startsWith('user.factor_'))).toEqual([
      { event: 'user.factor_enabled', timestamp: timestamp(), data },
      { event: 'user.factor_disabled', timestamp: timestamp(), data },
    ]);
  });

  test('that registers a passkey, logs in with it and removes it has an event of each', async () => {
    const { body } = await postForm(`${service.login}/v2/login`, { email, password: 'secret' });
    const authorization = `Bearer ${body.token}`;
    const authenticator = softwareAuthenticator();
    const registered = await register(service, { authorization }, authenticator);
    expect((await logIn(service, authenticator)).status).toBe(200);
    const url = `${service.user}/api/v1/users/me/passkeys/${registered.body.passkey_id}`;
    expect((await send(url, { method: 'DELETE', headers: { authorization } })).status).toBe(200);
    const events = await eventsOf(user_id);
    const data = { user_id, name: 'Grace Hopper' };
    expect(events.filter(({ event }) => event.startsWith('user.passkey_'))).toEqual([
      { event: 'user.passkey_added', timestamp: timestamp(), data },
      { event: 'user.passkey_removed', timestamp: timestamp(), data },
    ]);
    const methods = events.filter(({ event }) => event === 'session.created').map((event) => event.data);
    expect(methods).toContainEqual(expect.objectContaining({ method: 'passkey' }));
  });

  test('that replaces its password has a reset', async () => {
    await post('forgot-password', { email });
    const otp = mailedCode(service.mailbox, email);
    await post('reset-password', { email, otp, new_password: 'another' });
    expect((await eventsOf(user_id)).filter(({ event }) => event === 'password.reset')).toEqual([
      { event: 'password.reset', timestamp: timestamp(), data: { user_id } },
    ]);
  });

  test('that creates an organization is its first member', async () => {
    service.clock.advance(1); // the reset has ended the sessions of its second
    const { body: token } = await postForm(`${service.login}/v2/login`, { email, password: 'another' });
    const headers = { authorization: `Bearer ${token.token}` };
    const organization = { name: 'Analytical Engines' };
    const { body } = await sendJson('POST', `${service.user}/api/v1/organizations`, organization, headers);
    const events = await eventsOf(user_id);
    expect(events.filter(({ event }) => event.startsWith('organization.'))).toEqual([
      {
        event: 'organization.member.added',
        timestamp: timestamp(),
        data: {
          organization_id: body.organization_id,
          department_id: null,
          user_id,
          name: 'Grace Hopper',
          role: 'Owner',
        },
      },
    ]);
  });
});

test('a webhook gets the logins of its account, signed like every delivery', async () => {
  const ada = await service.person();
  const webhook_id = await ada.configure({ url: receiver.url, events: ['session.created'] });
  const account = await service.db.users.findOne({ user_id: ada.user_id });
  await postForm(`${service.login}/v2/login`, { email: account?.email ?? '', password: 'secret' });
  await service.settled(webhook_id, 'delivered');
  const login = await service.db.auditEvents.findOne({ action: 'login', user_id: ada.user_id });
  expect(receiver.ids()).toEqual([login?.event_id]);
});

/** Builds the events of one audit event without relaying it. */
async function incomingOf(fields: Partial<AuditEvent> & Pick<AuditEvent, 'action'>) {
  const event: AuditEvent = {
    event_id: randomUUIDv7(),
    at: new Date(service.clock.now()),
    outcome: 'success',
    user_id: null,
    email: null,
    target: {},
    before: null,
    after: null,
    organization_id: null,
    department_id: null,
    address: '127.0.0.1',
    request_id: 'asked-1',
    ...fields,
  };
  const [relayed] = await ownEventsOf({ db: service.db, host: hostOf(service.db) }, [event]);
  expect(relayed?.problems).toEqual([]);
  return { event_id: event.event_id, incoming: relayed?.incoming ?? [] };
}

describe('the events of an audit event', () => {
  const place = { organization_id: 'org-1', department_id: 'dep-1' };
  const invitation = {
    ...place,
    invitation_id: 'inv-1',
    role: 'Editor',
    email: 'new@example.com',
    user_id: null,
  };
  const target = { invitation_id: 'inv-1', email: 'new@example.com' };
  const role = { role: 'Editor' };
  let grace: { user_id: string; name: string };
  beforeAll(async () => {
    const { user_id, name } = await newMember(service.db, { name: 'Grace' });
    grace = { user_id: String(user_id), name };
  });

  test.each<
    [string, (user_id: string) => Partial<AuditEvent> & Pick<AuditEvent, 'action'>, [EventName, object][]]
  >([
    [
      'a new member',
      (user_id) => ({ action: 'member.grant', target: { user_id }, after: role, ...place }),
      [['organization.member.added', { ...place, role: 'Editor' }]],
    ],
    [
      'another role',
      (user_id) => ({
        action: 'member.grant',
        target: { user_id },
        before: { role: 'Viewer' },
        after: role,
        ...place,
      }),
      [['organization.member.role_changed', { ...place, role: 'Editor', previous_role: 'Viewer' }]],
    ],
    [
      'the same role',
      (user_id) => ({ action: 'member.grant', target: { user_id }, before: role, after: role, ...place }),
      [],
    ],
    [
      'a removed member',
      (user_id) => ({ action: 'member.remove', target: { user_id }, before: role, ...place }),
      [['organization.member.removed', { ...place, role: 'Editor' }]],
    ],
    [
      'a former Owner',
      (user_id) => ({
        action: 'owner.remove',
        target: { user_id },
        before: { role: 'Owner' },
        organization_id: 'org-1',
      }),
      [['organization.member.removed', { organization_id: 'org-1', department_id: null, role: 'Owner' }]],
    ],
  ])('%s', async (_what, audited, expected) => {
    const { event_id, incoming } = await incomingOf(audited(grace.user_id));
    expect(incoming).toEqual(
      expected.map(([event, data]) => ({
        id: event_id,
        event,
        audience: {
          owner_id: grace.user_id,
          organization_id: 'org-1',
          department_id: null,
          chatbot_id: null,
          ...('department_id' in data && { department_id: data.department_id }),
        },
        timestamp: timestamp(),
        data: { ...data, ...grace },
      })),
    );
  });

  test.each<[AuditEvent['action'], EventName, object]>([
    ['invitation.create', 'invitation.created', { invited_by: 'User-1' }],
    ['invitation.withdraw', 'invitation.withdrawn', {}],
  ])('%s by e-mail names only the address', async (action, event, more) => {
    const { incoming } = await incomingOf({ action, user_id: 'User-1', target, after: role, ...place });
    expect(incoming).toMatchObject([
      { event, audience: { owner_id: null, ...place }, data: { ...invitation, ...more } },
    ]);
  });

  test('an accepted invitation also adds the member, under an id of its own', async () => {
    const { user_id } = grace;
    const { event_id, incoming } = await incomingOf({
      action: 'invitation.accept',
      target: { user_id, invitation_id: 'inv-1' },
      after: role,
      ...place,
    });
    expect(incoming).toMatchObject([
      { id: event_id, event: 'invitation.accepted', data: { ...invitation, email: null, user_id } },
      {
        id: `${event_id}:1`,
        event: 'organization.member.added',
        data: { ...place, ...grace, role: 'Editor' },
      },
    ]);
  });

  test('an accepted offer to become an Owner adds no member; its `owner.add` does', async () => {
    const { user_id } = grace;
    const { incoming } = await incomingOf({
      action: 'invitation.accept',
      target: { user_id, invitation_id: 'inv-1' },
      after: { role: 'Owner' },
      organization_id: 'org-1',
    });
    expect(incoming.map(({ event }) => event)).toEqual(['invitation.accepted']);
  });

  test('those of an account reach all its organizations, without its address or device', async () => {
    const { user_id } = grace;
    const owned = (await storeOrganization(service.db, { owners: [user_id], departments: ['A'], now: 0 }))
      .organization;
    const other = await storeOrganization(service.db, {
      owners: ['User-1'],
      departments: ['A', 'B'],
      now: 0,
    });
    await service.db.memberships.insertMany(
      other.departments.map((department) => ({
        membership_id: randomUUIDv7(),
        organization_id: department.organization_id,
        department_id: department.department_id,
        user_id,
        role: 'Viewer' as const,
        granted_by: 'User-1',
        granted_at: timestamp(),
      })),
    );
    const session = { id: 'sid-1', device: 'Browser/1.0', expires_at: new Date() };
    const { incoming } = await incomingOf({ action: 'login', user_id, session });
    const organizations = [owned.organization_id, other.organization.organization_id].toSorted();
    expect(incoming).toMatchObject([
      { audience: { owner_id: user_id, organization_id: null, other_organization_ids: organizations } },
    ]);
    expect(JSON.stringify(incoming)).not.toMatch(/Browser|127\.0\.0\.1|@/);
  });

  test('reach an organization only from the time of the membership', async () => {
    const { db } = service;
    const user_id = String((await newMember(db)).user_id);
    const hour = (hours: number) => new Date(Date.UTC(2026, 0, 15, hours));
    const owner = { user_id, granted_by: 'User-1', granted_at: hour(12).toISOString() };
    const { organization } = await storeOrganization(db, { owners: [], departments: ['A'], now: 0 });
    await db.organizations.updateOne(organization, { $set: { owners: [owner] } });
    const place = { organization_id: 'left', department_id: 'd1', user_id };
    const membership = { ...place, membership_id: randomUUIDv7(), role: 'Viewer' as const };
    await db.memberships.insertOne({
      ...membership,
      granted_by: 'User-1',
      granted_at: hour(9).toISOString(),
      joined_at: hour(10),
    });
    await endWithGrants(db, place, +hour(14), () => db.memberships.findOneAndDelete(place));
    const heard = async (at: Date) => {
      const { incoming } = await incomingOf({
        action: 'login',
        user_id,
        at,
        session: { id: 's', device: 'd', expires_at: at },
      });
      return incoming[0]?.audience.other_organization_ids ?? [];
    };
    expect(await heard(hour(9))).toEqual([]);
    expect(await heard(hour(11))).toEqual(['left']);
    expect(await heard(hour(13))).toEqual([organization.organization_id, 'left'].toSorted());
    expect(await heard(hour(15))).toEqual([organization.organization_id]);
  });

  test('the creation of an account reaches the organizations that know its address', async () => {
    const { user_id = '', email, name } = await newMember(service.db);
    const membership = { user_id, role: 'Viewer' as const, granted_by: 'User-1', granted_at: timestamp() };
    await service.db.memberships.insertMany([
      {
        ...membership,
        membership_id: 'm1',
        organization_id: 'invited',
        department_id: 'd1',
        email: email.toLowerCase(),
      },
      { ...membership, membership_id: 'm2', organization_id: 'added', department_id: 'd2' },
    ]);
    const fields = { target: { user_id, connection_id: 'c1' }, organization_id: 'corp' };
    const after = { account: 'created', role: 'Viewer' };
    const { incoming } = await incomingOf({ action: 'sso.link', ...fields, after });
    expect(incoming).toMatchObject([
      {
        id: `user-created_${user_id}`,
        event: 'user.created',
        audience: { owner_id: user_id, organization_id: 'corp', other_organization_ids: ['invited'] },
        data: { user_id, email, name, source: 'sso' },
      },
    ]);
    const linked = await incomingOf({ action: 'sso.link', ...fields, after: { account: 'linked' } });
    expect(linked.incoming).toEqual([]);
    const disabled = await incomingOf({
      action: 'scim.user',
      ...fields,
      after: { account_status: 'disabled' },
    });
    expect(disabled.incoming).toMatchObject([
      {
        id: disabled.event_id,
        event: 'user.disabled',
        audience: { owner_id: user_id, organization_id: 'corp' },
        data: { user_id, name, organization_id: 'corp' },
      },
      {
        id: `${disabled.event_id}:elsewhere`,
        event: 'user.disabled',
        audience: { owner_id: null, organization_id: null, other_organization_ids: ['added', 'invited'] },
        data: { user_id, name, organization_id: null },
      },
    ]);
  });

  test('hide from other organizations of the account where it logged in or was disabled', async () => {
    const { user_id = '' } = await newMember(service.db);
    await storeOrganization(service.db, { owners: [user_id], departments: ['A'], now: 0 });
    const session = { id: 'sid-1', device: 'Browser/1.0', expires_at: new Date() };
    const fields = { organization_id: 'corp', target: { user_id, connection_id: 'connection of corp' } };
    const audited = [
      { action: 'sso.login', user_id, session, ...fields },
      { action: 'scim.user', after: { account_status: 'disabled' }, ...fields },
    ] as const;
    for (const event of audited) {
      const { incoming } = await incomingOf(event);
      const elsewhere = incoming.filter(({ audience }) => audience.other_organization_ids);
      expect(elsewhere).toHaveLength(1);
      expect(JSON.stringify(elsewhere)).not.toContain('corp');
      expect(incoming.filter(({ audience }) => audience.owner_id === user_id)).toHaveLength(1);
    }
  });
});

test.each(Object.entries(EVENTS))('the example of %s fits its schema', (_event, { data, example }) => {
  expect(data.parse(example)).toEqual(example);
});
