import { ROLES, type Role } from '@gatehouse/shared/access/rbac';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Grant } from '../../../../services/user/access/access-list.ts';
import type { Chatbot } from '../../../../services/user/chatbots/records.ts';
import { outcome } from '../../../fixtures/envelope.ts';
import { rounds } from '../../../fixtures/property.ts';
import { forbidden, malformed, missing, notFound, STRANGE_IDS, userNotFound } from '../../access/failures.ts';
import type { Person, Place } from '../chatbot-service.ts';
import { ada, bob, eve, service, withChatbots, withPeople } from '../with-chatbots.ts';

let chatbot: Chatbot;
withChatbots();
withPeople();
beforeEach(async () => {
  chatbot = await ada.create();
});

const put = (person: Person, user_id: string | null, body: unknown, { chatbot_id } = chatbot) =>
  person.call('PUT', `/${chatbot_id}/access/${user_id}`, body);
const at = () => new Date(service.clock.now()).toISOString();
const stored = ({ chatbot_id } = chatbot) => service.db.chatbots.findOne({ chatbot_id });
/** The stored access list, without who granted what. */
const roles = async (of = chatbot) =>
  (await stored(of))?.permissions?.map(({ user_id, role }) => [user_id, role]);
const roleOf = async (person: Person, { chatbot_id } = chatbot) =>
  (await person.call('GET', `/${chatbot_id}/access/me`)).body.role;

describe('PUT /api/v1/chatbots/{chatbot_id}/access/{user_id}', () => {
  test.each(ROLES)('grants %s: returns the entry, stores it, and it takes effect', async (role) => {
    service.clock.advance(60);
    const entry = { user_id: bob.user_id, role, granted_by: ada.user_id, granted_at: at() };
    expect(outcome(await put(ada, bob.user_id, { role }))).toStrictEqual({ status: 200, body: entry });
    expect((await stored())?.permissions?.[1]).toStrictEqual(entry);
    expect(await roleOf(bob)).toBe(role);
    expect((await ada.call('GET', `/${chatbot.chatbot_id}`)).body).toStrictEqual(chatbot);
  });

  test('replaces the entry when a role changes', async () => {
    await ada.grant(chatbot, bob, 'Owner');
    await ada.grant(chatbot, eve, 'Viewer');
    service.clock.advance(60);
    const entry = { user_id: eve.user_id, role: 'Admin', granted_by: bob.user_id, granted_at: at() };
    expect(outcome(await put(bob, eve.user_id, { role: 'Admin' }))).toStrictEqual({
      status: 200,
      body: entry,
    });
    expect((await stored())?.permissions?.filter(({ user_id }) => user_id === eve.user_id)).toStrictEqual([
      entry,
    ]);
  });

  test('ignores unknown fields', async () => {
    await put(ada, bob.user_id, {
      role: 'Viewer',
      user_id: eve.user_id,
      granted_by: 'x',
      $set: { owner_id: 'x' },
    });
    expect(await roles()).toEqual([
      [ada.user_id, 'Owner'],
      [bob.user_id, 'Viewer'],
    ]);
  });

  const oneOf = 'role must be one of Owner, Admin, Editor, Viewer, Analyst';
  test.each([
    [{ role: 'owner' }, oneOf],
    [{ role: '' }, oneOf],
    [{ role: 'Superadmin' }, oneOf],
    [{ role: '__proto__' }, oneOf],
    [{ role: null }, oneOf],
    [{ role: ['Owner'] }, oneOf],
    [{ role: { $ne: 'Owner' } }, oneOf],
    [[], 'body must be a JSON object'],
    ['"Owner"', 'body must be a JSON object'],
    ['{"role":', expect.any(String)],
  ])('refuses %j and writes nothing', async (body, details) => {
    const before = await stored();
    expect(outcome(await put(ada, bob.user_id, body))).toStrictEqual(malformed(details, service.clock));
    expect(await stored()).toStrictEqual(before);
  });

  test.each([
    ['role is required', {}],
    ['body is required', undefined],
    ['body is required', ''],
    ['body is required', 'null'],
  ])('returns "%s" for the body %j', async (details, body) => {
    expect(outcome(await put(ada, bob.user_id, body))).toStrictEqual(missing(details, service.clock));
  });

  test('returns 404 for an unknown chatbot, and for one on which the caller has no role', async () => {
    for (const id of STRANGE_IDS)
      expect(
        outcome(await ada.call('PUT', `/${id}/access/${bob.user_id}`, { role: 'Viewer' })),
        id.slice(0, 40),
      ).toStrictEqual(notFound(service.clock));
    for (const user_id of [bob.user_id, eve.user_id])
      expect(outcome(await put(bob, user_id, { role: 'Owner' }))).toStrictEqual(notFound(service.clock));
    expect(await roles()).toBeUndefined();
  });

  test.each(['User-999999', 'me', 'null', '__proto__', '$ne', '%00', 'x'.repeat(10_000)])(
    'returns 404 for the unknown user %.20s',
    async (user_id) => {
      expect(outcome(await put(ada, user_id, { role: 'Viewer' }))).toStrictEqual(userNotFound(service.clock));
      expect(await roles()).toBeUndefined();
    },
  );

  test.each([
    { account_status: 'disabled' as const },
    { account_status: 'paused' as const },
    { verified: false },
    { verified: undefined },
  ])('returns 404 for an account that is not active: %j', async (fields) => {
    const { user_id } = await service.newPerson(fields);
    expect(outcome(await put(ada, user_id, { role: 'Viewer' }))).toStrictEqual(userNotFound(service.clock));
    expect(await roles()).toBeUndefined();
  });

  test('changes the role of an account that has been disabled since', async () => {
    await ada.grant(chatbot, bob, 'Admin');
    await service.db.users.updateOne(
      { user_id: String(bob.user_id) },
      { $set: { account_status: 'disabled' } },
    );
    expect((await put(ada, bob.user_id, { role: 'Viewer' })).status).toBe(200);
  });

  describe('roles that a caller may grant and change', () => {
    const refusals: [Role, Role, Role | undefined, number][] = [
      // caller, granted, before
      ['Admin', 'Owner', undefined, 403],
      ['Admin', 'Owner', 'Viewer', 403],
      ['Admin', 'Viewer', 'Owner', 403],
      ['Admin', 'Admin', undefined, 200],
      ['Admin', 'Analyst', 'Admin', 200],
      ['Admin', 'Editor', 'Analyst', 200],
      ['Owner', 'Owner', 'Owner', 200],
      ['Owner', 'Analyst', 'Owner', 200],
      ['Editor', 'Analyst', undefined, 403],
      ['Editor', 'Editor', 'Viewer', 403],
      ['Viewer', 'Viewer', undefined, 403],
      ['Viewer', 'Analyst', 'Viewer', 403],
      ['Analyst', 'Analyst', undefined, 404],
      ['Analyst', 'Viewer', 'Owner', 404],
    ];
    test.each(refusals)('%s grants %s to a user who has %s: %i', async (caller, role, before, status) => {
      await ada.grant(chatbot, bob, caller);
      if (before) await ada.grant(chatbot, eve, before);
      const list = (await stored())?.permissions;
      const answer = await put(bob, eve.user_id, { role });
      expect(answer.status).toBe(status);
      if (status === 403) expect(outcome(answer)).toStrictEqual(forbidden(service.clock));
      if (status === 404) expect(outcome(answer)).toStrictEqual(notFound(service.clock));
      if (status !== 200) expect((await stored())?.permissions).toStrictEqual(list);
      else expect(await roleOf(eve)).toBe(role);
    });

    test.each(ROLES.slice(1))('%s cannot raise their own role', async (role) => {
      await ada.grant(chatbot, bob, role);
      const { status } = await put(bob, bob.user_id, { role: 'Owner' });
      expect(status).toBe(role === 'Analyst' ? 404 : 403);
      expect(await roleOf(bob)).toBe(role);
    });

    test('a caller who may not grant is not told which users exist', async () => {
      await ada.grant(chatbot, bob, 'Viewer');
      for (const user_id of ['User-999999', eve.user_id])
        expect(outcome(await put(bob, user_id, { role: 'Viewer' }))).toStrictEqual(forbidden(service.clock));
    });
  });

  describe('the last Owner stays', () => {
    test.each(ROLES.slice(1))('and cannot become %s', async (role) => {
      const before = await stored();
      expect(outcome(await put(ada, ada.user_id, { role }))).toStrictEqual(
        forbidden(service.clock, 'The last Owner cannot be removed'),
      );
      expect(await stored()).toStrictEqual(before);
      expect((await put(ada, ada.user_id, { role: 'Owner' })).status).toBe(200);
      expect(await roleOf(ada)).toBe('Owner');
    });

    test('an owner who steps back is succeeded by the other Owner', async () => {
      await ada.grant(chatbot, bob, 'Owner');
      expect((await put(ada, ada.user_id, { role: 'Viewer' })).status).toBe(200);
      expect(await stored()).toMatchObject({ owner_id: bob.user_id });
      expect(await roleOf(ada)).toBe('Viewer');
      expect(await roleOf(bob)).toBe('Owner');
      expect(outcome(await put(bob, bob.user_id, { role: 'Admin' }))).toStrictEqual(
        forbidden(service.clock, 'The last Owner cannot be removed'),
      );
    });

    test('one of two Owners who lower each other concurrently stays', async () => {
      for (let round = 0; round < rounds(3); round += 1) {
        const shared = await ada.create();
        await ada.grant(shared, bob, 'Owner');
        const answers = await Promise.all([
          put(ada, bob.user_id, { role: 'Viewer' }, shared),
          put(bob, ada.user_id, { role: 'Viewer' }, shared),
        ]);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
        const after = await stored(shared);
        expect(after?.permissions?.filter(({ role }) => role === 'Owner')).toHaveLength(1);
        expect(after?.permissions?.find(({ role }) => role === 'Owner')?.user_id).toBe(after?.owner_id);
      }
    });
  });

  test('no concurrent grant is lost', async () => {
    const people: Person[] = [];
    for (let number = 0; number < 8; number += 1) people.push(await service.newPerson());
    await ada.grant(chatbot, bob, 'Owner');
    const answers = await Promise.all(
      people.map(({ user_id }, turn) => put(turn % 2 ? ada : bob, user_id, { role: 'Viewer' })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await roles())?.map(([user_id]) => user_id).sort()).toEqual(
      [ada, bob, ...people].map(({ user_id }) => user_id).sort(),
    );
  });

  test('one of several concurrent grants to a user is stored', async () => {
    const granted = ['Admin', 'Editor', 'Viewer', 'Analyst', 'Admin', 'Editor'];
    await Promise.all(granted.map((role) => put(ada, bob.user_id, { role })));
    expect((await roles())?.filter(([user_id]) => user_id === bob.user_id)).toHaveLength(1);
  });

  test('an access list holds at most 1,000 entries', async () => {
    const entry = (number: number): Grant => ({
      user_id: `User-x${number}`,
      role: 'Viewer',
      granted_by: String(ada.user_id),
      granted_at: at(),
    });
    const { chatbot_id } = chatbot;
    const permissions = Array.from({ length: 998 }, (_, number) => entry(number));
    await service.db.chatbots.updateOne({ chatbot_id }, { $set: { permissions } });
    expect((await put(ada, bob.user_id, { role: 'Viewer' })).status).toBe(200); // the 1,000th, with the owner
    expect(outcome(await put(ada, eve.user_id, { role: 'Viewer' }))).toStrictEqual(
      malformed('an access list holds at most 1000 entries', service.clock),
    );
    expect(await roles()).toHaveLength(1_000);
    expect((await put(ada, bob.user_id, { role: 'Editor' })).status).toBe(200);
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

    test('only members and Owners of the organization can be granted a role', async () => {
      await service.storeMember(bob, { ...place, role: 'Viewer' });
      expect((await put(ada, bob.user_id, { role: 'Editor' }, shared)).status).toBe(200);
      expect((await put(ada, owner.user_id, { role: 'Editor' }, shared)).status).toBe(200);
      const before = await stored(shared);
      expect(outcome(await put(ada, eve.user_id, { role: 'Editor' }, shared))).toStrictEqual(
        userNotFound(service.clock),
      );
      const [next] = await service.newOrganization([owner]);
      await service.storeMember(eve, { ...next, role: 'Owner' });
      expect(outcome(await put(ada, eve.user_id, { role: 'Editor' }, shared))).toStrictEqual(
        userNotFound(service.clock),
      );
      expect(await stored(shared)).toStrictEqual(before);
    });

    test('neither an invitee nor a member whose account is disabled can be granted a role', async () => {
      await service.db.memberships.insertOne({
        membership_id: 'invitation',
        ...place,
        role: 'Editor',
        email: 'grace@example.com',
        granted_by: String(ada.user_id),
        granted_at: at(),
        expires_at: new Date(service.clock.now() + 1000),
      });
      const disabled = await service.newPerson({ account_status: 'disabled' });
      await service.storeMember(disabled, { ...place, role: 'Editor' });
      for (const user_id of [eve.user_id, disabled.user_id, 'undefined', 'null'])
        expect(outcome(await put(ada, user_id, { role: 'Editor' }, shared))).toStrictEqual(
          userNotFound(service.clock),
        );
    });

    test("a department's Admin grants roles up to Admin", async () => {
      await service.storeMember(bob, { ...place, role: 'Admin' });
      await service.storeMember(eve, { ...place, role: 'Viewer' });
      expect((await put(bob, eve.user_id, { role: 'Admin' }, shared)).status).toBe(200);
      expect(outcome(await put(bob, eve.user_id, { role: 'Owner' }, shared))).toStrictEqual(
        forbidden(service.clock),
      );
    });

    test('an entry overrides a higher role in the department', async () => {
      await service.storeMember(bob, { ...place, role: 'Admin' });
      expect((await put(bob, eve.user_id, { role: 'Viewer' }, shared)).status).toBe(404); // no member
      await ada.grant(shared, bob, 'Viewer');
      expect((await put(bob, eve.user_id, { role: 'Viewer' }, shared)).status).toBe(403);
      await ada.grant(shared, bob, 'Analyst');
      expect((await bob.call('GET', `/${shared.chatbot_id}`)).status).toBe(404);
      expect((await put(bob, bob.user_id, { role: 'Admin' }, shared)).status).toBe(404);
    });

    test.each(['Owner', 'Admin'] as const)(
      'whether an Owner of the department can be lowered by its %s',
      async (role) => {
        await service.storeMember(bob, { ...place, role });
        await service.storeMember(eve, { ...place, role: 'Owner' });
        const answer = await put(bob, eve.user_id, { role: 'Analyst' }, shared);
        if (role === 'Admin') expect(outcome(answer)).toStrictEqual(forbidden(service.clock));
        expect(await roleOf(eve, shared)).toBe(role === 'Owner' ? 'Analyst' : 'Owner');
      },
    );

    test('a member who is removed during a grant has no role', async () => {
      for (let round = 0; round < rounds(5); round += 1) {
        await service.storeMember(bob, { ...place, role: 'Viewer' });
        await Promise.all([
          put(ada, bob.user_id, { role: 'Owner' }, shared),
          service.db.memberships.deleteOne({ user_id: String(bob.user_id) }),
        ]);
        expect((await bob.call('GET', `/${shared.chatbot_id}`)).status).toBe(404);
        expect((await bob.call('DELETE', `/${shared.chatbot_id}`)).status).toBe(404);
      }
    });
  });

  test('an account without a user_id cannot be granted a role', async () => {
    const nameless = await service.newPerson({ user_id: null });
    expect(outcome(await put(ada, nameless.user_id, { role: 'Viewer' }))).toStrictEqual(
      userNotFound(service.clock),
    );
  });
});
