import type { Role } from '@gatehouse/shared/access/rbac';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { endSelfGrants } from '../../../services/user/access/memberships/end-self-grants.ts';
import { buildUserService } from '../../../services/user/app.ts';
import { createMailer } from '../../../services/user/mail/mailer.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { rounds } from '../../fixtures/property.ts';
import { testConfig } from '../../fixtures/services.ts';
import { beforeNextUpdate, type Person } from '../organizations/organization-service.ts';
import { service, team, withOrganizations, withTeams } from '../organizations/with-organizations.ts';
import { forbidden, notFound } from './failures.ts';

let eve: Person;
/** A chatbot of the Editor in the department. */
let access: string;
withOrganizations();
withTeams();
beforeEach(async () => {
  eve = await service.newPerson();
  await service.storeMember(team, eve, 'Admin');
  access = await newAccess();
  service.clock.advance(60);
});

const newAccess = async (owner = team.people.Editor) =>
  `/api/v1/chatbots/${(await service.newChatbot(owner, team.department_id)).chatbot_id}/access`;
const grant = (granter: Person, { user_id }: Person, role: Role, path = access) =>
  granter.ask('PUT', `${path}/${user_id}`, { role });
const setRole = (role: Role, person = eve, caller = team.ada) =>
  caller.call('PUT', `${team.place}/members/${person.user_id}`, { role });
const roleOf = async (person = eve, path = access) => (await person.ask('GET', `${path}/me`)).body.role;
const listed = async (path = access) =>
  (await team.ada.ask('GET', path)).body.permissions.map(({ user_id }: { user_id: string }) => user_id);

describe('a role on a chatbot that an Admin granted themselves', () => {
  test.each<[lowered: Role]>([['Editor'], ['Viewer'], ['Analyst']])(
    'ends when they become %s in the department',
    async (lowered) => {
      expect((await grant(eve, eve, 'Admin')).status).toBe(200);
      expect((await setRole(lowered)).status).toBe(200);
      expect(await roleOf()).toBe(lowered);
      expect(await listed()).toEqual([team.people.Editor.user_id]);
      expect((await eve.ask('DELETE', access.replace('/access', ''))).status).not.toBe(200);
    },
  );

  test('ends when they lower themselves', async () => {
    await grant(eve, eve, 'Admin');
    await setRole('Viewer', eve, eve);
    expect(await roleOf()).toBe('Viewer');
  });

  test('ends on every chatbot, however many they are', async () => {
    const chatbots = await Promise.all(Array.from({ length: 53 }, () => newAccess()));
    service.clock.advance(60);
    await Promise.all(chatbots.map((path) => grant(eve, eve, 'Admin', path)));
    await setRole('Viewer');
    const left = await service.db.chatbots.find({ 'permissions.user_id': eve.user_id }).toArray();
    expect(left).toEqual([]);
  });

  test('ends when they are removed', async () => {
    await grant(eve, eve, 'Admin');
    await team.ada.call('DELETE', `${team.place}/members/${eve.user_id}`);
    expect(await listed()).toEqual([team.people.Editor.user_id]);
  });

  test('stays while it is not above their role', async () => {
    await grant(eve, eve, 'Viewer');
    await setRole('Editor');
    expect(await roleOf()).toBe('Viewer');
    await setRole('Analyst');
    expect(await roleOf()).toBe('Analyst');
  });

  test('ends when it replaced a role from somebody else', async () => {
    await grant(team.ada, eve, 'Admin');
    await grant(eve, eve, 'Admin');
    await setRole('Viewer');
    expect(await listed()).toEqual([team.people.Editor.user_id]);
  });

  test('stays in one department when they are lowered in another', async () => {
    const sibling = await service.newDepartment(team.ada, team.organization_id);
    await service.addMember(team.ada, sibling.place, eve, 'Admin');
    await grant(eve, eve, 'Admin');
    await team.ada.call('PUT', `${sibling.place}/members/${eve.user_id}`, { role: 'Viewer' });
    expect(await roleOf()).toBe('Admin');
    expect(await listed()).toContain(eve.user_id);
  });
});

test('a role from somebody else and a created chatbot stay when a member is lowered', async () => {
  await grant(team.ada, eve, 'Admin');
  const own = await newAccess(eve);
  service.clock.advance(60);
  // A first grant stores the creator's own entry.
  await grant(eve, team.people.Viewer, 'Viewer', own);
  await setRole('Viewer');
  expect(await roleOf()).toBe('Admin');
  expect(await roleOf(eve, own)).toBe('Owner');
});

test('an Owner of the department who took over a chatbot loses it when they are lowered', async () => {
  await setRole('Owner');
  await grant(eve, eve, 'Owner');
  await grant(eve, team.people.Editor, 'Viewer');
  expect(await listed()).toEqual([eve.user_id, team.people.Editor.user_id]);
  await setRole('Viewer');
  expect(await roleOf()).toBe('Viewer');
  const { permissions } = (await team.ada.ask('GET', access)).body;
  expect(permissions.map(({ user_id, role }: { user_id: string; role: Role }) => [user_id, role])).toEqual([
    [team.ada.user_id, 'Owner'],
    [team.people.Editor.user_id, 'Viewer'],
  ]);
});

test('an Owner of the organization who stays a member loses what is above their role', async () => {
  const { ada, organization_id, people } = team;
  const owner = `/${organization_id}/owners/${people.Viewer.user_id}`;
  await service.addOwner(ada, organization_id, people.Viewer);
  await grant(people.Viewer, people.Viewer, 'Owner');
  expect((await ada.call('DELETE', owner)).status).toBe(200);
  expect(await roleOf(people.Viewer)).toBe('Viewer');
  expect(await service.db.memberships.findOne({ revocation: { $exists: true } })).toBeNull();
});

test('a service that starts during the removal of an Owner keeps none of their grants', async () => {
  const { ada, organization_id, people } = team;
  const owner = `/${organization_id}/owners/${people.Viewer.user_id}`;
  await service.addOwner(ada, organization_id, people.Viewer);
  await grant(people.Viewer, people.Viewer, 'Owner');
  beforeNextUpdate(service.db.organizations, () => endSelfGrants(service.db, {}));
  expect((await ada.call('DELETE', owner)).status).toBe(200);
  expect(await roleOf(people.Viewer)).toBe('Viewer');
  expect(await service.db.memberships.findOne({ revocation: { $exists: true } })).toBeNull();
});

test('a refused removal of an Owner revokes nothing', async () => {
  const { ada, organization_id } = team;
  await grant(team.ada, eve, 'Viewer');
  await service.db.memberships.updateOne({ user_id: eve.user_id }, { $set: { role: 'Viewer' } });
  const before = await team.stored();
  const list = await listed();
  expect(outcome(await ada.call('DELETE', `/${organization_id}/owners/${eve.user_id}`))).toStrictEqual(
    notFound(service.clock),
  );
  expect(await team.stored()).toStrictEqual(before);
  expect(await listed()).toEqual(list);
});

test('a grant to oneself during the lowering is refused and leaves nothing', async () => {
  for (const former of [undefined, 'Admin'] as const) {
    await setRole('Admin');
    if (former) await grant(team.ada, eve, former);
    beforeNextUpdate(service.db.chatbots, () => setRole('Viewer'));
    expect(outcome(await grant(eve, eve, 'Admin'))).toStrictEqual(forbidden(service.clock));
    expect(await roleOf()).toBe('Viewer');
    expect(await listed()).toEqual([team.people.Editor.user_id]);
  }
});

test('concurrent grants and lowerings leave no role above the department’s', async () => {
  for (let round = 0; round < rounds(5); round += 1) {
    await setRole('Admin');
    const attempt = () => grant(eve, eve, 'Admin');
    await Promise.all([attempt(), setRole('Viewer'), attempt(), attempt()]);
    expect(await roleOf()).toBe('Viewer');
  }
});

test('an interrupted lowering is completed when a service starts', async () => {
  await grant(eve, eve, 'Admin');
  const spy = vi.spyOn(service.db.chatbots, 'updateOne').mockRejectedValueOnce(new Error('killed'));
  expect((await setRole('Viewer')).status).toBe(500);
  spy.mockRestore();
  expect(await roleOf()).toBe('Admin');
  const config = testConfig('user');
  const mailer = createMailer(config);
  const app = await buildUserService({ config, db: service.db, mailer, now: service.clock.now });
  await app.ready();
  await app.close();
  mailer.close();
  expect(await roleOf()).toBe('Viewer');
  expect(await service.db.memberships.findOne({ revocation: { $exists: true } })).toBeNull();
});

describe('GET …/members/{user_id}', () => {
  const view = async (caller: Person, { user_id } = eve) =>
    (await caller.call('GET', `${team.place}/members/${user_id}`)).body;
  const entry = (path: string, fields: object) => ({
    chatbot_id: path.split('/')[4],
    granted_by: eve.user_id,
    granted_at: service.at(),
    ...fields,
  });

  test('shows the roles of the member on chatbots, the latest first', async () => {
    expect(await view(team.ada)).toMatchObject({ chatbot_roles: [], chatbot_roles_total: 0 });
    const own = await newAccess(eve);
    const created = entry(own, { role: 'Owner' });
    service.clock.advance(60);
    await grant(eve, eve, 'Editor');
    const granted = entry(access, { role: 'Editor' });
    const sibling = await service.newDepartment(team.ada, team.organization_id);
    await service.addMember(team.ada, sibling.place, eve, 'Editor');
    await service.newChatbot(eve, sibling.department_id);
    for (const caller of [team.ada, team.people.Viewer, eve])
      expect(await view(caller)).toStrictEqual({
        user_id: eve.user_id,
        name: 'Person',
        role: 'Admin',
        email: null,
        granted_by: team.ada.user_id,
        granted_at: expect.any(String),
        chatbot_roles: [granted, created],
        chatbot_roles_total: 2,
      });
  });

  test('shows the latest hundred', async () => {
    const { organization_id, department_id } = team;
    await service.db.chatbots.insertMany(
      Array.from({ length: 101 }, (_, number) => ({
        chatbot_id: `many-${eve.user_id}-${number}`,
        name: 'x',
        type: '3d' as const,
        avatar_id: 'x',
        language: 'en',
        status: 'active' as const,
        owner_id: eve.user_id,
        organization_id,
        department_id,
        created_at: `2026-01-01T00:00:00.${100 + number}Z`,
        updated_at: service.at(),
      })),
    );
    const { chatbot_roles, chatbot_roles_total } = await view(team.ada);
    expect([chatbot_roles.length, chatbot_roles_total]).toEqual([100, 101]);
    expect(chatbot_roles[0].granted_at).toBe('2026-01-01T00:00:00.200Z');
  });

  test('hides access lists that the caller may not read', async () => {
    await grant(eve, eve, 'Editor');
    await grant(team.ada, team.people.Viewer, 'Analyst');
    expect(await view(team.people.Viewer)).toMatchObject({ chatbot_roles: [], chatbot_roles_total: 0 });
    expect(await view(team.people.Viewer, team.people.Viewer)).toMatchObject({ chatbot_roles_total: 1 });
    expect(await view(team.people.Analyst, team.people.Analyst)).toMatchObject({ chatbot_roles_total: 0 });
  });
});
