import { randomUUIDv7 } from 'node:crypto';
import type { User } from '@gatehouse/shared/identity/user-record';
import { expect, test } from 'vitest';
import { eventually } from '../../../fixtures/eventually.ts';
import { postForm, send } from '../../../fixtures/http.ts';
import { newMember } from '../../../fixtures/members.ts';
import { rounds } from '../../../fixtures/property.ts';
import { pendingExport } from '../../organizations/store-export.ts';
import { service, team, withOrganizations, withTeams } from '../../organizations/with-organizations.ts';
import { runDeletions } from './run-deletions.ts';

withOrganizations({ exportTuning: { rows: 1, poll: 20 } });
withTeams();

const due = (): Pick<User, 'deletion'> => {
  const at = new Date(service.clock.now());
  return { deletion: { requested_at: at, due_at: at, next: at } };
};
const stored = (user_id: string) => service.db.users.findOne({ user_id });

/** Runs the job, with the relay of the service, until the account is gone. */
const untilGone = (user_id: string) =>
  eventually(async () => {
    service.clock.advance(3);
    await runDeletions(service);
    expect(await stored(user_id)).toBeNull();
  }, 100);

test('either a login or the deletion comes first', async () => {
  const { db, clock, login, url } = service;
  for (let round = 0; round < rounds(60); round += 1) {
    const { email, user_id = '' } = await newMember(db, due());
    const credentials = { email, password: 'secret' };
    const logIn = async () => {
      await new Promise((resolve) => setTimeout(resolve, round % 6));
      return postForm(`${login}/v2/login`, credentials);
    };
    const [answer] = await Promise.all([logIn(), runDeletions({ db, clock })]);
    const user = await stored(user_id);
    if (answer.status === 200) {
      expect(user).toMatchObject({ email, account_status: 'active' });
      expect(user).not.toHaveProperty('deletion');
      const headers = { authorization: `Bearer ${answer.body.token}` };
      expect((await send(`${url}/api/v1/users/me`, { headers })).status).toBe(200);
    } else {
      expect(answer.status).toBeOneOf([401, 404]);
      if (user) expect(user).toMatchObject({ name: '', account_status: 'disabled' });
    }
  }
});

test('an organization keeps an Owner who can act while its last one is due and an offer is accepted', async () => {
  const { db } = service;
  for (let round = 0; round < rounds(20); round += 1) {
    const [ada, bob] = [await service.newPerson(), await service.newPerson()];
    const { organization_id } = await service.create(ada, '', { name: 'Engines' });
    const invitation_id = await service.storeOffer({ organization_id, ada }, bob, round % 2 === 0);
    await db.users.updateOne({ user_id: ada.user_id }, { $set: due() });
    await Promise.all([service.accept(bob, invitation_id), runDeletions(service)]);
    const organization = await db.organizations.findOne({ organization_id });
    const owners = organization?.owners.map(({ user_id }) => user_id) ?? [];
    const able = await db.users.countDocuments({ user_id: { $in: owners }, account_status: 'active' });
    expect(able).toBeGreaterThan(0);
  }
});

test('nobody who is invited or added while their account is deleted becomes a member', async () => {
  const { db } = service;
  const { ada, people, place } = team;
  const { user_id, email } = people.Editor;
  const second = await service.newDepartment(ada, team.organization_id);
  await db.users.updateOne({ user_id }, { $set: due() });
  await Promise.all([
    runDeletions(service),
    ada.call('PUT', `${second.place}/members/${user_id}`, { role: 'Viewer' }),
    ada.call('POST', `${second.place}/invitations`, { email, role: 'Viewer' }),
    ada.call('PUT', `/${team.organization_id}/owners/${user_id}`),
  ]);
  await untilGone(user_id);
  expect(await db.memberships.find({ user_id }).toArray()).toEqual([]);
  expect(await db.organizations.countDocuments({ 'owners.user_id': user_id })).toBe(0);
  expect(
    (await ada.call('GET', `${place}/members`)).body.data.map((each: { user_id: string }) => each.user_id),
  ).not.toContain(user_id);
});

test('a running export of the account leaves nothing', async () => {
  const { db, clock } = service;
  const { organization_id, ada } = team;
  const { user_id } = await service.newPerson();
  const job = pendingExport({ organization_id, department_id: null, created_by: user_id }, clock.now());
  await db.exports.insertOne(job);
  await db.users.updateOne({ user_id }, { $set: due() });
  await untilGone(user_id);
  await eventually(async () => {
    expect(await db.exports.countDocuments({ export_id: job.export_id })).toBe(0);
    expect(await db.exportChunks.countDocuments({ export_id: job.export_id })).toBe(0);
  });
  expect((await ada.call('GET', `/${organization_id}/exports`)).body.data).toEqual([]);
});

test('the organization hears of it, and its events name the account by its user_id alone', async () => {
  const { db } = service;
  const { user_id } = team.people.Editor;
  await db.users.updateOne({ user_id }, { $set: due() });
  await untilGone(user_id);
  const heard = await db.events.find({ readers: team.organization_id, event: 'user.deleted' }).toArray();
  expect(heard).toMatchObject([{ owner_id: null, readers: [team.organization_id] }]);
  expect(JSON.parse(heard[0]?.payload ?? '')).toMatchObject({ event: 'user.deleted', data: { user_id } });
  expect(await db.events.countDocuments({ readers: user_id })).toBe(0);
});

test('no new account gets the user_id', async () => {
  const { db } = service;
  const { user_id = '', email } = await newMember(db, due());
  await untilGone(user_id);
  expect(await db.deletedUsers.findOne({ _id: user_id })).toStrictEqual({
    _id: user_id,
    deleted_at: expect.any(Date),
  });
  // The address is free.
  const form = { email, password: randomUUIDv7(), name: 'Grace' };
  expect((await postForm(`${service.url}/v2/signup`, form)).status).toBe(200);
});
