import { unusableHash } from '@gatehouse/shared/identity/passwords';
import type { User } from '@gatehouse/shared/identity/user-record';
import { afterEach, describe, expect, it } from 'vitest';
import { eventsOf } from '../../fixtures/audit.ts';
import { enrolled } from '../../fixtures/enrolled.ts';
import { type Answered, decodeToken, postJson, send } from '../../fixtures/http.ts';
import { newMember } from '../../fixtures/members.ts';
import { newBrowser } from '../../sso/oidc/oidc-service.ts';
import type { SocialService } from '../../sso/social/social-service.ts';
import { withSocial } from '../../sso/social/with-social.ts';

let service: SocialService;
withSocial((started) => {
  service = started;
});
afterEach(async () => {
  const { db } = service;
  await Promise.all(
    [db.users, db.loginNames, db.ssoDomains, db.ssoConnections].map((each) => each.deleteMany({})),
  );
});

const EMAIL = 'ada@corp.example';
const LINK = () => `corp:${service.provider.issuer} ada`;
const NO_PASSWORD = unusableHash();

/** What the provider says about the address. */
const ADDRESSES = {
  vouched: { email: EMAIL, email_verified: true },
  'in capitals': { email: 'Ada@CORP.example', email_verified: true },
  'not vouched': { email: EMAIL, email_verified: false },
  'vouched as text': { email: EMAIL, email_verified: 'true' },
  'not mentioned': { email: EMAIL, email_verified: undefined },
  missing: { email: undefined, email_verified: undefined },
  another: { email: 'ada@elsewhere.example', email_verified: true },
};

const dueAt = new Date('2100-01-01');
const deletion = { requested_at: new Date(0), due_at: dueAt, next: dueAt };

/** The account that has the address. */
const ACCOUNTS = {
  none: undefined,
  unverified: {
    verified: false,
    account_status: 'paused',
    password: 'of a stranger',
    passkeys: ['of a stranger'],
    user_id: undefined,
  },
  'verified, revoked by an operator': {
    verified: false,
    links: ['google:https://accounts.google.com stranger'],
  },
  'with a password': {},
  'with a passkey only': { password: NO_PASSWORD, passkeys: ['credential'] },
  'linked at another provider': { password: NO_PASSWORD, links: ['google:https://accounts.google.com 1'] },
  'linked to another person at the provider': { links: ['corp:https://id.example another'] },
  'with as many links as it can have': {
    links: Array.from({ length: 10 }, (_, n) => `other:https://id.example ${n}`),
  },
  paused: { account_status: 'paused' },
  disabled: { account_status: 'disabled' },
  'to be deleted': { deletion },
  'being deleted': { account_status: 'disabled', deletion: { ...deletion, begun_at: new Date(0) } },
} as const satisfies Record<string, object | undefined>;

type Result = 'created' | 'taken over' | 'linked' | string;

/** The table of CONTRACT.md §Linking. Whatever is neither `created`, `taken over` nor `linked` is refused for that reason. */
const TABLE: [account: keyof typeof ACCOUNTS, address: keyof typeof ADDRESSES, result: Result][] = [
  ['none', 'vouched', 'created'],
  ['none', 'not vouched', 'email not verified'],
  ['none', 'vouched as text', 'email not verified'],
  ['none', 'not mentioned', 'email not verified'],
  ['none', 'missing', 'email missing'],
  ['unverified', 'vouched', 'taken over'],
  ['unverified', 'not vouched', 'email not verified'],
  ['verified, revoked by an operator', 'vouched', 'taken over'],
  ['with a password', 'vouched', 'linked'],
  ['with a password', 'in capitals', 'linked'],
  ['with a password', 'not vouched', 'email not verified'],
  ['with a password', 'vouched as text', 'email not verified'],
  ['with a password', 'not mentioned', 'email not verified'],
  ['with a password', 'missing', 'email missing'],
  ['with a password', 'another', 'created'],
  ['with a passkey only', 'vouched', 'linked'],
  ['with a passkey only', 'not vouched', 'email not verified'],
  ['linked at another provider', 'vouched', 'linked'],
  ['linked at another provider', 'not vouched', 'email not verified'],
  ['linked to another person at the provider', 'vouched', 'identity mismatch'],
  ['linked to another person at the provider', 'not vouched', 'email not verified'],
  ['with as many links as it can have', 'vouched', 'too many links'],
  ['paused', 'vouched', 'account disabled'],
  ['disabled', 'vouched', 'account disabled'],
  ['to be deleted', 'vouched', 'linked'],
  ['being deleted', 'vouched', 'account disabled'],
];

const STATUS: Record<string, number> = { 'too many links': 409, 'single sign-on required': 403 };

const come = (address: keyof typeof ADDRESSES) => {
  service.provider.person = { sub: 'ada', name: 'Ada Lovelace', ...ADDRESSES[address] };
};

/** Expects that a login is refused for a reason, in words, and that it changes no account. */
async function expectRefused(reason: string, login: () => Promise<Answered>) {
  const before = await service.db.users.find().toArray();
  let answered: Answered | undefined;
  const events = await eventsOf(service, async () => {
    answered = await login();
  });
  expect([answered?.status, events.map(({ action, outcome }) => [action, outcome])]).toEqual([
    STATUS[reason] ?? 403,
    [['login', reason]],
  ]);
  expect(events[0]?.after).toMatchObject({ way: 'social', provider: 'corp' });
  expect(answered?.body).toMatch(/<p>[A-Z][^<]+\.<\/p>/);
  expect(await service.db.users.find().toArray()).toEqual(before);
}

describe('the account with the address, the address at the provider, and what a first login does', () => {
  it.each(TABLE)('%s, %s: %s', async (account, address, result) => {
    const { db } = service;
    const fields = ACCOUNTS[account];
    const existing = fields && (await newMember(db, { email: EMAIL, ...fields }));
    come(address);
    const browser = newBrowser(service);
    if (!['created', 'taken over', 'linked'].includes(result))
      return expectRefused(result, () => service.socialLogin('corp', browser));

    let entered: Answered | undefined;
    const events = await eventsOf(service, async () => {
      entered = await service.enter('corp', browser);
    });
    expect(entered?.status).toBe(200);
    const [link, ...others] = events.map(({ action, after }) => [action, after]);
    expect(link).toEqual(['link.add', { provider: 'corp', account: result }]);
    expect(others.at(-1)).toEqual(['login', { way: 'social' }]);
    const user = (await db.users.findOne({ user_id: entered?.body.user_id })) as User;
    expect(await db.loginNames.findOne({ _id: LINK() })).toMatchObject({ user_id: user.user_id });
    const kinds = user.notices?.map(({ kind }) => kind) ?? [];
    if (result === 'linked') {
      expect(user).toMatchObject({ user_id: existing?.user_id, password: existing?.password, email: EMAIL });
      expect(user.links).toEqual([...(existing?.links ?? []), LINK()]);
      expect(user.deletion).toBeUndefined();
      return;
    }
    expect(user).toMatchObject({
      verified: true,
      account_status: 'active',
      links: [LINK()],
      name: 'Ada Lovelace',
    });
    expect([user.password === existing?.password, user.passkeys]).toEqual([false, undefined]);
    expect(kinds).not.toContain('link_added');
  });
});

describe('a person who is linked', () => {
  it.each(Object.keys(ADDRESSES) as (keyof typeof ADDRESSES)[])(
    'logs in with an address that is %s, which changes nothing of the account',
    async (address) => {
      const { db } = service;
      const ada = await newMember(db, { email: 'ada@home.example' });
      const other = await newMember(db, { email: EMAIL });
      await db.users.updateOne({ _id: ada._id }, { $set: { links: [LINK()] } });
      const at = new Date(0);
      await db.loginNames.insertOne({
        _id: LINK(),
        user_id: String(ada.user_id),
        email: null,
        created_at: at,
      });
      come(address);
      const { body } = await service.enter('corp');
      expect(body.user_id).toBe(ada.user_id);
      expect((await db.users.findOne({ _id: ada._id }))?.email).toBe('ada@home.example');
      expect(await db.users.findOne({ _id: other._id })).not.toHaveProperty('links');
      expect(await db.loginNames.findOne({ _id: LINK() })).toMatchObject({
        email: ADDRESSES[address].email?.toLowerCase() ?? null,
        created_at: at,
      });
    },
  );

  it.each(['paused', 'disabled', 'being deleted'] as const)(
    'is refused if the account is %s',
    async (state) => {
      const { db } = service;
      const { user_id } = await newMember(db, { ...ACCOUNTS[state], links: [LINK()] });
      await db.loginNames.insertOne({
        _id: LINK(),
        user_id: String(user_id),
        email: null,
        created_at: new Date(0),
      });
      come('vouched');
      await expectRefused('account disabled', () => service.socialLogin('corp'));
    },
  );
});

describe('an organization that requires single sign-on of the domain', () => {
  const requireSso = async () => {
    const organization = await service.newOrganization({ domain: null });
    await service.addDomain(organization.organization_id, 'corp.example', { sso_required: true });
    await service.newConnection(organization, { protocol: 'saml' });
    return organization;
  };

  it.each(['none', 'unverified', 'with a password', 'with a passkey only'] as const)(
    'is obeyed with an account that is: %s',
    async (account) => {
      await requireSso();
      const fields = ACCOUNTS[account];
      if (fields) await newMember(service.db, { email: EMAIL, ...fields });
      come('vouched');
      await expectRefused('single sign-on required', () => service.socialLogin('corp'));
    },
  );

  it('is obeyed with an account that was linked before, also between callback and exchange', async () => {
    come('vouched');
    const browser = newBrowser(service);
    const answered = await service.socialLogin('corp', browser);
    await requireSso();
    const { status, body } = await service.exchange(answered, browser);
    expect([status, body.error.code]).toEqual([403, 'SSO_REQUIRED']);
    await expectRefused('single sign-on required', () => service.socialLogin('corp'));
  });

  it('lets its Owners in', async () => {
    const { owner } = await requireSso();
    await service.db.users.updateOne({ user_id: owner.user_id }, { $set: { email: EMAIL } });
    come('vouched');
    expect((await service.enter('corp')).body.user_id).toBe(owner.user_id);
  });
});

it('links an account that an organization manages, as long as it does not require single sign-on', async () => {
  const organization = await service.newOrganization({ domain: 'corp.example' });
  const connection = await service.newConnection(organization, { protocol: 'saml' });
  const ada = await newMember(service.db, { email: EMAIL });
  const at = new Date(0);
  await service.db.ssoIdentities.insertOne({
    identity_id: 'identity',
    connection_id: connection.connection_id,
    subject: 'ada',
    user_id: String(ada.user_id),
    email: EMAIL,
    created_at: at,
    updated_at: at,
  });
  come('vouched');
  expect((await service.enter('corp')).body.user_id).toBe(ada.user_id);
});

it('asks an account with a second factor for it, and neither session nor success exists before', async () => {
  const { db, clock } = service;
  const ada = await enrolled(db, clock, { email: EMAIL });
  come('vouched');
  const browser = newBrowser(service);
  let refused: Answered | undefined;
  const events = await eventsOf(service, async () => {
    refused = await service.enter('corp', browser);
  });
  expect([refused?.status, refused?.body.error.code]).toEqual([403, 'SECOND_FACTOR_REQUIRED']);
  expect(events.map(({ action, outcome }) => [action, outcome])).toEqual([
    ['link.add', 'success'],
    ['login', 'second factor required'],
  ]);
  const { factor_token, methods } = refused?.body.error.details ?? {};
  expect(methods).toEqual(['totp', 'recovery_code']);
  const bearer = { authorization: `Bearer ${factor_token}` };
  expect((await send(`${service.url}/api/v1/users/me`, { headers: bearer })).status).toBe(401);
  const code = ada.recoveryCodes[0];
  const done = await postJson(`${service.login}/api/v1/auth/login/factor`, { factor_token, code });
  expect([done.status, done.body.user_id]).toEqual([200, ada.user_id]);
  expect(decodeToken(done.body.access_token).header.mfa).toBe(true);
});
