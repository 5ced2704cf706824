import { expect, test } from 'vitest';
import { service, withOrganizations } from './with-organizations.ts';

withOrganizations();

/** Bob is an Owner of the organization and also Owner on the access list of a chatbot. */
async function grantedOwner() {
  const team = await service.newTeam();
  const { ada, organization_id, department_id, people } = team;
  const bob = await service.newPerson();
  await service.addOwner(ada, organization_id, bob);
  const { chatbot_id } = await service.newChatbot(people.Editor, department_id);
  const access = `/api/v1/chatbots/${chatbot_id}/access`;
  expect((await ada.ask('PUT', `${access}/${bob.user_id}`, { role: 'Owner' })).status).toBe(200);
  const leave = () => ada.call('DELETE', `/${organization_id}/owners/${bob.user_id}`);
  const onList = async () =>
    (await ada.ask('GET', access)).body.permissions.map(({ user_id }: { user_id: string }) => user_id);
  return { ...team, bob, access, leave, onList };
}

test('an Owner who is removed and is not a member is removed from the access lists', async () => {
  const { leave, onList, people, access } = await grantedOwner();
  await leave();
  expect(await onList()).toEqual([people.Editor.user_id]);
  // So Bob cannot take over the chatbot: its last Owner stays.
  expect((await people.Editor.ask('DELETE', `${access}/${people.Editor.user_id}`)).status).toBe(403);
});

test('an Owner who is removed but is a member stays on the access lists', async () => {
  const { leave, onList, people, bob, organization_id, department_id } = await grantedOwner();
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
