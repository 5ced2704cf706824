import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway } from '../../fixtures/gateway.ts';
import { type SsoService, startSsoService } from '../../sso/sso-service.ts';
import { type Client, clientOf, newClient, scimError } from './scim-client.ts';

let service: SsoService;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let client: Pick<Client, 'call' | 'create' | 'patch'>;

beforeAll(async () => {
  service = await startSsoService();
  gateway = await startGateway({
    env: { LOGIN_SERVICE_URL: service.login, USER_SERVICE_URL: service.user },
  });
  const { token } = await newClient(service, await service.newOrganization());
  client = clientOf(gateway.url, token);
});
afterAll(async () => {
  await gateway.stop();
  await service.stop();
});

test('a provider reaches SCIM through the gateway with its own statuses and errors', async () => {
  const { status, body, headers } = await client.create('forwarded');
  expect([status, headers.get('etag')]).toEqual([201, 'W/"1"']);
  const path = `/Users/${body.id}`;
  const stale = { 'if-match': 'W/"9"' };
  expect((await client.patch(path, [{ op: 'add', path: 'title', value: 'x' }], stale)).status).toBe(412);
  expect((await client.patch(path, [{ op: 'Replace', path: 'active', value: 'False' }])).body.active).toBe(
    false,
  );
  expect((await client.call('GET', path, undefined, { 'if-none-match': 'W/"2"' })).status).toBe(304);
  expect((await client.call('POST', '/Users/.search', { count: 1 })).body.totalResults).toBe(1);
  expect((await client.call('DELETE', path)).status).toBe(204);
  const refused = await client.call('DELETE', '/Schemas');
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET']);
  expect((await client.call('GET', path)).body).toStrictEqual(scimError(404, 'There is no such resource'));
});

test.each(['/Bulk', '/Users'])(
  'a body beyond maxPayloadSize at %s is 413 with a SCIM error',
  async (path) => {
    const { status, body } = await client.call('POST', path, { userName: 'x'.repeat(1024 * 1024) });
    expect([status, body]).toEqual([413, scimError(413, 'The body is too large')]);
  },
);
