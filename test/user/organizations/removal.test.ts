import type { Role } from '@gatehouse/shared/access/rbac';
import { beforeEach, describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { rounds } from '../../fixtures/property.ts';
import { userNotFound } from '../access/failures.ts';
import { RECEPTIONIST } from '../chatbots/chatbot-service.ts';
import { beforeNextUpdate, type Person } from './organization-service.ts';
import { service, team, withOrganizations, withTeam } from './with-organizations.ts';

withOrganizations();
withTeam();

const ROUNDS = rounds(5);

async function newAdmin() {
  const eve = await service.newPerson();
  await service.storeMember(team, eve, 'Admin');
  return { eve, own: `${team.place}/members/${eve.user_id}` };
}
const roleOf = async ({ user_id }: { user_id: string }) =>
  (await service.db.memberships.findOne({ department_id: team.department_id, user_id }))?.role;

test('a member who is being removed cannot add themselves back', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { eve, own } = await newAdmin();
    const back = () => eve.call('PUT', own, { role: 'Admin' });
    const invite = () =>
      eve.call('POST', `${team.place}/invitations`, { email: eve.email.toUpperCase(), role: 'Admin' });
    await Promise.all([back(), invite(), team.ada.call('DELETE', own), back(), back(), invite(), back()]);
    expect(await roleOf(eve)).toBeUndefined();
  }
});

test('refused removals of a member leave one record', async () => {
  const { eve } = await newAdmin();
  const superior = await service.newPerson();
  await service.storeMember(team, superior, 'Owner');
  const { user_id } = superior;
  for (let turn = 0; turn < 3; turn += 1)
    expect((await eve.call('DELETE', `${team.place}/members/${user_id}`)).status).toBe(403);
  expect(await service.db.formerMembers.countDocuments({ user_id })).toBe(1);
});

test('a member whose role is being lowered cannot raise it again', async () => {
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

test('an Owner who is being removed cannot make themselves a member', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const eve = await service.newPerson();
    const owner = `/${team.organization_id}/owners/${eve.user_id}`;
    await service.addOwner(team.ada, team.organization_id, eve);
    const stay = () => eve.call('PUT', `${team.place}/members/${eve.user_id}`, { role: 'Owner' });
    await Promise.all([stay(), team.ada.call('DELETE', owner), stay(), stay()]);
    expect(await roleOf(eve)).toBeUndefined();
  }
});

describe('on a chatbot of the department', () => {
  let access: string;
  beforeEach(async () => {
    const { chatbot_id } = await service.newChatbot(team.people.Editor, team.department_id);
    access = `/api/v1/chatbots/${chatbot_id}/access`;
  });
  const grant = ({ user_id }: Person, role: Role) => team.ada.ask('PUT', `${access}/${user_id}`, { role });
  const listed = async () =>
    (await team.ada.ask('GET', access)).body.permissions.map(({ user_id }: { user_id: string }) => user_id);

  test('a member who is removed during a grant is on no access list', async () => {
    const { eve, own } = await newAdmin();
    beforeNextUpdate(service.db.chatbots, () => team.ada.call('DELETE', own));
    expect(outcome(await grant(eve, 'Owner'))).toStrictEqual(userNotFound(service.clock));
    expect(await listed()).toEqual([team.people.Editor.user_id]);
  });

  test('a removal keeps a grant that is made meanwhile', async () => {
    const { eve, own } = await newAdmin();
    await grant(eve, 'Owner');
    beforeNextUpdate(service.db.chatbots, () => grant(team.people.Viewer, 'Admin'));
    expect((await team.ada.call('DELETE', own)).status).toBe(200);
    expect(await listed()).toEqual([team.people.Editor.user_id, team.people.Viewer.user_id]);
  });
});

test('a member who rejoins does not get back their chatbots', async () => {
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

test('all chatbots of a removed member pass on, however many they are', async () => {
  const { eve, own } = await newAdmin();
  const { organization_id, department_id, people } = team;
  const chatbot_ids = Array.from({ length: 101 }, (_, number) => `many-${100 + number}`);
  await service.db.chatbots.insertMany(
    chatbot_ids.map((chatbot_id, number) => ({
      ...RECEPTIONIST,
      chatbot_id,
      status: 'active',
      owner_id: number % 2 ? eve.user_id : people.Editor.user_id,
      organization_id,
      department_id,
      permissions: [{ user_id: eve.user_id, role: 'Owner', granted_by: 'x', granted_at: service.at() }],
      created_at: service.at(),
      updated_at: service.at(),
    })),
  );
  await team.ada.call('DELETE', own);
  const stored = await service.db.chatbots
    .find({ chatbot_id: { $in: chatbot_ids } })
    .sort({ chatbot_id: 1 })
    .toArray();
  expect(stored.map(({ owner_id }) => owner_id)).toEqual(
    chatbot_ids.map((_, number) => (number % 2 ? team.ada : people.Editor).user_id),
  );
  expect(JSON.stringify(stored)).not.toContain(eve.user_id);
});
