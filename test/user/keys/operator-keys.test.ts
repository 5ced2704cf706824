import type { OperatorLevel } from '@gatehouse/shared/identity/operators';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
  expect([status, body.error.details]).toEqual([403, 'This key lacks the permission "admin"']);
});

test.each([
  ['GET', '/api/v1/admin/operators'],
  ['PUT', '/api/v1/admin/operators/User-100000'],
  ['DELETE', '/api/v1/admin/operators/User-100000'],
  ['GET', '/api/v1/admin/approvals'],
  ['POST', '/api/v1/admin/approvals/x/approve'],
  ['POST', '/api/v1/admin/approvals/x/reject'],
  ['POST', '/api/v1/admin/people/x/support-sessions'],
  ['GET', '/api/v1/admin/support-sessions'],
  ['DELETE', '/api/v1/admin/support-sessions/x'],
  ['POST', '/api/v1/admin/organizations/x/owners'],
])('no key may call %s %s', async (method, path) => {
  const { key } = await service.newKey(await operator('admin'), ADMIN);
  const body = method === 'GET' || method === 'DELETE' ? undefined : {};
  const answer = await service.call(key, method, path, body);
  expect([answer.status, answer.body.error.details]).toEqual([403, 'A key cannot make this call']);
});

test('a key that is no operator’s gets the permission neither when it is made nor later', async () => {
  const ada = await service.newPerson();
  const { key_id } = await service.newKey(ada);
  const { status, body } = await ada.ask('PATCH', `${OWN_KEYS}/${key_id}`, ADMIN);
  expect([status, body.error.details]).toEqual([403, 'Only operators make keys with the permission "admin"']);
});

test('in production the session that makes one has a second factor', async () => {
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
  } finally {
    await strict.stop();
  }
});
