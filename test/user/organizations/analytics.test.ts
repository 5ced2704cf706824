import { randomUUIDv7 } from 'node:crypto';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { beforeEach, describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { postForm } from '../../fixtures/http.ts';
import { malformed } from '../access/failures.ts';
import type { Person, Team } from './organization-service.ts';
import { service, withOrganizations } from './with-organizations.ts';

const DAY = 86_400_000;

let team: Team;
withOrganizations();
beforeEach(async () => {
  // At noon, so that no test crosses midnight unless it means to.
  service.clock.advance((1.5 * DAY - (service.clock.now() % DAY)) / 1000);
  team = await service.newTeam();
});

const analytics = (query = '', { ada, place } = team) => ada.call('GET', `${place}/analytics${query}`);
const midnight = () => service.clock.now() - (service.clock.now() % DAY);
const date = (daysAgo: number) => new Date(midnight() - daysAgo * DAY).toISOString().slice(0, 10);

/** Stores an audit event of the department. */
const store = (at: number, fields: Partial<AuditEvent> = {}) =>
  service.db.auditEvents.insertOne({
    event_id: randomUUIDv7(),
    at: new Date(at),
    action: 'chatbot.update',
    outcome: 'success',
    email: 'somebody@example.com',
    user_id: team.people.Editor.user_id,
    target: {},
    before: null,
    after: null,
    organization_id: team.organization_id,
    department_id: team.department_id,
    request_id: 'request',
    address: '127.0.0.1',
    ...fields,
  });
const days = async (query: string, of = team) =>
  (await analytics(query, of)).body.activity.map(({ events }: { events: number }) => events);

const NOBODY = { Owner: 0, Admin: 0, Editor: 0, Viewer: 0, Analyst: 0 };

describe('GET …/departments/{department_id}/analytics', () => {
  test('returns thirty days for a new department', async () => {
    const { department_id, place } = await service.newDepartment(team.ada, team.organization_id);
    expect(outcome(await team.ada.call('GET', `${place}/analytics`))).toStrictEqual({
      status: 200,
      body: {
        department_id,
        users: { total: 0, by_role: NOBODY },
        chatbots: {
          total: 0,
          by_status: { active: 0, paused: 0 },
          by_type: { '3d': 0, text: 0, voice: 0 },
        },
        // Its creation.
        activity: Array.from({ length: 30 }, (_, day) => ({
          date: date(29 - day),
          events: day === 29 ? 1 : 0,
          by_action: day === 29 ? { 'department.create': 1 } : {},
        })),
      },
    });
  });

  test('counts members by role, chatbots by status and type, and what happened by day', async () => {
    const { people, place, department_id, organization_id, ada } = team;
    await service.addMember(ada, place, await service.newPerson(), 'Editor');
    await service.storeInvitation(team, { email: 'waiting@example.com' });
    for (const type of ['3d', '3d', 'text']) await service.newChatbot(people.Editor, department_id, { type });
    const { chatbot_id } = await service.newChatbot(people.Owner, department_id, { type: 'voice' });
    await people.Owner.ask('PATCH', `/api/v1/chatbots/${chatbot_id}`, { status: 'paused' });
    // Not counted: another department and a personal chatbot.
    const sibling = await service.newDepartment(ada, organization_id);
    await service.addMember(ada, sibling.place, people.Viewer, 'Admin');
    await service.newChatbot(ada, sibling.department_id);
    await ada.ask('POST', '/api/v1/chatbots/create', {
      name: 'Own',
      type: '3d',
      avatar_id: 'avatar-7',
      language: 'en',
    });
    const { email } = people.Viewer;
    for (const password of ['secret', 'wrong', 'secret'])
      await postForm(`${service.login}/v2/login`, { email, password });
    await postForm(`${service.login}/v2/login`, { email: ada.email, password: 'secret' });
    expect(outcome(await people.Analyst.call('GET', `${place}/analytics?days=2`))).toStrictEqual({
      status: 200,
      body: {
        department_id,
        users: { total: 6, by_role: { Owner: 1, Admin: 1, Editor: 2, Viewer: 1, Analyst: 1 } },
        chatbots: {
          total: 4,
          by_status: { active: 3, paused: 1 },
          by_type: { '3d': 2, text: 1, voice: 1 },
        },
        activity: [
          { date: date(1), events: 0, by_action: {} },
          {
            date: date(0),
            events: 7,
            by_action: {
              'chatbot.create': 4,
              'chatbot.update': 1,
              'invitation.create': 1,
              'invitation.accept': 1,
            },
          },
        ],
      },
    });
    expect(await days('?days=1', { ...team, place: sibling.place })).toEqual([3]);
  });

  test('does not count what members do elsewhere', async () => {
    const { user_id } = team.people.Viewer;
    const elsewhere = await service.newTeam();
    const now = service.clock.now();
    const nowhere = { user_id, organization_id: null, department_id: null };
    await store(now, { ...nowhere, action: 'login' });
    await store(now, { ...nowhere, action: 'profile.update' });
    await store(now, { user_id, department_id: null, action: 'owner.add' });
    const { organization_id, department_id } = elsewhere;
    await store(now, { user_id, organization_id, department_id });
    expect(await days('?days=1')).toEqual([0]);
    expect(await days('?days=1', elsewhere)).toEqual([1]);
  });

  test('counts by UTC day, from its first millisecond to its last', async () => {
    const today = midnight();
    for (const [at, times] of [
      [today, 1],
      [today - 1, 2],
      [today - DAY, 4],
      [today - DAY - 1, 8],
      [today - 2 * DAY, 16],
      [today - 2 * DAY - 1, 32],
    ] as const)
      for (let time = 0; time < times; time += 1) await store(at);
    expect(await days('?days=1')).toEqual([1]);
    expect(await days('?days=2')).toEqual([6, 1]);
    expect(await days('?days=3')).toEqual([24, 6, 1]);
    expect((await days('')).reverse().slice(0, 5)).toEqual([1, 6, 24, 32, 0]);
    expect((await days('?days=90')).length).toBe(90);
  });

  test('counts bills only for those who may view them', async () => {
    const { ada, people, place } = team;
    await ada.call('PATCH', `${place}/billing`, { subscription_plan: 'Starter' });
    await store(service.clock.now());
    const seen = async (caller: Person) =>
      (await caller.call('GET', `${place}/analytics?days=1`)).body.activity[0].by_action;
    for (const caller of [ada, people.Owner])
      expect(await seen(caller)).toStrictEqual({ 'billing.plan': 1, 'chatbot.update': 1 });
    for (const caller of [people.Admin, people.Analyst])
      expect(await seen(caller)).toStrictEqual({ 'chatbot.update': 1 });
  });

  test('starts a new day at midnight', async () => {
    await store(service.clock.now());
    const seconds = (midnight() + DAY - service.clock.now()) / 1000;
    const before = date(0);
    const counted = { date: before, events: 1, by_action: { 'chatbot.update': 1 } };
    service.clock.advance(seconds - 1);
    expect((await analytics('?days=1')).body.activity).toStrictEqual([counted]);
    service.clock.advance(1);
    const after = new Date(service.clock.now()).toISOString().slice(0, 10);
    expect(service.clock.now() % DAY).toBe(0);
    expect((await analytics('?days=2')).body.activity).toStrictEqual([
      counted,
      { date: after, events: 0, by_action: {} },
    ]);
  });

  const DAYS = 'days must be an integer from 1 to 90';
  test.each([
    ['days=0', DAYS],
    ['days=91', DAYS],
    ['days=-1', DAYS],
    ['days=', DAYS],
    ['days=07', DAYS],
    ['days=7.0', DAYS],
    ['days=1e1', DAYS],
    ['days=7&days=8', DAYS],
    ['days[$gt]=1', 'querystring holds an unknown parameter'],
    ['from=2026-01-01', 'querystring holds an unknown parameter'],
    ['department_id=x', 'querystring holds an unknown parameter'],
    ['page=1', 'querystring holds an unknown parameter'],
  ])('refuses ?%s', async (query, details) => {
    expect(outcome(await analytics(`?${query}`))).toStrictEqual(malformed(details, service.clock));
  });
});

test('does not mix organizations that share a member', async () => {
  const other = await service.newTeam();
  const { Viewer } = team.people;
  await service.addMember(other.ada, other.place, Viewer, 'Analyst');
  await service.newChatbot(other.ada, other.department_id);
  const { users, chatbots } = (await analytics()).body;
  expect({ users, chatbots }).toMatchObject({ users: { total: 5 }, chatbots: { total: 0 } });
  expect((await analytics('', other)).body).toMatchObject({
    users: { total: 6, by_role: { Viewer: 1, Analyst: 2 } },
    chatbots: { total: 1 },
  });
});
