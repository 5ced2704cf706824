import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OrganizationService, startOrganizationService } from './organization-service.ts';

let service: OrganizationService;
beforeAll(async () => {
  service = await startOrganizationService();
});
afterAll(() => service.stop());

/** An Owner of the organization who is an Owner of one chatbot by its access list too. */
async function listed() {
  const team = await service.newTeam();
  const { ada, organization_id, department_id, people } = team;
  const bob = await service.newPerson();
  await ada.call('PUT', `/${organization_id}/owners/${bob.user_id}`);
  const { chatbot_id } = await service.newChatbot(people.Editor, department_id);
  const access = `/api/v1/chatbots/${chatbot_id}/access`;
  expect((await ada.ask('PUT', `${access}/${bob.user_id}`, { role: 'Owner' })).status).toBe(200);
  const leave = () => ada.call('DELETE', `/${organization_id}/owners/${bob.user_id}`);
  const onList = async () =>
    (await ada.ask('GET', access)).body.permissions.map(({ user_id }: { user_id: string }) => user_id);
  return { ...team, bob, access, leave, onList };
}

test('who is no longer an Owner of the organization, and no member, leaves its access lists', async () => {
  const { leave, onList, people, access } = await listed();
  await leave();
  expect(await onList()).toEqual([people.Editor.user_id]);
  // So he is nobody's heir: the last Owner stays.
  expect((await people.Editor.ask('DELETE', `${access}/${people.Editor.user_id}`)).status).toBe(403);
});

test('where he is a member, he stays on them', async () => {
  const { leave, onList, people, bob, organization_id, department_id } = await listed();
  await service.db.memberships.insertOne({
    membership_id: 'bob',
    organization_id,
    department_id,
    user_id: bob.user_id,
    role: 'Viewer',
    granted_by: bob.user_id,
    granted_at: service.at(),
  });
  await leave();
  expect(await onList()).toEqual([people.Editor.user_id, bob.user_id]);
});
