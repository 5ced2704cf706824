import { beforeEach, describe, expect, test } from 'vitest';
import { completeActivation } from '../../../services/user/organizations/invitations/accept-verified.ts';
import { eventsOf } from '../../fixtures/audit.ts';
import type { OrganizationService, Person } from './organization-service.ts';
import { service, team, withOrganizations, withTeams } from './with-organizations.ts';

/** What becomes of invitations and offers when the inviter or the invitee is no longer who they were. */

/** Another department of the team. */
let other: Awaited<ReturnType<OrganizationService['newDepartment']>>;
let bob: Person;
withOrganizations();
withTeams();
beforeEach(async () => {
  other = await service.newDepartment(team.ada, team.organization_id);
  bob = await service.newPerson();
});

const invite = async (email: string, { place } = team as { place: string }, caller = team.ada) => {
  const { status, body } = await caller.call('POST', `${place}/invitations`, { email, role: 'Viewer' });
  expect(status).toBe(201);
  return String(body.invitation_id);
};
const inviteById = async ({ user_id }: Person, { place } = team as { place: string }, caller = team.ada) => {
  const { status, body } = await caller.call('PUT', `${place}/members/${user_id}`, { role: 'Viewer' });
  expect(status).toBe(202);
  return String(body.invitation_id);
};
const answer = async (person: Person, id: string) => (await service.accept(person, id)).status;
const received = async (person: Person): Promise<string[]> =>
  (await person.ask('GET', '/api/v1/invitations')).body.data.map(
    ({ invitation_id }: { invitation_id: string }) => invitation_id,
  );
const listed = async ({ place } = team as { place: string }) =>
  (await team.ada.call('GET', `${place}/invitations`)).body.data;
const removeFrom = (caller: Person, { user_id }: Person, path = `/${team.organization_id}`) =>
  caller.call('DELETE', `${path}/members/${user_id}`);
const isMember = async ({ user_id }: Person) =>
  (await service.db.memberships.countDocuments({ organization_id: team.organization_id, user_id })) > 0;
const setStatus = ({ user_id }: Person, account_status: 'active' | 'disabled' | 'paused') =>
  service.db.users.updateOne({ user_id }, { $set: { account_status } });

describe.each(['disabled', 'paused'] as const)('an invitation by an account that is %s', (status) => {
  test('is not listed or accepted, until the account can act again', async () => {
    const { Admin } = team.people;
    const ids = [await invite(bob.email, team, Admin), await inviteById(bob, team, Admin)];
    await setStatus(Admin, status);
    expect(await received(bob)).toEqual([]);
    for (const id of ids) expect(await answer(bob, id)).toBe(404);
    await setStatus(Admin, 'active');
    expect((await received(bob)).toSorted()).toEqual(ids.toSorted());
    expect(await answer(bob, ids[0] as string)).toBe(200);
  });

  test('is not accepted by a verification', async () => {
    const { Admin } = team.people;
    await invite(bob.email, team, Admin);
    await setStatus(Admin, status);
    const { db, clock } = service;
    const user = await db.users.findOneAndUpdate(
      { user_id: bob.user_id },
      { $set: { activated_at: new Date(clock.now()) } },
      { returnDocument: 'after' },
    );
    if (user) await completeActivation(db, user, clock.now());
    expect(await isMember(bob)).toBe(false);
  });

  test('is sent again in the name of the caller', async () => {
    const { Admin } = team.people;
    const id = await invite(bob.email, team, Admin);
    await setStatus(Admin, status);
    const { body } = await team.ada.call('POST', `${team.place}/invitations/${id}/resend`);
    expect(body.granted_by).toBe(team.ada.user_id);
    expect(await answer(bob, id)).toBe(200);
  });
});

describe('an offer by an Owner whose account cannot act', () => {
  let eve: Person;
  beforeEach(async () => {
    eve = await service.newPerson();
    await service.addOwner(team.ada, team.organization_id, eve);
  });
  const offer = async (transfer: boolean) => {
    const path = `/${team.organization_id}/owners/${bob.user_id}`;
    return String((await eve.call('PUT', path, { transfer })).body.invitation_id);
  };

  test.each([false, true])('is not listed or accepted, with transfer %s', async (transfer) => {
    const id = await offer(transfer);
    await setStatus(eve, 'disabled');
    expect(await received(bob)).toEqual([]);
    expect(await answer(bob, id)).toBe(404);
    await setStatus(eve, 'active');
    expect(await answer(bob, id)).toBe(200);
  });

  test.each([
    [false, 200],
    [true, 404],
  ])('can be vouched for by another Owner unless it is a transfer: %s', async (transfer, status) => {
    const id = await offer(transfer);
    await setStatus(eve, 'disabled');
    await team.ada.call('POST', `/${team.organization_id}/offers/${id}/resend`);
    expect(await answer(bob, id)).toBe(status);
    const owners = (await service.db.organizations.findOne(team.organization))?.owners ?? [];
    expect(owners.map(({ user_id }) => user_id)).toContain(team.ada.user_id);
  });
});

describe('a person who is removed from the organization', () => {
  beforeEach(() => service.storeMember(team, bob, 'Viewer'));

  test('cannot come back by an older invitation to their address, which looks as before', async () => {
    const ids = [await invite(bob.email), await invite(bob.email, other)];
    const before = [await listed(), await listed(other)];
    const events = await eventsOf(service, () => removeFrom(team.ada, bob));
    expect(events.map(({ action }) => action)).toEqual(['member.remove']);
    expect(await received(bob)).toEqual([]);
    for (const id of ids) expect(await answer(bob, id)).toBe(404);
    expect([await listed(), await listed(other)]).toEqual(before);
  });

  test.each([
    ['inviting again', (id: string) => invite(bob.email).then((again) => expect(again).toBe(id))],
    ['sending it again', (id: string) => team.ada.call('POST', `${team.place}/invitations/${id}/resend`)],
  ])('comes back by %s, which names the same inviter', async (_, renew) => {
    const id = await invite(bob.email);
    await removeFrom(team.ada, bob);
    await renew(id);
    expect(await listed()).toMatchObject([{ invitation_id: id, granted_by: team.ada.user_id }]);
    expect(await answer(bob, id)).toBe(200);
  });

  test('comes back by an older invitation after leaving by themselves', async () => {
    const id = await invite(bob.email);
    await removeFrom(bob, bob);
    expect(await answer(bob, id)).toBe(200);
  });

  test('keeps invitations to other organizations', async () => {
    const elsewhere = await service.newTeam();
    const id = await invite(bob.email, elsewhere, elsewhere.ada);
    await removeFrom(team.ada, bob);
    expect(await answer(bob, id)).toBe(200);
  });

  test('is not a member again by an acceptance that overlaps the removal', async () => {
    const id = await invite(bob.email, other);
    const answers = await Promise.all([answer(bob, id), removeFrom(team.ada, bob)]);
    expect([200, 404]).toContain(answers[0]);
    expect(await isMember(bob)).toBe(false);
  });
});

describe('a member who is removed from a department', () => {
  beforeEach(() => service.storeMember(team, bob, 'Viewer'));

  test('cannot come back by older invitations to it; those to others stand', async () => {
    const byId = await service.storeInvitation(team, { invited_id: bob.user_id });
    const byAddress = await invite(bob.email);
    const elsewhere = await invite(bob.email, other);
    const events = await eventsOf(service, () => removeFrom(team.people.Admin, bob, team.place));
    expect(events.map(({ action, target }) => [action, target])).toEqual([
      ['invitation.withdraw', { user_id: bob.user_id, invitation_id: byId }],
      ['member.remove', { user_id: bob.user_id }],
    ]);
    for (const id of [byId, byAddress]) expect(await answer(bob, id)).toBe(404);
    expect(await answer(bob, elsewhere)).toBe(200);
  });

  test('keeps their invitations when the removal is refused', async () => {
    const { Owner } = team.people;
    const id = await invite(Owner.email, team);
    expect((await removeFrom(team.people.Admin, Owner, team.place)).status).toBe(403);
    await removeFrom(Owner, Owner, team.place);
    expect(await answer(Owner, id)).toBe(200);
  });
});

test.each([0, 1])('accepting one of two invitations to a department ends the other: %s', async (accepted) => {
  const ids = [await invite(bob.email), await inviteById(bob)] as const;
  expect(await answer(bob, ids[accepted] as string)).toBe(200);
  expect(await received(bob)).toEqual([]);
  await removeFrom(bob, bob, team.place);
  for (const id of ids) expect(await answer(bob, id)).toBe(404);
});

describe('an invitation that has lapsed stays lapsed', () => {
  test.each([
    [
      'is removed and joins again',
      async (Admin: Person) => {
        await removeFrom(team.ada, Admin, team.place);
        await service.addMember(team.ada, team.place, Admin, 'Admin');
      },
    ],
    [
      'is lowered and raised again',
      async (Admin: Person) => {
        for (const role of ['Viewer', 'Admin'] as const)
          await service.addMember(team.ada, team.place, Admin, role);
      },
    ],
  ])('when its inviter %s', async (_, change) => {
    const { Admin } = team.people;
    const ids = [await invite(bob.email, team, Admin), await inviteById(bob, team, Admin)];
    service.clock.advance(1);
    await change(Admin);
    expect(await received(bob)).toEqual([]);
    for (const id of ids) expect(await answer(bob, id)).toBe(404);
    await team.ada.call('POST', `${team.place}/invitations/${ids[0]}/resend`);
    expect(await answer(bob, ids[0] as string)).toBe(200);
  });

  test('and one to a role that its inviter may still grant stands', async () => {
    const { Owner } = team.people;
    const id = await invite(bob.email, team, Owner);
    await service.addMember(team.ada, team.place, Owner, 'Admin');
    expect(await answer(bob, id)).toBe(200);
  });
});
