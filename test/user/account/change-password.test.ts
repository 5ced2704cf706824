import { createPasswords, unusableHash } from '@gatehouse/shared/identity/passwords';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { UpdateFilter } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { failuresAt, outcome, rateLimited } from '../../fixtures/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { startGateway } from '../../fixtures/gateway.ts';
import { postForm, postJson, send } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { mailedCode } from '../../fixtures/services.ts';
import { type SsoService, startSsoService } from '../../sso/sso-service.ts';

let service: SsoService;
let ada: User;
let bearer: string;
beforeAll(async () => {
  service = await startSsoService();
});
afterAll(() => service.stop());
afterEach(() => vi.restoreAllMocks());
beforeEach(async () => {
  ada = await newMember(service.db);
  bearer = session();
});

const failure = failuresAt(() => service.clock.now());
const session = (user: Pick<User, 'email' | 'user_id'> = ada) => {
  service.clock.advance(1);
  return bearerOf(user, service.clock.now());
};
const change = (new_password: unknown, authorization = bearer, where = service.url) =>
  postJson(`${where}/api/v1/users/me/password`, { new_password }, { authorization });
const stored = () => service.db.users.findOne({ user_id: ada.user_id as string });
const statusOf = async (authorization: string, where = service.url) =>
  (await send(`${where}/api/v1/users/me`, { headers: { authorization } })).status;
const logIn = async (password: string) =>
  (await postForm(`${service.login}/v2/login`, { email: ada.email, password })).status;
/** What the person is told about the password. */
const shown = async (authorization: string) =>
  (await send(`${service.url}/api/v1/users/me/factors`, { headers: { authorization } })).body.password;

/** The subject of the newest mail to Ada. */
const subjectMailed = () =>
  eventually(() => {
    const mail = service.mailbox.mails.find(({ recipients }) => recipients.includes(ada.email));
    expect(mail).toBeDefined();
    return mail?.content.subject;
  });

const changed = { status: 200, body: { message: 'Password changed' } };

describe('POST /api/v1/users/me/password', () => {
  test('replaces the password and ends every other session', async () => {
    const other = session();
    const events = await eventsOf(service, async () =>
      expect(outcome(await change('new'))).toStrictEqual(changed),
    );
    expect(events).toEqual([
      auditEvent(service.clock.now(), {
        action: 'password.change',
        user_id: ada.user_id as string,
        email: ada.email.toLowerCase(),
        after: { first: 'false' },
      }),
    ]);
    expect([await statusOf(bearer), await statusOf(other)]).toEqual([200, 401]);
    expect([await logIn('secret'), await logIn('new')]).toEqual([401, 200]);
    expect(await subjectMailed()).toBe('Your password was changed');
  });

  test('stores a hash', async () => {
    const hashing = await startSsoService({ env: { PASSWORD_STORAGE: 'argon2id' } });
    try {
      const user = await newMember(hashing.db);
      const authorization = bearerOf(user, hashing.clock.now());
      expect(outcome(await change('new', authorization, hashing.url))).toStrictEqual(changed);
      const { password = '' } = (await hashing.db.users.findOne({ _id: user._id })) ?? {};
      expect(await createPasswords().matches({ password }, 'new')).toBe(true);
      expect(password).toMatch(/^\$argon2id\$/);
    } finally {
      await hashing.stop();
    }
  });

  test.each([
    ['an absent password', undefined, 'MISSING_FIELD', 'new_password is required'],
    ['an empty password', '', 'MISSING_FIELD', 'new_password is required'],
    ['a number', 5, 'INVALID_FORMAT', 'new_password must be a string'],
    ['half a surrogate pair', '\ud800', 'INVALID_FORMAT', 'new_password must be well-formed Unicode'],
    ['1025 bytes', 'x'.repeat(1025), 'INVALID_FORMAT', 'new_password must not be longer than 1024 bytes'],
  ])('refuses %s and changes nothing', async (_, password, code, details) => {
    const answer = await change(password);
    expect({ status: answer.status, error: answer.body.error }).toMatchObject({
      status: 400,
      error: { code, details },
    });
    expect(await stored()).toEqual(ada);
  });

  test('refuses a session that is not fresh and changes nothing', async () => {
    service.clock.advance(601);
    const answer = await change('new');
    expect(outcome(answer)).toEqual(
      failure(answer, 403, 'CONFIRMATION_REQUIRED', 'Please confirm that it is you', {
        methods: ['password'],
      }),
    );
    expect(await stored()).toEqual(ada);
  });

  test('succeeds after a confirmation', async () => {
    service.clock.advance(601);
    const { body } = await postJson(
      `${service.login}/api/v1/auth/confirm`,
      { password: 'secret' },
      { authorization: bearer },
    );
    expect(outcome(await change('new', `Bearer ${body.access_token}`))).toStrictEqual(changed);
  });

  test('changes the account of the bearer, whatever the body names', async () => {
    const grace = await newMember(service.db);
    const { user_id, email, _id } = grace;
    const body = { new_password: 'new', user_id, email, _id };
    const answer = await postJson(`${service.url}/api/v1/users/me/password`, body, { authorization: bearer });
    expect(outcome(answer)).toStrictEqual(changed);
    expect(await service.db.users.findOne({ _id })).toEqual(grace);
    expect(await logIn('new')).toBe(200);
  });

  test('one of two concurrent changes wins', async () => {
    const other = session();
    const answers = await Promise.all([change('one'), change('two', other)]);
    const statuses = answers.map(({ status }) => status);
    expect([...statuses].sort()).toEqual([200, 401]);
    expect(await logIn(statuses[0] === 200 ? 'one' : 'two')).toBe(200);
  });

  test('one of two concurrent changes in one session wins and the other is told', async () => {
    const answers = await Promise.all([change('one'), change('two')]);
    const statuses = answers.map(({ status }) => status);
    // They may also come one after the other.
    expect([...statuses].sort()).toEqual(statuses.includes(409) ? [200, 409] : [200, 200]);
    expect([await logIn('one'), await logIn('two')].filter((status) => status === 200)).toHaveLength(1);
  });

  test.each([
    ['a changed password', { password: 'of a reset' }, 409, 'DUPLICATE_RESOURCE'],
    ['the end of the session', { sessions_valid_from: new Date(8.64e15) }, 401, 'INVALID_TOKEN'],
    ['a disabled account', { account_status: 'disabled' as const }, 401, 'INVALID_TOKEN'],
  ])('%s between the check of the bearer and the write wins', async (_, fields, status, code) => {
    const { users } = service.db;
    const write = users.updateOne.bind(users);
    vi.spyOn(users, 'updateOne').mockImplementationOnce(async (...call) => {
      await write({ user_id: ada.user_id as string }, { $set: fields });
      return write(...call);
    });
    const answer = await change('new');
    expect({ status: answer.status, code: answer.body.error.code }).toEqual({ status, code });
    expect(await stored()).toEqual({ ...ada, ...fields });
  });

  test('refuses the eleventh change within an hour', async () => {
    for (let turn = 0; turn < 10; turn += 1) expect((await change(`new ${turn}`)).status).toBe(200);
    expect(outcome(await change('eleventh'))).toEqual(rateLimited(10, 3600, service.clock.now()));
    expect(await logIn('new 9')).toBe(200);
  });

  test.each([
    ['loses to another', 409, { password: 'of a reset' }],
    ['fails at the database', 500, null],
  ])('a call that %s does not count', async (_, status, fields) => {
    const { users, budgets } = service.db;
    const write = users.updateOne.bind(users);
    vi.spyOn(users, 'updateOne').mockImplementation(async (...call) => {
      if (!('password' in ((call[1] as UpdateFilter<User>).$set ?? {}))) return write(...call);
      if (!fields) throw new Error('killed');
      await write({ user_id: ada.user_id as string }, { $set: fields });
      return write(...call);
    });
    expect((await change('new')).status).toBe(status);
    const { _id } = (await stored()) ?? {};
    expect(await budgets.findOne({ key: `passwords of ${_id}` })).toMatchObject({ uses: [] });
  });

  test('uses up a mailed code', async () => {
    const { email } = ada;
    await postForm(`${service.url}/v2/forgot-password`, { email });
    const otp = mailedCode(service.mailbox, email);
    await change('new');
    const { status } = await postForm(`${service.url}/v2/reset-password`, {
      email,
      otp,
      new_password: 'eve',
    });
    expect(status).toBe(400);
    expect(await logIn('new')).toBe(200);
  });

  test('sets the first password of an account that logs in at a provider', async () => {
    await service.db.users.updateOne({ email: ada.email }, { $set: { password: unusableHash() } });
    expect(await shown(bearer)).toEqual({ set: false, allowed: true });
    const events = await eventsOf(service, () => change('first'));
    expect(events).toMatchObject([{ action: 'password.change', after: { first: 'true' } }]);
    expect(await logIn('first')).toBe(200);
    expect(await shown(bearer)).toEqual({ set: true, allowed: true });
    expect(await subjectMailed()).toBe('Your account has a password');
  });

  test('refuses an account whose organization requires single sign-on', async () => {
    const organization = await service.newOrganization({ domain: 'required.example' });
    await service.newConnection(organization, { protocol: 'ldap' });
    await service.db.ssoDomains.updateOne(
      { verified_domain: 'required.example' },
      { $set: { sso_required: true } },
    );
    const user = await newMember(service.db, { email: 'grace@required.example' });
    const answer = await change('new', session(user));
    expect({ status: answer.status, code: answer.body.error.code }).toEqual({
      status: 403,
      code: 'SSO_REQUIRED',
    });
    expect(await service.db.users.findOne({ _id: user._id })).toEqual(user);
    expect(await shown(session(user))).toEqual({ set: true, allowed: false });
  });

  test('the gateway that forwards it refuses the ended sessions at once', async () => {
    const gateway = await startGateway({
      env: { USER_SERVICE_URL: service.url, LOGIN_SERVICE_URL: service.login, PRINCIPAL_CACHE_MS: '1000' },
      clock: service.clock,
      database: service.db as never,
    });
    try {
      const other = session();
      expect(await statusOf(other, gateway.url)).toBe(200);
      expect(outcome(await change('new', bearer, gateway.url))).toStrictEqual(changed);
      expect([await statusOf(bearer, gateway.url), await statusOf(other, gateway.url)]).toEqual([200, 401]);
    } finally {
      await gateway.stop();
    }
  });
});
