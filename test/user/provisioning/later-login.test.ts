import { randomUUIDv7 } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { eventsOf } from '../../fixtures/audit.ts';
import { postForm, send } from '../../fixtures/http.ts';
import { bearerOf } from '../../fixtures/members.ts';
import { type SsoService, startSsoService } from '../../sso/sso-service.ts';
import { type Employer, GRACE, newEmployer } from './provisioner.ts';

let service: SsoService;
let organization: Employer['organization'];
let domain: string;
let email: string;
let user_id: string;
let logIn: Employer['logIn'];

beforeAll(async () => {
  service = await startSsoService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  ({ organization, domain, email, logIn } = await newEmployer(service));
  ({ user_id } = await logIn());
});

const stored = () => service.db.users.findOne({ user_id });
const bearer = (address: string, sinceNow = 0) => ({
  headers: { authorization: bearerOf({ user_id, email: address }, service.clock.now() + sinceNow) },
});
const departmentPath = ({ organization_id, department_id }: Employer['organization']) =>
  `/api/v1/organizations/${organization_id}/departments/${department_id}`;
const refused = (refusal: string) => expect.objectContaining({ refusal });

it('updates name and role when they differ', async () => {
  const before = await stored();
  const user = await logIn({ lastName: 'Murray', role: 'Admin' });
  expect(user).toMatchObject({ user_id, name: 'Grace Murray', role: 'Admin' });
  expect(await stored()).toEqual({ ...before, name: 'Grace Murray', role: 'Admin' });
});

it('keeps the name when the provider sends none', async () => {
  expect((await logIn({ firstName: undefined, lastName: undefined })).name).toBe('Grace Hopper');
});

it('gives the default role again when the provider sends none', async () => {
  await logIn({ role: 'Admin' });
  expect((await logIn()).role).toBe('Viewer');
});

it('keeps the role of a person whom SCIM manages when the provider sends none', async () => {
  await service.db.ssoIdentities.updateOne(
    { user_id },
    { $set: { 'scim.active': true, 'scim.user_name_key': email } },
  );
  await service.db.users.updateOne({ user_id }, { $set: { role: 'Editor' } });
  expect((await logIn()).role).toBe('Editor');
  expect((await logIn({ role: 'Analyst' })).role).toBe('Analyst');
});

it('finds the account by the subject when the e-mail has changed or is missing', async () => {
  expect((await logIn({ email: 'hopper@unknown.example' })).user_id).toBe(user_id);
  expect((await logIn({ email: undefined, emailVerified: false })).user_id).toBe(user_id);
  expect((await stored())?.email).toBe(email);
});

it('records when the person last logged in, to the hour', async () => {
  const { last_login_at } = (await service.db.ssoIdentities.findOne({ user_id })) ?? {};
  service.clock.advance(3_599);
  await logIn();
  expect(await service.db.ssoIdentities.findOne({ user_id })).toMatchObject({ last_login_at });
  service.clock.advance(1);
  await logIn();
  expect(await service.db.ssoIdentities.findOne({ user_id })).toMatchObject({
    last_login_at: new Date(service.clock.now()),
    updated_at: new Date(service.clock.now() - 3_600_000),
  });
});

it('does not take an identity of another connection for this one', async () => {
  const foreign = await service.newOrganization({ domain: `foreign-${domain}` });
  const other = await service.newConnection(foreign, { protocol: 'ldap' });
  await expect(logIn({}, other)).rejects.toEqual(refused('foreign domain'));
  const ada = await logIn({ email: `ada@foreign-${domain}` }, other);
  expect(ada.user_id).not.toBe(user_id);
  expect((await logIn({ subject: GRACE.subject })).user_id).toBe(user_id);
});

it.each([
  ['disabled', { account_status: 'disabled' as const }],
  ['paused', { account_status: 'paused' as const }],
  ['no longer verified', { verified: false }],
])('refuses an account that is %s and changes nothing', async (_, fields) => {
  await service.db.users.updateOne({ user_id }, { $set: fields });
  const before = await stored();
  await expect(logIn({ lastName: 'Murray' })).rejects.toEqual(refused('account disabled'));
  expect(await stored()).toEqual(before);
});

it('refuses an account that has been deleted and creates no other', async () => {
  await service.db.users.deleteOne({ user_id });
  await expect(logIn()).rejects.toEqual(refused('account disabled'));
  expect(await service.db.users.countDocuments({ email })).toBe(0);
});

it('refuses the role Owner and changes nothing', async () => {
  const before = await stored();
  await expect(logIn({ role: 'OWNER', lastName: 'Murray' })).rejects.toEqual(refused('role refused'));
  expect(await stored()).toEqual(before);
});

it('refuses an account whose domain the organization has given up', async () => {
  await service.db.ssoDomains.deleteOne({ organization_id: organization.organization_id });
  await expect(logIn()).rejects.toEqual(refused('foreign domain'));
});

it('takes over a changed address in a verified domain, ends the other sessions, and audits it', async () => {
  const changed = `new-${email}`;
  const events = await eventsOf(service, () => logIn({ email: changed }));
  expect(await stored()).toMatchObject({ email: changed, sessions_valid_from: expect.any(Date) });
  expect(await service.db.ssoIdentities.findOne({ user_id })).toMatchObject({ email: changed });
  expect(events.find(({ action }) => action === 'profile.update')).toMatchObject({
    before: { email },
    after: { email: changed },
  });
});

it('completes a change of the address that a kill has interrupted', async () => {
  const changed = `killed-${email}`;
  await service.db.users.updateOne({ user_id }, { $set: { email: changed } });
  const events = await eventsOf(service, () => logIn({ email: changed }));
  expect(events).toEqual([]);
  expect(await service.db.ssoIdentities.findOne({ user_id })).toMatchObject({ email: changed });
});

it('ends sessions and mailed codes with the former address', async () => {
  const changed = `codes-${email}`;
  const other = bearer(email);
  const profile = () => send(`${service.url}/api/v1/users/me`, other);
  await postForm(`${service.url}/v2/forgot-password`, { email });
  const { otp = '' } = (await stored()) ?? {};
  expect((await profile()).status).toBe(200);
  await logIn({ email: changed });
  expect((await profile()).status).toBe(401);
  const reset = (address: string) =>
    postForm(`${service.url}/v2/reset-password`, { email: address, otp, new_password: 'stolen' });
  expect((await reset(email)).body).toStrictEqual({ detail: 'User not found' });
  expect((await reset(changed)).status).toBe(400);
});

it('forgets the former address in memberships, and leaves invitations to it alone', async () => {
  const changed = `member-${email}`;
  const outsider = await service.newOrganization({ domain: null });
  const inviting = await service.newOrganization({ domain: null });
  for (const place of [organization, outsider]) {
    const { organization_id, department_id } = place;
    const at = new Date(service.clock.now());
    await service.db.memberships.insertOne({
      membership_id: randomUUIDv7(),
      organization_id,
      department_id,
      user_id,
      email,
      role: 'Viewer',
      granted_by: place.owner.user_id,
      granted_at: at.toISOString(),
      joined_at: at,
    });
  }
  const invite = (place: typeof outsider, address: string) =>
    place.owner.call('POST', `${departmentPath(place)}/invitations`, { email: address, role: 'Viewer' });
  await invite(inviting, email);
  await invite(inviting, changed);
  await logIn({ email: changed });

  const members = async (place: typeof outsider) =>
    (await place.owner.call('GET', `${departmentPath(place)}/members`)).body.data;
  expect(await members(organization)).toMatchObject([{ user_id, email: changed }]);
  expect(await members(outsider)).toMatchObject([{ user_id, email: null }]);
  // The former mailbox may get another owner.
  expect((await invite(outsider, email)).status).toBe(201);
  const { body } = await send(`${service.url}/api/v1/invitations`, bearer(changed, 1));
  expect(body.data).toMatchObject([{ email: changed, department_id: inviting.department_id }]);
});

it('tells the former address that the organization has changed it', async () => {
  const changed = `told-${email}`;
  await logIn({ email: changed });
  expect((await stored())?.notices).toMatchObject([
    { kind: 'email_changed_by_provider', to: email, details: { email: changed } },
  ]);
});

it('ends a change of the address that the person has begun, and keeps the links that undo earlier ones', async () => {
  const until = new Date(service.clock.now() + 60_000);
  const pending = {
    id: 'id',
    email: 'ada@elsewhere.example',
    code: '048213',
    expires_at: until,
    wrong_guesses: 0,
  };
  await service.db.users.updateOne(
    { user_id },
    {
      $set: {
        email_change: pending,
        email_undos: [{ id: 'id', email: 'former@elsewhere.example', until }],
        address_changed: { at: until, accepts: true },
      },
    },
  );
  await logIn({ email: `provided-${email}` });
  const account = await stored();
  expect(account?.email).toBe(`provided-${email}`);
  expect(account?.email_undos).toEqual([{ id: 'id', email: 'former@elsewhere.example', until }]);
  for (const field of ['email_change', 'address_changed']) expect(account).not.toHaveProperty(field);
});

it('takes over a changed address from an unverified signup', async () => {
  const changed = `squatted-${email}`;
  const signup = { email: changed, password: 'of a stranger', name: 'Eve' };
  await postForm(`${service.url}/v2/signup`, signup);
  const { otp = '' } = (await service.db.users.findOne({ email: changed })) ?? {};
  await logIn({ email: changed });
  expect((await stored())?.email).toBe(changed);
  const { body } = await postForm(`${service.url}/v2/verify-otp`, { email: changed, otp });
  expect(body).toStrictEqual({ detail: 'Invalid OTP' });
});

it('keeps the address and its sessions when the new one is in the domain of another organization', async () => {
  await service.newOrganization({ domain: `rival-${domain}` });
  const before = await stored();
  await logIn({ email: `grace@rival-${domain}` });
  expect(await stored()).toEqual(before);
  expect(await service.db.ssoIdentities.findOne({ user_id })).toMatchObject({ email });
});

it('keeps the address when another account has the new one', async () => {
  const other = await logIn({ subject: 'other', email: `other-${email}` });
  expect(await logIn({ email: other.email })).toMatchObject({ user_id, email });
  expect((await stored())?.email).toBe(email);
});

it('changes the address once for two logins at once', async () => {
  const changed = `twice-${email}`;
  const events = await eventsOf(service, async () => {
    const users = await Promise.all([logIn({ email: changed }), logIn({ email: changed })]);
    expect(users.map((user) => user.email)).toEqual([changed, changed]);
  });
  expect(events.filter(({ action }) => action === 'profile.update')).toHaveLength(1);
});
