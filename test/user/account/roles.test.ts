import { describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { send } from '../../fixtures/http.ts';
import { noBearer } from '../access/failures.ts';
import type { Person } from '../organizations/organization-service.ts';
import { service, withOrganizations } from '../organizations/with-organizations.ts';

const PATH = '/api/v1/users/me/roles';
const NONE = { organizations: [], shared_chatbots: [], shared_chatbots_total: 0 };

withOrganizations();

const rolesOf = async (person: Person) => (await person.ask('GET', PATH)).body;

describe('GET /api/v1/users/me/roles', () => {
  test('is empty for somebody without a role', async () => {
    const ada = await service.newPerson();
    await ada.ask('POST', '/api/v1/chatbots/create', {
      name: 'Own',
      type: 'text',
      avatar_id: '7',
      language: 'en',
    });
    expect(outcome(await ada.ask('GET', PATH))).toStrictEqual({
      status: 200,
      body: { user_id: ada.user_id, ...NONE },
    });
  });

  test('lists organizations and departments by name, with the roles there', async () => {
    const { ada, organization_id, department, department_id, people } = await service.newTeam({
      name: 'Zebra',
    });
    const other = await service.newTeam({ name: 'alpha' });
    const first = await service.newDepartment(ada, organization_id, 'accounts');
    const unseen = await service.newDepartment(ada, organization_id, 'Unseen');
    await service.storeMember({ ...first, organization_id, ada }, people.Analyst, 'Admin');
    await service.storeMember(other, people.Analyst, 'Viewer');
    expect(await rolesOf(people.Analyst)).toStrictEqual({
      ...NONE,
      user_id: people.Analyst.user_id,
      organizations: [
        {
          organization_id: other.organization_id,
          name: 'alpha',
          role: null,
          departments: [{ department_id: other.department_id, name: other.department.name, role: 'Viewer' }],
        },
        {
          organization_id,
          name: 'Zebra',
          role: null,
          departments: [
            { department_id: first.department_id, name: 'accounts', role: 'Admin' },
            { department_id, name: department.name, role: 'Analyst' },
          ],
        },
      ],
    });
    // An Owner is Owner in every department, whatever their membership says.
    await service.storeMember({ ...first, organization_id, ada }, ada, 'Viewer');
    const owned = (await rolesOf(ada)).organizations;
    expect(owned).toStrictEqual([
      {
        organization_id,
        name: 'Zebra',
        role: 'Owner',
        departments: [
          { department_id: first.department_id, name: 'accounts', role: 'Owner' },
          { department_id, name: department.name, role: 'Owner' },
          { department_id: unseen.department_id, name: 'Unseen', role: 'Owner' },
        ],
      },
    ]);
  });

  test('marks what is archived', async () => {
    const { ada, organization_id, place, people } = await service.newTeam();
    await ada.call('POST', `${place}/archive`, { chatbots: 'delete' });
    const at = service.at();
    for (const person of [ada, people.Viewer]) {
      const [organization] = (await rolesOf(person)).organizations;
      expect(organization).not.toHaveProperty('archived_at');
      expect(organization.departments).toMatchObject([{ archived_at: at, deletes_at: expect.any(String) }]);
    }
    await ada.call('POST', `/${organization_id}/archive`);
    for (const person of [ada, people.Viewer])
      expect((await rolesOf(person)).organizations).toMatchObject([
        { archived_at: at, deletes_at: expect.any(String) },
      ]);
  });

  test('lists an organization that has no department yet', async () => {
    const ada = await service.newPerson();
    const { organization_id } = await service.create(ada, '', { name: 'Empty' });
    expect((await rolesOf(ada)).organizations).toStrictEqual([
      { organization_id, name: 'Empty', role: 'Owner', departments: [] },
    ]);
  });

  test('lists invitations only when asked for, and nothing after a removal', async () => {
    const { ada, place, people } = await service.newTeam();
    const bob = await service.newPerson({ email: 'bob.waits@example.com' });
    const team = await service.newTeam();
    await service.storeInvitation(team, { email: bob.email });
    expect(await rolesOf(bob)).toStrictEqual({ ...NONE, user_id: bob.user_id });
    const received = (await bob.ask('GET', '/api/v1/invitations')).body.data;
    expect(received).toHaveLength(1);
    expect((await bob.ask('GET', `${PATH}?include=invitations`)).body).toStrictEqual({
      ...NONE,
      user_id: bob.user_id,
      invitations: received,
    });
    expect(outcome(await bob.ask('GET', `${PATH}?include=all`)).status).toBe(400);
    await ada.call('DELETE', `${place}/members/${people.Viewer.user_id}`);
    expect(await rolesOf(people.Viewer)).toStrictEqual({ ...NONE, user_id: people.Viewer.user_id });
  });

  test('lists personal chatbots of others, but neither own ones nor those of departments', async () => {
    const { ada, people, department_id } = await service.newTeam();
    const bob = await service.newPerson();
    const personal = (
      await ada.ask('POST', '/api/v1/chatbots/create', {
        name: 'Porter',
        type: 'text',
        avatar_id: '7',
        language: 'en',
      })
    ).body;
    const shared = await service.newChatbot(people.Editor, department_id);
    service.clock.advance(60);
    for (const { chatbot_id } of [personal, shared])
      await ada.ask('PUT', `/api/v1/chatbots/${chatbot_id}/access/${people.Viewer.user_id}`, {
        role: 'Admin',
      });
    await ada.ask('PUT', `/api/v1/chatbots/${personal.chatbot_id}/access/${bob.user_id}`, { role: 'Viewer' });
    const grant = {
      chatbot_id: personal.chatbot_id,
      name: 'Porter',
      owner_id: ada.user_id,
      granted_by: ada.user_id,
      granted_at: service.at(),
    };
    expect(await rolesOf(people.Viewer)).toMatchObject({
      shared_chatbots: [{ ...grant, role: 'Admin' }],
      shared_chatbots_total: 1,
    });
    expect(await rolesOf(bob)).toStrictEqual({
      user_id: bob.user_id,
      organizations: [],
      shared_chatbots: [{ ...grant, role: 'Viewer' }],
      shared_chatbots_total: 1,
    });
    expect((await rolesOf(ada)).shared_chatbots).toEqual([]);
  });

  test('lists the newest hundred of the personal chatbots, and their number', async () => {
    const [ada, bob] = [await service.newPerson(), await service.newPerson()];
    const at = (minute: number) => new Date(service.clock.now() + minute * 60_000).toISOString();
    await service.db.chatbots.insertMany(
      Array.from({ length: 103 }, (_, number) => ({
        chatbot_id: `${ada.user_id}-${number}`,
        name: 'Porter',
        type: 'text' as const,
        avatar_id: '7',
        language: 'en',
        status: 'active' as const,
        owner_id: ada.user_id,
        organization_id: null,
        department_id: null,
        created_at: at(number),
        updated_at: at(number),
        permissions: [
          { user_id: bob.user_id, role: 'Viewer' as const, granted_by: ada.user_id, granted_at: at(number) },
        ],
      })),
    );
    const { shared_chatbots, shared_chatbots_total } = await rolesOf(bob);
    expect(shared_chatbots_total).toBe(103);
    expect(shared_chatbots).toHaveLength(100);
    expect(shared_chatbots[0].chatbot_id).toBe(`${ada.user_id}-102`);
    expect(shared_chatbots.at(-1).chatbot_id).toBe(`${ada.user_id}-3`);
  });

  test('requires a bearer', async () => {
    expect(outcome(await send(`${service.url}${PATH}`))).toStrictEqual(noBearer(service.clock));
  });
});
