import { beforeEach, describe, expect, test, vi } from 'vitest';
import { eventsOf } from '../../fixtures/audit.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { forbidden, notFound } from '../access/failures.ts';
import { runJobs } from '../archive/run-jobs.ts';
import type { Person } from './organization-service.ts';
import { service, team, withOrganizations, withTeams } from './with-organizations.ts';

/** A second department of the team. */
let other: { department_id: string; place: string };
/** A member of both departments. */
let eve: Person;
withOrganizations();
withTeams();
beforeEach(async () => {
  other = await service.newDepartment(team.ada, team.organization_id);
  eve = await service.newPerson();
  await service.storeMember(team, eve, 'Editor');
  await service.storeMember({ ...team, department_id: other.department_id }, eve, 'Admin');
});

const REMOVED = { status: 200, body: { message: 'Member removed' } };
const remove = (caller: Person, { user_id } = eve) =>
  caller.call('DELETE', `/${team.organization_id}/members/${user_id}`);
const isIn = async ({ user_id }: Person) =>
  (await service.db.memberships.countDocuments({ organization_id: team.organization_id, user_id })) > 0 ||
  (await service.db.organizations.countDocuments({
    organization_id: team.organization_id,
    'owners.user_id': user_id,
  })) > 0;
const makeOwner = ({ user_id }: Person) =>
  service.db.organizations.updateOne(
    { organization_id: team.organization_id },
    { $push: { owners: { user_id, granted_by: team.ada.user_id, granted_at: service.at() } } },
  );
const ownerOf = async (chatbot_id: string) => (await service.db.chatbots.findOne({ chatbot_id }))?.owner_id;

describe('leaving an organization', () => {
  test('ends every role in every department, and passes the chatbots on', async () => {
    const chatbots = [
      await service.newChatbot(eve, team.department_id),
      await service.newChatbot(eve, other.department_id),
    ];
    expect(outcome(await remove(eve))).toStrictEqual(REMOVED);
    expect(await isIn(eve)).toBe(false);
    for (const { chatbot_id } of chatbots) {
      expect(await ownerOf(chatbot_id)).toBe(team.ada.user_id);
      expect((await eve.ask('GET', `/api/v1/chatbots/${chatbot_id}`)).status).toBe(404);
    }
    expect((await eve.call('GET', '')).body.data).toEqual([]);
    expect(outcome(await remove(eve))).toStrictEqual(notFound(service.clock));
    expect(await service.db.departures.countDocuments()).toBe(0);
  });

  test('ends the role of an Owner of the organization too, and records each role', async () => {
    await makeOwner(eve);
    const events = await eventsOf(service, () => remove(eve));
    expect(events.map(({ action, before, department_id }) => [action, before?.role, department_id])).toEqual([
      ['owner.remove', 'Owner', null],
      ['member.remove', 'Editor', team.department_id],
      ['member.remove', 'Admin', other.department_id],
    ]);
    expect(await isIn(eve)).toBe(false);
  });

  test('leaves personal chatbots and other organizations alone', async () => {
    const second = await service.newTeam();
    await service.storeMember(second, eve, 'Viewer');
    const { body } = await eve.ask('POST', '/api/v1/chatbots/create', {
      name: 'Own',
      type: 'text',
      avatar_id: '1',
      language: 'en',
    });
    await remove(eve);
    expect((await eve.call('GET', second.place)).status).toBe(200);
    expect(await ownerOf(body.chatbot_id)).toBe(eve.user_id);
  });

  test('is refused to the last Owner, in words, and ends nothing', async () => {
    await service.storeMember(team, team.ada, 'Viewer');
    const refused = forbidden(
      service.clock,
      'The last Owner cannot leave: transfer the ownership to somebody else, or archive the organization',
    );
    expect(outcome(await remove(team.ada, team.ada))).toStrictEqual(refused);
    const disabled = await service.newPerson({ account_status: 'disabled' });
    await makeOwner(disabled);
    expect(outcome(await remove(team.ada, team.ada))).toStrictEqual(refused);
    expect(await service.db.memberships.countDocuments({ user_id: team.ada.user_id })).toBe(1);
    expect(await service.db.departures.countDocuments()).toBe(0);
  });

  test('is possible for the last Owner once the organization is archived; then nobody restores it', async () => {
    const { ada, people, organization_id } = team;
    const { chatbot_id } = await service.newChatbot(ada, team.department_id);
    await ada.call('POST', `/${organization_id}/archive`);
    expect(outcome(await remove(ada, ada))).toStrictEqual(REMOVED);
    expect((await people.Owner.call('POST', `/${organization_id}/restore`)).status).toBe(403);
    expect((await people.Viewer.ask('GET', `/api/v1/chatbots/${chatbot_id}`)).body.owner_id).toBe(
      ada.user_id,
    );
    for (const person of [people.Viewer, people.Owner])
      expect(outcome(await remove(person, person))).toStrictEqual(REMOVED);
  });

  test('one of two last Owners who leave at once stays', async () => {
    await makeOwner(eve);
    const answers = await Promise.all([remove(team.ada, team.ada), remove(eve)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    const { owners } = (await service.db.organizations.findOne({
      organization_id: team.organization_id,
    })) ?? { owners: [] };
    expect(owners.length).toBe(1);
  });
});

describe('removing a person from an organization', () => {
  test('is possible for its Owners', async () => {
    await makeOwner(eve);
    expect(outcome(await remove(team.ada))).toStrictEqual(REMOVED);
    expect(await isIn(eve)).toBe(false);
  });

  const departmentsOf = ({ user_id }: Person) =>
    service.db.memberships.distinct('department_id', { organization_id: team.organization_id, user_id });

  test('is possible for an Admin in the departments where they may remove users', async () => {
    const { Admin } = team.people;
    expect(outcome(await remove(Admin))).toStrictEqual(REMOVED);
    expect(await departmentsOf(eve)).toEqual([other.department_id]);
    // Webhooks hear what they did until now.
    const left = { user_id: eve.user_id, left_at: new Date(service.clock.now()) };
    expect(await service.db.formerMembers.findOne(left)).toMatchObject({
      organization_id: team.organization_id,
    });
    await service.storeMember(team, eve, 'Viewer');
    await service.storeMember({ ...team, department_id: other.department_id }, Admin, 'Admin');
    expect(outcome(await remove(Admin))).toStrictEqual(REMOVED);
    expect(await isIn(eve)).toBe(false);
  });

  test('leaves the roles alone that an Admin only sees, and their invitations', async () => {
    const { Admin } = team.people;
    const third = await service.newDepartment(team.ada, team.organization_id);
    await service.storeMember({ ...team, department_id: other.department_id }, Admin, 'Viewer');
    const place = { organization_id: team.organization_id, department_id: third.department_id };
    const id = await service.storeInvitation(place, { invited_id: eve.user_id });
    const events = await eventsOf(service, () => remove(Admin));
    expect(events.map(({ action, department_id }) => [action, department_id])).toEqual([
      ['member.remove', team.department_id],
    ]);
    expect(await departmentsOf(eve)).toEqual([other.department_id]);
    expect((await service.accept(eve, id)).status).toBe(200);
    expect(outcome(await remove(Admin))).toStrictEqual(forbidden(service.clock));
  });

  test('is not possible above one’s own role, nor of an Owner of the organization', async () => {
    const { Admin, Owner } = team.people;
    const refused = forbidden(service.clock);
    expect(outcome(await remove(Admin, Owner))).toStrictEqual(refused);
    expect(outcome(await remove(Admin, team.ada))).toStrictEqual(refused);
    expect(outcome(await remove(Owner, team.ada))).toStrictEqual(refused);
  });

  test('tells nothing about people of other departments', async () => {
    const elsewhere = await service.newPerson();
    await service.storeMember({ ...team, department_id: other.department_id }, elsewhere, 'Viewer');
    const { Admin } = team.people;
    for (const person of [elsewhere, await service.newPerson()])
      expect(outcome(await remove(Admin, person))).toStrictEqual(notFound(service.clock));
  });
});

describe('invitations and offers to the user_id of a person', () => {
  const invited = async () => {
    const third = await service.newDepartment(team.ada, team.organization_id);
    const place = { organization_id: team.organization_id, department_id: third.department_id };
    return [
      await service.storeInvitation(place, { invited_id: eve.user_id }),
      await service.storeOffer(team, eve),
    ];
  };
  /** One after the other: an Owner does not accept an invitation to a department. */
  const answers = async (ids: string[]) => {
    const statuses: number[] = [];
    for (const id of ids) statuses.push((await service.accept(eve, id)).status);
    return statuses;
  };

  test('are withdrawn when an Owner removes them', async () => {
    const ids = await invited();
    const events = await eventsOf(service, () => remove(team.ada));
    const withdrawn = events.filter(({ action }) => action === 'invitation.withdraw');
    expect(withdrawn.map(({ target }) => target)).toEqual(
      expect.arrayContaining(ids.map((invitation_id) => ({ user_id: eve.user_id, invitation_id }))),
    );
    expect(await answers(ids)).toEqual([404, 404]);
    expect(await isIn(eve)).toBe(false);
  });

  test('stand when the person leaves', async () => {
    const ids = await invited();
    await remove(eve);
    expect(await answers(ids)).toEqual([200, 200]);
  });
});

test('an archived department gives no right to remove its members from the organization', async () => {
  const { Admin, Viewer } = team.people;
  await team.ada.call('POST', `${team.place}/archive`, { chatbots: 'delete' });
  expect(outcome(await remove(Admin, Viewer))).toStrictEqual(forbidden(service.clock));
  expect(await isIn(Viewer)).toBe(true);
});

describe('a departure that is killed', () => {
  const steps: [what: string, kill: () => { mockRestore: () => void }][] = [
    ['before the memberships end', () => killed(service.db.memberships, 'findOneAndDelete')],
    ['between two memberships', () => killed(service.db.memberships, 'findOneAndDelete', 1)],
    ['before the grants end', () => killed(service.db.chatbots, 'find')],
    ['while the grants end', () => killed(service.db.chatbots, 'updateOne', 1)],
    ['at the very end', () => killed(service.db.departures, 'deleteOne')],
  ];

  function killed(collection: object, method: string, after = 0) {
    const original = (collection as Record<string, (...given: unknown[]) => unknown>)[method];
    let calls = 0;
    return vi.spyOn(collection as Record<string, () => unknown>, method).mockImplementation(function (
      this: unknown,
      ...given: unknown[]
    ) {
      calls += 1;
      if (calls > after) throw new Error('killed');
      return original?.apply(collection, given);
    } as never);
  }

  test.each(steps)('%s is completed by a job', async (_what, kill) => {
    await makeOwner(eve);
    const chatbots = [
      await service.newChatbot(eve, team.department_id),
      await service.newChatbot(eve, other.department_id),
    ];
    const spy = kill();
    expect((await remove(eve)).status).toBe(500);
    spy.mockRestore();
    await runJobs(service);
    expect(await service.db.departures.countDocuments({ user_id: eve.user_id })).toBe(1);
    service.clock.advance(60);
    await Promise.all([runJobs(service), runJobs(service)]);
    expect(await isIn(eve)).toBe(false);
    for (const { chatbot_id } of chatbots) expect(await ownerOf(chatbot_id)).toBe(team.ada.user_id);
    expect(await service.db.departures.countDocuments({ user_id: eve.user_id })).toBe(0);
  });

  test('is completed while a long deletion runs', async () => {
    const { db, clock } = service;
    const spy = killed(db.departures, 'deleteOne');
    await remove(eve);
    spy.mockRestore();
    clock.advance(60);
    const { department_id } = await service.newDepartment(team.ada, team.organization_id);
    const over = { archived_at: service.at(), deletes_at: service.at(), due_at: new Date(clock.now()) };
    await db.departments.updateOne({ department_id }, { $set: over });
    const page = Promise.withResolvers<never[]>();
    const find = vi.spyOn(db.billingEntries, 'find');
    find.mockReturnValueOnce({ toArray: () => page.promise } as never);
    const jobs = runJobs(service);
    await vi.waitFor(async () => {
      expect(find).toHaveBeenCalled();
      expect(await db.departures.countDocuments({ user_id: eve.user_id })).toBe(0);
    });
    expect(await db.departments.countDocuments({ department_id })).toBe(1);
    page.resolve([]);
    await jobs;
    expect(await db.departments.countDocuments({ department_id })).toBe(0);
  });

  test('that an Admin began ends no role elsewhere when a job completes it', async () => {
    const { Admin } = team.people;
    const spy = killed(service.db.memberships, 'findOneAndDelete', 1);
    expect((await remove(Admin)).status).toBe(500);
    spy.mockRestore();
    service.clock.advance(60);
    await runJobs(service);
    const left = { organization_id: team.organization_id, user_id: eve.user_id };
    expect(await service.db.memberships.distinct('department_id', left)).toEqual([other.department_id]);
    expect(await service.db.departures.countDocuments({ user_id: eve.user_id })).toBe(0);
  });

  test('does not remove somebody who has joined again', async () => {
    const spy = killed(service.db.departures, 'deleteOne');
    await remove(eve);
    spy.mockRestore();
    service.clock.advance(60);
    await service.storeMember(team, eve, 'Viewer');
    const { chatbot_id } = await service.newChatbot(team.ada, team.department_id);
    await team.ada.ask('PUT', `/api/v1/chatbots/${chatbot_id}/access/${eve.user_id}`, { role: 'Editor' });
    await runJobs(service);
    expect((await eve.call('GET', team.place)).status).toBe(200);
    expect((await eve.ask('GET', `/api/v1/chatbots/${chatbot_id}/access/me`)).body.role).toBe('Editor');
    expect(await service.db.departures.countDocuments({ user_id: eve.user_id })).toBe(0);
  });

  test.each([
    ['removed from a department', () => team.ada.call('DELETE', `${other.place}/members/${eve.user_id}`)],
    [
      'removed as an Owner',
      async () => {
        await makeOwner(eve);
        await service.db.memberships.deleteOne({ department_id: other.department_id, user_id: eve.user_id });
        return team.ada.call('DELETE', `/${team.organization_id}/owners/${eve.user_id}`);
      },
    ],
  ] as const)('passes the chatbots of a person %s on', async (_what, end) => {
    const kept = await service.newChatbot(eve, team.department_id);
    const { chatbot_id } = await service.newChatbot(eve, other.department_id);
    const spy = killed(service.db.chatbots, 'updateOne');
    expect((await end()).status).toBe(500);
    spy.mockRestore();
    expect(await ownerOf(chatbot_id)).toBe(eve.user_id);
    service.clock.advance(60);
    await runJobs(service);
    expect(await ownerOf(chatbot_id)).toBe(team.ada.user_id);
    expect(await ownerOf(kept.chatbot_id)).toBe(eve.user_id);
    expect((await eve.call('GET', team.place)).status).toBe(200);
    expect(await service.db.departures.countDocuments({ user_id: eve.user_id })).toBe(0);
  });

  test('leaves nothing to do when the role of the last Owner stays', async () => {
    const { ada, organization_id } = team;
    expect((await ada.call('DELETE', `/${organization_id}/owners/${ada.user_id}`)).status).toBe(403);
    expect(await service.db.departures.countDocuments({ organization_id })).toBe(0);
  });
});
