import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OrganizationService, startOrganizationService, type Team } from './organization-service.ts';

let service: OrganizationService;
let team: Team;
beforeAll(async () => {
  service = await startOrganizationService();
  team = await service.newTeam();
});
afterAll(() => service.stop());

const ROUNDS = 15;

async function newAdmin() {
  const eve = await service.newPerson();
  await service.addMember(team.ada, team.place, eve, 'Admin');
  return { eve, own: `${team.place}/members/${eve.user_id}` };
}
const roleOf = async ({ user_id }: { user_id: string }) =>
  (await service.db.memberships.findOne({ department_id: team.department_id, user_id }))?.role;

test('who is removed does not put himself back by calls under way', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { eve, own } = await newAdmin();
    const back = () => eve.call('PUT', own, { role: 'Admin' });
    const invite = () =>
      eve.call('POST', `${team.place}/invitations`, { email: eve.email.toUpperCase(), role: 'Admin' });
    await Promise.all([back(), invite(), team.ada.call('DELETE', own), back(), back(), invite(), back()]);
    expect(await roleOf(eve)).toBeUndefined();
  }
});

test('who is lowered does not raise himself by calls under way', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { eve, own } = await newAdmin();
    const back = () => eve.call('PUT', own, { role: 'Admin' });
    const [, { status }] = await Promise.all([
      back(),
      team.ada.call('PUT', own, { role: 'Viewer' }),
      back(),
      back(),
      back(),
    ]);
    expect([status, await roleOf(eve)]).toEqual([200, 'Viewer']);
  }
});

test('who was an Owner of the organization does not stay as one of the department', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const eve = await service.newPerson();
    const owner = `/${team.organization_id}/owners/${eve.user_id}`;
    await team.ada.call('PUT', owner);
    const stay = () => eve.call('PUT', `${team.place}/members/${eve.user_id}`, { role: 'Owner' });
    await Promise.all([stay(), team.ada.call('DELETE', owner), stay(), stay()]);
    expect(await roleOf(eve)).toBeUndefined();
  }
});

test('who is removed while he is given a role on a chatbot is on no list', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { eve, own } = await newAdmin();
    const { chatbot_id } = await service.newChatbot(team.people.Editor, team.department_id);
    const access = `/api/v1/chatbots/${chatbot_id}/access`;
    await Promise.all([
      team.ada.ask('PUT', `${access}/${eve.user_id}`, { role: 'Owner' }),
      team.ada.call('DELETE', own),
    ]);
    const { permissions } = (await team.ada.ask('GET', access)).body;
    expect(permissions.map(({ user_id }: { user_id: string }) => user_id)).toEqual([
      team.people.Editor.user_id,
    ]);
  }
});

test('what somebody owned is no longer his when he comes again', async () => {
  const { eve, own } = await newAdmin();
  const { people, ada } = team;
  const [alone, shared] = [
    await service.newChatbot(eve, team.department_id),
    await service.newChatbot(eve, team.department_id),
  ];
  const access = (id: string) => `/api/v1/chatbots/${id}/access`;
  await eve.ask('PUT', `${access(shared.chatbot_id)}/${people.Viewer.user_id}`, { role: 'Owner' });
  await ada.call('DELETE', own);
  await service.addMember(people.Admin, team.place, eve, 'Viewer');
  const owners = await Promise.all(
    [alone, shared].map(
      async ({ chatbot_id }) => (await eve.ask('GET', `/api/v1/chatbots/${chatbot_id}`)).body.owner_id,
    ),
  );
  expect(owners).toEqual([ada.user_id, people.Viewer.user_id]);
  for (const { chatbot_id } of [alone, shared])
    expect((await eve.ask('GET', `${access(chatbot_id)}/me`)).body.role).toBe('Viewer');
});
