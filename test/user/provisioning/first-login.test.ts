import { createPasswords } from '@gatehouse/shared/identity/passwords';
import type { Connection } from '@gatehouse/sso/connection-records';
import type { Profile } from '@gatehouse/sso/profile';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { postForm } from '../../fixtures/http.ts';
import { newMember } from '../../fixtures/members.ts';
import { mailedCode } from '../../fixtures/services.ts';
import { type SsoService, startSsoService } from '../../sso/sso-service.ts';
import { type Employer, GRACE, newEmployer } from './provisioner.ts';

let service: SsoService;
let organization: Employer['organization'];
let connection: Connection;
let domain: string;
let email: string;
let warnings: object[];
let logIn: Employer['logIn'];

beforeAll(async () => {
  service = await startSsoService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  ({ organization, connection, domain, email, warnings, logIn } = await newEmployer(service));
});
afterEach(() => vi.restoreAllMocks());

const stored = (address = email) => service.db.users.findOne({ email: address });
const identities = () => service.db.ssoIdentities.find({ email }).toArray();
const refused = (refusal: string) => expect.objectContaining({ refusal });
const passwordLogin = (address: string, password: string) =>
  postForm(`${service.login}/v2/login`, { email: address, password });

/** Everything that a login may write. */
const everything = async () => ({
  users: await service.db.users.find().toArray(),
  identities: await service.db.ssoIdentities.find().toArray(),
  memberships: await service.db.memberships.find().toArray(),
  features: await service.db.features.find().toArray(),
});

describe('the first login of an unknown address', () => {
  it('creates an active account on the free plan with the default role of the connection', async () => {
    const user = await logIn();
    const at = new Date(service.clock.now()).toISOString();
    expect(await stored()).toEqual({
      _id: user._id,
      user_id: expect.stringMatching(/^User-\d{6}$/),
      email,
      password: expect.stringMatching(/^\$argon2id\$/),
      name: 'Grace Hopper',
      role: 'Viewer',
      language: 'de',
      verified: true,
      account_status: 'active',
      payment_status: 'pending',
      'user_created_at(DATE)': at.slice(0, 10),
      created_at: at,
      address_since: new Date(at),
      subscription_id: 'free',
      subscription_plan: 'Free',
      subscription_date: at.slice(0, 10),
      features_assigned: true,
    });
    expect(await service.db.features.countDocuments({ user_id: user.user_id })).toBe(1);
    expect(await identities()).toEqual([
      {
        _id: expect.anything(),
        identity_id: expect.any(String),
        connection_id: connection.connection_id,
        subject: GRACE.subject,
        user_id: user.user_id,
        email,
        created_at: new Date(service.clock.now()),
        updated_at: new Date(service.clock.now()),
        last_login_at: new Date(service.clock.now()),
      },
    ]);
  });

  it('stores a password that no text matches', async () => {
    const { password } = await logIn();
    for (const guess of ['', password])
      expect(await createPasswords().matches({ password }, guess)).toBe(false);
    const { status, body } = await passwordLogin(email, password);
    expect({ status, body }).toEqual({ status: 401, body: { detail: 'Invalid credentials' } });
  });

  it('audits the new account', async () => {
    const [linked, ...others] = await eventsOf(service, () => logIn());
    const { user_id } = (await stored()) ?? {};
    expect(others).toEqual([]);
    expect(linked).toEqual(
      auditEvent(service.clock.now(), {
        action: 'sso.link',
        user_id: String(user_id),
        email,
        target: { user_id: String(user_id), connection_id: connection.connection_id },
        after: { account: 'created', role: 'Viewer' },
        organization_id: organization.organization_id,
        request_id: 'request',
      }),
    );
  });

  it.each([
    ['Editor', 'Editor'],
    ['aDMIN', 'Admin'],
    ['analyst', 'Analyst'],
  ])('gives the role %s as %s', async (role, stored) => {
    expect((await logIn({ role })).role).toBe(stored);
    expect(warnings).toEqual([]);
  });

  it('gives the default role for an unknown one and warns the operator', async () => {
    expect((await logIn({ role: 'Superuser' })).role).toBe('Viewer');
    expect(warnings).toEqual([expect.objectContaining({ role: 'Superuser', default_role: 'Viewer' })]);
  });

  it.each([
    [{ firstName: 'Grace', lastName: undefined }, 'Grace'],
    [{ firstName: undefined, lastName: 'Hopper' }, 'Hopper'],
    [{ firstName: undefined, lastName: undefined }, 'grace'],
    [{ firstName: 'Gra\r\nce', lastName: '\u202eHop\u0000per' }, 'Gra ce Hop per'],
    [{ firstName: '$name', lastName: '$$ROOT' }, '$name $$ROOT'],
    [{ firstName: '🤖'.repeat(300), lastName: 'x' }, '🤖'.repeat(200)],
  ])('makes the name of %j', async (names, name) => {
    expect((await logIn(names)).name).toBe(name);
  });

  it('keeps the spelling of the address and matches it without regard to case', async () => {
    const shouted = `GRACE@${domain.toUpperCase()}`;
    const user = await logIn({ email: shouted });
    expect(user.email).toBe(shouted);
    expect((await identities())[0]?.user_id).toBe(user.user_id);
    expect(await logIn({ subject: GRACE.subject })).toMatchObject({ user_id: user.user_id });
  });

  it('accepts the invitations of the connection’s organization to the address, and of no other', async () => {
    const other = await service.newOrganization({ domain: null });
    for (const [number, { organization_id, department_id, owner }] of [organization, other].entries())
      await service.db.memberships.insertOne({
        membership_id: `invitation ${email} ${number}`,
        organization_id,
        department_id,
        email,
        role: 'Editor',
        granted_by: owner.user_id,
        granted_at: new Date(service.clock.now()).toISOString(),
        valid_until: new Date(service.clock.now() + 60_000),
        expires_at: new Date(service.clock.now() + 60_000),
      });
    const { user_id } = await logIn();
    const invited = (department_id: string) => service.db.memberships.findOne({ department_id, email });
    expect(await invited(organization.department_id)).toMatchObject({ user_id, role: 'Editor' });
    expect(await invited(other.department_id)).not.toHaveProperty('user_id');
  });

  it('makes one account of eight logins at once', async () => {
    const logins = await Promise.all(Array.from({ length: 8 }, () => logIn()));
    expect(new Set(logins.map(({ user_id }) => user_id)).size).toBe(1);
    expect(await service.db.users.countDocuments({ email })).toBe(1);
    expect(await identities()).toHaveLength(1);
    expect(await service.db.features.countDocuments({ user_id: logins[0]?.user_id as string })).toBe(1);
    expect(await service.db.auditEvents.countDocuments({ action: 'sso.link', email })).toBe(1);
  });

  it('links one of two subjects that claim the address at once', async () => {
    const outcomes = await Promise.allSettled([logIn({ subject: 'one' }), logIn({ subject: 'two' })]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await identities()).toHaveLength(1);
    expect(await service.db.users.countDocuments({ email })).toBe(1);
  });
});

describe('a first login that was interrupted', () => {
  it.each([
    ['before the identity was linked', 'ssoIdentities', 'insertOne'],
    ['before the features were assigned', 'features', 'insertOne'],
  ] as const)('is completed by the next one: %s', async (_, collection, method) => {
    vi.spyOn(
      service.db[collection] as unknown as Record<string, () => unknown>,
      method,
    ).mockRejectedValueOnce(new Error('killed'));
    await expect(logIn()).rejects.toThrow('killed');
    const { user_id } = await logIn();
    expect(await stored()).toMatchObject({ user_id, verified: true, features_assigned: true });
    expect(await identities()).toHaveLength(1);
    expect(await service.db.features.countDocuments({ user_id })).toBe(1);
    expect(await service.db.users.countDocuments({ email })).toBe(1);
  });
});

describe('a login that is refused writes nothing', () => {
  const cases: [what: string, changes: Partial<Profile>, refusal: string][] = [
    ['no e-mail', { email: undefined }, 'email missing'],
    ['a list of addresses', { email: 'grace@corp.example, eve@evil.example' }, 'email missing'],
    ['a quoted local part', { email: '"grace"@corp.example' }, 'email missing'],
    ['a control character', { email: 'grace@corp.example\u0000.evil.example' }, 'email missing'],
    ['letters that fold to ASCII', { email: 'grace@\u212aorp.example' }, 'email missing'],
    ['two @', { email: 'grace@corp.example@evil.example' }, 'email missing'],
    ['an e-mail that the provider does not vouch for', { emailVerified: false }, 'email not verified'],
    ['a domain that nobody has verified', { email: 'grace@unknown.example' }, 'foreign domain'],
    ['a subdomain of the own domain', { email: 'grace@sub.DOMAIN' }, 'foreign domain'],
    ['a domain that ends like the own one', { email: 'grace@evilDOMAIN' }, 'foreign domain'],
    ['the role Owner', { role: 'Owner' }, 'role refused'],
    ['the role owner', { role: 'owner' }, 'role refused'],
    ['an empty subject', { subject: '' }, 'message refused'],
  ];
  it.each(cases)('%s', async (_, changes, refusal) => {
    const before = await everything();
    const given = changes.email && { email: changes.email.replace('DOMAIN', domain) };
    await expect(logIn({ ...changes, ...given })).rejects.toEqual(refused(refusal));
    expect(await everything()).toEqual(before);
  });

  it('a domain that another organization has verified', async () => {
    await service.newOrganization({ domain: `other-${domain}` });
    const before = await everything();
    await expect(logIn({ email: `ada@other-${domain}` })).rejects.toEqual(refused('foreign domain'));
    expect(await everything()).toEqual(before);
  });

  it('a domain that the organization has added but not verified', async () => {
    await service.addDomain(organization.organization_id, `new-${domain}`, {
      verified_at: undefined,
      verified_domain: undefined,
    });
    await expect(logIn({ email: `ada@new-${domain}` })).rejects.toEqual(refused('foreign domain'));
  });

  it.each([
    ['disabled', { account_status: 'disabled' }],
    ['disabled before it was verified', { account_status: 'disabled', verified: false }],
    ['paused', { account_status: 'paused' }],
  ])('an account that is %s', async (_, fields) => {
    await newMember(service.db, { email, ...fields });
    const before = await everything();
    await expect(logIn()).rejects.toEqual(refused('account disabled'));
    expect(await everything()).toEqual(before);
  });

  it('an account with a password on the domain of another organization', async () => {
    await service.newOrganization({ domain: `theirs-${domain}` });
    const victim = await newMember(service.db, { email: `victim@theirs-${domain}` });
    const before = await everything();
    await expect(logIn({ email: victim.email })).rejects.toEqual(refused('foreign domain'));
    expect(await everything()).toEqual(before);
  });
});

describe('an unverified signup on the address', () => {
  const signUp = () => postForm(`${service.user}/v2/signup`, { email, password: 'planted', name: 'Mallory' });

  it('is taken over: the planted password, name and code end', async () => {
    const { body } = await signUp();
    const otp = mailedCode(service.mailbox, email);
    const user = await logIn({ role: 'Editor' });
    const { password, ...record } = (await stored()) as NonNullable<Awaited<ReturnType<typeof stored>>>;
    expect(password).toMatch(/^\$argon2id\$/);
    expect(record).toMatchObject({
      user_id: user.user_id,
      name: 'Grace Hopper',
      role: 'Editor',
      language: 'de',
      verified: true,
      account_status: 'active',
      sessions_valid_from: new Date(service.clock.now()),
    });
    for (const field of [
      'otp',
      'otp_expiration',
      'otp_attempt',
      'signup_attempts',
      'first_attempt',
      'unverified_since',
    ])
      expect(record).not.toHaveProperty(field);

    expect((await passwordLogin(email, 'planted')).status).toBe(401);
    const verified = await postForm(`${service.user}/v2/verify-otp`, { email, otp, token: body.token });
    expect(verified.body).toStrictEqual({ detail: 'Invalid OTP' });
    expect((await stored())?.password).toBe(password);
    const reset = await postForm(`${service.user}/v2/reset-password`, { email, otp, new_password: 'x' });
    expect(reset.status).toBe(400);
    expect(await service.db.features.countDocuments({ user_id: user.user_id })).toBe(1);
  });

  it('is audited as taken over', async () => {
    await signUp();
    const [linked] = await eventsOf(service, () => logIn());
    expect(linked).toMatchObject({ action: 'sso.link', after: { account: 'taken over', role: 'Viewer' } });
  });

  it('keeps its user_id if an operator took the verification back, and loses its sessions', async () => {
    const { user_id } = await newMember(service.db, { email, verified: false, account_status: 'paused' });
    const user = await logIn();
    expect(user.user_id).toBe(user_id);
    expect(user.sessions_valid_from).toEqual(new Date(service.clock.now()));
  });

  it('keeps nothing of a stranger whose verification an operator took back', async () => {
    const at = new Date(service.clock.now());
    const until = new Date(service.clock.now() + 60_000);
    const planted = {
      second_factor: { id: 'id', secret: 'sealed', enrolled_at: at, last_step: 0, recovery_codes: [] },
      pending_factor: { id: 'id', secret: 'sealed', created_at: at },
      factor_reset: { due_at: until, reason: 'lost' },
      factor_guesses: [1],
      email_change: {
        id: 'id',
        email: 'x@evil.example',
        code: '048213',
        expires_at: until,
        wrong_guesses: 0,
      },
      email_undos: [{ id: 'id', email: 'x@evil.example', until }],
      login_networks: ['network'],
      sign_ins: [{ id: 'pair', day: at }],
      sign_in_notices: [at],
      session_names: [{ id: 'session', name: 'Laptop' }],
      deletion: { requested_at: at, due_at: until, next: until },
      notices: [{ id: 'id', kind: 'totp_enabled', at, to: 'x@evil.example', details: {} }],
      notices_due: until,
      notices_holder: 'process',
    };
    await newMember(service.db, { email, verified: false, account_status: 'paused', ...planted });
    await logIn();
    const account = await stored();
    expect(account).toMatchObject({ verified: true, account_status: 'active' });
    for (const field of Object.keys(planted)) expect(account).not.toHaveProperty(field);
  });

  it('is linked with its own password if its owner verifies it first', async () => {
    await signUp();
    const otp = mailedCode(service.mailbox, email);
    const takeOver = service.db.users.findOneAndUpdate.bind(service.db.users);
    vi.spyOn(service.db.users, 'findOneAndUpdate').mockImplementationOnce((async (
      ...update: Parameters<typeof takeOver>
    ) => {
      vi.restoreAllMocks();
      await postForm(`${service.user}/v2/verify-otp`, { email, otp });
      return takeOver(...update);
    }) as unknown as typeof takeOver);
    const { user_id } = await logIn();
    expect((await stored())?.user_id).toBe(user_id);
    expect((await passwordLogin(email, 'planted')).status).toBe(200);
  });

  it('is not taken over for another subject than it is linked to', async () => {
    await logIn();
    await service.db.users.updateOne({ email }, { $set: { verified: false } });
    const before = await everything();
    await expect(logIn({ subject: 'another' })).rejects.toEqual(refused('identity mismatch'));
    expect(await everything()).toEqual(before);
  });

  it('is taken over once by eight logins at once', async () => {
    await signUp();
    const logins = await Promise.all(Array.from({ length: 8 }, () => logIn()));
    expect(new Set(logins.map(({ user_id }) => user_id)).size).toBe(1);
    expect(await identities()).toHaveLength(1);
    expect(await stored()).toMatchObject({ user_id: logins[0]?.user_id, verified: true });
  });

  it('gets one account from a login and a verification at once', async () => {
    await signUp();
    const otp = mailedCode(service.mailbox, email);
    const [user] = await Promise.all([logIn(), postForm(`${service.user}/v2/verify-otp`, { email, otp })]);
    expect(await stored()).toMatchObject({ user_id: user.user_id, verified: true, account_status: 'active' });
    expect(await service.db.features.countDocuments({ user_id: user.user_id })).toBe(1);
  });
});

describe('a verified account on the address', () => {
  it('is linked and keeps its password, plan and id', async () => {
    const account = await newMember(service.db, { email, subscription_plan: 'Business' });
    const [linked] = await eventsOf(service, () => logIn({ role: 'Analyst' }));
    expect(await stored()).toEqual({ ...account, name: 'Grace Hopper', role: 'Analyst' });
    expect(linked).toMatchObject({ action: 'sso.link', after: { account: 'linked', role: 'Analyst' } });
    expect((await passwordLogin(email, 'secret')).status).toBe(200);
  });

  it('gets a user_id if it has none', async () => {
    await newMember(service.db, { email, user_id: undefined });
    const { user_id } = await logIn();
    expect(user_id).toMatch(/^User-\d{6}$/);
    expect((await stored())?.user_id).toBe(user_id);
  });

  it('is refused to another subject of the same connection', async () => {
    await logIn();
    const before = await everything();
    await expect(logIn({ subject: 'another' })).rejects.toEqual(refused('identity mismatch'));
    expect(await everything()).toEqual(before);
  });

  it('is linked to a second connection of the organization', async () => {
    const { user_id } = await logIn();
    const second = await service.newConnection(organization, { protocol: 'ldap' });
    expect((await logIn({ subject: 'another' }, second)).user_id).toBe(user_id);
    expect(await identities()).toHaveLength(2);
  });
});

describe('an identity that SCIM created', () => {
  const scim = (active: boolean) => ({
    user_name: email,
    user_name_key: email,
    external_id: null,
    active,
    attributes: {},
    version: 1,
  });
  async function newIdentity({ active = true } = {}) {
    const { user_id } = await newMember(service.db, { email });
    const at = new Date(service.clock.now());
    const identity = {
      identity_id: `identity ${domain}`,
      connection_id: connection.connection_id,
      user_id: String(user_id),
      email,
      scim: scim(active),
      created_at: at,
      updated_at: at,
    };
    await service.db.ssoIdentities.insertOne({ ...identity });
    return identity;
  }

  it('gets its subject at the first login', async () => {
    const identity = await newIdentity();
    expect((await logIn()).user_id).toBe(identity.user_id);
    const [linked, ...others] = await identities();
    expect(others).toEqual([]);
    expect(linked).toMatchObject({ ...identity, subject: GRACE.subject });
  });

  it('gets the subject of one of two logins at once', async () => {
    await newIdentity();
    const subjects = ['one', 'two'];
    const outcomes = await Promise.allSettled(subjects.map((subject) => logIn({ subject })));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await identities()).toHaveLength(1);
  });

  it('is refused while SCIM has it inactive', async () => {
    await newIdentity({ active: false });
    const before = await everything();
    await expect(logIn()).rejects.toEqual(refused('account disabled'));
    expect(await everything()).toEqual(before);
  });
});
