import type { Role } from '@gatehouse/shared/access/rbac';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { errorEnvelope, outcome, rateLimited } from '../../fixtures/envelope.ts';
import { send } from '../../fixtures/http.ts';
import { rounds } from '../../fixtures/property.ts';
import { forbidden, noBearer, notFound, STRANGE_IDS } from '../access/failures.ts';
import {
  concurrently,
  NOWHERE,
  onePage,
  type Person,
  startOrganizationService,
  UUID,
} from './organization-service.ts';
import { service, team, withOrganizations, withTeams } from './with-organizations.ts';

const DAY = 86_400;

let bob: Person;
withOrganizations();
withTeams();
beforeEach(async () => {
  bob = await service.newPerson();
});

const inDays = (days: number) => new Date(service.clock.now() + days * DAY * 1000).toISOString();
const member = ({ user_id }: { user_id: string }) => `${team.place}/members/${user_id}`;
const put = (user_id: string, role: Role = 'Viewer', caller = team.ada) =>
  caller.call('PUT', member({ user_id }), { role });
const invite = async (person: Person, role?: Role) =>
  (await put(person.user_id, role)).body.invitation_id as string;
const received = async (person: Person, query = '') =>
  outcome(await person.ask('GET', `/api/v1/invitations${query}`));
const answer = async (person: Person, id: string, how: 'accept' | 'decline') =>
  outcome(await person.ask('POST', `/api/v1/invitations/${id}/${how}`));
const listed = async (query = '') =>
  (await team.ada.call('GET', `${team.place}/invitations${query}`)).body.data;
const DECLINED = { status: 200, body: { message: 'Invitation declined' } };

const shown = (fields: object = {}) => ({
  invitation_id: UUID,
  organization_id: team.organization_id,
  organization_name: 'Analytical Engines',
  department_id: team.department_id,
  department_name: team.department.name,
  role: 'Viewer',
  transfer: false,
  email: null,
  granted_by: team.ada.user_id,
  granted_by_name: 'Person',
  granted_at: service.at(),
  expires_at: inDays(14),
  ...fields,
});

describe('PUT …/members/{user_id} for somebody without a role in the organization', () => {
  test('answers the same for an account, an inactive one and none, and mails only the first', async () => {
    const disabled = await service.newPerson({ account_status: 'disabled' });
    const unverified = await service.newPerson({ verified: false, account_status: 'paused' });
    const ids = [bob.user_id, disabled.user_id, unverified.user_id, 'User-999999'];
    const answers: Awaited<ReturnType<typeof put>>[] = [];
    for (const id of ids) answers.push(await put(id, 'Editor'));
    for (const [index, { status, body, headers }] of answers.entries()) {
      const expected = {
        invitation_id: UUID,
        email: null,
        user_id: ids[index],
        role: 'Editor',
        status: 'pending',
        granted_by: team.ada.user_id,
        granted_at: service.at(),
        expires_at: inDays(14),
      };
      expect({ status, body }).toStrictEqual({ status: 202, body: expected });
      expect([...headers.keys()]).toEqual([...(answers[0]?.headers.keys() ?? [])]);
    }
    expect(
      (await listed('?sort_by=granted_at&limit=10')).map((each: { user_id: string }) => each.user_id).sort(),
    ).toEqual(ids.toSorted());
    await vi.waitFor(() => expect(service.mailsTo(bob.email)).toHaveLength(1));
    const text = service.mailsTo(bob.email)[0]?.content.text;
    expect(text).toContain(
      `http://localhost:8000/invitation#invitation_id=${answers[0]?.body.invitation_id}\n`,
    );
    for (const { email } of [disabled, unverified]) expect(service.mailsTo(email)).toEqual([]);
  });

  test('looks no account up before the answer', async () => {
    const users = vi.spyOn(service.db.users, 'findOne');
    const ofExisting = await put(bob.user_id);
    const before = users.mock.calls.filter(([filter]) => JSON.stringify(filter).includes(bob.user_id));
    users.mockRestore();
    expect(ofExisting.status).toBe(202);
    // The mail, after the response, may have looked it up by now, and nothing else.
    expect(before.length).toBeLessThanOrEqual(1);
  });

  test('gives no role, name or count until they accept', async () => {
    const { body: before } = await team.ada.call('GET', `${team.place}/members`);
    const { body: analytics } = await team.ada.call('GET', `${team.place}/analytics`);
    const id = await invite(bob, 'Admin');
    expect((await team.ada.call('GET', `${team.place}/members`)).body).toStrictEqual(before);
    const { users } = (await team.ada.call('GET', `${team.place}/analytics`)).body;
    expect(users).toStrictEqual(analytics.users);
    expect(outcome(await team.ada.call('GET', member(bob)))).toStrictEqual(notFound(service.clock));
    for (const path of [team.place, `${team.place}/members`, `/${team.organization_id}`])
      expect(outcome(await bob.call('GET', path)), path).toStrictEqual(notFound(service.clock));
    expect((await bob.call('GET', '')).body.data).toEqual([]);
    expect(await answer(bob, id, 'accept')).toStrictEqual({
      status: 200,
      body: {
        invitation_id: id,
        organization_id: team.organization_id,
        department_id: team.department_id,
        role: 'Admin',
      },
    });
    expect((await bob.call('GET', `${team.place}/members`)).status).toBe(200);
    expect((await team.ada.call('GET', `${team.place}/members`)).body.pagination.total_items).toBe(6);
  });

  test('invites again with another role, but not above the caller’s', async () => {
    const id = await invite(bob, 'Owner');
    const { Admin } = team.people;
    expect(outcome(await put(bob.user_id, 'Viewer', Admin))).toStrictEqual(forbidden(service.clock));
    service.clock.advance(DAY);
    expect((await put(bob.user_id, 'Editor')).body).toMatchObject({ invitation_id: id, role: 'Editor' });
    expect((await put(bob.user_id, 'Viewer', Admin)).body).toMatchObject({
      invitation_id: id,
      role: 'Viewer',
    });
  });

  test('counts against the limits whether the user_id exists or not', async () => {
    for (const user_id of [bob.user_id, 'User-999998']) {
      for (let turn = 0; turn < 3; turn += 1) expect((await put(user_id)).status).toBe(202);
      expect(outcome(await put(user_id, 'Viewer', team.people.Admin))).toStrictEqual(
        rateLimited(3, DAY, service.clock.now()),
      );
    }
    await vi.waitFor(() => expect(service.mailsTo(bob.email)).toHaveLength(3));
  });

  test('succeeds while the mail server is down', async () => {
    const down = await startOrganizationService({
      env: { SMTP_URL: 'smtp://127.0.0.1:1', LOG_LEVEL: 'error' },
    });
    const { ada, place } = await down.newTeam();
    const person = await down.newPerson();
    expect((await ada.call('PUT', `${place}/members/${person.user_id}`, { role: 'Viewer' })).status).toBe(
      202,
    );
    await vi.waitFor(() => expect(down.logged.join('')).toContain('work after the response failed'));
    expect((await person.ask('GET', '/api/v1/invitations')).body.data).toHaveLength(1);
    await down.stop();
  });
});

describe('GET /api/v1/invitations', () => {
  test('lists those to the caller’s user_id and address, and offers, with names', async () => {
    const { ada, organization_id } = team;
    await ada.call('POST', `${team.place}/invitations`, { email: bob.email.toUpperCase(), role: 'Editor' });
    const byAddress = shown({ role: 'Editor', email: bob.email.toLowerCase() });
    service.clock.advance(1);
    const sibling = await service.newDepartment(ada, organization_id);
    await ada.call('PUT', `${sibling.place}/members/${bob.user_id}`, { role: 'Viewer' });
    const byId = shown({ department_id: sibling.department_id, department_name: sibling.record.name });
    service.clock.advance(1);
    await ada.call('PUT', `/${organization_id}/owners/${bob.user_id}`, { transfer: true });
    const nowhere = { department_id: null, department_name: null };
    const offer = shown({ ...nowhere, role: 'Owner', transfer: true });
    await ada.call('PUT', `/${organization_id}/owners/User-999999`);
    const eve = await service.newPerson();
    await invite(eve);
    expect(await received(bob)).toStrictEqual(onePage(offer, byId, byAddress));
    expect(await received(bob, '?sort_by=expires_at&order=asc')).toStrictEqual(
      onePage(byAddress, byId, offer),
    );
    expect(await received(bob, '?role=Owner')).toStrictEqual(onePage(offer));
    expect(await received(bob, '?search=ANALYTICAL')).toStrictEqual(onePage(offer, byId, byAddress));
    expect(await received(bob, '?search=.*')).toStrictEqual(onePage());
    expect(await received(bob, `?organization_id=${NOWHERE}`)).toStrictEqual(onePage());
    expect((await received(bob, '?limit=1&page=2')).body).toStrictEqual({
      data: [byId],
      pagination: { page: 2, limit: 1, total_items: 3, total_pages: 3, has_next: true, has_prev: true },
    });
  });

  test('leaves out what is expired, declined, withdrawn or of an archived organization', async () => {
    const id = await invite(bob);
    await answer(bob, id, 'decline');
    expect(await received(bob)).toStrictEqual(onePage());
    await invite(bob);
    expect((await received(bob)).body.data).toHaveLength(1);
    await team.ada.call('POST', `/${team.organization_id}/archive`);
    expect(await received(bob)).toStrictEqual(onePage());
    expect(await answer(bob, id, 'accept')).toStrictEqual(
      forbidden(service.clock, 'The organization is archived'),
    );
    await team.ada.call('POST', `/${team.organization_id}/restore`);
    service.clock.advance(14 * DAY);
    expect(await received(bob)).toStrictEqual(onePage());
    expect(await answer(bob, id, 'accept')).toStrictEqual(notFound(service.clock));
  });
});

describe('POST /api/v1/invitations/{invitation_id}/accept and /decline', () => {
  test('return 404 for one of somebody else, an unknown one and one that has been answered', async () => {
    const id = await invite(bob);
    const eve = await service.newPerson();
    const before = await team.stored();
    for (const how of ['accept', 'decline'] as const) {
      for (const strange of [id, NOWHERE])
        expect(await answer(eve, strange, how)).toStrictEqual(notFound(service.clock));
      for (const strange of STRANGE_IDS) expect((await answer(eve, strange, how)).status).toBe(404);
    }
    expect(await team.stored()).toStrictEqual(before);
    expect(await answer(bob, id, 'decline')).toStrictEqual(DECLINED);
    for (const how of ['accept', 'decline'] as const)
      expect(await answer(bob, id, how)).toStrictEqual(notFound(service.clock));
    const again = await invite(bob);
    expect(again).toBe(id);
    expect((await answer(bob, id, 'accept')).status).toBe(200);
    for (const how of ['accept', 'decline'] as const)
      expect(await answer(bob, id, how)).toStrictEqual(notFound(service.clock));
  });

  test('need a bearer', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['POST', `/${NOWHERE}/accept`],
      ['POST', `/${NOWHERE}/decline`],
    ] as const)
      expect(outcome(await send(`${service.url}/api/v1/invitations${path}`, { method }))).toStrictEqual(
        noBearer(service.clock),
      );
  });

  test('one of accepting, declining and withdrawing at once succeeds', async () => {
    for (let round = 0; round < rounds(6); round += 1) {
      const person = await service.newPerson();
      const id = await invite(person);
      const answers = await Promise.all([
        answer(person, id, 'accept'),
        answer(person, id, 'decline'),
        answer(person, id, 'accept'),
      ]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const isMember = answers[1]?.status !== 200;
      expect((await team.ada.call('GET', member(person))).status).toBe(isMember ? 200 : 404);
    }
  });

  test('a full department refuses, and the invitation stays', async () => {
    const id = await invite(bob);
    await service.db.departments.updateOne(
      { department_id: team.department_id },
      { $set: { members_reserved: 1_000 } },
    );
    const count = vi.spyOn(service.db.memberships, 'countDocuments').mockResolvedValueOnce(1_000);
    expect((await answer(bob, id, 'accept')).status).toBe(403);
    count.mockRestore();
    expect((await received(bob)).body.data).toHaveLength(1);
  });

  test('a declined invitation tells its inviter nothing about the account', async () => {
    const { body } = await team.ada.call('POST', `${team.place}/invitations`, {
      email: bob.email,
      role: 'Viewer',
    });
    await answer(bob, body.invitation_id, 'decline');
    expect(await listed()).toEqual([]);
    expect(await listed('?status=declined')).toMatchObject([
      { email: bob.email.toLowerCase(), user_id: null },
    ]);
    const events = async (query: string) =>
      (await team.ada.call('GET', `/${team.organization_id}/audit?${query}`)).body.data;
    expect(await events('action=invitation.decline')).toMatchObject([
      {
        actor: { user_id: null, email: null },
        address: null,
        target: { invitation_id: body.invitation_id, email: bob.email.toLowerCase() },
        before: { role: 'Viewer' },
      },
    ]);
    expect(await events(`actor=${bob.user_id}`)).toEqual([]);
    expect((await bob.ask('GET', '/api/v1/users/me/audit?action=invitation.decline')).body.data).toHaveLength(
      1,
    );
  });
});

describe('the life of an invitation', () => {
  test('declined ones are listed until they would have expired, expired ones for thirty days', async () => {
    const eve = await service.newPerson();
    const [declined, expired] = [await invite(bob), await invite(eve)];
    await answer(bob, declined, 'decline');
    const ids = async (status: string) =>
      (await listed(`?status=${status}`)).map((each: { invitation_id: string }) => each.invitation_id);
    service.clock.advance(14 * DAY - 1);
    expect([await ids('pending'), await ids('declined'), await ids('expired')]).toEqual([
      [expired],
      [declined],
      [],
    ]);
    service.clock.advance(1);
    expect([await ids('pending'), await ids('declined'), await ids('expired')]).toEqual([[], [], [expired]]);
    service.clock.advance(30 * DAY - 1);
    expect(await ids('expired')).toEqual([expired]);
    service.clock.advance(1);
    expect(await ids('expired')).toEqual([]);
  });

  test('granted_by lists what one person invited', async () => {
    const { Admin } = team.people;
    const eve = await service.newPerson();
    const mine = await invite(bob);
    const { invitation_id } = (await put(eve.user_id, 'Viewer', Admin)).body;
    const by = async ({ user_id }: Person) =>
      (await listed(`?granted_by=${user_id}`)).map((each: { invitation_id: string }) => each.invitation_id);
    expect(await by(team.ada)).toEqual([mine]);
    expect(await by(Admin)).toEqual([invitation_id]);
    expect(await listed(`?search=${eve.user_id}`)).toMatchObject([{ invitation_id }]);
  });

  test('resending mails it again and renews it, also when it has expired', async () => {
    const { Admin } = team.people;
    const id = await invite(bob, 'Editor');
    await vi.waitFor(() => expect(service.mailsTo(bob.email)).toHaveLength(1));
    const resend = (caller: Person) => caller.call('POST', `${team.place}/invitations/${id}/resend`);
    for (const days of [10, 14]) {
      service.clock.advance(days * DAY);
      expect(outcome(await resend(Admin))).toMatchObject({
        status: 200,
        body: { status: 'pending', role: 'Editor', granted_by: team.ada.user_id, expires_at: inDays(14) },
      });
    }
    await vi.waitFor(() => expect(service.mailsTo(bob.email)).toHaveLength(3));
    await answer(bob, id, 'decline');
    expect((await resend(Admin)).status).toBe(409);
    await team.ada.call('DELETE', `${team.place}/invitations/${id}`);
    expect((await resend(Admin)).status).toBe(404);
  });

  describe.each<[string, (inviter: Person) => Promise<{ status: number }>]>([
    ['is removed', (inviter) => team.ada.call('DELETE', member(inviter))],
    ['gets a role that may not grant it', (inviter) => put(inviter.user_id, 'Editor')],
  ])('an invitation whose inviter %s', (_, end) => {
    const lapsed = async () => {
      const { Admin } = team.people;
      const { body } = await put(bob.user_id, 'Editor', Admin);
      const { invitation_id: id } = body;
      expect((await received(bob)).body.data).toMatchObject([{ invitation_id: id }]);
      expect((await end(Admin)).status).toBe(200);
      return id as string;
    };

    test('has lapsed', async () => {
      const id = await lapsed();
      expect(await received(bob)).toStrictEqual(onePage());
      expect(await answer(bob, id, 'accept')).toStrictEqual(notFound(service.clock));
    });

    test('is valid again when somebody else resends it and becomes its inviter', async () => {
      const id = await lapsed();
      const resent = await team.ada.call('POST', `${team.place}/invitations/${id}/resend`);
      expect(resent.body).toMatchObject({ role: 'Editor', granted_by: team.ada.user_id });
      expect((await received(bob)).body.data).toMatchObject([{ invitation_id: id }]);
      expect((await answer(bob, id, 'accept')).status).toBe(200);
    });
  });

  test('an invitation by an Owner of the organization lapses with the ownership', async () => {
    const eve = await service.newPerson();
    await service.addOwner(team.ada, team.organization_id, eve);
    const { body } = await put(bob.user_id, 'Owner', eve);
    expect((await received(bob)).body.data).toHaveLength(1);
    await team.ada.call('DELETE', `/${team.organization_id}/owners/${eve.user_id}`);
    expect(await received(bob)).toStrictEqual(onePage());
    expect(await answer(bob, body.invitation_id, 'accept')).toStrictEqual(notFound(service.clock));
  });

  test('resending has the limits of invitations, and those of roles', async () => {
    const { Admin } = team.people;
    const email = 'resent@example.com';
    const { body } = await team.ada.call('POST', `${team.place}/invitations`, { email, role: 'Owner' });
    const resend = (caller: Person) =>
      caller.call('POST', `${team.place}/invitations/${body.invitation_id}/resend`);
    expect(outcome(await resend(Admin))).toStrictEqual(forbidden(service.clock));
    expect((await resend(team.ada)).status).toBe(200);
    expect((await resend(team.ada)).status).toBe(429);
    expect(service.mailsTo(email)).toHaveLength(2);
  });
});

describe('somebody with a role in another department', () => {
  /** Bob is a member of another department of the organization. */
  async function withBobElsewhere() {
    const sibling = await service.newDepartment(team.ada, team.organization_id);
    await service.storeMember({ ...team, ...sibling }, bob, 'Viewer');
    return sibling;
  }
  const leave = () => bob.call('DELETE', `/${team.organization_id}/members/${bob.user_id}`);
  const roles = () => service.db.memberships.countDocuments({ user_id: bob.user_id });

  test('who leaves the organization while being added is not a member', async () => {
    for (let round = 0; round < rounds(8); round += 1) {
      await withBobElsewhere();
      const [added, left] = await Promise.all([put(bob.user_id), leave()]);
      expect([200, 202]).toContain(added.status);
      expect(left.status).toBe(200);
      expect(await roles()).toBe(0);
      await service.db.memberships.deleteMany({ invited_id: bob.user_id });
      service.clock.advance(DAY);
    }
  });

  test.each([
    ['the other department', (place: string) => `${place}/members/`],
    ['the organization', () => `/${team.organization_id}/members/`],
  ])('who has left %s when the addition is written is asked', async (_, path) => {
    const sibling = await withBobElsewhere();
    const original = service.db.memberships.findOneAndUpdate.bind(service.db.memberships);
    let turn = 0;
    const spy = vi.spyOn(service.db.memberships, 'findOneAndUpdate').mockImplementation((async (
      ...write: Parameters<typeof original>
    ) => {
      // The write that makes the membership.
      if (JSON.stringify(write[1]).includes('joined_at') && turn++ === 0)
        expect((await bob.call('DELETE', `${path(sibling.place)}${bob.user_id}`)).status).toBe(200);
      return original(...write);
    }) as never);
    const { status } = await put(bob.user_id);
    spy.mockRestore();
    expect([turn, status]).toEqual([1, 202]);
    expect(await roles()).toBe(0);
    expect((await received(bob)).body.data).toHaveLength(1);
  });

  test('an addition that a crash interrupts leaves an invitation', async () => {
    await withBobElsewhere();
    const spy = vi.spyOn(service.db.departures, 'findOne').mockRejectedValueOnce(new Error('killed'));
    expect((await put(bob.user_id)).status).toBe(500);
    spy.mockRestore();
    expect(await roles()).toBe(1);
    expect((await received(bob)).body.data).toHaveLength(1);
    expect((await put(bob.user_id, 'Editor')).status).toBe(200);
    expect(await received(bob)).toStrictEqual(onePage());
  });
});

test('concurrent invitations of one user_id create one', async () => {
  const answers = await concurrently(3, (turn) => put(bob.user_id, turn ? 'Editor' : 'Viewer'));
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(new Set(answers.map(({ body }) => body.invitation_id)).size).toBe(1);
  expect(await listed()).toHaveLength(1);
});

test('an unknown query parameter is refused', async () => {
  expect((await received(bob, '?status=pending')).body).toMatchObject(
    errorEnvelope('INVALID_FORMAT', 'The request is malformed', {
      details: 'querystring holds an unknown parameter',
      at: service.clock.now(),
    }),
  );
});

test.each([[7], [undefined]])(
  'an inviter whose record has the name %s is shown without one',
  async (name) => {
    const change = name === undefined ? { $unset: { name: true } } : { $set: { name } };
    await service.db.users.updateOne({ user_id: team.ada.user_id }, change as never);
    await service.storeInvitation(team, { invited_id: bob.user_id });
    await service.db.memberships.updateOne(
      { invited_id: bob.user_id },
      { $set: { granted_by: team.ada.user_id } },
    );
    expect(await received(bob)).toStrictEqual(onePage(shown({ granted_by_name: null })));
  },
);
