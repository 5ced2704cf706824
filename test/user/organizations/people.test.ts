import { describe, expect, test } from 'vitest';
import { explained } from '../../fixtures/database.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { forbidden, malformed, notFound, STRANGE_IDS } from '../access/failures.ts';
import { BAD_QUERIES, onePage, type Person } from './organization-service.ts';
import { service, team, withOrganizations, withTeams } from './with-organizations.ts';

withOrganizations();
withTeams();

/** Makes the team's organization the one that has verified a domain. */
const verify = (domain: string, isVerified = true) =>
  service.db.ssoDomains.insertOne({
    domain_id: domain,
    organization_id: team.organization_id,
    domain,
    token: 'token',
    ...(isVerified && { verified_at: new Date(), verified_domain: domain }),
    sso_required: false,
    created_at: new Date(),
  });

describe('names and addresses', () => {
  test('an address in a verified domain of the organization is shown, any other is not', async () => {
    const { ada, place, organization_id } = team;
    await verify('engines.example');
    await verify('claimed.example', false);
    const addresses = [
      'Ada@Engines.EXAMPLE',
      'bob@claimed.example',
      'eve@sub.engines.example',
      'x@other.example',
    ];
    const shown = new Map<string, string | null>();
    for (const [index, email] of addresses.entries()) {
      const person = await service.newPerson({ email, name: `Person ${index}` });
      await service.storeMember(team, person, 'Viewer');
      shown.set(person.user_id, index === 0 ? email : null);
    }
    const { data } = (await ada.call('GET', `${place}/members?limit=100`)).body;
    const known = data.filter(({ user_id }: Person) => shown.has(user_id));
    expect(new Map(known.map(({ user_id, email }: Person) => [user_id, email]))).toEqual(shown);
    expect(known.map(({ name }: { name: string }) => name).sort()).toEqual(
      addresses.map((_, index) => `Person ${index}`),
    );
    // Another organization has not verified the domain.
    const other = await service.newTeam();
    const [first = ''] = [...shown.keys()];
    await service.storeMember(other, { user_id: first } as Person, 'Viewer');
    const listed = (await other.ada.call('GET', `${other.place}/members/${first}`)).body;
    expect(listed).toMatchObject({ name: 'Person 0', email: null });
    await service.db.organizations.updateOne(
      { organization_id },
      { $push: { owners: { user_id: first, granted_by: first, granted_at: service.at() } } },
    );
    const { owners } = (await ada.call('GET', `/${organization_id}/owners`)).body;
    expect(owners[1]).toMatchObject({ user_id: first, name: 'Person 0', email: 'Ada@Engines.EXAMPLE' });
    expect(owners[0].email).toBeNull();
  });

  test('a member whose account is gone has no name', async () => {
    const { ada, place, people } = team;
    await service.db.users.deleteOne({ user_id: people.Editor.user_id });
    expect((await ada.call('GET', `${place}/members/${people.Editor.user_id}`)).body).toMatchObject({
      name: null,
      email: null,
      role: 'Editor',
    });
  });
});

describe('GET …/organizations/{organization_id}/members/{user_id}', () => {
  const get = (caller: Person, person: { user_id: string }) =>
    caller.call('GET', `/${team.organization_id}/members/${person.user_id}`);

  test('returns every grant of a member in the organization', async () => {
    const { ada, people, organization_id, department_id, department } = team;
    const second = await service.newDepartment(ada, organization_id);
    await service.storeMember({ ...second, organization_id, ada }, people.Editor, 'Analyst');
    const made = await service.newChatbot(people.Editor, department_id);
    const other = await service.newTeam();
    await service.storeMember(other, people.Editor, 'Admin');
    await service.newChatbot(people.Editor, other.department_id);
    const granted = { granted_by: ada.user_id, granted_at: service.at() };
    const own = { granted_by: people.Editor.user_id, granted_at: service.at() };
    const expected = {
      status: 200,
      body: {
        user_id: people.Editor.user_id,
        name: 'Person',
        email: null,
        owner: null,
        departments: [
          { department_id, name: department.name, role: 'Editor', ...granted },
          { department_id: second.department_id, name: second.record.name, role: 'Analyst', ...granted },
        ],
        chatbot_roles: [{ chatbot_id: made.chatbot_id, department_id, role: 'Owner', ...own }],
        chatbot_roles_total: 1,
      },
    };
    for (const caller of [ada, people.Editor])
      expect(outcome(await get(caller, people.Editor))).toStrictEqual(expected);
  });

  test('shows the departments and chatbots in which the caller may view users, and no others', async () => {
    const { ada, people, organization_id, department_id } = team;
    const hidden = await service.newDepartment(ada, organization_id);
    const place = { ...hidden, organization_id, ada };
    const bob = await service.newPerson();
    await service.storeMember(place, bob, 'Admin');
    await service.storeMember(place, people.Editor, 'Admin');
    await service.newChatbot(people.Editor, hidden.department_id);
    expect((await get(people.Viewer, people.Editor)).body).toMatchObject({
      departments: [{ department_id, role: 'Editor' }],
      chatbot_roles: [],
      chatbot_roles_total: 0,
    });
    expect((await get(ada, people.Editor)).body).toMatchObject({
      departments: [{ department_id }, { department_id: hidden.department_id }],
      chatbot_roles_total: 1,
    });
    // Bob has no role in the Viewer's department.
    expect(outcome(await get(people.Viewer, bob))).toStrictEqual(notFound(service.clock));
    expect(outcome(await get(people.Analyst, people.Editor))).toStrictEqual(forbidden(service.clock));
    expect((await get(people.Analyst, people.Analyst)).status).toBe(200);
  });

  test('returns an Owner without memberships', async () => {
    const { ada, people } = team;
    for (const caller of [ada, people.Viewer])
      expect((await get(caller, ada)).body).toMatchObject({
        owner: { granted_by: ada.user_id, granted_at: team.organization.created_at },
        departments: [],
      });
  });

  test('returns 404 for a stranger, an invitee and an unknown id', async () => {
    const stranger = await service.newPerson();
    await service.storeInvitation(team, { email: stranger.email });
    expect(outcome(await get(team.ada, stranger))).toStrictEqual(notFound(service.clock));
    expect(outcome(await get(stranger, stranger))).toStrictEqual(notFound(service.clock));
    for (const user_id of STRANGE_IDS)
      expect(outcome(await get(team.ada, { user_id })), user_id.slice(0, 40)).toStrictEqual(
        notFound(service.clock),
      );
  });
});

describe('GET …/organizations/{organization_id}/members', () => {
  const list = (query = '', caller = team.ada) =>
    caller.call('GET', `/${team.organization_id}/members${query}`);
  const ids = async (query: string) =>
    (await list(query)).body.data.map(({ user_id }: { user_id: string }) => user_id);

  test('lists everybody once, the Owners first', async () => {
    const { ada, people, organization_id, department, department_id } = team;
    const second = await service.newDepartment(ada, organization_id);
    await service.storeMember({ ...second, organization_id, ada }, people.Editor, 'Analyst');
    // An Owner who is also a member, and an invitee.
    await service.storeMember(team, ada, 'Viewer');
    await service.storeInvitation(team, { email: 'waiting@example.com' });
    const first = { department_id, name: department.name };
    const members = Object.entries(people)
      .map(([role, { user_id }]) => ({
        user_id,
        name: 'Person',
        email: null,
        role: null,
        departments: [
          { ...first, role },
          ...(role === 'Editor'
            ? [{ department_id: second.department_id, name: second.record.name, role: 'Analyst' }]
            : []),
        ],
        departments_total: role === 'Editor' ? 2 : 1,
      }))
      .sort((one, other) => (one.user_id < other.user_id ? -1 : 1));
    const owner = {
      user_id: ada.user_id,
      name: 'Person',
      email: null,
      role: 'Owner',
      departments: [{ ...first, role: 'Viewer' }],
      departments_total: 1,
    };
    expect(outcome(await list('?order=asc'))).toStrictEqual(onePage(owner, ...members));
    expect(outcome(await list())).toStrictEqual(onePage(owner, ...members.toReversed()));
  });

  test('pages neither repeat nor omit anybody', async () => {
    const { ada, people, organization_id } = team;
    const owners = [ada, await service.newPerson(), people.Viewer].map(({ user_id }) => ({
      user_id,
      granted_by: ada.user_id,
      granted_at: service.at(),
    }));
    await service.db.organizations.updateOne({ organization_id }, { $set: { owners } });
    const everybody = [...new Set([...owners, ...Object.values(people)].map(({ user_id }) => user_id))];
    for (const limit of [1, 2, 3, 7]) {
      const seen: string[] = [];
      for (let page = 1; page <= Math.ceil(7 / limit); page += 1) {
        const { body } = await list(`?order=asc&limit=${limit}&page=${page}`);
        expect(body.pagination).toMatchObject({ total_items: 7, total_pages: Math.ceil(7 / limit) });
        seen.push(...body.data.map(({ user_id }: { user_id: string }) => user_id));
      }
      expect(seen.slice(0, 3)).toEqual(owners.map(({ user_id }) => user_id).sort());
      expect(seen.toSorted()).toEqual(everybody.toSorted());
    }
  });

  test('follows additions and removals', async () => {
    const { ada, place, people, organization_id } = team;
    expect(await ids('')).toHaveLength(6);
    const bob = await service.newPerson();
    await service.addMember(ada, place, bob, 'Viewer');
    const second = await service.newDepartment(ada, organization_id);
    await service.addMember(ada, second.place, bob, 'Viewer');
    expect(await ids('')).toContain(bob.user_id);
    expect((await list()).body.pagination.total_items).toBe(7);
    service.clock.advance(3600);
    await ada.call('DELETE', `${place}/members/${bob.user_id}`);
    expect(await ids('')).toContain(bob.user_id);
    await ada.call('DELETE', `${second.place}/members/${bob.user_id}`);
    await ada.call('DELETE', `${place}/members/${people.Viewer.user_id}`);
    expect(await ids('')).toHaveLength(5);
    expect((await list()).body.pagination.total_items).toBe(5);
    expect(await service.db.organizationPeople.countDocuments({ organization_id })).toBe(4);
  });

  test('does not show an entry that a crash has left, and removes it', async () => {
    const { organization_id } = team;
    await list();
    const left = { organization_id, user_id: 'User-1', enrolled_at: new Date(service.clock.now()) };
    await service.db.organizationPeople.insertOne({ ...left });
    expect(await ids('?order=asc')).not.toContain('User-1');
    // The membership may follow in a moment.
    expect(await service.db.organizationPeople.countDocuments({ user_id: 'User-1' })).toBe(1);
    service.clock.advance(120);
    expect((await list()).body.pagination.total_items).toBe(6);
    expect(await service.db.organizationPeople.countDocuments({ user_id: 'User-1' })).toBe(0);
  });

  test('an interrupted enrollment is completed by the next call', async () => {
    const { organization_id, people } = team;
    const { user_id } = people.Admin;
    await service.db.organizationPeople.insertOne({ organization_id, user_id, enrolled_at: new Date(0) });
    expect(await ids('')).toHaveLength(6);
  });

  test('searches by user_id, and bounds the departments of one person', async () => {
    const { ada, people, organization_id } = team;
    for (const { user_id } of [people.Editor, ada])
      expect(await ids(`?search=${user_id.toLowerCase()}`)).toEqual([user_id]);
    expect(await ids('?search=.*')).toEqual([]);
    for (let number = 0; number < 21; number += 1) {
      const place = { organization_id, department_id: `${organization_id} ${number}`, ada };
      await service.storeMember(place, people.Editor, 'Viewer');
    }
    const { data } = (await list(`?search=${people.Editor.user_id}`)).body;
    expect(data[0].departments).toHaveLength(20);
    expect(data[0].departments_total).toBe(22);
  });

  test.each([...BAD_QUERIES, ['sort_by=name', 'sort_by must be one of user_id']])(
    'refuses ?%s',
    async (query, details) => {
      expect(outcome(await list(`?${query}`))).toStrictEqual(malformed(details, service.clock));
    },
  );

  test('shows nothing of other organizations', async () => {
    const other = await service.newTeam();
    expect(await ids('?limit=100')).toHaveLength(6);
    expect(outcome(await list('', other.ada))).toStrictEqual(notFound(service.clock));
    for (const role of ['Owner', 'Admin', 'Viewer'] as const)
      expect(outcome(await list('', team.people[role]))).toStrictEqual(forbidden(service.clock));
  });
});

describe('a page of the members of a department', () => {
  test.each([
    '',
    'sort_by=granted_at&order=asc',
    'sort_by=user_id',
    'sort_by=role',
    'sort_by=email',
    'role=Editor',
    'role=Editor&sort_by=user_id',
    'role=Editor&sort_by=role&order=asc',
  ])('reads no other members: ?%s', async (query) => {
    const { ada, place, department_id, organization_id } = await service.newTeam();
    await service.db.memberships.insertMany(
      Array.from({ length: 300 }, (_, number) => ({
        membership_id: `${department_id} ${number}`,
        organization_id,
        department_id,
        user_id: `${department_id} ${number}`,
        role: number % 2 ? ('Editor' as const) : ('Viewer' as const),
        granted_by: ada.user_id,
        granted_at: service.at(),
      })),
    );
    const list = () => ada.call('GET', `${place}/members?limit=5&${query}`);
    const pages = await explained(service.db, list, { find: 'memberships', limit: 5 });
    expect(pages).toHaveLength(1);
    expect(pages[0]?.examined).toBeLessThanOrEqual(6);
  });
});
