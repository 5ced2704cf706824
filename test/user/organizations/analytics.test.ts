import { randomUUIDv7 } from 'node:crypto';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { postForm } from '../../fixtures/http.ts';
import { malformed } from '../access/failures.ts';
import { type OrganizationService, startOrganizationService, type Team } from './organization-service.ts';

const DAY = 86_400_000;

let service: OrganizationService;
let team: Team;
beforeAll(async () => {
  service = await startOrganizationService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  // At noon, so that no test crosses midnight unless it means to.
  service.clock.advance((1.5 * DAY - (service.clock.now() % DAY)) / 1000);
  team = await service.newTeam();
});

const analytics = (query = '', { ada, place } = team) => ada.call('GET', `${place}/analytics${query}`);
const midnight = () => service.clock.now() - (service.clock.now() % DAY);
/** Makes every member one since 1970. */
const backdateMembers = () => service.db.memberships.updateMany({}, { $set: { joined_at: new Date(0) } });
const date = (daysAgo: number) => new Date(midnight() - daysAgo * DAY).toISOString().slice(0, 10);

/** Stores the audit event of a login. */
const login = (user_id: string | null, at: number, fields: Partial<AuditEvent> = {}) =>
  service.db.auditEvents.insertOne({
    event_id: randomUUIDv7(),
    at: new Date(at),
    action: 'login',
    outcome: 'success',
    email: 'somebody@example.com',
    user_id,
    target: {},
    before: null,
    after: null,
    organization_id: null,
    department_id: null,
    request_id: 'request',
    address: '127.0.0.1',
    ...fields,
  });
const days = async (query: string, of = team) =>
  (await analytics(query, of)).body.logins.map(({ logins }: { logins: number }) => logins);

const NOBODY = { Owner: 0, Admin: 0, Editor: 0, Viewer: 0, Analyst: 0 };

describe('GET …/departments/{department_id}/analytics', () => {
  test('returns zeros for thirty days for a new department', async () => {
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
        logins: Array.from({ length: 30 }, (_, day) => ({ date: date(29 - day), logins: 0 })),
      },
    });
  });

  test('counts members by role, chatbots by status and type, and logins by day', async () => {
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
        logins: [
          { date: date(1), logins: 0 },
          { date: date(0), logins: 2 },
        ],
      },
    });
    const logins = await days('?days=1', { ...team, place: sibling.place });
    expect(logins).toEqual([2]);
  });

  test('ignores logins from before a member joined', async () => {
    const { ada, place } = team;
    const now = service.clock.now();
    const [newcomer, moved] = [await service.newPerson(), await service.newPerson()];
    for (const { user_id } of [newcomer, moved]) for (const at of [now - 1, now]) await login(user_id, at);
    await service.addMember(ada, place, newcomer, 'Viewer');
    await service.addMember(ada, place, moved, 'Viewer');
    expect(await days('?days=1')).toEqual([2]);
    await service.db.memberships.updateOne(
      { user_id: moved.user_id },
      { $set: { joined_at: new Date(now - 1) } },
    );
    expect(await days('?days=1')).toEqual([3]);
    // A new role does not change when they joined.
    service.clock.advance(1);
    await service.addMember(ada, place, moved, 'Editor');
    expect(await days('?days=1')).toEqual([3]);
  });

  test('counts by UTC day, from its first millisecond to its last', async () => {
    await backdateMembers();
    const { user_id } = team.people.Viewer;
    const today = midnight();
    for (const [at, times] of [
      [today, 1],
      [today - 1, 2],
      [today - DAY, 4],
      [today - DAY - 1, 8],
      [today - 2 * DAY, 16],
      [today - 2 * DAY - 1, 32],
    ] as const)
      for (let time = 0; time < times; time += 1) await login(user_id, at);
    expect(await days('?days=1')).toEqual([1]);
    expect(await days('?days=2')).toEqual([6, 1]);
    expect(await days('?days=3')).toEqual([24, 6, 1]);
    expect((await days('')).reverse().slice(0, 5)).toEqual([1, 6, 24, 32, 0]);
    expect((await days('?days=90')).length).toBe(90);
  });

  test('counts only successful logins of members', async () => {
    const { Analyst, Viewer } = team.people;
    const stranger = await service.newPerson();
    const now = service.clock.now();
    await login(Analyst.user_id, now);
    await login(stranger.user_id, now);
    await login(null, now);
    await login(team.ada.user_id, now); // an Owner of the organization, not a member
    for (const refusal of ['accountDoesNotExist', 'invalidCredentials', 'accountNotVerified', 'Success'])
      await login(Analyst.user_id, now, { outcome: refusal });
    await login(Analyst.user_id, now, { action: 'logout' as 'login' });
    await login(Viewer.user_id, now, { email: 'other@example.com' });
    expect(await days('?days=1')).toEqual([2]);
    await team.ada.call('DELETE', `${team.place}/members/${Viewer.user_id}`);
    expect(await days('?days=1')).toEqual([1]);
    expect((await analytics()).body.users).toStrictEqual({
      total: 4,
      by_role: { ...NOBODY, Owner: 1, Admin: 1, Editor: 1, Analyst: 1 },
    });
  });

  test('starts a new day at midnight', async () => {
    const { user_id } = team.people.Viewer;
    await login(user_id, service.clock.now());
    const seconds = (midnight() + DAY - service.clock.now()) / 1000;
    const before = date(0);
    service.clock.advance(seconds - 1);
    expect((await analytics('?days=1')).body.logins).toStrictEqual([{ date: before, logins: 1 }]);
    service.clock.advance(1);
    const after = new Date(service.clock.now()).toISOString().slice(0, 10);
    expect(service.clock.now() % DAY).toBe(0);
    expect((await analytics('?days=2')).body.logins).toStrictEqual([
      { date: before, logins: 1 },
      { date: after, logins: 0 },
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
