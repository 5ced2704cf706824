import { ROLES } from '@gatehouse/shared/access/rbac';
import { describe, expect, test } from 'vitest';
import { eventsOf } from '../../fixtures/audit.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { forbidden, malformed, missing, notFound } from '../access/failures.ts';
import { RECEPTIONIST } from '../chatbots/chatbot-service.ts';
import { concurrently, NOWHERE } from './organization-service.ts';
import { service, team, withOrganizations, withTeams } from './with-organizations.ts';

const DAYS = 30;

withOrganizations();
withTeams();

const inDays = (days: number) => new Date(service.clock.now() + days * 86_400_000).toISOString();
const refused = (what: 'department' | 'organization') => forbidden(service.clock, `The ${what} is archived`);
const ORGANIZATION = {
  archive: () => team.ada.call('POST', `/${team.organization_id}/archive`),
  restore: () => team.ada.call('POST', `/${team.organization_id}/restore`),
  record: () => team.organization as object,
};
const DEPARTMENT = {
  archive: (body: object = { chatbots: 'delete' }) => team.ada.call('POST', `${team.place}/archive`, body),
  restore: () => team.ada.call('POST', `${team.place}/restore`),
  record: () => team.department as object,
};
const PLACES = [
  ['organization', ORGANIZATION],
  ['department', DEPARTMENT],
] as const;

describe.each(PLACES)('an archived %s', (what, { archive, restore, record }) => {
  test('says since when, and when it is deleted', async () => {
    const marks = { archived_at: service.at(), deletes_at: inDays(DAYS) };
    const archived = { status: 200, body: { ...record(), ...marks } };
    expect(outcome(await archive())).toStrictEqual(archived);
    const path = what === 'organization' ? `/${team.organization_id}` : team.place;
    expect(outcome(await team.people.Analyst.call('GET', path))).toStrictEqual(archived);
    service.clock.advance(60);
    expect(outcome(await archive())).toStrictEqual(archived);
  });

  test('is as before once it is restored', async () => {
    await archive();
    service.clock.advance(60);
    expect(outcome(await restore())).toStrictEqual({ status: 200, body: record() });
    expect(outcome(await restore())).toStrictEqual({ status: 200, body: record() });
    const { status } = await team.ada.call('PATCH', team.place, { name: `Renamed ${what}` });
    expect(status).toBe(200);
  });

  test('is audited once, however many calls archive or restore it', async () => {
    const archived = await eventsOf(service, () => concurrently(5, () => archive()));
    expect(archived.map(({ action, before, after }) => ({ action, before, after }))).toEqual([
      {
        action: `${what}.archive`,
        before: null,
        after: { deletes_at: inDays(DAYS), ...(what === 'department' && { chatbots: 'delete' }) },
      },
    ]);
    const deletes_at = inDays(DAYS);
    const restored = await eventsOf(service, () => concurrently(5, () => restore()));
    expect(restored.map(({ action, before, after }) => ({ action, before, after }))).toEqual([
      { action: `${what}.restore`, before: { deletes_at }, after: null },
    ]);
  });

  test('can be read', async () => {
    const { chatbot_id } = await service.newChatbot(team.people.Editor, team.department_id);
    await archive();
    const { ada, place, organization_id, people } = team;
    for (const path of [
      `/${organization_id}`,
      `/${organization_id}/audit`,
      `/${organization_id}/owners`,
      `/${organization_id}/departments`,
      place,
      `${place}/analytics`,
      `${place}/members`,
      `${place}/members/${people.Viewer.user_id}`,
      `${place}/invitations`,
    ])
      expect((await ada.call('GET', path)).status, path).toBe(200);
    for (const path of ['', `/${chatbot_id}`, `/${chatbot_id}/access`, `/${chatbot_id}/access/me`])
      expect((await people.Viewer.ask('GET', `/api/v1/chatbots${path}`)).status, path).toBe(200);
    expect((await people.Viewer.ask('GET', '/api/v1/chatbots')).body.pagination.total_items).toBe(1);
  });

  test('refuses every write below it and stores nothing', async () => {
    const { chatbot_id } = await service.newChatbot(team.people.Editor, team.department_id);
    await service.newDepartment(team.ada, team.organization_id, 'Elsewhere');
    await archive();
    const before = await team.stored();
    const { ada, people, organization_id, department_id, place } = team;
    const writes: [method: string, path: string, body?: object][] = [
      ['PATCH', place, { name: 'Renamed' }],
      ['PATCH', `${place}/billing`, { subscription_plan: 'Business' }],
      ['PUT', `${place}/members/${people.Viewer.user_id}`, { role: 'Editor' }],
      ['DELETE', `${place}/members/${people.Viewer.user_id}`],
      ['POST', `${place}/invitations`, { email: 'grace@example.com', role: 'Viewer' }],
      ['DELETE', `${place}/invitations/${NOWHERE}`],
    ];
    if (what === 'organization')
      writes.push(
        ['PATCH', `/${organization_id}`, { name: 'Renamed' }],
        ['PUT', `/${organization_id}/owners/${people.Admin.user_id}`],
        ['DELETE', `/${organization_id}/owners/${people.Admin.user_id}`],
        ['DELETE', `/${organization_id}/members/${people.Viewer.user_id}`],
        ['POST', `/${organization_id}/departments`, { name: 'New' }],
        ['POST', `${place}/archive`, { chatbots: 'delete' }],
        ['POST', `${place}/restore`],
      );
    for (const [method, path, body] of writes)
      expect(outcome(await ada.call(method, path, body)), `${method} ${path}`).toStrictEqual(refused(what));
    const chatbot = `/api/v1/chatbots/${chatbot_id}`;
    for (const [method, path, body] of [
      ['PATCH', chatbot, { name: 'Renamed' }],
      ['DELETE', chatbot],
      ['POST', `${chatbot}/duplicate`],
      ['POST', `${chatbot}/move`, { department_id: null }],
      ['PUT', `${chatbot}/access/${people.Viewer.user_id}`, { role: 'Editor' }],
      ['DELETE', `${chatbot}/access/${people.Editor.user_id}`],
      ['POST', '/api/v1/chatbots/create', { ...RECEPTIONIST, department_id }],
    ] as const)
      expect(outcome(await ada.ask(method, path, body)), `${method} ${path}`).toStrictEqual(refused(what));
    const own = (await people.Editor.ask('POST', '/api/v1/chatbots/create', RECEPTIONIST)).body;
    const move = await people.Editor.ask('POST', `/api/v1/chatbots/${own.chatbot_id}/move`, {
      department_id,
    });
    expect(outcome(move)).toStrictEqual(refused(what));
    expect(await team.stored()).toStrictEqual(before);
  });

  test('tells a caller without the permission what it told them before', async () => {
    const { chatbot_id } = await service.newChatbot(team.people.Editor, team.department_id);
    await archive();
    const { people } = team;
    const stranger = await service.newPerson();
    const rename = { name: 'Renamed' };
    expect(outcome(await people.Viewer.call('PATCH', team.place, rename))).toStrictEqual(
      forbidden(service.clock),
    );
    expect(outcome(await stranger.call('PATCH', team.place, rename))).toStrictEqual(notFound(service.clock));
    const chatbot = `/api/v1/chatbots/${chatbot_id}`;
    expect(outcome(await people.Viewer.ask('PATCH', chatbot, rename))).toStrictEqual(
      forbidden(service.clock),
    );
    expect(outcome(await people.Analyst.ask('PATCH', chatbot, rename))).toStrictEqual(
      notFound(service.clock),
    );
    expect(outcome(await stranger.ask('PATCH', chatbot, rename))).toStrictEqual(notFound(service.clock));
  });

  test('leaves platform services only the permissions to read', async () => {
    const { chatbot_id } = await service.newChatbot(team.people.Editor, team.department_id);
    const own = () => team.people.Editor.ask('GET', `/api/v1/chatbots/${chatbot_id}/access/me`);
    expect((await own()).body.permissions).toContain('edit system prompts');
    await archive();
    expect((await own()).body).toMatchObject({
      role: 'Owner',
      permissions: [
        'view chatbot',
        'view users',
        'view billing',
        'view analytics',
        'export data',
        'view prompts',
        'view knowledge base',
      ],
    });
  });

  test('ends the billing; restored, its plan has to be paid again', async () => {
    await service.db.departments.updateOne(
      { department_id: team.department_id },
      { $set: { 'billing.subscription_plan': 'Business', 'billing.payment_status': 'paid' } },
    );
    const billing = async () => (await team.ada.call('GET', `${team.place}/billing`)).body;
    const before = await billing();
    const ended_at = service.at();
    await archive();
    expect(await billing()).toStrictEqual({ ...before, ended_at });
    service.clock.advance(86_400);
    await restore();
    expect(await billing()).toStrictEqual({
      ...before,
      payment_status: 'pending',
      subscription_date: service.at().slice(0, 10),
      updated_at: service.at(),
    });
    const { body } = await team.ada.call('GET', `${team.place}/billing/history`);
    expect(body.data).toMatchObject([
      {
        number: 1,
        kind: 'plan',
        subscription_plan: 'Business',
        payment_status: 'pending',
        changed_by: team.ada.user_id,
      },
    ]);
  });

  test.each(ROLES)('is neither archived nor restored by a member with the role %s', async (role) => {
    const person = team.people[role];
    const path = what === 'organization' ? `/${team.organization_id}` : team.place;
    for (const operation of ['archive', 'restore']) {
      const body = operation === 'archive' ? { chatbots: 'delete' } : undefined;
      const answer = await person.call('POST', `${path}/${operation}`, body);
      expect(outcome(answer)).toStrictEqual(forbidden(service.clock));
    }
  });

  test('can be left by a member, with everything that they own there', async () => {
    const { people, ada, place } = team;
    const { chatbot_id } = await service.newChatbot(people.Editor, team.department_id);
    await archive();
    const left = await people.Editor.call('DELETE', `${place}/members/${people.Editor.user_id}`);
    expect(left.status).toBe(200);
    expect((await ada.ask('GET', `/api/v1/chatbots/${chatbot_id}`)).body.owner_id).toBe(ada.user_id);
    expect((await people.Editor.call('GET', place)).status).toBe(404);
  });
});

test('a department that is archived on its own stays archived when its organization is restored', async () => {
  await DEPARTMENT.archive();
  await ORGANIZATION.archive();
  expect(outcome(await DEPARTMENT.restore())).toStrictEqual(refused('organization'));
  await ORGANIZATION.restore();
  expect(outcome(await team.ada.call('PATCH', team.place, { name: 'Renamed' }))).toStrictEqual(
    refused('department'),
  );
});

test('other departments of the organization and personal chatbots are not affected', async () => {
  const { ada, organization_id, people } = team;
  const other = await service.newDepartment(ada, organization_id);
  const { chatbot_id } = await service.newChatbot(ada, other.department_id);
  const own = (await people.Editor.ask('POST', '/api/v1/chatbots/create', RECEPTIONIST)).body;
  await DEPARTMENT.archive();
  const rename = { name: 'Renamed' };
  expect((await ada.call('PATCH', other.place, rename)).status).toBe(200);
  expect((await ada.ask('PATCH', `/api/v1/chatbots/${chatbot_id}`, rename)).status).toBe(200);
  expect((await people.Editor.ask('PATCH', `/api/v1/chatbots/${own.chatbot_id}`, rename)).status).toBe(200);
  expect((await ada.call('PATCH', `/${organization_id}`, rename)).status).toBe(200);
});

test('archiving a department wants to know what becomes of its chatbots', async () => {
  const { ada, organization_id, department_id } = team;
  const stranger = await service.newTeam();
  const gone = await service.newDepartment(ada, organization_id);
  await ada.call('POST', `${gone.place}/archive`, { chatbots: 'delete' });
  const ONE_OF = 'chatbots must be one of move, delete';
  const BOTH = 'body must contain move_to if the chatbots move, and only then';
  const TARGET = 'move_to must be another department of the organization that is not archived';
  for (const [body, details] of [
    [{ chatbots: 'keep' }, ONE_OF],
    [{ chatbots: 'move' }, BOTH],
    [{ chatbots: 'delete', move_to: NOWHERE }, BOTH],
    [{ chatbots: 'move', move_to: NOWHERE }, TARGET],
    [{ chatbots: 'move', move_to: department_id }, TARGET],
    [{ chatbots: 'move', move_to: stranger.department_id }, TARGET],
    [{ chatbots: 'move', move_to: gone.department_id }, TARGET],
  ] as const)
    expect(outcome(await DEPARTMENT.archive(body))).toStrictEqual(malformed(details, service.clock));
  expect(outcome(await DEPARTMENT.archive({}))).toStrictEqual(missing('chatbots is required', service.clock));
  expect((await service.db.departments.findOne({ department_id }))?.archived_at).toBeUndefined();
});

test('archiving and restoring again and again adds nothing to the departments of an organization', async () => {
  const { department_id } = team;
  const size = async () =>
    (await service.db.departments.findOne({ department_id }))?.billing_outbox?.length ?? 0;
  for (let turn = 0; turn < 3; turn += 1) {
    await ORGANIZATION.archive();
    await concurrently(3, () => ORGANIZATION.restore());
  }
  expect(await size()).toBe(0);
  await service.db.departments.updateOne({ department_id }, { $set: { 'billing.payment_status': 'paid' } });
  await ORGANIZATION.archive();
  await concurrently(3, () => ORGANIZATION.restore());
  expect(await size()).toBe(1);
});
