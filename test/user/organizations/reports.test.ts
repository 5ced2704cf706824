import { randomUUIDv7 } from 'node:crypto';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { describe, expect, test } from 'vitest';
import { unitOf } from '../../../services/user/organizations/reports/calendar.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { forbidden, malformed } from '../access/failures.ts';
import type { Person } from './organization-service.ts';
import { service, team, withOrganizations, withTeams } from './with-organizations.ts';

const DAY = 86_400_000;

withOrganizations();
withTeams();

const report = (query = '', person: Person = team.ada, place = team.place) =>
  person.call('GET', `${place}/reports${query}`);

/** Stores an audit event of the department. */
const event = (at: string, fields: Partial<AuditEvent> = {}) =>
  service.db.auditEvents.insertOne({
    event_id: randomUUIDv7(),
    at: new Date(at),
    action: 'chatbot.update',
    outcome: 'success',
    email: 'somebody@example.com',
    user_id: 'User-1',
    target: {},
    before: null,
    after: null,
    organization_id: team.organization_id,
    department_id: team.department_id,
    request_id: 'request',
    address: '127.0.0.1',
    ...fields,
  });

const JANUARY = 'from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z';

describe('GET …/reports', () => {
  test('counts the events of the last thirty days by day', async () => {
    await service.newChatbot(team.ada, team.department_id);
    await team.ada.call('PUT', `${team.place}/members/${team.people.Viewer.user_id}`, { role: 'Editor' });
    service.clock.advance(1);
    const now = service.clock.now();
    const { status, body } = await report();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      metric: 'events',
      group_by: 'day',
      from: new Date(now - 30 * DAY).toISOString(),
      to: new Date(now).toISOString(),
      total: 2,
      others: 0,
    });
    expect(body.groups.length).toBe(31);
    expect(body.groups.at(-1)).toEqual({ group: new Date(now - 1000).toISOString().slice(0, 10), count: 2 });
    expect(body.groups[0].count).toBe(0);
  });

  test('groups by week from Monday and by month, with zeros', async () => {
    // 5 January 2026 is a Monday.
    for (const at of ['2026-01-04T23:59:59.999Z', '2026-01-05T00:00:00Z', '2026-01-11T12:00:00Z'])
      await event(at);
    expect((await report(`?group_by=week&${JANUARY}`)).body.groups).toEqual([
      { group: '2025-12-29', count: 1 },
      { group: '2026-01-05', count: 2 },
      { group: '2026-01-12', count: 0 },
      { group: '2026-01-19', count: 0 },
      { group: '2026-01-26', count: 0 },
    ]);
    const months = await report('?group_by=month&from=2025-12-15T00:00:00Z&to=2026-02-01T00:00:00.001Z');
    expect(months.body.groups).toEqual([
      { group: '2025-12', count: 0 },
      { group: '2026-01', count: 3 },
      { group: '2026-02', count: 0 },
    ]);
  });

  test('includes `from` and excludes `to`', async () => {
    for (const at of ['2026-01-01T00:00:00Z', '2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00Z'])
      await event(at);
    expect((await report(`?group_by=action&${JANUARY}`)).body).toMatchObject({
      total: 2,
      groups: [{ group: 'chatbot.update', count: 2 }],
    });
  });

  test('groups by member, chatbot and action, the largest first', async () => {
    const at = '2026-01-10T00:00:00Z';
    await event(at, { user_id: 'User-2', target: { chatbot_id: 'b' } });
    await event(at, { user_id: 'User-1', target: { chatbot_id: 'b' } });
    await event(at, { user_id: 'User-2', target: { chatbot_id: 'a' }, action: 'chatbot.delete' });
    await event(at, { user_id: null, action: 'member.remove' });
    // Nobody learns who declines an invitation.
    await event(at, { user_id: 'User-3', action: 'invitation.decline' });
    const groups = async (group_by: string) => (await report(`?group_by=${group_by}&${JANUARY}`)).body.groups;
    expect(await groups('member')).toEqual([
      { group: 'User-2', count: 2 },
      { group: 'User-1', count: 1 },
    ]);
    expect(await groups('chatbot')).toEqual([
      { group: 'b', count: 2 },
      { group: 'a', count: 1 },
    ]);
    expect(await groups('action')).toEqual([
      { group: 'chatbot.update', count: 2 },
      { group: 'chatbot.delete', count: 1 },
      { group: 'invitation.decline', count: 1 },
      { group: 'member.remove', count: 1 },
    ]);
  });

  test('counts chatbots and members that come and go', async () => {
    const { ada, place, department_id } = team;
    const newcomer = await service.newPerson();
    await service.addMember(ada, place, newcomer, 'Viewer');
    await service.addMember(ada, place, newcomer, 'Editor');
    await ada.call('DELETE', `${place}/members/${newcomer.user_id}`);
    const { chatbot_id } = await service.newChatbot(ada, department_id);
    const copy = await ada.ask('POST', `/api/v1/chatbots/${chatbot_id}/duplicate`);
    expect(copy.status).toBe(201);
    await ada.ask('PATCH', `/api/v1/chatbots/${chatbot_id}`, { status: 'paused' });
    await ada.ask('DELETE', `/api/v1/chatbots/${chatbot_id}`);
    service.clock.advance(1);
    const total = async (metric: string) => (await report(`?metric=${metric}`)).body.total;
    expect(await total('members_added')).toBe(1);
    expect(await total('members_removed')).toBe(1);
    expect(await total('chatbots_created')).toBe(2);
    expect(await total('chatbots_deleted')).toBe(1);
    expect(await total('events')).toBe(8);
  });

  test('caps the groups and counts the others', async () => {
    const at = '2026-01-10T00:00:00Z';
    await event(at, { user_id: 'User-000001' });
    for (let index = 0; index < 501; index += 1)
      await event(at, { user_id: `User-${String(index).padStart(6, '0')}` });
    const { body } = await report(`?group_by=member&${JANUARY}`);
    expect(body.groups).toHaveLength(500);
    expect(body.groups[0]).toEqual({ group: 'User-000001', count: 2 });
    expect(body).toMatchObject({ total: 502, others: 1 });
    const csv = await report(`?group_by=member&format=csv&${JANUARY}`);
    expect(csv.body.trimEnd().split('\r\n').at(-1)).toBe('(others),1');
  });

  test('returns CSV by `format` or `Accept`', async () => {
    await event('2026-01-10T00:00:00Z');
    const query = `?group_by=month&${JANUARY}`;
    const body = 'month,count\r\n2026-01,1\r\n';
    const byFormat = await report(`${query}&format=csv`);
    expect({ status: byFormat.status, body: byFormat.body }).toEqual({ status: 200, body });
    expect(byFormat.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(byFormat.headers.get('content-disposition')).toBe('attachment; filename="events-by-month.csv"');
    const accepting = (accept: string, more = '') =>
      team.ada.call('GET', `${team.place}/reports${query}${more}`, undefined, { accept });
    expect((await accepting('text/csv')).body).toBe(body);
    for (const answer of [
      await accepting('text/csv, application/json'),
      await accepting('text/csv', '&format=json'),
    ])
      expect(answer.body).toMatchObject({ total: 1 });
  });

  test('a report of an organization counts its departments and itself', async () => {
    await event('2026-01-10T00:00:00Z');
    await event('2026-01-10T00:00:00Z', { department_id: 'another' });
    await event('2026-01-10T00:00:00Z', { department_id: null, action: 'organization.update' });
    await event('2026-01-10T00:00:00Z', { organization_id: 'another', department_id: 'elsewhere' });
    const whole = await report(`?group_by=month&${JANUARY}`, team.ada, `/${team.organization_id}`);
    expect(whole.body.total).toBe(3);
    expect((await report(`?group_by=month&${JANUARY}`)).body.total).toBe(1);
  });

  test('does not count a new Owner as a member', async () => {
    const at = '2026-01-10T00:00:00Z';
    await event(at, { action: 'invitation.accept' });
    await event(at, { action: 'invitation.accept', department_id: null });
    const query = `?metric=members_added&group_by=month&${JANUARY}`;
    expect((await report(query, team.ada, `/${team.organization_id}`)).body.total).toBe(1);
  });

  test('shows an Analyst neither people nor chatbots, and bills only to Owners', async () => {
    await event('2026-01-10T00:00:00Z', { action: 'billing.plan' });
    await event('2026-01-10T00:00:00Z');
    const { Analyst, Admin, Owner } = team.people;
    const total = async (person: Person) => (await report(`?${JANUARY}`, person)).body.total;
    expect([await total(Owner), await total(Admin), await total(Analyst)]).toEqual([2, 1, 1]);
    expect((await report('?group_by=member', Admin)).status).toBe(200);
    expect(outcome(await report('?group_by=member', Analyst))).toStrictEqual(
      forbidden(service.clock, 'Groups by member need the permission "view users"'),
    );
    expect(outcome(await report('?group_by=chatbot', Analyst))).toStrictEqual(
      forbidden(service.clock, 'Groups by chatbot need the permission "view chatbot"'),
    );
  });

  test.each([
    [
      'metric=secrets',
      'metric must be one of events, members_added, members_removed, chatbots_created, chatbots_deleted',
    ],
    ['group_by=hour', 'group_by must be one of day, week, month, member, chatbot, action'],
    ['format=xml', 'format must be one of json, csv'],
    ['from=yesterday', 'from must be an ISO 8601 date-time such as 2026-01-15T09:30:00Z'],
    ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'from must be before to'],
    ['from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'from must be before to'],
    ['from=2024-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'from and to must be at most 400 days apart'],
    ['page=1', 'querystring holds an unknown parameter'],
  ])('refuses ?%s', async (query, details) => {
    expect(outcome(await report(`?${query}`))).toStrictEqual(malformed(details, service.clock));
  });
});

test.each([
  ['1970-01-01T00:00:00Z', '1970-01-01', '1969-12-29', '1970-01'],
  ['2026-01-04T23:59:59Z', '2026-01-04', '2025-12-29', '2026-01'],
  ['2026-01-05T00:00:00Z', '2026-01-05', '2026-01-05', '2026-01'],
  ['2028-02-29T12:00:00Z', '2028-02-29', '2028-02-28', '2028-02'],
])('names the day, week and month of %s', (at, day, week, month) => {
  const names = (['day', 'week', 'month'] as const).map((unit) => unitOf(Date.parse(at), unit));
  expect(names).toEqual([day, week, month]);
});
