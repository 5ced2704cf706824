import { beforeEach, describe, expect, test, vi } from 'vitest';
import { outcome, rateLimited } from '../../fixtures/envelope.ts';
import { rounds } from '../../fixtures/property.ts';
import { forbidden, malformed, notFound } from '../access/failures.ts';
import { NOWHERE, onePage, type Person, UUID } from './organization-service.ts';
import { newTeam, service, team, withOrganizations, withTeams } from './with-organizations.ts';

const DAY = 86_400;

let bob: Person;
withOrganizations();
withTeams();
beforeEach(async () => {
  bob = await service.newPerson();
});

const inDays = (days: number) => new Date(service.clock.now() + days * DAY * 1000).toISOString();
const owner = ({ user_id }: { user_id: string }) => `/${team.organization_id}/owners/${user_id}`;
const offer = (person: { user_id: string }, body?: object, caller = team.ada) =>
  caller.call('PUT', owner(person), body);
const offered = async (person: { user_id: string }, body?: object) =>
  (await offer(person, body)).body.invitation_id as string;
const accept = async (person: Person, id: string) => outcome(await service.accept(person, id));
const offers = async (caller = team.ada) =>
  (await caller.call('GET', `/${team.organization_id}/offers`)).body.offers;
const owners = async () =>
  (await service.db.organizations.findOne({ organization_id: team.organization_id }))?.owners.map(
    ({ user_id }) => user_id,
  );
const pending = (fields: object = {}) => ({
  invitation_id: UUID,
  user_id: bob.user_id,
  role: 'Owner',
  transfer: false,
  status: 'pending',
  granted_by: team.ada.user_id,
  granted_at: service.at(),
  expires_at: inDays(14),
  ...fields,
});
const accepted = (invitation_id: string) => ({
  status: 200,
  body: { invitation_id, organization_id: team.organization_id, department_id: null, role: 'Owner' },
});

describe('PUT …/owners/{user_id}', () => {
  test('offers ownership with 202, whether the user_id exists or not, and mails only an account', async () => {
    const disabled = await service.newPerson({ account_status: 'disabled' });
    for (const user_id of [bob.user_id, disabled.user_id, 'User-999999'])
      expect(outcome(await offer({ user_id }))).toStrictEqual({ status: 202, body: pending({ user_id }) });
    expect(await owners()).toEqual([team.ada.user_id]);
    await vi.waitFor(() => expect(service.mailsTo(bob.email)).toHaveLength(1));
    const [mail] = service.mailsTo(bob.email);
    expect(mail?.content.subject).toBe('You are invited to own an organization');
    expect(mail?.content.text).toContain('You are invited to become an Owner of "Analytical Engines".');
    expect(mail?.content.text).toContain(`/invitation#invitation_id=${(await offers())[0].invitation_id}\n`);
    expect(service.mailsTo(disabled.email)).toEqual([]);
    expect((await bob.call('GET', `/${team.organization_id}`)).status).toBe(404);
  });

  test('makes the user an Owner once they accept', async () => {
    const id = await offered(bob);
    service.clock.advance(60);
    expect(await accept(bob, id)).toStrictEqual(accepted(id));
    expect(await owners()).toEqual([team.ada.user_id, bob.user_id]);
    expect(await offers(bob)).toEqual([]);
    expect((await bob.call('GET', `${team.place}/billing`)).status).toBe(200);
    expect(await accept(bob, id)).toStrictEqual(notFound(service.clock));
  });

  test('returns 200 for somebody who becomes an Owner meanwhile', async () => {
    const id = await offered(bob);
    const { organizations, budgets } = service.db;
    const spent = vi.spyOn(budgets, 'updateOne').mockImplementationOnce(async (...call) => {
      expect((await accept(bob, id)).status).toBe(200);
      return budgets.updateOne(...call);
    });
    const { status, body } = await offer(bob, { transfer: true });
    spent.mockRestore();
    const { owners: [, owner] = [] } =
      (await organizations.findOne({ organization_id: team.organization_id })) ?? {};
    expect({ status, body }).toEqual({ status: 200, body: owner });
  });

  test('transfers the ownership in one step', async () => {
    const id = await offered(bob, { transfer: true });
    expect(await offers()).toStrictEqual([pending({ transfer: true })]);
    expect(await owners()).toEqual([team.ada.user_id]);
    expect(await accept(bob, id)).toStrictEqual(accepted(id));
    expect(await owners()).toEqual([bob.user_id]);
    expect((await team.ada.call('GET', `/${team.organization_id}`)).status).toBe(404);
    const { data } = (await bob.call('GET', `/${team.organization_id}/audit`)).body;
    expect(
      data.slice(0, 3).map(({ action, target }: { action: string; target: object }) => [action, target]),
    ).toEqual(
      expect.arrayContaining([
        ['invitation.accept', { user_id: bob.user_id, invitation_id: id }],
        ['owner.add', { user_id: bob.user_id, invitation_id: id }],
        ['owner.remove', { user_id: team.ada.user_id, invitation_id: id }],
      ]),
    );
  });

  test('a transfer leaves a chatbot of the former Owner to the new one, and keeps their membership', async () => {
    const { ada, department_id } = team;
    const { chatbot_id } = await service.newChatbot(ada, department_id);
    await accept(bob, await offered(bob, { transfer: true }));
    expect((await bob.ask('GET', `/api/v1/chatbots/${chatbot_id}`)).body.owner_id).toBe(bob.user_id);
    const { Viewer } = team.people;
    await accept(Viewer, (await bob.call('PUT', owner(Viewer), { transfer: true })).body.invitation_id);
    await accept(bob, (await Viewer.call('PUT', owner(bob), { transfer: true })).body.invitation_id);
    expect(await owners()).toEqual([bob.user_id]);
    expect((await Viewer.call('GET', `${team.place}/members/${Viewer.user_id}`)).body.role).toBe('Viewer');
  });

  test('a full list of Owners can still be transferred', async () => {
    const { organization_id } = team;
    const more = Array.from({ length: 99 }, (_, place) => ({
      user_id: `User_owner_${place}`,
      granted_by: team.ada.user_id,
      granted_at: service.at(),
    }));
    await service.db.organizations.updateOne({ organization_id }, { $push: { owners: { $each: more } } });
    expect(await accept(bob, await offered(bob))).toStrictEqual(
      forbidden(service.clock, 'An organization has at most 100 Owners'),
    );
    expect((await accept(bob, await offered(bob, { transfer: true }))).status).toBe(200);
    expect(await owners()).toHaveLength(100);
  });

  test('returns an Owner unchanged, also with transfer', async () => {
    await service.addOwner(team.ada, team.organization_id, bob);
    const before = await team.stored();
    expect((await offer(bob)).status).toBe(200);
    const { status, body } = await offer(bob, { transfer: true });
    expect([status, body.user_id]).toEqual([200, bob.user_id]);
    expect(await team.stored()).toStrictEqual(before);
  });

  test('renews an offer, keeping its id', async () => {
    const id = await offered(bob);
    service.clock.advance(DAY);
    expect(outcome(await offer(bob, { transfer: true }))).toStrictEqual({
      status: 202,
      body: pending({ invitation_id: id, transfer: true }),
    });
    expect(await offers()).toHaveLength(1);
  });

  test.each([[{ transfer: 'yes' }], [{ transfer: null }]])('refuses the body %j', async (body) => {
    expect(outcome(await offer(bob, body))).toStrictEqual(
      malformed('transfer must be a boolean', service.clock),
    );
  });

  test('has the limits of invitations', async () => {
    for (let turn = 0; turn < 3; turn += 1)
      expect((await offer({ user_id: 'User-999997' })).status).toBe(202);
    expect(outcome(await offer({ user_id: 'User-999997' }))).toStrictEqual(
      rateLimited(3, DAY, service.clock.now()),
    );
  });

  test('keeps twenty pending offers, and old ones do not count', async () => {
    const { organization_id, ada } = team;
    const stored = (count: number, fields: object) =>
      Array.from({ length: count }, (_, number) => ({
        invitation_id: `${number} ${JSON.stringify(fields)}`,
        user_id: `User_${number}_${JSON.stringify(fields)}`,
        transfer: false,
        granted_by: ada.user_id,
        granted_at: service.at(),
        expires_at: new Date(inDays(14)),
        ...fields,
      }));
    const declined = stored(30, { declined_at: new Date(service.clock.now()) });
    const expired = stored(10, { expires_at: new Date(inDays(-31)) });
    const waiting = stored(19, {});
    await service.db.organizations.updateOne(
      { organization_id },
      { $set: { offers: [...expired, ...waiting, ...declined] } },
    );
    expect((await offer(bob)).status).toBe(202);
    const kept = await service.db.organizations.findOne({ organization_id });
    expect(kept?.offers).toHaveLength(40);
    expect(outcome(await offer({ user_id: 'User-999996' }))).toStrictEqual(
      forbidden(service.clock, 'An organization has at most 20 pending offers'),
    );
    expect((await offer(bob)).status).toBe(202); // the same one again
  });
});

describe('GET …/owners?include=offers', () => {
  test('lists the offers to Owners and to nobody else', async () => {
    await offer(bob);
    const read = (person: Person, query = '?include=offers') =>
      person.call('GET', `/${team.organization_id}/owners${query}`);
    const without = (await read(team.ada, '')).body;
    expect((await read(team.ada)).body).toStrictEqual({ ...without, offers: [pending()] });
    expect((await read(team.people.Admin)).body).toStrictEqual(without);
    expect((await read(team.people.Analyst)).status).toBe(403);
    expect((await read(team.ada, '?include=all')).status).toBe(400);
  });
});

describe('an offer', () => {
  const withdraw = async (id: string, caller = team.ada) =>
    outcome(await caller.call('DELETE', `/${team.organization_id}/offers/${id}`));

  test('is withdrawn by an Owner', async () => {
    const id = await offered(bob);
    expect(await withdraw(id, team.people.Owner)).toStrictEqual(forbidden(service.clock));
    expect(await withdraw(NOWHERE)).toStrictEqual(notFound(service.clock));
    expect(await withdraw(id)).toStrictEqual({ status: 200, body: { message: 'Offer withdrawn' } });
    expect(await withdraw(id)).toStrictEqual(notFound(service.clock));
    expect(await accept(bob, id)).toStrictEqual(notFound(service.clock));
  });

  test('is declined, which its Owner sees', async () => {
    const id = await offered(bob);
    const { status } = await bob.ask('POST', `/api/v1/invitations/${id}/decline`);
    expect(status).toBe(200);
    expect(await offers()).toStrictEqual([pending({ status: 'declined' })]);
    expect(await accept(bob, id)).toStrictEqual(notFound(service.clock));
    expect((await team.ada.call('POST', `/${team.organization_id}/offers/${id}/resend`)).status).toBe(409);
    service.clock.advance(14 * DAY);
    expect(await offers()).toEqual([]);
  });

  test('expires after fourteen days, is listed for thirty more, and is renewed by sending it again', async () => {
    const id = await offered(bob);
    service.clock.advance(14 * DAY);
    expect(await offers()).toMatchObject([{ status: 'expired' }]);
    expect(await accept(bob, id)).toStrictEqual(notFound(service.clock));
    const again = await team.ada.call('POST', `/${team.organization_id}/offers/${id}/resend`);
    expect(again.body).toMatchObject({ status: 'pending', expires_at: inDays(14) });
    await vi.waitFor(() => expect(service.mailsTo(bob.email)).toHaveLength(2));
    service.clock.advance(44 * DAY);
    expect(await offers()).toEqual([]);
    expect((await team.ada.call('POST', `/${team.organization_id}/offers/${id}/resend`)).status).toBe(404);
  });

  test.each([
    ['is removed', () => bob.call('DELETE', owner(team.ada))],
    ['leaves', () => team.ada.call('DELETE', `/${team.organization_id}/members/${team.ada.user_id}`)],
  ])('lapses when the Owner who made it %s', async (_, end) => {
    await service.addOwner(team.ada, team.organization_id, bob);
    const eve = await service.newPerson();
    const id = await offered(eve);
    expect((await end()).status).toBe(200);
    expect(await accept(eve, id)).toStrictEqual(notFound(service.clock));
    expect(outcome(await eve.ask('GET', '/api/v1/invitations'))).toStrictEqual(onePage());
    expect(await owners()).toEqual([bob.user_id]);
  });

  test('accepts one of several transfers by one Owner', async () => {
    for (let round = 0; round < rounds(4); round += 1) {
      await newTeam();
      const people = [await service.newPerson(), await service.newPerson(), await service.newPerson()];
      const ids: string[] = [];
      for (const person of people) ids.push(await offered(person, { transfer: true }));
      const answers = await Promise.all(people.map((person, turn) => accept(person, String(ids[turn]))));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
      expect(await owners()).toHaveLength(1);
    }
  });

  test('is accepted or its Owner leaves, and somebody remains', async () => {
    for (let round = 0; round < rounds(6); round += 1) {
      await newTeam();
      const person = await service.newPerson();
      const id = await offered(person, { transfer: round % 2 === 0 });
      const [joined, left] = await Promise.all([
        accept(person, id),
        team.ada.call('DELETE', `/${team.organization_id}/members/${team.ada.user_id}`),
      ]);
      const remaining = await owners();
      expect(remaining?.length).toBeGreaterThan(0);
      expect(remaining?.includes(person.user_id)).toBe(joined.status === 200);
      if (joined.status !== 200) expect(left.status).toBe(403);
    }
  });
});
