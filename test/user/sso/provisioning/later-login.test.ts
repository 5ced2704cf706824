import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { eventsOf } from '../../../fixtures/audit.ts';
import { type SsoService, startSsoService } from '../sso-service.ts';
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
