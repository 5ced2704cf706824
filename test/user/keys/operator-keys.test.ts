import type { OperatorLevel } from '@gatehouse/shared/identity/operators';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bearerOf } from '../../fixtures/members.ts';
import { type KeyService, OWN_KEYS, startKeyService } from './key-service.ts';

let service: KeyService;
beforeAll(async () => {
  service = await startKeyService();
});
afterAll(() => service.stop());

const ME = '/api/v1/admin/me';
/** What production demands. */
const PRODUCTION = {
  NODE_ENV: 'production',
  PASSWORD_STORAGE: 'argon2id',
  PUBLIC_URL: 'https://app.example',
  INTERNAL_API_KEY: 'k3y of the tests, 32 bytes and more',
  WEBHOOK_SECRET_KEY: 'a k3y for webhooks of the tests, 32 bytes and more',
};
const ADMIN = { permissions: ['admin'] };

async function operator(level: OperatorLevel) {
  const person = await service.newPerson();
  await setLevel(person, level);
  return person;
}
const setLevel = ({ user_id: _id }: { user_id: string }, level: OperatorLevel) =>
  service.db.operators.updateOne(
    { _id },
    { $set: { level, added_at: new Date(), added_by: 'command line' } },
    { upsert: true },
  );

test('a key of an operator has their level at the time of the call', async () => {
  const ada = await operator('admin');
  const { key } = await service.newKey(ada, ADMIN);
  const path = '/api/v1/admin/organizations/unknown/archive';
  const archive = async () => (await service.call(key, 'POST', path, { reason: 'Asked by mail' })).status;
  expect((await service.callGateway(key, 'GET', ME)).status).toBe(200);
  // It passes without a fresh session.
  expect(await archive()).toBe(404);
  await setLevel(ada, 'support');
  expect((await service.callGateway(key, 'GET', ME)).status).toBe(200);
  expect(await archive()).toBe(403);
  await service.db.operators.deleteOne({ _id: ada.user_id });
  expect((await service.callGateway(key, 'GET', ME)).status).toBe(403);
});

test('a key of an operator without the permission is none of an operator', async () => {
  const ada = await operator('admin');
  const { key } = await service.newKey(ada, { permissions: ['view organizations'] });
  const { status, body } = await service.call(key, 'GET', ME);
  expect([status, body.error.details]).toEqual([403, 'This key lacks the permission "view admin"']);
});

/** Every operation for operators, as [method, path, body], with the shortest body that its schema takes. */
const reason = 'Asked by mail';
const READS = [
  '/api/v1/admin/me',
  '/api/v1/admin/operators',
  '/api/v1/admin/approvals',
  '/api/v1/admin/support-sessions',
  '/api/v1/admin/people',
  '/api/v1/admin/people/{}',
  '/api/v1/admin/people/{}/login-diagnosis',
  '/api/v1/admin/people/{}/audit',
  '/api/v1/admin/keys?owner={}',
  '/api/v1/admin/organizations',
  '/api/v1/admin/audit',
  '/api/v1/admin/webhooks',
  '/api/v1/admin/jobs',
  '/api/v1/admin/figures',
  '/api/v1/admin/attention',
  '/api/v1/admin/settings-check',
];
const CHANGES = [
  ['POST', 'end-sessions', {}],
  ['POST', 'disable', {}],
  ['POST', 'enable', {}],
  ['POST', 'restore', {}],
  ['PUT', 'plan', { plan: 'Business' }],
] as const;
const CLOSED = [
  ['PUT', '/api/v1/admin/operators/{}'],
  ['DELETE', '/api/v1/admin/operators/{}'],
  ['POST', '/api/v1/admin/approvals/x/approve'],
  ['POST', '/api/v1/admin/approvals/x/reject'],
  ['POST', '/api/v1/admin/people/{}/verify'],
  ['POST', '/api/v1/admin/people/{}/reset-factor'],
  ['POST', '/api/v1/admin/people/{}/delete'],
  ['POST', '/api/v1/admin/people/{}/support-sessions'],
  ['DELETE', '/api/v1/admin/support-sessions/x'],
  ['POST', '/api/v1/admin/organizations/x/owners'],
  ['DELETE', '/api/v1/admin/keys/x'],
] as const;

test('a key reads with "view admin" and with "admin", and changes with "admin" alone', async () => {
  const ada = await operator('admin');
  const grace = await service.newPerson();
  const { key: reader } = await service.newKey(ada, { permissions: ['view admin'] });
  const { key: writer } = await service.newKey(ada, ADMIN);
  const call = async (key: string, method: string, path: string, body?: object) => {
    const answer = await service.call(key, method, path.replace('{}', grace.user_id), body);
    return [answer.status, answer.body.error?.details];
  };
  for (const path of READS)
    expect([path, await call(reader, 'GET', path), await call(writer, 'GET', path)]).toEqual([
      path,
      [200, undefined],
      [200, undefined],
    ]);
  const lacks = [403, 'This key lacks the permission "admin"'];
  for (const [method, change, fields] of CHANGES) {
    const path = `/api/v1/admin/people/{}/${change}`;
    expect([path, await call(reader, method, path, { ...fields, reason })]).toEqual([path, lacks]);
    expect([path, await call(writer, method, path, { ...fields, reason })]).toEqual([path, [200, undefined]]);
  }
});

test.each(CLOSED)('no key may call %s %s', async (method, path) => {
  const { key } = await service.newKey(await operator('admin'), ADMIN);
  const { user_id } = await service.newPerson();
  const answer = await service.call(key, method, path.replace('{}', user_id), { reason });
  expect([answer.status, answer.body.error.details]).toEqual([403, 'A key cannot make this call']);
});

test('what a key changes names the key in the audit', async () => {
  const { user_id } = await service.newPerson();
  const { key, key_id } = await service.newKey(await operator('support'), ADMIN);
  await service.call(key, 'POST', `/api/v1/admin/people/${user_id}/end-sessions`, { reason });
  expect(await service.db.auditEvents.findOne({ action: 'admin.person_end_sessions', key_id })).toMatchObject(
    { target: { user_id }, after: { reason } },
  );
});

test('a key that is no operator’s gets the permission neither when it is made nor later', async () => {
  const ada = await service.newPerson();
  const { key_id } = await service.newKey(ada);
  for (const permission of ['admin', 'view admin']) {
    const { status, body } = await ada.ask('PATCH', `${OWN_KEYS}/${key_id}`, { permissions: [permission] });
    const details = `Only operators make keys with the permission "${permission}"`;
    expect([status, body.error.details]).toEqual([403, details]);
  }
});

test('in production the session that makes one has a second factor, and its owner keeps one', async () => {
  const strict = await startKeyService({ env: PRODUCTION });
  try {
    const person = await strict.newPerson();
    await strict.db.operators.insertOne({
      _id: person.user_id,
      level: 'admin',
      added_at: new Date(),
      added_by: 'command line',
    });
    const answer = await person.ask('POST', OWN_KEYS, { name: 'Robot', ...ADMIN });
    expect([answer.status, answer.body.error.code]).toEqual([403, 'OPERATOR_FACTOR_REQUIRED']);
    expect((await person.ask('POST', OWN_KEYS, { name: 'Robot', permissions: ['platform'] })).status).toBe(
      201,
    );
    const authorization = bearerOf(person, strict.clock.now(), { mfa: true });
    const made = await person.ask('POST', OWN_KEYS, { name: 'Robot', ...ADMIN }, { authorization });
    expect(made.status).toBe(201);
    const use = async () => {
      const { status, body } = await strict.call(made.body.key, 'GET', ME);
      return [status, body.error?.code];
    };
    expect(await use()).toEqual([403, 'OPERATOR_FACTOR_REQUIRED']);
    await strict.db.users.updateOne({ user_id: person.user_id }, { $set: { passkeys: ['a-passkey'] } });
    expect(await use()).toEqual([200, undefined]);
  } finally {
    await strict.stop();
  }
});
