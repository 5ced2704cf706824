import { beforeEach, expect, test } from 'vitest';
import { eventually } from '../../fixtures/eventually.ts';
import { service, team, withOrganizations, withTeams } from '../../user/organizations/with-organizations.ts';

let place: { organization_id: string; department_id: string };
withOrganizations();
withTeams();
beforeEach(() => {
  place = { organization_id: team.organization_id, department_id: team.department_id };
});

/** The events that the organization of the team hears, without those of other accounts. */
async function heard() {
  const { db } = service;
  await eventually(async () => (await db.auditEvents.countDocuments({ relay: true })) === 0);
  const { organization_id } = team;
  const events = await db.events.find({ organization_id }).sort({ position: 1 }).toArray();
  return events.map(({ owner_id, department_id, payload }) => {
    const { event, data } = JSON.parse(payload);
    return { owner_id, department_id, event, data };
  });
}

const email = 'new@example.com';
const role = 'Editor';
const invite = async () =>
  (await team.ada.call('POST', `${team.place}/invitations`, { email, role })).body.invitation_id;
const inviteId = async (user_id: string) =>
  (await team.ada.call('PUT', `${team.place}/members/${user_id}`, { role })).body.invitation_id;

test('an invitation by e-mail that is withdrawn', async () => {
  const invitation_id = await invite();
  await team.ada.call('DELETE', `${team.place}/invitations/${invitation_id}`);
  const data = { invitation_id, ...place, email, user_id: null, role };
  const { department_id } = place;
  expect(await heard()).toEqual([
    {
      owner_id: null,
      department_id,
      event: 'invitation.created',
      data: { ...data, invited_by: team.ada.user_id },
    },
    { owner_id: null, department_id, event: 'invitation.withdrawn', data },
  ]);
});

test('a declined invitation by e-mail does not reveal the account of the address', async () => {
  const grace = await service.newPerson({ email: 'decliner@example.com', name: 'Grace' });
  const invited = { email: grace.email, role };
  const { body } = await team.ada.call('POST', `${team.place}/invitations`, invited);
  await grace.ask('POST', `/api/v1/invitations/${body.invitation_id}/decline`);
  const [, declined] = await heard();
  const data = { invitation_id: body.invitation_id, ...place, email: grace.email, user_id: null, role };
  expect(declined).toMatchObject({ owner_id: grace.user_id, event: 'invitation.declined', data });
  expect(JSON.stringify(declined?.data)).not.toMatch(/User-|Grace/);
});

test('an invitation by user_id is the same event whether an account has the id or not', async () => {
  const grace = await service.newPerson({ name: 'Grace' });
  const unknown = 'User-999999';
  const ids = [await inviteId(grace.user_id), await inviteId(unknown)];
  const created = [grace.user_id, unknown].map((user_id, index) => ({
    owner_id: user_id,
    department_id: place.department_id,
    event: 'invitation.created',
    data: { invitation_id: ids[index], ...place, email: null, user_id, role, invited_by: team.ada.user_id },
  }));
  expect(await heard()).toEqual(created);
});

test('an accepted invitation adds a member, with their name', async () => {
  const grace = await service.newPerson({ email: 'accepter@example.com', name: 'Grace' });
  const invited = { email: grace.email, role };
  const { body } = await team.ada.call('POST', `${team.place}/invitations`, invited);
  const { invitation_id } = body;
  await service.accept(grace, invitation_id);
  await team.ada.call('PUT', `${team.place}/members/${grace.user_id}`, { role: 'Viewer' });
  await team.ada.call('DELETE', `${team.place}/members/${grace.user_id}`);
  const { user_id } = grace;
  const member = { ...place, user_id, name: 'Grace' };
  expect((await heard()).slice(1).map(({ event, data }) => ({ event, data }))).toEqual([
    { event: 'invitation.accepted', data: { invitation_id, ...place, email: grace.email, user_id, role } },
    { event: 'organization.member.added', data: { ...member, role } },
    { event: 'organization.member.role_changed', data: { ...member, role: 'Viewer', previous_role: role } },
    { event: 'organization.member.removed', data: { ...member, role: 'Viewer' } },
  ]);
});

test('a transfer of ownership adds one Owner and removes the other', async () => {
  const grace = await service.newPerson({ name: 'Grace' });
  const path = `/${team.organization_id}/owners/${grace.user_id}`;
  const { body } = await team.ada.call('PUT', path, { transfer: true });
  await service.accept(grace, body.invitation_id);
  const owner = { organization_id: team.organization_id, department_id: null, role: 'Owner' };
  const told = (await heard()).map(({ owner_id, event, data }) => ({ owner_id, event, data }));
  expect(told).toMatchObject([
    { owner_id: grace.user_id, event: 'invitation.created', data: { ...owner, user_id: grace.user_id } },
    { owner_id: grace.user_id, event: 'invitation.accepted', data: { ...owner, user_id: grace.user_id } },
    { owner_id: grace.user_id, event: 'organization.member.added', data: { ...owner, name: 'Grace' } },
    { owner_id: team.ada.user_id, event: 'organization.member.removed', data: owner },
  ]);
});
