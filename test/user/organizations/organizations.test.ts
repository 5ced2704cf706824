import { beforeEach, describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { send } from '../../fixtures/http.ts';
import { rounds } from '../../fixtures/property.ts';
import {
  forbidden,
  malformed,
  missing,
  noBearer,
  notFound,
  STRANGE_IDS,
  userNotFound,
} from '../access/failures.ts';
import {
  BAD_BODIES,
  BAD_NAMES,
  BAD_QUERIES,
  beforeNextUpdate,
  concurrently,
  NOWHERE,
  onePage,
  type Person,
  UUID,
} from './organization-service.ts';
import { service, withOrganizations } from './with-organizations.ts';

let ada: Person;
withOrganizations();
beforeEach(async () => {
  ada = await service.newPerson();
});

const stored = () => service.db.organizations.find().sort({ organization_id: 1 }).toArray();

describe('POST /api/v1/organizations', () => {
  test('answers 201 with the record, and stores the caller as its first Owner', async () => {
    const answer = await ada.call('POST', '', { name: '  Analytical Engines\t' });
    const organization = { organization_id: UUID, name: 'Analytical Engines', created_at: service.at() };
    expect(outcome(answer)).toStrictEqual({ status: 201, body: organization });
    const { organization_id } = answer.body;
    expect(await service.db.organizations.findOne({ organization_id })).toStrictEqual({
      _id: expect.anything(),
      ...answer.body,
      owners: [{ user_id: ada.user_id, granted_by: ada.user_id, granted_at: service.at() }],
    });
    expect(outcome(await ada.call('GET', `/${organization_id}/departments`))).toStrictEqual(onePage());
  });

  test('allows equal names, and ignores unknown and read-only fields', async () => {
    const claimed = { organization_id: 'mine', owners: [], created_at: 'once', $set: {}, _id: 1 };
    const created = [
      await service.create(ada, '', { name: 'Engines' }),
      await service.create(ada, '', { name: 'Engines', ...claimed }),
    ];
    expect(created[0].organization_id).not.toBe(created[1].organization_id);
    expect(created[1]).toStrictEqual({ organization_id: UUID, name: 'Engines', created_at: service.at() });
    expect((await ada.call('GET', '')).body.pagination.total_items).toBe(2);
  });

  test.each([
    'x',
    '🤖'.repeat(200),
    '<b>$where {"$ne":1} .*</b>',
    '👩‍👩‍👧',
    '❤️ 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    'می\u200cخواهم',
    'क्\u200dष',
    'Acme Inc. & Co.',
    'U.S.A. v2.0',
    'R&D: tools',
  ])('accepts the name %s', async (name) => {
    expect((await service.create(ada, '', { name })).name).toBe(name);
  });

  test.each(BAD_NAMES)('refuses the name %j and writes nothing', async (name, details) => {
    const before = await stored();
    expect(outcome(await ada.call('POST', '', { name }))).toStrictEqual(malformed(details, service.clock));
    expect(await stored()).toStrictEqual(before);
  });

  test('requires a body with a name', async () => {
    const before = await stored();
    expect(outcome(await ada.call('POST', '', {}))).toStrictEqual(missing('name is required', service.clock));
    for (const body of ['', 'null'])
      expect(outcome(await ada.call('POST', '', body))).toStrictEqual(
        missing('body is required', service.clock),
      );
    expect(await stored()).toStrictEqual(before);
  });

  test.each(BAD_BODIES)('refuses a body of %s and writes nothing', async (_what, body) => {
    const before = await stored();
    expect(outcome(await ada.call('POST', '', body))).toStrictEqual(
      malformed(expect.any(String), service.clock),
    );
    expect(await stored()).toStrictEqual(before);
  });
});

describe('GET /api/v1/organizations', () => {
  test('lists each organization in which the caller has a role once, the newest first', async () => {
    const bob = await service.newPerson();
    expect(outcome(await ada.call('GET', ''))).toStrictEqual(onePage());
    const own = await service.create(ada, '', { name: 'Own' });
    service.clock.advance(1);
    const other = await service.create(bob, '', { name: 'Other' });
    await service.create(bob, '', { name: 'Hidden' });
    for (const role of ['Analyst', 'Viewer'] as const) {
      const { place } = await service.newDepartment(bob, other.organization_id);
      await service.addMember(bob, place, ada, role);
    }
    await service.addMember(
      ada,
      (await service.newDepartment(ada, own.organization_id)).place,
      bob,
      'Viewer',
    );
    expect(outcome(await ada.call('GET', ''))).toStrictEqual(onePage(other, own));
    expect(outcome(await ada.call('GET', '?order=asc'))).toStrictEqual(onePage(own, other));
    expect(outcome(await ada.call('GET', '?sort_by=name'))).toStrictEqual(onePage(own, other));
    expect(outcome(await ada.call('GET', '?search=THE'))).toStrictEqual(onePage(other));
    expect(outcome(await ada.call('GET', '?search=Hidden'))).toStrictEqual(onePage());
    expect(outcome(await ada.call('GET', '?search=.'))).toStrictEqual(onePage());
    expect((await ada.call('GET', '?limit=1&page=2')).body).toStrictEqual({
      data: [own],
      pagination: { page: 2, limit: 1, total_items: 2, total_pages: 2, has_next: false, has_prev: true },
    });
  });

  test.each([
    ...BAD_QUERIES,
    ['sort_by=owners', 'sort_by must be one of created_at, name, organization_id'],
    ['role=Owner', 'querystring holds an unknown parameter'],
  ])('refuses ?%s', async (query, details) => {
    expect(outcome(await ada.call('GET', `?${query}`))).toStrictEqual(malformed(details, service.clock));
  });
});

describe('GET and PATCH /api/v1/organizations/{organization_id}', () => {
  test('reads and renames, and leaves other fields unchanged', async () => {
    const organization = await service.create(ada, '', { name: 'Engines' });
    const { organization_id } = organization;
    const before = await service.db.organizations.findOne({ organization_id });
    expect(outcome(await ada.call('GET', `/${organization_id}`))).toStrictEqual({
      status: 200,
      body: organization,
    });
    const renamed = { ...organization, name: 'Difference Engines' };
    const change = { name: ' Difference Engines ', organization_id: 'mine', owners: [] };
    expect(outcome(await ada.call('PATCH', `/${organization_id}`, change))).toStrictEqual({
      status: 200,
      body: renamed,
    });
    expect(outcome(await ada.call('GET', `/${organization_id}`))).toStrictEqual({
      status: 200,
      body: renamed,
    });
    expect(await service.db.organizations.findOne({ organization_id })).toStrictEqual({
      ...before,
      name: 'Difference Engines',
    });
  });

  test.each(BAD_NAMES)('refuses the name %j and writes nothing', async (name, details) => {
    const { organization_id } = await service.create(ada, '', { name: 'Engines' });
    const before = await stored();
    expect(outcome(await ada.call('PATCH', `/${organization_id}`, { name }))).toStrictEqual(
      malformed(details, service.clock),
    );
    expect(await stored()).toStrictEqual(before);
  });

  test('refuses a change without a name and writes nothing', async () => {
    const { organization_id } = await service.create(ada, '', { name: 'Engines' });
    const before = await stored();
    for (const [body, details] of [
      [{}, 'name is required'],
      ['', 'body is required'],
    ])
      expect(outcome(await ada.call('PATCH', `/${organization_id}`, body))).toStrictEqual(
        missing(details as string, service.clock),
      );
    for (const [, body] of BAD_BODIES)
      expect((await ada.call('PATCH', `/${organization_id}`, body)).status).toBe(400);
    expect(await stored()).toStrictEqual(before);
  });
});

describe('owners', () => {
  const path = (organization_id: string, user_id = '') =>
    `/${organization_id}/owners${user_id && `/${user_id}`}`;

  test('are added, listed and removed', async () => {
    const { organization_id } = await service.create(ada, '', { name: 'Engines' });
    const bob = await service.newPerson();
    const first = { user_id: ada.user_id, granted_by: ada.user_id, granted_at: service.at() };
    const named = { name: 'Person', email: null };
    expect(outcome(await ada.call('GET', path(organization_id)))).toStrictEqual({
      status: 200,
      body: { owners: [{ ...first, ...named }] },
    });
    service.clock.advance(60);
    const second = { user_id: bob.user_id, granted_by: ada.user_id, granted_at: service.at() };
    await service.addOwner(ada, organization_id, bob);
    service.clock.advance(60);
    // Adding an Owner again changes neither the granter nor the date.
    for (const caller of [ada, bob])
      expect(outcome(await caller.call('PUT', path(organization_id, bob.user_id)))).toStrictEqual({
        status: 200,
        body: second,
      });
    expect(outcome(await bob.call('GET', path(organization_id)))).toStrictEqual({
      status: 200,
      body: {
        owners: [
          { ...first, ...named },
          { ...second, ...named },
        ],
      },
    });
    const removed = { status: 200, body: { message: 'Owner removed' } };
    expect(outcome(await bob.call('DELETE', path(organization_id, ada.user_id)))).toStrictEqual(removed);
    expect(outcome(await ada.call('GET', path(organization_id)))).toStrictEqual(notFound(service.clock));
    expect(outcome(await bob.call('GET', path(organization_id)))).toStrictEqual({
      status: 200,
      body: { owners: [{ ...second, ...named }] },
    });
  });

  test('are Owners in every present and future department until they are removed', async () => {
    const { organization_id } = await service.create(ada, '', { name: 'Engines' });
    const bob = await service.newPerson();
    const early = await service.newDepartment(ada, organization_id);
    await service.addOwner(ada, organization_id, bob);
    const late = await service.newDepartment(ada, organization_id);
    for (const { place, department_id } of [early, late]) {
      expect((await bob.call('PATCH', `${place}/billing`, { subscription_plan: 'Starter' })).status).toBe(
        200,
      );
      expect((await service.newChatbot(bob, department_id)).department_id).toBe(department_id);
    }
    expect((await bob.ask('GET', '/api/v1/chatbots')).body.pagination.total_items).toBe(2);
    await bob.call('DELETE', path(organization_id, bob.user_id));
    for (const { place } of [early, late])
      expect(outcome(await bob.call('GET', place))).toStrictEqual(notFound(service.clock));
    expect((await bob.ask('GET', '/api/v1/chatbots')).body.pagination.total_items).toBe(0);
    expect((await ada.ask('GET', '/api/v1/chatbots')).body.pagination.total_items).toBe(2);
  });

  test('return to their earlier membership when they are removed', async () => {
    const { organization_id, place, people, ada } = await service.newTeam();
    const { Viewer } = people;
    await service.addOwner(ada, organization_id, Viewer);
    expect((await Viewer.call('GET', `${place}/billing`)).status).toBe(200);
    expect(outcome(await people.Admin.call('GET', `${place}/members?role=Viewer`)).body.data).toHaveLength(1);
    await ada.call('DELETE', path(organization_id, Viewer.user_id));
    expect(outcome(await Viewer.call('GET', `${place}/billing`))).toStrictEqual(forbidden(service.clock));
    expect((await Viewer.call('GET', `${place}/members/${Viewer.user_id}`)).body.role).toBe('Viewer');
  });

  test('the last Owner cannot be removed', async () => {
    const { organization_id } = await service.create(ada, '', { name: 'Engines' });
    const before = await stored();
    expect(outcome(await ada.call('DELETE', path(organization_id, ada.user_id)))).toStrictEqual(
      forbidden(service.clock, 'The last Owner cannot be removed'),
    );
    expect(await stored()).toStrictEqual(before);
  });

  test('one of two Owners who leave concurrently stays', async () => {
    for (let round = 0; round < rounds(5); round += 1) {
      const bob = await service.newPerson();
      const { organization_id } = await service.create(ada, '', { name: 'Engines' });
      await service.addOwner(ada, organization_id, bob);
      const answers = await Promise.all([
        ada.call('DELETE', path(organization_id, ada.user_id)),
        bob.call('DELETE', path(organization_id, bob.user_id)),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
      const stays = answers[0].status === 403 ? ada : bob;
      const { owners } = (await stays.call('GET', path(organization_id))).body;
      expect(owners.map(({ user_id }: { user_id: string }) => user_id)).toEqual([stays.user_id]);
    }
  });

  test('one of two Owners who remove each other concurrently stays', async () => {
    for (let round = 0; round < rounds(5); round += 1) {
      const bob = await service.newPerson();
      const { organization_id } = await service.create(ada, '', { name: 'Engines' });
      await service.addOwner(ada, organization_id, bob);
      const answers = await Promise.all([
        ada.call('DELETE', path(organization_id, bob.user_id)),
        bob.call('DELETE', path(organization_id, ada.user_id)),
      ]);
      const stays = answers[0].status === 200 ? ada : bob;
      // The other was no longer an Owner when their role was read (404) or when they wrote (403).
      expect([403, 404]).toContain(answers[stays === ada ? 1 : 0].status);
      const { owners } = (await stays.call('GET', path(organization_id))).body;
      expect(owners.map(({ user_id }: { user_id: string }) => user_id)).toEqual([stays.user_id]);
    }
  });

  test('an Owner who is removed during their call cannot remove another', async () => {
    const { organization_id } = await service.create(ada, '', { name: 'Engines' });
    const [bob, eve] = [await service.newPerson(), await service.newPerson()];
    for (const person of [bob, eve]) await service.addOwner(ada, organization_id, person);
    beforeNextUpdate(service.db.organizations, () => ada.call('DELETE', path(organization_id, bob.user_id)));
    const answer = await bob.call('DELETE', path(organization_id, eve.user_id));
    expect(outcome(answer)).toStrictEqual(forbidden(service.clock));
    const { owners } = (await ada.call('GET', path(organization_id))).body;
    expect(owners.map(({ user_id }: { user_id: string }) => user_id)).toEqual([ada.user_id, eve.user_id]);
  });

  test('one of ten concurrent acceptances of an offer makes the Owner', async () => {
    const { organization_id } = await service.create(ada, '', { name: 'Engines' });
    const bob = await service.newPerson();
    const { invitation_id } = (await ada.call('PUT', path(organization_id, bob.user_id))).body;
    const answers = await concurrently(10, () => service.accept(bob, invitation_id));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)]);
    expect((await service.db.organizations.findOne({ organization_id }))?.owners).toHaveLength(2);
  });

  describe('with an almost full list', () => {
    /** An organization with this many Owners. */
    async function organizationOf(count: number) {
      const { organization_id } = await service.create(ada, '', { name: 'Engines' });
      const more = Array.from({ length: count - 1 }, (_, place) => ({
        user_id: `User_owner_${place}`,
        granted_by: ada.user_id,
        granted_at: service.at(),
      }));
      await service.db.organizations.updateOne({ organization_id }, { $push: { owners: { $each: more } } });
      const owners = async () =>
        (await service.db.organizations.findOne({ organization_id }))?.owners.map(({ user_id }) => user_id);
      return { organization_id, owners };
    }
    const full = () => forbidden(service.clock, 'An organization has at most 100 Owners');

    test('the hundredth is added, and nobody after them', async () => {
      const { organization_id, owners } = await organizationOf(99);
      const people = await Promise.all([service.newPerson(), service.newPerson(), service.newPerson()]);
      const offers = await Promise.all(
        people.map(({ user_id }) => ada.call('PUT', path(organization_id, user_id))),
      );
      const answers = await Promise.all(
        people.map((person, index) => service.accept(person, offers[index]?.body.invitation_id)),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403, 403]);
      for (const answer of answers) if (answer.status === 403) expect(outcome(answer)).toStrictEqual(full());
      expect(await owners()).toHaveLength(100);
    });

    test('an Owner who is on it is returned unchanged', async () => {
      const { organization_id, owners } = await organizationOf(100);
      const before = await owners();
      expect((await ada.call('PUT', path(organization_id, ada.user_id))).status).toBe(200);
      expect(await owners()).toEqual(before);
    });

    test('a place is free again once an Owner is removed', async () => {
      const { organization_id } = await organizationOf(100);
      const bob = await service.newPerson();
      const { invitation_id } = (await ada.call('PUT', path(organization_id, bob.user_id))).body;
      expect(outcome(await service.accept(bob, invitation_id))).toStrictEqual(full());
      expect((await ada.call('DELETE', path(organization_id, 'User_owner_0'))).status).toBe(200);
      expect((await service.accept(bob, invitation_id)).status).toBe(200);
    });
  });

  test('an id that no account can have gets no offer, and only an Owner can be removed', async () => {
    const { organization_id } = await service.create(ada, '', { name: 'Engines' });
    const before = await stored();
    for (const user_id of [
      'User-99999',
      'User-0100000',
      `User-1${'0'.repeat(12)}`,
      'user-999999',
      NOWHERE,
      'undefined',
    ])
      expect(outcome(await ada.call('PUT', path(organization_id, user_id))), user_id).toStrictEqual(
        userNotFound(service.clock),
      );
    expect(outcome(await ada.call('DELETE', path(organization_id, 'User-999999')))).toStrictEqual(
      notFound(service.clock),
    );
    for (const id of STRANGE_IDS)
      for (const method of ['PUT', 'DELETE'])
        expect((await ada.call(method, path(organization_id, id))).status, id.slice(0, 40)).toBe(404);
    expect(await stored()).toStrictEqual(before);
  });
});

test('every operation requires the bearer of an account with a user_id', async () => {
  const nameless = await service.newPerson({ user_id: undefined });
  for (const [method, path] of [
    ['POST', ''],
    ['GET', ''],
    ['GET', `/${NOWHERE}`],
    ['PATCH', `/${NOWHERE}`],
    ['GET', `/${NOWHERE}/owners`],
    ['PUT', `/${NOWHERE}/owners/User-100000`],
    ['GET', `/${NOWHERE}/departments/${NOWHERE}/members`],
  ] as const) {
    const anonymous = await send(`${service.url}/api/v1/organizations${path}`, { method });
    expect(outcome(anonymous)).toStrictEqual(noBearer(service.clock));
    const body = method === 'POST' || method === 'PATCH' ? { name: 'Engines' } : undefined;
    expect(outcome(await nameless.call(method, path, body))).toStrictEqual(forbidden(service.clock));
  }
});
