import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventsOf } from '../fixtures/audit.ts';
import { enrolled } from '../fixtures/enrolled.ts';
import { errorEnvelope, outcome } from '../fixtures/envelope.ts';
import { postForm, postJson } from '../fixtures/http.ts';
import { newMember } from '../fixtures/members.ts';
import { mailedCode } from '../fixtures/services.ts';
import { type SsoService, startSsoService } from '../sso/sso-service.ts';
import { directVerify, newCode, verifyPost } from '../user/account/login-code/login-codes.ts';

const TEXT = 'Your organization requires single sign-on. Please log in through your identity provider.';

let service: SsoService;
let organization: Awaited<ReturnType<SsoService['newOrganization']>>;
let turn = 0;
let domain: string;
beforeAll(async () => {
  service = await startSsoService({ env: { LOGIN_BY_CODE: 'on' } });
});
afterAll(() => service.stop());
beforeEach(async () => {
  turn += 1;
  domain = `corp${turn}.example`;
  organization = await service.newOrganization({ domain: null });
  await service.addDomain(organization.organization_id, domain, { sso_required: true });
  await service.newConnection(organization, { protocol: 'oidc' });
});

const account = (email = `grace@${domain}`, fields: object = {}) =>
  newMember(service.db, { email, ...fields });
const login = (email: string, password = 'secret') =>
  postForm(`${service.login}/v2/login`, { email, password });
const catalogueLogin = (email: string, password = 'secret') =>
  postJson(`${service.login}/api/v1/auth/login`, { email, password });
/** The statuses of a login at both doors. */
const doors = async (email: string, password?: string) => [
  (await login(email, password)).status,
  (await catalogueLogin(email, password)).status,
];

test('refuses the password of an address whose domain requires single sign-on', async () => {
  const { email } = await account();
  expect(outcome(await login(email))).toStrictEqual({ status: 403, body: { detail: TEXT } });
  expect(outcome(await catalogueLogin(email))).toStrictEqual({
    status: 403,
    body: errorEnvelope('SSO_REQUIRED', TEXT),
  });
});

test('compares the domain without regard to case', async () => {
  const { email } = await account(`Grace@${domain.toUpperCase()}`);
  expect(await doors(email.toLowerCase())).toEqual([403, 403]);
});

test('audits the refusal', async () => {
  const { email, user_id } = await account();
  const [event] = await eventsOf(service, () => login(email));
  expect(event).toMatchObject({ action: 'login', outcome: 'single sign-on required', user_id, email });
});

test('is not revealed without the password', async () => {
  const { email } = await account();
  expect(await doors(email, 'wrong')).toEqual([401, 401]);
  expect(await doors(`nobody@${domain}`)).toEqual([404, 401]);
});

test('comes after the check of the verification', async () => {
  const { email } = await account(undefined, { verified: false });
  expect((await login(email)).body).toStrictEqual({ detail: 'Account not verified' });
});

test('refuses a right login code, at both doors', async () => {
  const { email } = await account();
  const { code } = await newCode(service, email);
  const events = await eventsOf(service, async () => {
    expect(outcome(await verifyPost(service, { email, code }))).toStrictEqual({
      status: 403,
      body: errorEnvelope('SSO_REQUIRED', TEXT),
    });
  });
  expect(events).toMatchObject([{ outcome: 'single sign-on required', after: { way: 'code' } }]);
  const { code: next } = await newCode(service, email);
  expect(outcome(await directVerify(service, { email, code: next }))).toStrictEqual({
    status: 403,
    body: { detail: TEXT },
  });
});

test('spends no code of the second factor', async () => {
  const { email, recoveryCodes } = await enrolled(service.db, service.clock, { email: `ada@${domain}` });
  const { factor_token } = (await login(email)).body;
  const form = { factor_token, code: String(recoveryCodes[0]) };
  expect(outcome(await postForm(`${service.login}/v2/login/factor`, form))).toStrictEqual({
    status: 403,
    body: { detail: TEXT },
  });
  const stored = await service.db.users.findOne({ email });
  expect(stored?.second_factor?.recovery_codes).toHaveLength(2);
});

test('lets an Owner of the organization in', async () => {
  const { email, user_id } = await account();
  await service.db.organizations.updateOne(
    { organization_id: organization.organization_id },
    { $push: { owners: { user_id: String(user_id), granted_by: 'x', granted_at: 'x' } } },
  );
  expect(await doors(email)).toEqual([200, 200]);
});

test('does not let an Owner of another organization in', async () => {
  const { email, user_id } = await account();
  const other = await service.newOrganization({ domain: null });
  await service.db.organizations.updateOne(
    { organization_id: other.organization_id },
    { $push: { owners: { user_id: String(user_id), granted_by: 'x', granted_at: 'x' } } },
  );
  expect(await doors(email)).toEqual([403, 403]);
});

test('does not let an account without a user_id in', async () => {
  const { email } = await account(undefined, { user_id: undefined });
  expect(await doors(email)).toEqual([403, 403]);
});

test.each([
  ['another domain', () => `grace@other-${domain}`],
  ['a subdomain', () => `grace@sub.${domain}`],
  ['a parent domain', () => 'grace@example'],
])('lets an address of %s in', async (_, address) => {
  const { email } = await account(address());
  expect(await doors(email)).toEqual([200, 200]);
});

test.each([
  ['does not require it', { sso_required: false }],
  ['is not verified', { verified_domain: undefined, verified_at: undefined, sso_required: true }],
])('lets an address in whose domain %s', async (_, fields) => {
  await service.addDomain(organization.organization_id, `open${turn}.example`, fields);
  const { email } = await account(`grace@open${turn}.example`);
  expect(await doors(email)).toEqual([200, 200]);
});

const DAY = 86_400;
const organizationId = () => ({ organization_id: organization.organization_id });
const setBilling = (fields: object) =>
  service.db.departments.updateOne({ department_id: organization.department_id }, { $set: fields });
const setConnection = (fields: object) =>
  service.db.ssoConnections.updateOne({ organization_id: organization.organization_id }, { $set: fields });
/** A grace that began some days ago. */
const grace = (days: number) => {
  const began = service.clock.now() - days * DAY * 1_000;
  return { began_at: new Date(began), ends_at: new Date(began + 14 * DAY * 1_000) };
};

test.each([
  ['only a disabled connection', () => setConnection({ enabled: false })],
  ['only a connection that is being deleted', () => setConnection({ deleted_at: new Date() })],
  [
    'another connection than that of the domain',
    async () => {
      await service.newConnection(organization, { protocol: 'saml' });
      const { connection_id = '' } = (await service.db.ssoConnections.findOne(organizationId())) ?? {};
      await service.db.ssoConnections.updateOne({ connection_id }, { $set: { enabled: false } });
      await service.db.ssoDomains.updateOne({ domain }, { $set: { connection_id } });
    },
  ],
  ['no plan', () => setBilling({ 'billing.subscription_plan': 'Business' })],
  ['a plan whose payment failed', () => setBilling({ 'billing.payment_status': 'failed' })],
  [
    'a plan whose grace is over',
    () => setBilling({ 'billing.payment_status': 'failed', payment_grace: grace(14) }),
  ],
  ['a plan that is pending after a restore', () => setBilling({ 'billing.payment_status': 'pending' })],
])('lets an address of an organization with %s in', async (_, change) => {
  const { email } = await account();
  await change();
  expect(await doors(email)).toEqual([200, 200]);
});

test.each([
  [
    'the grace after a failed payment',
    () => setBilling({ 'billing.payment_status': 'failed', payment_grace: grace(13) }),
  ],
  [
    'the connection of the domain enabled',
    async () => {
      const { connection_id = '' } = (await service.db.ssoConnections.findOne(organizationId())) ?? {};
      await service.db.ssoDomains.updateOne({ domain }, { $set: { connection_id } });
    },
  ],
  ['an archived organization', () => service.db.organizations.updateMany({}, { $set: { archived_at: 'x' } })],
  [
    'another connection',
    async () => {
      await setConnection({ enabled: false });
      await service.newConnection(organization, { protocol: 'saml' });
    },
  ],
  [
    'the plan of an Owner',
    async () => {
      await setBilling({ 'billing.payment_status': 'failed' });
      const { user_id } = organization.owner;
      await service.db.users.updateOne({ user_id }, { $set: { subscription_plan: 'Enterprise' } });
    },
  ],
])('still refuses the password with %s', async (_, change) => {
  const { email } = await account();
  await change();
  expect(await doors(email)).toEqual([403, 403]);
});

test('leaves signup, verification and reset as they are', async () => {
  const form = { email: `new@${domain}`, password: 'first', name: 'New' };
  expect((await postForm(`${service.user}/v2/signup`, form)).status).toBe(200);
  const verify = { email: form.email, otp: mailedCode(service.mailbox, form.email) };
  expect((await postForm(`${service.user}/v2/verify-otp`, verify)).status).toBe(200);
  expect((await postForm(`${service.user}/v2/forgot-password`, { email: form.email })).status).toBe(200);
  const reset = { email: form.email, otp: mailedCode(service.mailbox, form.email), new_password: 'second' };
  expect((await postForm(`${service.user}/v2/reset-password`, reset)).status).toBe(200);
  expect(await doors(form.email, 'second')).toEqual([403, 403]);
});
