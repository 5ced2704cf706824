import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openInProcess } from '../../../commands/gatehouse/admin/in-process.ts';
import type { Answered } from '../../fixtures/http.ts';
import { withOperators } from '../../fixtures/operators.ts';
import { type KeyService, startKeyService } from '../keys/key-service.ts';

let service: KeyService;
let people: Awaited<ReturnType<typeof withOperators>>;
beforeAll(async () => {
  service = await startKeyService();
  people = await withOperators({ ...service, user: service.url });
});
afterAll(() => service.stop());

const reason = 'Found in a public repository';
const answered = ({ status, body }: Answered) => [status, body];
const find = async (query: string) => answered(await people.support.call('GET', `/keys?${query}`));

describe('operators', () => {
  test('find whose key it is, and end it where its person sees that', async () => {
    const ada = await service.newPerson();
    const { key, key_id, record } = await service.newKey(ada);
    const found = { ...record, owner: ada.user_id, organization_id: null };
    expect(await find(`key_id=${key_id}`)).toEqual([200, { keys: [found] }]);
    expect(await find(`owner=${ada.user_id}`)).toEqual([200, { keys: [found] }]);
    expect((await people.support.call('DELETE', `/keys/${key_id}`, { reason })).status).toBe(403);
    expect((await service.call(key, 'GET', '/api/v1/users/me')).status).toBe(200);
    const deleted = await people.admin.call('DELETE', `/keys/${key_id}`, { reason });
    expect(answered(deleted)).toEqual([200, { message: 'Key deleted' }]);
    expect((await service.call(key, 'GET', '/api/v1/users/me')).status).toBe(401);
    expect((await people.admin.call('DELETE', `/keys/${key_id}`, { reason })).status).toBe(404);
    const { body } = await ada.ask('GET', '/api/v1/users/me/audit?action=admin.key_delete');
    expect(body.data).toMatchObject([{ target: { key_id }, before: { name: 'Robot' }, after: { reason } }]);
  });

  test('find and end the key of a service account, which its organization sees', async () => {
    const { ada, organization_id, department_id } = await service.newTeam();
    const account = await service.newServiceAccount(ada, { organization_id, department_id });
    const { key_id, service_account_id } = account;
    expect(await find(`owner=${service_account_id}`)).toMatchObject([
      200,
      { keys: [{ key_id, owner: service_account_id, organization_id }] },
    ]);
    expect((await people.admin.call('DELETE', `/keys/${key_id}`, { reason })).status).toBe(200);
    const { body } = await ada.call('GET', `/${organization_id}/audit?action=admin.key_delete`);
    expect(body.data).toMatchObject([{ target: { key_id, service_account_id }, after: { reason } }]);
  });

  test.each([
    ['', 400],
    ['owner=User-100000&key_id=x', 400],
    ['owner=User-100000', 404],
    ['key_id=x', 404],
  ])('?%s is %i', async (query, status) => {
    expect((await find(query))[0]).toBe(status);
  });

  test('cannot make or rotate a key of somebody over HTTP', async () => {
    const { user_id: owner } = await service.newPerson();
    const body = { owner, name: 'Robot', permissions: ['platform'], reason };
    expect((await people.admin.call('POST', '/keys', body)).status).toBe(404);
    expect((await people.admin.call('POST', '/keys/x/rotate', { overlap_days: 0, reason })).status).toBe(404);
    expect(await service.db.machineKeys.countDocuments({ created_by: people.admin.user_id })).toBe(0);
  });
});

describe('the command line', () => {
  let api: Awaited<ReturnType<typeof openInProcess>>;
  beforeAll(async () => {
    api = await openInProcess({ MONGODB_URI: service.uri });
  });
  afterAll(() => api.close());
  const create = (body: object) =>
    api.call('POST', '/api/v1/admin/keys', { name: 'Backup', reason, ...body }) as Promise<{
      key: string;
      key_id: string;
    }>;
  const works = async (key: string) => (await service.call(key, 'GET', '/api/v1/users/me')).status === 200;

  test('makes a key for a person, who gets a mail, and rotates it', async () => {
    const { user_id: owner } = await service.newPerson();
    const { key, key_id } = await create({ owner, permissions: ['view profile'] });
    expect(await works(key)).toBe(true);
    const user = await service.db.users.findOne({ user_id: owner });
    expect(user?.notices).toMatchObject([{ kind: 'key_created' }]);
    const path = `/api/v1/admin/keys/${key_id}/rotate`;
    const rotated = (await api.call('POST', path, { overlap_days: 0, reason })) as { key: string };
    expect([await works(key), await works(rotated.key)]).toEqual([false, true]);
    const events = await service.db.auditEvents.find({ 'target.key_id': key_id }).sort({ at: 1 }).toArray();
    expect(events).toMatchObject([
      { action: 'key.create', user_id: 'command line', target: { user_id: owner }, after: { reason } },
      { action: 'key.rotate', user_id: 'command line', target: { user_id: owner }, after: { reason } },
    ]);
  });

  test('gives nobody the permissions of operators, and service accounts only theirs', async () => {
    const { user_id: owner } = await service.newPerson();
    await expect(create({ owner, permissions: ['view admin'] })).rejects.toThrow(
      'Only keys of operators have the permission "view admin"',
    );
    const { ada, organization_id, department_id } = await service.newTeam();
    const { service_account_id } = await service.newServiceAccount(ada, { organization_id, department_id });
    await expect(create({ owner: service_account_id, permissions: ['edit profile'] })).rejects.toThrow(
      'No service account has the permission "edit profile"',
    );
    const { key } = await create({ owner: service_account_id, permissions: ['view organizations'] });
    expect((await service.call(key, 'GET', '/api/v1/organizations')).status).toBe(200);
  });

  test('leaves no key to an account that is not active', async () => {
    const { user_id: owner } = await service.newPerson({ account_status: 'disabled' });
    await expect(create({ owner, permissions: ['platform'] })).rejects.toThrow('The account is not active');
    expect(await service.db.machineKeys.countDocuments({ name: 'Backup', permissions: 'platform' })).toBe(0);
  });
});
