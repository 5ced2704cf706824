import { ROLES, type Role } from '@gatehouse/shared/access/rbac';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Chatbot } from '../../../../services/user/chatbots/records.ts';
import { outcome } from '../../../fixtures/envelope.ts';
import { send } from '../../../fixtures/http.ts';
import { rounds } from '../../../fixtures/property.ts';
import { forbidden, noBearer, notFound, STRANGE_IDS } from '../../access/failures.ts';
import type { Person, Place } from '../chatbot-service.ts';
import { ada, bob, eve, service, withChatbots, withPeople } from '../with-chatbots.ts';

let chatbot: Chatbot;
withChatbots();
withPeople();
beforeEach(async () => {
  chatbot = await ada.create();
});

const revoke = (person: Person, user_id: string | null, { chatbot_id } = chatbot) =>
  person.call('DELETE', `/${chatbot_id}/access/${user_id}`);
const leave = (person: Person, of = chatbot) => revoke(person, person.user_id, of);
const stored = ({ chatbot_id } = chatbot) => service.db.chatbots.findOne({ chatbot_id });
const roles = async (of = chatbot) =>
  (await stored(of))?.permissions?.map(({ user_id, role }) => [user_id, role]);
const roleOf = async (person: Person, { chatbot_id } = chatbot) =>
  (await person.call('GET', `/${chatbot_id}/access/me`)).body.role;
const revoked = { status: 200, body: { message: 'Access revoked' } };
const lastOwner = () => forbidden(service.clock, 'The last Owner cannot be removed');

describe('DELETE /api/v1/chatbots/{chatbot_id}/access/{user_id}', () => {
  test.each(ROLES)('revokes %s, after which the user has no access', async (role) => {
    await ada.grant(chatbot, eve, 'Viewer');
    await ada.grant(chatbot, bob, role);
    expect(outcome(await revoke(ada, bob.user_id))).toStrictEqual(revoked);
    expect(await roles()).toEqual([
      [ada.user_id, 'Owner'],
      [eve.user_id, 'Viewer'],
    ]);
    for (const path of ['', '/access', '/access/me'])
      expect(outcome(await bob.call('GET', `/${chatbot.chatbot_id}${path}`))).toStrictEqual(
        notFound(service.clock),
      );
    expect(outcome(await revoke(ada, bob.user_id))).toStrictEqual(notFound(service.clock));
  });

  test('does not change the public fields', async () => {
    await ada.grant(chatbot, bob, 'Viewer');
    service.clock.advance(60);
    await revoke(ada, bob.user_id);
    expect((await ada.call('GET', `/${chatbot.chatbot_id}`)).body).toStrictEqual(chatbot);
  });

  test.each(ROLES)('lets %s leave', async (role) => {
    await ada.grant(chatbot, bob, role);
    expect(outcome(await leave(bob))).toStrictEqual(revoked);
    expect(await roles()).toEqual([[ada.user_id, 'Owner']]);
    expect(outcome(await leave(bob))).toStrictEqual(notFound(service.clock));
  });

  const cases: [Role, Role, number][] = [
    ['Owner', 'Owner', 200],
    ['Admin', 'Owner', 403],
    ['Admin', 'Admin', 200],
    ['Admin', 'Analyst', 200],
    ['Editor', 'Analyst', 403],
    ['Editor', 'Owner', 403],
    ['Viewer', 'Viewer', 403],
    ['Analyst', 'Analyst', 404],
    ['Analyst', 'Owner', 404],
  ];
  test.each(cases)('%s revokes %s: %i', async (caller, role, status) => {
    await ada.grant(chatbot, bob, caller);
    await ada.grant(chatbot, eve, role);
    const before = await stored();
    const answer = await revoke(bob, eve.user_id);
    expect(answer.status).toBe(status);
    if (status === 403) expect(outcome(answer)).toStrictEqual(forbidden(service.clock));
    if (status === 404) expect(outcome(answer)).toStrictEqual(notFound(service.clock));
    if (status !== 200) expect(await stored()).toStrictEqual(before);
    else expect(await roleOf(eve)).toBeUndefined();
  });

  test('an Admin cannot revoke an owner without an entry', async () => {
    await ada.grant(chatbot, bob, 'Admin');
    await service.db.chatbots.updateOne(
      { chatbot_id: chatbot.chatbot_id },
      { $pull: { permissions: { user_id: String(ada.user_id) } } },
    );
    expect(outcome(await revoke(bob, ada.user_id))).toStrictEqual(forbidden(service.clock));
    expect(await roleOf(ada)).toBe('Owner');
  });

  test.each(['Editor', 'Viewer'] as const)(
    '%s, who may not revoke, is not told who has an entry',
    async (role) => {
      await ada.grant(chatbot, bob, role);
      for (const user_id of [ada.user_id, eve.user_id, 'User-999999'])
        expect(outcome(await revoke(bob, user_id))).toStrictEqual(forbidden(service.clock));
    },
  );

  test('returns 404 for a user without an entry and for an unknown user', async () => {
    for (const user_id of [bob.user_id, 'User-999999', 'me', '__proto__', '%00', 'x'.repeat(10_000)])
      expect(outcome(await revoke(ada, user_id))).toStrictEqual(notFound(service.clock));
    expect(await roles()).toBeUndefined();
  });

  test('returns 404 for an unknown chatbot, and for one on which the caller has no role', async () => {
    await ada.grant(chatbot, eve, 'Viewer');
    for (const id of STRANGE_IDS)
      expect(
        outcome(await ada.call('DELETE', `/${id}/access/${ada.user_id}`)),
        id.slice(0, 40),
      ).toStrictEqual(notFound(service.clock));
    for (const user_id of [ada.user_id, bob.user_id, eve.user_id])
      expect(outcome(await revoke(bob, user_id))).toStrictEqual(notFound(service.clock));
    expect(await roles()).toHaveLength(2);
  });

  test('revokes the role of an account that has been disabled since', async () => {
    await ada.grant(chatbot, bob, 'Admin');
    await service.db.users.updateOne(
      { user_id: String(bob.user_id) },
      { $set: { account_status: 'disabled' } },
    );
    expect(outcome(await revoke(ada, bob.user_id))).toStrictEqual(revoked);
  });

  describe('the last Owner stays', () => {
    test('alone, and beside users with lower roles', async () => {
      expect(outcome(await leave(ada))).toStrictEqual(lastOwner());
      await ada.grant(chatbot, bob, 'Admin');
      expect(outcome(await leave(ada))).toStrictEqual(lastOwner());
      expect(await roleOf(ada)).toBe('Owner');
      expect((await stored())?.owner_id).toBe(ada.user_id);
    });

    test('when the owner leaves, the longest-serving other Owner takes their place', async () => {
      const carol = await service.newPerson();
      await ada.grant(chatbot, carol, 'Viewer');
      await ada.grant(chatbot, eve, 'Owner');
      await ada.grant(chatbot, bob, 'Owner');
      await ada.grant(chatbot, carol, 'Owner'); // first on the list, last to become an Owner
      for (const [leaver, successor] of [
        [ada, eve],
        [eve, bob],
        [bob, carol],
      ] as const) {
        expect(outcome(await leave(leaver))).toStrictEqual(revoked);
        expect((await stored())?.owner_id).toBe(successor.user_id);
        expect((await successor.call('GET', `/${chatbot.chatbot_id}`)).body.owner_id).toBe(successor.user_id);
        expect((await leaver.call('GET', `/${chatbot.chatbot_id}`)).status).toBe(404);
      }
      expect(outcome(await leave(carol))).toStrictEqual(lastOwner());
    });

    test('an Owner who revokes the owner takes their place', async () => {
      await ada.grant(chatbot, bob, 'Owner');
      expect(outcome(await revoke(bob, ada.user_id))).toStrictEqual(revoked);
      expect(await stored()).toMatchObject({ owner_id: bob.user_id });
      expect((await ada.call('GET', `/${chatbot.chatbot_id}`)).status).toBe(404);
    });

    test('the owner does not change when another Owner leaves', async () => {
      await ada.grant(chatbot, bob, 'Owner');
      expect(outcome(await leave(bob))).toStrictEqual(revoked);
      expect((await stored())?.owner_id).toBe(ada.user_id);
    });

    test('one of two Owners who leave concurrently stays', async () => {
      for (let round = 0; round < rounds(4); round += 1) {
        const shared = await ada.create();
        await ada.grant(shared, bob, 'Owner');
        const answers = await Promise.all([leave(ada, shared), leave(bob, shared)]);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
        const stays = answers[0].status === 403 ? ada : bob;
        expect(await roles(shared)).toEqual([[stays.user_id, 'Owner']]);
        expect((await stored(shared))?.owner_id).toBe(stays.user_id);
      }
    });

    test('one of five Owners who leave concurrently stays', async () => {
      const people = [ada];
      for (let number = 0; number < 4; number += 1) {
        const person = await service.newPerson();
        await ada.grant(chatbot, person, 'Owner');
        people.push(person);
      }
      const answers = await Promise.all(people.map((person) => leave(person)));
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array(4).fill(200), 403]);
      const [stays] = people.filter((_, turn) => answers[turn]?.status === 403);
      expect(await roles()).toEqual([[stays?.user_id, 'Owner']]);
      expect((await stored())?.owner_id).toBe(stays?.user_id);
    });
  });

  describe('on a chatbot of a department', () => {
    let owner: Person;
    let place: Place;
    let shared: Chatbot;
    beforeEach(async () => {
      owner = await service.newPerson();
      [place] = await service.newOrganization([owner]);
      await service.storeMember(ada, { ...place, role: 'Owner' });
      shared = await ada.create({ department_id: place.department_id });
    });

    test('the role in the department applies again', async () => {
      await service.storeMember(bob, { ...place, role: 'Viewer' });
      await ada.grant(shared, bob, 'Admin');
      expect(outcome(await leave(bob, shared))).toStrictEqual(revoked);
      expect(await roleOf(bob, shared)).toBe('Viewer');
      await ada.grant(shared, bob, 'Analyst');
      expect(outcome(await revoke(ada, bob.user_id, shared))).toStrictEqual(revoked);
      expect(await roleOf(bob, shared)).toBe('Viewer');
    });

    test('a user whose entry is lower than their role in the department cannot leave', async () => {
      await service.storeMember(bob, { ...place, role: 'Admin' });
      await ada.grant(shared, bob, 'Viewer');
      expect(outcome(await leave(bob, shared))).toStrictEqual(forbidden(service.clock));
      expect(await roleOf(bob, shared)).toBe('Viewer');
      await ada.grant(shared, bob, 'Analyst');
      expect((await leave(bob, shared)).status).toBe(403);
      expect(await roleOf(bob, shared)).toBe('Analyst');
      await ada.grant(shared, bob, 'Admin');
      expect(outcome(await leave(bob, shared))).toStrictEqual(revoked);
      expect(await roleOf(bob, shared)).toBe('Admin');
    });

    test('an Admin cannot make a user Owner by revoking a lower entry', async () => {
      await service.storeMember(bob, { ...place, role: 'Admin' });
      await service.storeMember(eve, { ...place, role: 'Owner' });
      await ada.grant(shared, eve, 'Viewer');
      expect(outcome(await revoke(bob, eve.user_id, shared))).toStrictEqual(forbidden(service.clock));
      expect(await roleOf(eve, shared)).toBe('Viewer');
      expect(outcome(await revoke(ada, eve.user_id, shared))).toStrictEqual(revoked);
      expect(await roleOf(eve, shared)).toBe('Owner');
    });

    test('a role in the department is not an entry that can be revoked', async () => {
      await service.storeMember(bob, { ...place, role: 'Viewer' });
      for (const caller of [ada, bob, owner])
        expect(outcome(await revoke(caller, bob.user_id, shared))).toStrictEqual(notFound(service.clock));
      expect(outcome(await leave(owner, shared))).toStrictEqual(notFound(service.clock));
    });

    test("the organization's Owner revokes any entry but that of the last Owner", async () => {
      await service.storeMember(bob, { ...place, role: 'Viewer' });
      await ada.grant(shared, bob, 'Owner');
      expect(outcome(await revoke(owner, ada.user_id, shared))).toStrictEqual(revoked);
      expect((await stored(shared))?.owner_id).toBe(bob.user_id);
      expect(outcome(await revoke(owner, bob.user_id, shared))).toStrictEqual(lastOwner());
    });

    test('a former member can neither leave nor revoke', async () => {
      await service.storeMember(bob, { ...place, role: 'Viewer' });
      await ada.grant(shared, bob, 'Owner');
      await service.db.memberships.deleteOne({ user_id: String(bob.user_id) });
      for (const { user_id } of [ada, bob])
        expect(outcome(await revoke(bob, user_id, shared))).toStrictEqual(notFound(service.clock));
      expect(outcome(await revoke(ada, bob.user_id, shared))).toStrictEqual(revoked);
    });
  });

  test.each([
    ['GET', ''],
    ['GET', '/me'],
    ['PUT', '/User-100000'],
    ['DELETE', '/User-100000'],
  ])('%s …/access%s requires the bearer of an account with a user_id', async (method, rest) => {
    const path = `/${chatbot.chatbot_id}/access${rest}`;
    const anonymous = await send(`${service.url}/api/v1/chatbots${path}`, { method });
    expect(outcome(anonymous)).toStrictEqual(noBearer(service.clock));
    const nameless = await service.newPerson({ user_id: null });
    const body = method === 'PUT' ? { role: 'Viewer' } : undefined;
    expect(outcome(await nameless.call(method, path, body))).toStrictEqual(forbidden(service.clock));
  });
});
