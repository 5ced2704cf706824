import type { User } from '@gatehouse/shared/identity/user-record';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { removeLeavingMarks } from '../../../services/user/access/memberships/last-owner.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { rounds } from '../../fixtures/property.ts';
import { RECEPTIONIST } from '../chatbots/chatbot-service.ts';
import type { Person } from '../organizations/organization-service.ts';
import { service, team, withOrganizations, withTeams } from '../organizations/with-organizations.ts';
import { forbidden } from './failures.ts';

withOrganizations();
withTeams();

/** The ways in which an account stops being one that can act. */
const WAYS: [what: string, stop: (person: Person) => Promise<unknown>][] = [
  ['disabled', ({ user_id }) => set(user_id, { account_status: 'disabled' })],
  ['paused', ({ user_id }) => set(user_id, { account_status: 'paused' })],
  ['unverified', ({ user_id }) => set(user_id, { verified: false })],
  ['deleted', ({ user_id }) => service.db.users.deleteOne({ user_id })],
];
const set = (user_id: string, fields: Partial<User>) =>
  service.db.users.updateOne({ user_id }, { $set: fields });

const lastOwner = () => forbidden(service.clock, 'The last Owner cannot be removed');

describe.each(WAYS)('an Owner whose account is %s', (_what, stop) => {
  test('does not let the last other Owner leave the organization', async () => {
    const { ada, organization_id, stored } = team;
    const bob = await service.newPerson();
    await service.addOwner(ada, organization_id, bob);
    await stop(bob);
    const before = await stored();
    const owner = ({ user_id }: Person) => `/${organization_id}/owners/${user_id}`;
    expect(outcome(await ada.call('DELETE', owner(ada)))).toStrictEqual(lastOwner());
    expect(await stored()).toStrictEqual(before);
    expect((await ada.call('DELETE', owner(bob))).status).toBe(200);
  });

  test('does not let the last other Owner leave or lower themselves on a chatbot', async () => {
    const [ada, bob] = [await service.newPerson(), await service.newPerson()];
    const { chatbot_id } = (await ada.ask('POST', '/api/v1/chatbots/create', RECEPTIONIST)).body;
    const entry = ({ user_id }: Person) => `/api/v1/chatbots/${chatbot_id}/access/${user_id}`;
    await ada.ask('PUT', entry(bob), { role: 'Owner' });
    await stop(bob);
    const before = await service.db.chatbots.findOne({ chatbot_id });
    expect(outcome(await ada.ask('DELETE', entry(ada)))).toStrictEqual(lastOwner());
    expect(outcome(await ada.ask('PUT', entry(ada), { role: 'Viewer' }))).toStrictEqual(lastOwner());
    expect(await service.db.chatbots.findOne({ chatbot_id })).toStrictEqual(before);
    // Other changes are not affected, and the Owner who can act may remove the other one.
    expect((await ada.ask('PUT', entry(bob), { role: 'Viewer' })).status).toBe(200);
    expect((await ada.ask('DELETE', entry(bob))).status).toBe(200);
  });

  test('does not inherit a chatbot from the list or from the organization', async () => {
    const { ada, organization_id, department_id, place, people } = team;
    const second = await service.newPerson();
    await service.addOwner(ada, organization_id, second);
    const { Editor, Owner, Viewer } = people;
    const [listed, alone] = [
      await service.newChatbot(Editor, department_id),
      await service.newChatbot(Editor, department_id),
    ];
    for (const { user_id } of [Owner, Viewer])
      await Editor.ask('PUT', `/api/v1/chatbots/${listed.chatbot_id}/access/${user_id}`, { role: 'Owner' });
    for (const person of [Owner, ada]) await stop(person);
    await second.call('DELETE', `${place}/members/${Editor.user_id}`);
    const ownerOf = async ({ chatbot_id }: { chatbot_id: string }) =>
      (await second.ask('GET', `/api/v1/chatbots/${chatbot_id}`)).body.owner_id;
    expect(await ownerOf(listed)).toBe(Viewer.user_id);
    expect(await ownerOf(alone)).toBe(second.user_id);
  });
});

test('one of two Owners who leave stays while a third cannot act, however often both try', async () => {
  const [bob, carol] = [await service.newPerson(), await service.newPerson()];
  const { ada, organization_id } = team;
  const owner = ({ user_id }: Person) => `/${organization_id}/owners/${user_id}`;
  for (const person of [bob, carol]) await service.addOwner(ada, organization_id, person);
  await set(carol.user_id, { account_status: 'disabled' });
  const leave = (person: Person) => person.call('DELETE', owner(person));
  const answers = await Promise.all([ada, bob, ada, bob].map(leave));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const stored = await service.db.organizations.findOne({ organization_id });
  const left = stored?.owners.map(({ user_id }) => user_id) ?? [];
  expect(left).toHaveLength(2);
  expect(left).toContain(carol.user_id);
});

describe('the last Owner of a department while no Owner of the organization can act', () => {
  const own = ({ user_id }: Person) => `${team.place}/members/${user_id}`;
  const memberRole = async ({ user_id }: Person) =>
    (await service.db.memberships.findOne({ department_id: team.department_id, user_id }))?.role;
  const addOwner = async (fields: Partial<User> = {}) => {
    const person = await service.newPerson();
    await service.storeMember(team, person, 'Owner');
    await set(person.user_id, fields);
    return person;
  };
  beforeEach(() => set(team.ada.user_id, { account_status: 'disabled' }));

  test('neither leaves nor lowers themselves', async () => {
    const { Owner } = team.people;
    await addOwner({ account_status: 'disabled' });
    const before = await team.stored();
    expect(outcome(await Owner.call('DELETE', own(Owner)))).toStrictEqual(lastOwner());
    expect(outcome(await Owner.call('PUT', own(Owner), { role: 'Admin' }))).toStrictEqual(lastOwner());
    expect(await team.stored()).toStrictEqual(before);
    expect((await team.people.Admin.call('DELETE', own(team.people.Admin))).status).toBe(200);
  });

  test('may leave once another member can act as Owner', async () => {
    const { Owner, Admin } = team.people;
    const bob = await addOwner();
    expect((await bob.call('DELETE', own(Owner))).status).toBe(200);
    expect(outcome(await bob.call('DELETE', own(bob)))).toStrictEqual(lastOwner());
    expect((await bob.call('PUT', own(Admin), { role: 'Owner' })).status).toBe(200);
    expect((await bob.call('PUT', own(bob), { role: 'Viewer' })).status).toBe(200);
  });

  test.each<[what: string, end: (person: Person) => Promise<unknown>]>([
    ['leave', (person) => person.call('DELETE', own(person))],
    ['lower themselves', (person) => person.call('PUT', own(person), { role: 'Viewer' })],
  ])('stays when two %s concurrently', async (_what, end) => {
    const owners = [team.people.Owner, await addOwner()];
    await Promise.all(owners.map(end));
    expect(await Promise.all(owners.map(memberRole))).toContain('Owner');
  });

  test('stays when an Admin removes them while they lower themselves and the other Owner leaves', async () => {
    const { Owner, Admin } = team.people;
    const bob = await addOwner();
    const { memberships } = service.db;
    const spy = vi.spyOn(memberships, 'findOneAndUpdate').mockImplementationOnce((async (
      ...lowering: Parameters<typeof memberships.findOneAndUpdate>
    ) => {
      spy.mockRestore();
      expect((await bob.call('DELETE', own(bob))).status).toBe(200);
      const lowered = await memberships.findOneAndUpdate(...lowering);
      expect((await Admin.call('DELETE', own(Owner))).status).toBe(403);
      return lowered;
    }) as never);
    expect(outcome(await Owner.call('PUT', own(Owner), { role: 'Viewer' }))).toStrictEqual(lastOwner());
    expect(await memberRole(Owner)).toBe('Owner');
  });

  test('counts again once a service starts after a call of theirs was interrupted', async () => {
    const { Owner } = team.people;
    const bob = await addOwner();
    await service.db.memberships.updateOne({ user_id: bob.user_id }, { $set: { leaving: 'interrupted' } });
    expect(outcome(await Owner.call('DELETE', own(Owner)))).toStrictEqual(lastOwner());
    await removeLeavingMarks(service.db);
    expect((await Owner.call('DELETE', own(Owner))).status).toBe(200);
    expect(await memberRole(bob)).toBe('Owner');
  });

  test('stays when two lower and remove each other concurrently', async () => {
    for (let round = 0; round < rounds(10); round += 1) {
      const owners = [await addOwner(), await addOwner()] as const;
      await service.db.memberships.deleteMany({
        department_id: team.department_id,
        user_id: { $nin: owners.map(({ user_id }) => user_id) },
      });
      const pairs = [owners, owners.toReversed() as [Person, Person]] as const;
      const calls = pairs.flatMap(([caller, other]) => [
        caller.call('PUT', own(other), { role: 'Viewer' }),
        caller.call('DELETE', own(other)),
      ]);
      await Promise.all(calls);
      expect(await Promise.all(owners.map(memberRole))).toContain('Owner');
    }
  });
});

test('a chatbot passes to an Owner of the organization while none of them can act', async () => {
  const { ada, department_id, place, people } = team;
  const { chatbot_id } = await service.newChatbot(people.Editor, department_id);
  await set(ada.user_id, { account_status: 'disabled' });
  expect((await people.Editor.call('DELETE', `${place}/members/${people.Editor.user_id}`)).status).toBe(200);
  expect((await service.db.chatbots.findOne({ chatbot_id }))?.owner_id).toBe(ada.user_id);
});

test('the owner of a department’s chatbot who has left it is not one who can act', async () => {
  const { ada, department_id, people } = team;
  const { chatbot_id } = await service.newChatbot(people.Editor, department_id);
  const entry = ({ user_id }: Person) => `/api/v1/chatbots/${chatbot_id}/access/${user_id}`;
  await ada.ask('PUT', entry(people.Viewer), { role: 'Owner' });
  // As after a removal that a crash has interrupted.
  await service.db.memberships.deleteOne({ department_id, user_id: people.Editor.user_id });
  expect(outcome(await people.Viewer.ask('DELETE', entry(people.Viewer)))).toStrictEqual(lastOwner());
});
