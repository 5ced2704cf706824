import { ROLES, type Role } from '@gatehouse/shared/access/rbac';
import { describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { rounds } from '../../fixtures/property.ts';
import { forbidden, malformed, missing, notFound, STRANGE_IDS, userNotFound } from '../access/failures.ts';
import {
  BAD_BODIES,
  BAD_QUERIES,
  concurrently,
  NOWHERE,
  onePage,
  type Person,
} from './organization-service.ts';
import { service, team, withOrganizations, withTeam, withTeams } from './with-organizations.ts';

withOrganizations();
withTeam();

const to = ({ user_id }: { user_id: string }, { place } = team) => `${place}/members/${user_id}`;
const set = (caller: Person, person: { user_id: string }, role: unknown) =>
  caller.call('PUT', to(person), { role });
/** Adds a person, who accepts. */
const add = (caller: Person, person: Person, role: Role) =>
  service.addMember(caller, team.place, person, role);
const remove = (caller: Person, person: { user_id: string }) => caller.call('DELETE', to(person));
const REMOVED = { status: 200, body: { message: 'Member removed' } };
const memberships = (person: { user_id: string }) =>
  service.db.memberships.find({ user_id: person.user_id }).toArray();

/** The roles that each role may grant, change and remove. */
const GRANTABLE: Record<Role, readonly Role[]> = {
  Owner: ROLES,
  Admin: ['Admin', 'Editor', 'Viewer', 'Analyst'],
  Editor: [],
  Viewer: [],
  Analyst: [],
};

describe('PUT …/members/{user_id}', () => {
  withTeams();

  test('adds somebody who has a role in the organization at once, and changes their role', async () => {
    const { ada, people, organization_id, department_id } = team;
    const bob = await service.newPerson();
    const sibling = await service.newDepartment(ada, organization_id);
    await service.storeMember({ ...team, ...sibling }, bob, 'Analyst');
    const mails = service.mailbox.mails.length;
    const added = {
      user_id: bob.user_id,
      role: 'Viewer',
      email: null,
      granted_by: ada.user_id,
      granted_at: service.at(),
    };
    expect(outcome(await set(ada, bob, 'Viewer'))).toStrictEqual({ status: 200, body: added });
    const here = async () =>
      (await memberships(bob)).filter((membership) => membership.department_id === department_id);
    const [membership] = await here();
    const { email: _, ...fields } = added;
    expect(membership).toStrictEqual({
      _id: expect.anything(),
      membership_id: expect.any(String),
      organization_id,
      department_id,
      joined_at: new Date(service.clock.now()),
      ...fields,
    });
    service.clock.advance(60);
    const changed = { ...added, role: 'Editor', granted_by: people.Admin.user_id, granted_at: service.at() };
    expect(outcome(await set(people.Admin, bob, 'Editor'))).toStrictEqual({ status: 200, body: changed });
    expect(outcome(await bob.call('GET', to(bob)))).toStrictEqual({
      status: 200,
      body: { ...changed, name: 'Person', chatbot_roles: [], chatbot_roles_total: 0 },
    });
    expect(await here()).toStrictEqual([
      {
        ...membership,
        role: 'Editor',
        granted_by: people.Admin.user_id,
        granted_at: service.at(),
      },
    ]);
    expect(service.mailbox.mails).toHaveLength(mails);
  });

  test('a role takes effect at once, in this department only', async () => {
    const { ada, organization_id, department_id } = team;
    const bob = await service.newPerson();
    const sibling = await service.newDepartment(ada, organization_id);
    const { chatbot_id } = await service.newChatbot(ada, department_id);
    const hidden = await service.newChatbot(ada, sibling.department_id);
    const rename = () => bob.ask('PATCH', `/api/v1/chatbots/${chatbot_id}`, { name: 'Renamed' });
    expect((await rename()).status).toBe(404);
    await add(ada, bob, 'Viewer');
    for (const [role, status] of [
      ['Editor', 200],
      ['Viewer', 403],
      ['Analyst', 404],
    ] as const) {
      await set(ada, bob, role);
      expect((await rename()).status, role).toBe(status);
      expect((await bob.ask('GET', `/api/v1/chatbots/${hidden.chatbot_id}`)).status).toBe(404);
    }
  });

  describe.each(ROLES)('%s', (own) => {
    const others = async () =>
      Promise.all(ROLES.map(async (role) => [role, await service.newPerson()] as const));

    test('cannot grant a role above their own', async () => {
      for (const [role, person] of await others()) {
        const answer = await set(team.people[own], person, role);
        if (GRANTABLE[own].includes(role)) expect(answer.status, role).toBe(202);
        else expect(outcome(answer), role).toStrictEqual(forbidden(service.clock));
        const invited = { invited_id: person.user_id, role };
        expect(await service.db.memberships.countDocuments(invited)).toBe(
          GRANTABLE[own].includes(role) ? 1 : 0,
        );
        expect(await memberships(person)).toEqual([]);
      }
    });

    test('cannot change or remove a role above their own', async () => {
      for (const [role, person] of await others()) {
        await service.addMember(team.ada, team.place, person, role);
        const before = await memberships(person);
        const answers = [
          await set(team.people[own], person, 'Analyst'),
          await remove(team.people[own], person),
        ];
        if (GRANTABLE[own].includes(role)) {
          expect(
            answers.map(({ status }) => status),
            role,
          ).toEqual([200, 200]);
          expect(await memberships(person)).toEqual([]);
        } else {
          expect(answers.map(outcome), role).toStrictEqual([
            forbidden(service.clock),
            forbidden(service.clock),
          ]);
          expect(await memberships(person)).toStrictEqual(before);
        }
      }
    });

    test('cannot raise their own role', async () => {
      const answer = await set(team.people[own], team.people[own], 'Owner');
      expect(answer.status).toBe(own === 'Owner' ? 200 : 403);
      expect((await memberships(team.people[own]))[0]?.role).toBe(own);
    });
  });

  test('Admins and Owners can lower their own role', async () => {
    const { Admin, Owner } = team.people;
    for (const person of [Admin, Owner]) {
      expect((await set(person, person, 'Viewer')).status).toBe(200);
      expect(outcome(await set(person, person, 'Editor'))).toStrictEqual(forbidden(service.clock));
    }
  });

  test('refuses an Owner of the organization', async () => {
    const before = await team.stored();
    for (const caller of [team.ada, team.people.Admin])
      expect(outcome(await set(caller, team.ada, 'Viewer'))).toStrictEqual(
        forbidden(service.clock, 'An Owner of the organization is Owner in every department'),
      );
    expect(await team.stored()).toStrictEqual(before);
  });

  test('returns 404 for a member who is not active, and for an id that no account can have', async () => {
    const disabled = await service.newPerson();
    await add(team.ada, disabled, 'Viewer');
    const sibling = await service.newDepartment(team.ada, team.organization_id);
    await service.db.users.updateOne({ user_id: disabled.user_id }, { $set: { account_status: 'disabled' } });
    const before = await team.stored();
    for (const { place } of [team, sibling])
      expect(
        outcome(await team.ada.call('PUT', `${place}/members/${disabled.user_id}`, { role: 'Editor' })),
      ).toStrictEqual(userNotFound(service.clock));
    for (const user_id of [
      'User-99999',
      'User-012345',
      `User-1${'0'.repeat(12)}`,
      'user-999999',
      NOWHERE,
      'undefined',
    ])
      expect(outcome(await set(team.ada, { user_id }, 'Viewer')), user_id).toStrictEqual(
        userNotFound(service.clock),
      );
    for (const id of STRANGE_IDS) {
      expect((await set(team.ada, { user_id: id }, 'Viewer')).status, id.slice(0, 40)).toBe(404);
      expect(outcome(await team.ada.call('GET', to({ user_id: id })))).toStrictEqual(notFound(service.clock));
      expect(outcome(await remove(team.ada, { user_id: id }))).toStrictEqual(notFound(service.clock));
    }
    expect(await team.stored()).toStrictEqual(before);
  });

  test('ten concurrent additions of somebody in the organization create one member', async () => {
    for (let round = 0; round < 2; round += 1) {
      const bob = await service.newPerson();
      const sibling = await service.newDepartment(team.ada, team.organization_id);
      await service.addMember(team.ada, sibling.place, bob, 'Analyst');
      const answers = await concurrently(10, (turn) =>
        set(turn % 2 ? team.ada : team.people.Admin, bob, turn % 3 ? 'Viewer' : 'Editor'),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
      const stored = (await memberships(bob)).filter((each) => each.department_id === team.department_id);
      expect(stored).toHaveLength(1);
      expect(['Viewer', 'Editor']).toContain(stored[0]?.role);
      expect((await team.ada.call('GET', `${team.place}/invitations`)).body.data).toEqual([]);
    }
  });

  test('a member who is made Owner while an Admin changes their role ends as Owner', async () => {
    for (let round = 0; round < rounds(4); round += 1) {
      const bob = await service.newPerson();
      await add(team.ada, bob, 'Viewer');
      const [raised, changed] = await Promise.all([
        set(team.people.Owner, bob, 'Owner'),
        set(team.people.Admin, bob, 'Editor'),
      ]);
      expect(raised.status).toBe(200);
      expect([200, 403]).toContain(changed.status);
      // Whichever call is first: once they are Owner, the Admin cannot change them.
      expect((await memberships(bob)).map(({ role }) => role)).toEqual(['Owner']);
    }
  });
});

describe('GET …/members', () => {
  withTeams();

  test('lists members, not invitees', async () => {
    const { ada, people, place } = team;
    await service.storeInvitation(team, { email: 'waiting@example.com' });
    const shown = (role: Role, fields: object = {}) => ({
      user_id: people[role].user_id,
      name: 'Person',
      role,
      email: null,
      granted_by: ada.user_id,
      granted_at: service.at(),
      ...fields,
    });
    const list = async (query: string) =>
      outcome(await people.Viewer.call('GET', `${place}/members${query}`));
    const byId = ROLES.map((role) => shown(role)).sort((one, other) =>
      one.user_id < other.user_id ? -1 : 1,
    );
    expect(await list('?sort_by=user_id&order=asc')).toStrictEqual(onePage(...byId));
    expect(await list('?sort_by=user_id')).toStrictEqual(onePage(...byId.toReversed()));
    expect(await list('')).toStrictEqual(onePage(...byId.toReversed()));
    expect(await list('?sort_by=role&order=asc')).toStrictEqual(
      onePage(...ROLES.toSorted().map((role) => shown(role))),
    );
    expect(await list('?role=Admin')).toStrictEqual(onePage(shown('Admin')));
    expect(await list('?search=waiting')).toStrictEqual(onePage());
    expect(await list('?search=example')).toStrictEqual(onePage());
  });

  test('returns and searches the address of an invited member', async () => {
    const { ada, place } = team;
    const grace = await service.newPerson({ email: 'Grace.Hopper@example.com', name: 'Grace' });
    await service.inviteMember(ada, place, grace, 'Analyst');
    const shown = {
      user_id: grace.user_id,
      name: 'Grace',
      role: 'Analyst',
      email: 'grace.hopper@example.com',
      granted_by: ada.user_id,
      granted_at: service.at(),
    };
    for (const query of ['?search=HOPPER', '?search=grace.h', '?sort_by=email&limit=1'])
      expect((await ada.call('GET', `${place}/members${query}`)).body.data).toStrictEqual([shown]);
    expect(outcome(await ada.call('GET', `${place}/members?search=grace.hopper.`))).toStrictEqual(onePage());
    expect(outcome(await ada.call('GET', `${place}/members?search=.*`))).toStrictEqual(onePage());
  });

  test('neither count, search nor order reveals other departments', async () => {
    const { ada, organization_id, place } = team;
    const sibling = await service.newDepartment(ada, organization_id);
    const other = await service.newTeam();
    for (const [name, owner, there] of [
      ['sibling', ada, sibling.place],
      ['other', other.ada, other.place],
    ] as const) {
      const person = await service.newPerson({ email: `${name}.secret@example.com` });
      await service.inviteMember(owner, there, person, 'Viewer');
    }
    for (const query of [
      'search=secret',
      'search=secret&sort_by=email&limit=100',
      'search=secret&role=Viewer',
    ])
      expect((await ada.call('GET', `${place}/members?${query}`)).body.pagination.total_items).toBe(0);
    expect((await ada.call('GET', `${place}/members`)).body.pagination.total_items).toBe(5);
    expect((await ada.call('GET', `${sibling.place}/members`)).body.pagination.total_items).toBe(1);
  });

  test('pages neither repeat nor omit a member', async () => {
    const seen = [];
    for (const number of [1, 2, 3]) {
      const { body } = await team.ada.call('GET', `${team.place}/members?limit=2&page=${number}`);
      seen.push(...body.data.map(({ user_id }: { user_id: string }) => user_id));
      expect(body.pagination).toStrictEqual({
        page: number,
        limit: 2,
        total_items: 5,
        total_pages: 3,
        has_next: number < 3,
        has_prev: number > 1,
      });
    }
    expect(seen.sort()).toEqual(ROLES.map((role) => team.people[role].user_id).sort());
  });
});

describe('DELETE …/members/{user_id}', () => {
  withTeams();

  test('a removed member loses access, and their chatbot is kept', async () => {
    const { ada, people, department_id, place } = team;
    const { Editor } = people;
    const chatbot = await service.newChatbot(Editor, department_id);
    expect(outcome(await remove(people.Admin, Editor))).toStrictEqual(REMOVED);
    expect(await memberships(Editor)).toEqual([]);
    expect((await Editor.ask('GET', `/api/v1/chatbots/${chatbot.chatbot_id}`)).status).toBe(404);
    expect((await Editor.ask('GET', '/api/v1/chatbots')).body.pagination.total_items).toBe(0);
    expect(outcome(await Editor.call('GET', place))).toStrictEqual(notFound(service.clock));
    expect(outcome(await Editor.call('GET', ''))).toStrictEqual(onePage());
    // Without another Owner on its list, it passes to an Owner of the organization.
    expect((await ada.ask('GET', `/api/v1/chatbots/${chatbot.chatbot_id}`)).body).toStrictEqual({
      ...chatbot,
      owner_id: ada.user_id,
    });
    expect(outcome(await remove(people.Admin, Editor))).toStrictEqual(notFound(service.clock));
    expect(outcome(await remove(Editor, Editor))).toStrictEqual(notFound(service.clock));
  });

  test('one of two concurrent removals of a member succeeds', async () => {
    for (let round = 0; round < rounds(4); round += 1) {
      const bob = await service.newPerson();
      await add(team.ada, bob, 'Editor');
      const answers = await Promise.all([remove(bob, bob), remove(team.people.Admin, bob)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
      expect(await memberships(bob)).toEqual([]);
    }
  });

  test('returns 404 for an invitation', async () => {
    const invitation_id = await service.storeInvitation(team, { email: 'waiting@example.com' });
    const before = await team.stored();
    for (const id of [invitation_id, 'waiting@example.com', 'null', 'undefined', ''])
      expect((await remove(team.ada, { user_id: id })).status).toBe(404);
    expect(await team.stored()).toStrictEqual(before);
  });

  describe('grants on chatbots', () => {
    /** A removed Analyst who was Owner of a chatbot. */
    async function removedOwner() {
      const { ada, people, department_id } = team;
      const bob = await service.newPerson();
      await add(ada, bob, 'Analyst');
      const { chatbot_id } = await service.newChatbot(people.Editor, department_id);
      const kept = { user_id: people.Viewer.user_id, role: 'Admin' };
      for (const { user_id, role } of [kept, { user_id: bob.user_id, role: 'Owner' }])
        await ada.ask('PUT', `/api/v1/chatbots/${chatbot_id}/access/${user_id}`, { role });
      const own = async () => {
        const { status, body } = await bob.ask('GET', `/api/v1/chatbots/${chatbot_id}/access/me`);
        return status === 200 ? body.role : status;
      };
      expect(await own()).toBe('Owner');
      await remove(people.Owner, bob);
      expect(await own()).toBe(404);
      const listed = async () =>
        (await ada.ask('GET', `/api/v1/chatbots/${chatbot_id}/access`)).body.permissions.map(
          ({ user_id }: { user_id: string }) => user_id,
        );
      expect(await listed()).toEqual([people.Editor.user_id, people.Viewer.user_id]);
      /** Stores what a removal interrupted between its two writes leaves. */
      const storeLeftover = () =>
        service.db.chatbots.updateOne(
          { chatbot_id },
          {
            $push: {
              permissions: {
                user_id: bob.user_id,
                role: 'Owner',
                granted_by: ada.user_id,
                granted_at: service.at(),
              },
            },
          },
        );
      return { bob, own, storeLeftover };
    }

    test('end with the membership and do not come back with a new one', async () => {
      const { bob, own } = await removedOwner();
      await add(team.ada, bob, 'Analyst');
      expect(await own()).toBe('Analyst');
      await remove(team.ada, bob);
      await service.inviteMember(team.ada, team.place, bob, 'Viewer');
      expect(await own()).toBe('Viewer');
    });

    test('do not come back after an interrupted removal', async () => {
      const { bob, own, storeLeftover } = await removedOwner();
      await storeLeftover();
      expect(await own()).toBe(404);
      await add(team.ada, bob, 'Analyst');
      expect(await own()).toBe('Analyst');
      await remove(team.ada, bob);
      await storeLeftover();
      await service.inviteMember(team.ada, team.place, bob, 'Viewer');
      expect(await own()).toBe('Viewer');
    });
  });

  test('a removed member keeps grants in other departments', async () => {
    const { ada, organization_id } = team;
    const bob = await service.newPerson();
    const sibling = await service.newDepartment(ada, organization_id);
    await add(ada, bob, 'Viewer');
    await service.addMember(ada, sibling.place, bob, 'Viewer');
    const { chatbot_id } = await service.newChatbot(ada, sibling.department_id);
    await ada.ask('PUT', `/api/v1/chatbots/${chatbot_id}/access/${bob.user_id}`, { role: 'Admin' });
    await remove(ada, bob);
    expect((await bob.ask('GET', `/api/v1/chatbots/${chatbot_id}/access/me`)).body.role).toBe('Admin');
  });
});

describe('two organizations', () => {
  withTeams();

  test('a user has a separate role in each', async () => {
    const other = await service.newTeam();
    const bob = await service.newPerson();
    await add(team.ada, bob, 'Owner');
    await service.addMember(other.ada, other.place, bob, 'Viewer');
    expect(outcome(await bob.call('PUT', to(other.people.Analyst, other), { role: 'Viewer' }))).toStrictEqual(
      forbidden(service.clock),
    );
    expect(outcome(await bob.call('DELETE', to(other.people.Analyst, other)))).toStrictEqual(
      forbidden(service.clock),
    );
    expect(outcome(await bob.call('GET', to(team.people.Viewer, other)))).toStrictEqual(
      notFound(service.clock),
    );
    expect(outcome(await bob.call('GET', to(other.people.Viewer)))).toStrictEqual(notFound(service.clock));
    expect((await bob.call('GET', to(team.people.Viewer))).status).toBe(200);
  });
});

describe('invalid requests of PUT …/members/{user_id}', () => {
  test.each([
    [{}, 'role is required'],
    ['', 'body is required'],
  ])('requires a body with a role: %j', async (body, details) => {
    expect(outcome(await team.ada.call('PUT', to(team.people.Viewer), body))).toStrictEqual(
      missing(details, service.clock),
    );
  });

  test.each(['owner', '', 'Superadmin', null, 1, ['Owner'], { $ne: 1 }, 'constructor', 'Owner '])(
    'refuses the role %j and writes nothing',
    async (role) => {
      const before = await team.stored();
      expect(outcome(await set(team.ada, team.people.Viewer, role))).toStrictEqual(
        malformed('role must be one of Owner, Admin, Editor, Viewer, Analyst', service.clock),
      );
      expect(await team.stored()).toStrictEqual(before);
    },
  );

  test('refuses a body that is not a JSON object and writes nothing', async () => {
    const before = await team.stored();
    for (const [what, body] of BAD_BODIES)
      expect((await team.ada.call('PUT', to(team.people.Viewer), body)).status, what).toBe(400);
    expect(await team.stored()).toStrictEqual(before);
  });
});

describe('invalid queries of GET …/members', () => {
  test.each([
    ...BAD_QUERIES,
    ['sort_by=expires_at', 'sort_by must be one of granted_at, user_id, role, email'],
    ['role=owner', 'role must be one of Owner, Admin, Editor, Viewer, Analyst'],
    ['role=Owner&role=Admin', 'role must be one of Owner, Admin, Editor, Viewer, Analyst'],
    ['department_id=x', 'querystring holds an unknown parameter'],
    ['email=x', 'querystring holds an unknown parameter'],
  ])('refuses ?%s', async (query, details) => {
    expect(outcome(await team.ada.call('GET', `${team.place}/members?${query}`))).toStrictEqual(
      malformed(details, service.clock),
    );
  });
});
