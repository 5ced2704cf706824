import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { errorEnvelope, failuresAt, outcome } from '../../fixtures/envelope.ts';
import { adminCaller, withOperators } from '../../fixtures/operators.ts';
import { type Services, startServices } from '../../fixtures/services.ts';

let services: Services;
let people: Awaited<ReturnType<typeof withOperators>>;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());
beforeEach(async () => {
  await services.db.operators.deleteMany({});
  people = await withOperators(services);
});

const failure = failuresAt(() => services.clock.now());
const now = () => new Date(services.clock.now()).toISOString();
const reason = 'Ticket 4711';
const put = (who: { call: typeof people.admin.call }, user_id: string, level: string) =>
  who.call('PUT', `/operators/${user_id}`, { level, reason });
const remove = (who: { call: typeof people.admin.call }, user_id: string) =>
  who.call('DELETE', `/operators/${user_id}`, { reason });
const levels = async () =>
  Object.fromEntries((await services.db.operators.find().toArray()).map(({ _id, level }) => [_id, level]));
const audited = (user_id: string) =>
  services.db.auditEvents
    .find({ 'target.user_id': user_id })
    .toArray()
    .then((events) =>
      events.map(({ action, user_id, before, after }) => ({ action, user_id, before, after })),
    );

test('operators see their own level', async () => {
  const { admin, support } = people;
  const own = { added_at: now(), added_by: 'command line' };
  expect(outcome(await admin.call('GET', '/me'))).toEqual({
    status: 200,
    body: { user_id: admin.user_id, level: 'admin', mfa: true, ...own },
  });
  expect(outcome(await support.call('GET', '/me', undefined, { mfa: false }))).toEqual({
    status: 200,
    body: { user_id: support.user_id, level: 'support', mfa: false, ...own },
  });
});

test('an admin adds, raises, lowers and removes an operator, and each is audited with its reason', async () => {
  const { admin, person } = people;
  const { user_id } = person;
  const record = { user_id, level: 'support', added_at: now(), added_by: admin.user_id };
  expect(outcome(await put(admin, user_id, 'support'))).toEqual({ status: 200, body: record });
  services.clock.advance(1);
  expect((await put(admin, user_id, 'admin')).body).toEqual({ ...record, level: 'admin' });
  expect((await put(admin, user_id, 'admin')).body).toEqual({ ...record, level: 'admin' });
  expect((await put(admin, user_id, 'support')).body).toEqual(record);
  expect(outcome(await remove(admin, user_id))).toEqual({
    status: 200,
    body: { message: 'Operator removed' },
  });
  const gone = await remove(admin, user_id);
  expect(outcome(gone)).toEqual(failure(gone, 404, 'RESOURCE_NOT_FOUND', 'Not found'));
  const by = { user_id: admin.user_id };
  expect(await audited(user_id)).toEqual([
    { action: 'admin.operator_set', ...by, before: null, after: { level: 'support', reason } },
    { action: 'admin.operator_set', ...by, before: { level: 'support' }, after: { level: 'admin', reason } },
    { action: 'admin.operator_set', ...by, before: { level: 'admin' }, after: { level: 'support', reason } },
    { action: 'admin.operator_remove', ...by, before: { level: 'support' }, after: { reason } },
  ]);
});

test('operators are listed, newest first', async () => {
  const { admin, support } = people;
  services.clock.advance(1);
  const { user_id } = await adminCaller(services, 'support');
  const { body } = await admin.call('GET', '/operators?level=support');
  expect(body).toMatchObject({
    data: [{ user_id }, { user_id: support.user_id }],
    pagination: { total_items: 2 },
  });
  const found = await admin.call('GET', `/operators?search=${admin.user_id}`);
  expect(found.body.data).toMatchObject([{ user_id: admin.user_id, level: 'admin' }]);
});

test.each([['User-000000'], ['.*'], ['%24ne'], ['[object%20Object]']])(
  'no account is called %s',
  async (id) => {
    const refused = await put(people.admin, id, 'support');
    const text = 'No active account has this user_id';
    expect(outcome(refused)).toEqual(failure(refused, 404, 'RESOURCE_NOT_FOUND', 'Not found', text));
  },
);

test.each([[{ account_status: 'disabled' }], [{ account_status: 'paused' }], [{ verified: false }]])(
  'an account with %o becomes no operator',
  async (fields) => {
    const { user_id } = await adminCaller(services, undefined, fields);
    expect((await put(people.admin, user_id, 'support')).status).toBe(404);
    expect(await levels()).not.toHaveProperty(user_id);
  },
);

describe('the last admin', () => {
  test('stays: nobody changes their own level, and the last one cannot leave', async () => {
    const { admin } = people;
    const own = await put(admin, admin.user_id, 'support');
    const text = 'Operators cannot change their own level';
    expect(outcome(own)).toEqual(failure(own, 403, 'FORBIDDEN', 'Forbidden', text));
    const last = await remove(admin, admin.user_id);
    const message = 'Please make another operator an admin first';
    expect(outcome(last)).toEqual(failure(last, 409, 'LAST_ADMIN', message));
    expect((await levels())[admin.user_id]).toBe('admin');
    expect(await services.db.operators.countDocuments({ leaving: { $exists: true } })).toBe(0);
  });

  test('does not count an admin whose account is disabled', async () => {
    const { admin } = people;
    const other = await adminCaller(services, 'admin');
    await services.db.users.updateOne({ user_id: other.user_id }, { $set: { account_status: 'disabled' } });
    expect((await remove(admin, admin.user_id)).body.error.code).toBe('LAST_ADMIN');
  });

  test('an admin leaves while another one remains', async () => {
    const { admin } = people;
    await adminCaller(services, 'admin');
    expect((await remove(admin, admin.user_id)).status).toBe(200);
  });

  test('remains however many leave at once', async () => {
    const others = await Promise.all([1, 2, 3].map(() => adminCaller(services, 'admin')));
    const all = [people.admin, ...others];
    await Promise.all(all.map((each) => remove(each, each.user_id)));
    const left = Object.values(await levels()).filter((level) => level === 'admin');
    expect(left.length).toBeGreaterThanOrEqual(1);
  });

  test('remains when two remove each other at once', async () => {
    const { admin } = people;
    const other = await adminCaller(services, 'admin');
    await Promise.all([remove(admin, other.user_id), put(other, admin.user_id, 'support')]);
    expect(Object.values(await levels()).filter((level) => level === 'admin').length).toBeGreaterThanOrEqual(
      1,
    );
  });

  test('a mark that a killed call has left is removed after a minute', async () => {
    const { admin } = people;
    const other = await adminCaller(services, 'admin');
    const leaving = { call: 'killed', at: new Date(services.clock.now()) };
    await services.db.operators.updateOne({ _id: other.user_id }, { $set: { leaving } });
    expect((await remove(admin, admin.user_id)).body.error.code).toBe('LAST_ADMIN');
    services.clock.advance(61);
    expect((await remove(admin, admin.user_id)).status).toBe(200);
  });
});

test.each([
  ['', 'must be a single line', 'INVALID_FORMAT'],
  ['no', 'must have 3 characters or more', 'INVALID_FORMAT'],
  ['   no   ', 'must have 3 characters or more', 'INVALID_FORMAT'],
  ['one\nline', 'single line', 'INVALID_FORMAT'],
  [undefined, 'is required', 'MISSING_FIELD'],
])('the reason %j is refused', async (given, text, code) => {
  const { admin, support } = people;
  const refused = await admin.call('DELETE', `/operators/${support.user_id}`, { reason: given });
  expect(outcome(refused)).toEqual({
    status: 400,
    body: errorEnvelope(code, expect.any(String), { details: expect.stringContaining(text) }),
  });
  expect(await levels()).toHaveProperty(support.user_id);
});

test('a removed operator is refused at the next call, in the same session', async () => {
  const { admin, support } = people;
  const session = { headers: { authorization: support.headers().authorization } };
  expect((await support.call('GET', '/me', undefined, session)).status).toBe(200);
  await remove(admin, support.user_id);
  const refused = await support.call('GET', '/me', undefined, session);
  expect(outcome(refused)).toEqual(failure(refused, 403, 'FORBIDDEN', 'Forbidden'));
});

test('a disabled operator is no bearer', async () => {
  const { support } = people;
  await services.db.users.updateOne({ user_id: support.user_id }, { $set: { account_status: 'disabled' } });
  expect((await support.call('GET', '/me')).status).toBe(401);
});
