import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { indexNames } from '../../../services/user/admin/people/index-names.ts';
import { enrolled } from '../../fixtures/enrolled.ts';
import { failuresAt, outcome } from '../../fixtures/envelope.ts';
import { decodeToken, postForm, postJson, send } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { adminCaller, withOperators } from '../../fixtures/operators.ts';
import { type Services, startServices } from '../../fixtures/services.ts';

const log = { info: () => {}, error: () => {} } as never;
const reason = 'Ticket 4711';
const NOBODY = '0123456789abcdef01234567';

let services: Services;
let people: Awaited<ReturnType<typeof withOperators>>;
beforeAll(async () => {
  services = await startServices();
  people = await withOperators(services);
});
afterAll(() => services.stop());

const failure = failuresAt(() => services.clock.now());
const add = (fields: object = {}) => newMember(services.db, fields);
const recordOf = ({ _id }: { _id: unknown }) => services.db.users.findOne({ _id: _id as never });
const idOf = (user: { user_id?: string; _id: { toHexString(): string } }) =>
  user.user_id ?? user._id.toHexString();
const act = (
  who: typeof people.admin,
  user: { user_id?: string; _id: { toHexString(): string } },
  action: string,
  body: object = {},
) => who.call(action === 'plan' ? 'PUT' : 'POST', `/people/${idOf(user)}/${action}`, { reason, ...body });
const audited = (user: { user_id?: string }) =>
  services.db.auditEvents
    .find({ 'target.user_id': user.user_id as string })
    .toArray()
    .then((events) => events.map(({ action, before, after }) => ({ action, before, after })));
const mails = (email: string) =>
  services.mailbox.mails.filter(({ recipients }) => recipients.includes(email)).length;
const tokenWorks = async (user: { email: string; user_id?: string }, ago = 1000) => {
  const headers = { authorization: bearerOf(user, services.clock.now() - ago, { lifetime: 3600 }) };
  return (await send(`${services.user}/api/v1/users/me`, { headers })).status === 200;
};

describe('the search', () => {
  const found = async (query: string) => {
    await indexNames({ db: services.db, log });
    const { status, body } = await people.support.call('GET', `/people?${query}`);
    expect(status).toBe(200);
    return body.data.map(({ email }: { email: string }) => email);
  };
  const s = (text: string) => `search=${encodeURIComponent(text)}`;

  test('finds by the beginning of the address, in its order and without regard to case', async () => {
    await add({ email: 'Zora.Two@example.com' });
    await add({ email: 'zora.one@example.com' });
    await add({ email: 'zorá.three@example.com' });
    expect(await found(s('ZORA.'))).toEqual(['zora.one@example.com', 'Zora.Two@example.com']);
    expect(await found(s('zora.one@example.com'))).toEqual(['zora.one@example.com']);
  });

  test('finds by the beginning of any words of the name', async () => {
    const { email } = await add({ name: 'Grace Brewster Hopper-Müller' });
    for (const text of ['grace', 'HOPP', 'mülle', 'müller grace', 'Hopper-Müller', 'brew'])
      expect(await found(s(text))).toEqual([email]);
    expect(await found(s('opper'))).toEqual([]);
    expect(await found(s('grace ada'))).toEqual([]);
  });

  test('finds a changed name', async () => {
    const user = await add({ name: 'Quentin Before' });
    expect(await found(s('quentin'))).toEqual([user.email]);
    const headers = { authorization: bearerOf(user, services.clock.now()) };
    await send(`${services.user}/api/v1/users/me`, {
      method: 'PATCH',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Xaver After' }),
    });
    expect(await found(s('quentin'))).toEqual([]);
    expect(await found(s('xaver'))).toEqual([user.email]);
  });

  test('finds by a whole user_id', async () => {
    const { email, user_id = '' } = await add();
    expect(await found(s(user_id))).toEqual([email]);
    expect(await found(s(user_id.toLowerCase()))).toEqual([email]);
    expect(await found(s(user_id.slice(0, -1)))).toEqual([]);
  });

  test.each(['.*', '^', '[', '$where', '{"$ne":null}', '(', '\\', '!!!'])(
    'takes %s as text',
    async (text) => {
      expect(await found(s(text))).toEqual([]);
    },
  );

  test.each([
    ['unverified', { verified: false, account_status: 'paused' }],
    ['paused', { account_status: 'paused' }],
    ['disabled', { account_status: 'disabled' }],
    [
      'deletion_requested',
      { deletion: { requested_at: new Date(), due_at: new Date(), next: new Date(9e12) } },
    ],
    ['imported', { imported: { from: 'auth0', at: new Date() } }],
  ])('filters by the state %s', async (state, fields) => {
    const { email } = await add({ email: `${state}@states.example`, ...fields });
    await add({ email: `not-${state}@states.example` });
    expect(await found(`state=${state}`)).toContain(email);
    expect(await found(`state=${state}&${s(`${state}@`)}`)).toEqual([email]);
    expect(await found(`state=${state}&${s('not-')}`)).toEqual([]);
  });

  test('filters by a second factor', async () => {
    const { email } = await enrolled(services.db, services.clock);
    expect(await found('state=second_factor')).toContain(email);
  });

  test('lists everybody, newest first, and refuses pages that nobody reads', async () => {
    const { email } = await add();
    expect((await found('limit=1'))[0]).toBe(email);
    const refused = await people.support.call('GET', '/people?page=11&limit=100');
    const text = 'page: please narrow the search';
    expect(outcome(refused)).toEqual(
      failure(refused, 400, 'INVALID_FORMAT', 'The request is malformed', text),
    );
  });

  test('returns names as data', async () => {
    const name = '<script>alert(1)</script>\u0007\u202e';
    const user = await add({ name });
    const { body } = await people.support.call('GET', `/people/${user.user_id}`);
    expect(body.name).toBe(name);
  });
});

describe('a person', () => {
  test('is shown without a secret', async () => {
    const user = await enrolled(services.db, services.clock, { otp: '123456', subscription_plan: 'Free' });
    const { status, body } = await people.support.call('GET', `/people/${user.user_id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      person_id: user.user_id,
      email: user.email,
      state: 'active',
      password: 'set',
      factor: { recovery_codes: 2, reset_at: null },
      sessions: [],
      operator: null,
    });
    const text = JSON.stringify(body);
    for (const secret of [user.secret, user.password, '123456', ...user.recoveryCodes])
      expect(text).not.toContain(`"${secret}"`);
    expect(text).not.toContain(user.second_factor?.secret ?? 'second factor');
  });

  test('without a user_id is named by the record', async () => {
    const user = await add({ user_id: undefined, verified: false, account_status: 'paused' });
    const { body } = await people.support.call('GET', `/people/${user._id.toHexString()}`);
    expect(body).toMatchObject({ person_id: user._id.toHexString(), user_id: null, state: 'unverified' });
  });

  test('has one name only', async () => {
    const user = await add();
    for (const id of [user._id.toHexString(), NOBODY, '.*', 'null', '[object Object]']) {
      const refused = await people.support.call('GET', `/people/${encodeURIComponent(id)}`);
      const text = 'No account has this person_id';
      expect(outcome(refused)).toEqual(failure(refused, 404, 'RESOURCE_NOT_FOUND', 'Not found', text));
    }
  });

  test('has an audit for operators, with addresses', async () => {
    const user = await add();
    await act(people.support, user, 'end-sessions');
    const { body } = await people.support.call('GET', `/people/${user.user_id}/audit`);
    expect(body.data).toMatchObject([
      { action: 'admin.person_end_sessions', after: { reason }, address: '127.0.0.1' },
    ]);
    const headers = { authorization: bearerOf(user, services.clock.now() + 1000) };
    const own = await send(`${services.user}/api/v1/users/me/audit`, { headers });
    expect(own.body.data).toMatchObject([
      {
        action: 'admin.person_end_sessions',
        actor: { user_id: people.support.user_id, email: null },
        after: { reason },
        address: null,
      },
    ]);
  });
});

describe('a change', () => {
  test('disables and enables an account', async () => {
    const user = await add();
    expect(await tokenWorks(user)).toBe(true);
    expect((await act(people.admin, user, 'disable')).body).toMatchObject({ state: 'disabled' });
    expect((await act(people.admin, user, 'disable')).status).toBe(200);
    expect(await tokenWorks(user)).toBe(false);
    expect((await act(people.admin, user, 'enable')).body).toMatchObject({ state: 'active' });
    expect(await tokenWorks(user)).toBe(false);
    expect((await recordOf(user))?.notices?.length ?? 0).toBeLessThanOrEqual(2);
    const disabled = { account_status: 'disabled' };
    expect(await audited(user)).toEqual([
      {
        action: 'admin.person_disable',
        before: { account_status: 'active' },
        after: { ...disabled, reason },
      },
      { action: 'admin.person_enable', before: disabled, after: { account_status: 'active', reason } },
    ]);
  });

  test('disables an account so that its directory does not enable it', async () => {
    const user = await add({
      account_status: 'disabled',
      deprovisioned: { by: 'sso:1', account_status: 'active' },
    });
    expect((await act(people.admin, user, 'disable')).status).toBe(200);
    expect(await recordOf(user)).not.toHaveProperty('deprovisioned');
  });

  test('enables an unverified account as a paused one', async () => {
    const user = await add({ verified: false, account_status: 'disabled' });
    expect((await act(people.admin, user, 'enable')).body).toMatchObject({ state: 'unverified' });
    expect(await recordOf(user)).toMatchObject({ account_status: 'paused' });
  });

  test('verifies an address, which completes the activation', async () => {
    const email = 'new.person@example.com';
    await postJson(`${services.user}/v2/signup`, {});
    const user = await add({
      email,
      user_id: undefined,
      verified: false,
      account_status: 'paused',
      features_assigned: undefined,
    });
    const { status, body } = await act(people.admin, user, 'verify');
    expect(status).toBe(200);
    expect(body).toMatchObject({ email, state: 'active', user_id: expect.stringMatching(/^User-\d{6}$/) });
    const record = await recordOf(user);
    expect(record).toMatchObject({ verified: true, account_status: 'active', features_assigned: true });
    expect(record).not.toHaveProperty('activated_at');
    expect(await tokenWorks({ email, user_id: body.user_id }, 0)).toBe(true);
  });

  test.each([
    ['with a code', { otp: '123456', otp_attempt: 'first', otp_expiration: 9e9 }],
    ['of a record without a code', {}],
  ])('verifies no address whose signup %s another one has just replaced', async (_, fields) => {
    const unverified = { verified: false, account_status: 'paused', user_id: undefined };
    const user = await add({ ...unverified, ...fields });
    const { email } = user;
    const { users } = services.db;
    // Between the read of the operation and its write.
    const { findOneAndUpdate } = users;
    const write = vi.spyOn(users, 'findOneAndUpdate').mockImplementation(async (...call) => {
      if (write.mock.calls.length === 1)
        await postForm(`${services.user}/v2/signup`, { email, password: 'of a stranger', name: 'Eve' });
      return findOneAndUpdate.apply(users, call as never) as never;
    });
    try {
      const refused = await act(people.admin, user, 'verify');
      const text = 'Somebody else has changed the account; please look again';
      expect(outcome(refused)).toEqual(
        failure(refused, 409, 'DUPLICATE_RESOURCE', 'Resource already exists', text),
      );
    } finally {
      write.mockRestore();
    }
    expect(await recordOf(user)).toMatchObject({ verified: false, name: 'Eve' });
  });

  test('verifies a disabled account without activating it', async () => {
    const user = await add({ verified: false, account_status: 'disabled' });
    expect((await act(people.admin, user, 'verify')).body).toMatchObject({ state: 'disabled' });
  });

  test('ends one session, and no other', async () => {
    const user = await add();
    const login = { email: user.email, password: 'secret' };
    const sessions = await Promise.all([1, 2].map(() => postForm(`${services.login}/v2/login`, login)));
    const [one, other] = sessions.map(({ body }) => body.token as string);
    const works = async (token = '') =>
      (await send(`${services.user}/api/v1/users/me`, { headers: { authorization: `Bearer ${token}` } }))
        .status === 200;
    const session_id = decodeToken(one ?? '').header.sid as string;
    const path = `/people/${user.user_id}/sessions`;
    const unknown = await people.support.call('DELETE', `${path}/${crypto.randomUUID()}`, { reason });
    expect(unknown.status).toBe(404);
    const ended = await people.support.call('DELETE', `${path}/${session_id}`, { reason });
    expect(outcome(ended)).toEqual({ status: 200, body: { message: 'Session ended' } });
    expect([await works(one), await works(other)]).toEqual([false, true]);
    expect((await people.support.call('DELETE', `${path}/${session_id}`, { reason })).status).toBe(404);
    expect(await services.db.auditEvents.findOne({ action: 'admin.person_end_session' })).toMatchObject({
      target: { user_id: user.user_id, session_id },
      after: { reason },
    });
  });

  test('ends every session, and mails that it did', async () => {
    const user = await add();
    const before = mails(user.email);
    expect((await act(people.support, user, 'end-sessions')).status).toBe(200);
    expect(await tokenWorks(user)).toBe(false);
    await expect.poll(() => mails(user.email)).toBe(before + 1);
  });

  test('resets the second factor a day later', async () => {
    const user = await enrolled(services.db, services.clock);
    const reset_at = new Date(services.clock.now() + 86_400_000).toISOString();
    expect(outcome(await act(people.support, user, 'reset-factor'))).toEqual({
      status: 200,
      body: { reset_at },
    });
    services.clock.advance(60);
    expect((await act(people.support, user, 'reset-factor')).body).toEqual({ reset_at });
    expect(await audited(user)).toEqual([
      { action: 'admin.person_reset_factor', before: null, after: { reset_at, reason } },
    ]);
    const refused = await act(people.support, await add(), 'reset-factor');
    expect(refused.status).toBe(404);
  });

  test('asks for the deletion, and cancels it', async () => {
    const user = await add();
    const { status, body } = await act(people.admin, user, 'delete');
    expect(status).toBe(200);
    expect((await act(people.admin, user, 'delete')).body).toEqual(body);
    expect(await tokenWorks(user)).toBe(false);
    expect((await act(people.admin, user, 'restore')).body).toMatchObject({ deletion_due_at: null });
    expect(await audited(user)).toEqual([
      { action: 'admin.person_delete', before: null, after: { due_at: body.due_at, reason } },
      { action: 'admin.person_restore', before: { due_at: body.due_at }, after: { reason } },
    ]);
  });

  test('changes nothing of an account whose deletion has begun', async () => {
    const at = new Date();
    const user = await add({
      deletion: { requested_at: at, due_at: at, next: new Date(9e12), begun_at: at },
    });
    for (const action of [
      'disable',
      'enable',
      'verify',
      'restore',
      'delete',
      'end-sessions',
      'reset-factor',
    ]) {
      const refused = await act(people.admin, user, action);
      expect(refused.status).toBe(409);
      expect(refused.body.error.details).toBe('The account is being deleted');
    }
  });

  test('changes the plan', async () => {
    const user = await add({ subscription_plan: 'Free' });
    expect((await act(people.admin, user, 'plan', { plan: 'Business' })).body).toMatchObject({
      plan: 'Business',
    });
    expect(await audited(user)).toEqual([
      { action: 'admin.person_plan', before: { plan: 'Free' }, after: { plan: 'Business', reason } },
    ]);
    expect((await act(people.admin, user, 'plan', { plan: 'Gold' })).status).toBe(400);
  });
});

describe('operators', () => {
  test.each(['disable', 'delete', 'end-sessions', 'plan'])('do not %s themselves', async (action) => {
    const refused = await act(people.admin, people.admin, action, { plan: 'Business' });
    const text = 'Operators cannot act on their own account';
    expect(outcome(refused)).toEqual(failure(refused, 403, 'FORBIDDEN', 'Forbidden', text));
  });

  test.each(['disable', 'delete'])('are not the target of %s until they are removed', async (action) => {
    const other = await adminCaller(services, 'admin');
    const refuse = async (who: typeof other, target: typeof other) => {
      const refused = await act(who, target, action);
      const text = 'The account is an operator; remove them as an operator first';
      expect(outcome(refused)).toEqual(failure(refused, 403, 'FORBIDDEN', 'Forbidden', text));
    };
    // Two admins who act on each other at once cannot shut out everybody.
    await Promise.all([refuse(people.admin, other), refuse(other, people.admin)]);
    for (const user of [people.admin, other])
      expect(await recordOf(user)).toMatchObject({ account_status: 'active' });
    expect(await recordOf(other)).not.toHaveProperty('deletion');
    await people.admin.call('DELETE', `/operators/${other.user_id}`, { reason });
    expect((await act(people.admin, other, action)).status).toBe(200);
  });

  test('of the level support do not act on an operator', async () => {
    const other = await adminCaller(services, 'support');
    const refused = await act(people.support, other, 'end-sessions');
    const text = 'Only an admin can act on an operator';
    expect(outcome(refused)).toEqual(failure(refused, 403, 'FORBIDDEN', 'Forbidden', text));
    expect((await act(people.admin, other, 'end-sessions')).status).toBe(200);
  });
});
