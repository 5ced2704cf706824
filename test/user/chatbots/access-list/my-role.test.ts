import { ROLES } from '@gatehouse/shared/access/rbac';
import { beforeAll, describe, expect, test } from 'vitest';
import { outcome } from '../../../fixtures/envelope.ts';
import { may, SPECIFIED_PERMISSIONS } from '../../../fixtures/permissions.ts';
import { notFound } from '../../access/failures.ts';
import type { Person, Place } from '../chatbot-service.ts';
import { service, withChatbots } from '../with-chatbots.ts';

let ada: Person;
let bob: Person;
let owner: Person;
let place: Place;
withChatbots();
beforeAll(async () => {
  [ada, bob, owner] = [await service.newPerson(), await service.newPerson(), await service.newPerson()];
  [place] = await service.newOrganization([owner]);
  await service.storeMember(ada, { ...place, role: 'Owner' });
});

const own = (person: Person, { chatbot_id }: { chatbot_id: string }) =>
  person.call('GET', `/${chatbot_id}/access/me`);
const inDepartment = () => ada.create({ department_id: place.department_id });
/** A new member of the department. */
async function member(role: (typeof ROLES)[number]) {
  const person = await service.newPerson();
  await service.storeMember(person, { ...place, role });
  return person;
}

describe('GET /api/v1/chatbots/{chatbot_id}/access/me', () => {
  test.each(ROLES)('returns the granted role %s and its permissions', async (role) => {
    const chatbot = await ada.create();
    await ada.grant(chatbot, bob, role);
    expect(outcome(await own(bob, chatbot))).toStrictEqual({
      status: 200,
      body: {
        chatbot_id: chatbot.chatbot_id,
        user_id: bob.user_id,
        role,
        permissions: SPECIFIED_PERMISSIONS.filter((permission) => may(role, permission)),
      },
    });
  });

  test.each(ROLES)('comes with the chatbot to the role %s, with the list that it may read', async (role) => {
    const chatbot = await ada.create();
    await ada.grant(chatbot, bob, role);
    const { chatbot_id: _, ...access } = (await own(bob, chatbot)).body;
    const list = (await bob.call('GET', `/${chatbot.chatbot_id}/access`)).body.permissions ?? null;
    expect(list !== null).toBe(may(role, 'view users'));
    const read = (query: string) => bob.call('GET', `/${chatbot.chatbot_id}${query}`);
    const answer = await read('?include=access');
    if (may(role, 'view chatbot'))
      expect(answer.body).toStrictEqual({ ...chatbot, access: { ...access, list } });
    else expect(outcome(answer)).toStrictEqual(notFound(service.clock));
    expect((await read('?include=everything')).status).toBe(400);
  });

  test('returns Owner to the creator', async () => {
    expect((await own(ada, await ada.create())).body.role).toBe('Owner');
  });

  test.each(ROLES)('returns the role %s in the department', async (role) => {
    expect((await own(await member(role), await inDepartment())).body.role).toBe(role);
  });

  test.each([
    ['Viewer', 'Editor', 'Editor'],
    ['Admin', 'Analyst', 'Analyst'],
    ['Owner', 'Viewer', 'Viewer'],
    ['Analyst', 'Owner', 'Owner'],
  ] as const)('%s in the department and %s on the access list is %s', async (inherited, given, role) => {
    const person = await member(inherited);
    const chatbot = await inDepartment();
    await ada.grant(chatbot, person, given);
    expect((await own(person, chatbot)).body.role).toBe(role);
  });

  test("the organization's Owner is Owner, whatever their entry and membership say", async () => {
    const both = await service.newPerson();
    const [other] = await service.newOrganization([both, owner]);
    await service.storeMember(ada, { ...other, role: 'Owner' });
    await service.storeMember(both, { ...other, role: 'Analyst' });
    const chatbot = await ada.create({ department_id: other.department_id });
    expect((await own(owner, chatbot)).body.role).toBe('Owner');
    expect((await own(both, chatbot)).body.role).toBe('Owner');
    await ada.grant(chatbot, both, 'Viewer');
    expect((await own(both, chatbot)).body.role).toBe('Owner');
  });

  test("an organization's Owner has no role on personal chatbots of its members", async () => {
    expect(outcome(await own(owner, await ada.create()))).toStrictEqual(notFound(service.clock));
  });

  test('a former member has no role, even as owner or on the access list', async () => {
    const person = await member('Editor');
    const chatbot = await person.create({ department_id: place.department_id });
    const other = await member('Viewer');
    await ada.grant(chatbot, other, 'Owner');
    await service.db.memberships.deleteMany({
      user_id: { $in: [person.user_id, other.user_id] as string[] },
    });
    for (const former of [person, other])
      expect(outcome(await own(former, chatbot))).toStrictEqual(notFound(service.clock));
  });

  test('a role does not extend to other departments or organizations', async () => {
    const [here, there] = await service.newOrganization([owner], 2);
    const [elsewhere] = await service.newOrganization([bob]);
    await service.storeMember(ada, { ...here, role: 'Owner' });
    const next = await owner.create({ department_id: String(there?.department_id) });
    const foreign = await bob.create({ department_id: elsewhere.department_id });
    for (const chatbot of [next, foreign])
      expect(outcome(await own(ada, chatbot))).toStrictEqual(notFound(service.clock));
    expect(outcome(await own(owner, foreign))).toStrictEqual(notFound(service.clock));
  });

  test('returns 404 for an unknown chatbot', async () => {
    expect(outcome(await own(ada, { chatbot_id: 'nothing' }))).toStrictEqual(notFound(service.clock));
  });
});
