import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../../fixtures/http.ts';
import { type SsoService, startSsoService } from '../../sso/sso-service.ts';
import { clientOf, newClient, scimError } from './scim-client.ts';

let service: SsoService;
let organization: Awaited<ReturnType<SsoService['newOrganization']>>;

beforeAll(async () => {
  service = await startSsoService();
  organization = await service.newOrganization();
});
afterAll(() => service.stop());

const UNKNOWN = 'The token is unknown, revoked or of a disabled connection';

test.each([
  ['no header', undefined, 'The request has no bearer token'],
  ['another scheme', 'Basic dG9rZW4=', 'The request has no bearer token'],
  ['an unknown token', 'Bearer scim_unknown', UNKNOWN],
  ['an empty token', 'Bearer ', 'The request has no bearer token'],
])('answers 401 to %s', async (_, authorization, detail) => {
  const answer = await send(`${service.url}/scim/v2/Users`, {
    headers: authorization === undefined ? {} : { authorization },
  });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  expect(JSON.parse(answer.body)).toStrictEqual(scimError(401, detail));
});

test('checks the token before it looks at the path or the body', async () => {
  const client = clientOf(service.url, 'scim_unknown');
  expect((await client.call('GET', '/Nothing')).status).toBe(401);
  expect((await client.call('POST', '/Users', '{')).status).toBe(401);
});

test('answers 404 to an unknown path under a known token', async () => {
  const client = await newClient(service, organization);
  for (const path of ['/Nothing', '/Me', '/Users/a/b']) {
    const { status, body } = await client.call('GET', path);
    expect([status, body]).toEqual([404, scimError(404, 'There is no such resource')]);
  }
});

test('does not accept the token of a person', async () => {
  const { call } = await service.newPerson();
  expect((await call('GET', '/scim/v2/Users')).status).toBe(401);
});

test('does not accept the digest of a token', async () => {
  const { connection } = await newClient(service, organization);
  const { status } = await clientOf(service.url, String(connection.scim_token)).call('GET', '/Users');
  expect(status).toBe(401);
});

test.each([
  ['a disabled connection', { $set: { enabled: false } }],
  ['a revoked token', { $unset: { scim_token: true as const } }],
])('answers 401 to %s', async (_, update) => {
  const client = await newClient(service, organization);
  expect((await client.call('GET', '/Users')).status).toBe(200);
  const { connection_id } = client.connection;
  await service.db.ssoConnections.updateOne({ connection_id }, update);
  expect((await client.call('GET', '/Users')).body).toStrictEqual(scimError(401, UNKNOWN));
});

test('answers 403 once the plan has ended', async () => {
  const poor = await service.newOrganization({ domain: 'poor.example', plan: 'Free' });
  const client = await newClient(service, poor);
  const { status, body } = await client.call('GET', '/Users');
  expect([status, body.status]).toEqual([403, '403']);
});

test('shows a connection nothing of another, in the same organization or not', async () => {
  const client = await newClient(service, organization);
  const { body: user } = await client.create('secluded');
  const { body: group } = await client.call('POST', '/Groups', {
    displayName: 'Secluded',
    members: [{ value: user.id }],
  });
  const elsewhere = await service.newOrganization({ domain: 'elsewhere.example' });
  const others = [await newClient(service, organization), await newClient(service, elsewhere)];
  for (const other of others) {
    const path = `/Users/${user.id}`;
    expect((await other.call('GET', '/Users')).body.totalResults).toBe(0);
    expect((await other.call('GET', path)).status).toBe(404);
    expect((await other.call('PUT', path, { userName: 'x@corp.example' })).status).toBe(404);
    expect((await other.patch(path, [{ op: 'replace', value: { active: false } }])).status).toBe(404);
    expect((await other.call('DELETE', path)).status).toBe(404);
    const found = await other.filter('Users', `id eq "${user.id}" or userName pr or not (active eq false)`);
    expect(found.body.totalResults).toBe(0);
    const answer = await other.call('POST', '/Groups', {
      displayName: 'Borrowed',
      members: [{ value: user.id }],
    });
    expect([answer.status, answer.body.scimType]).toEqual([400, 'invalidValue']);
    expect((await other.filter('Groups', 'displayName eq "Borrowed"')).body.totalResults).toBe(0);
  }
  const [neighbor, stranger] = others;
  // Departments belong to the organization; members are those of the connection.
  expect((await neighbor?.call('GET', `/Groups/${group.id}`))?.body.members).toBeUndefined();
  expect((await stranger?.call('GET', `/Groups/${group.id}`))?.status).toBe(404);
  expect((await client.call('GET', `/Users/${user.id}`)).body.active).toBe(true);
});

test('refuses a body of more than 1 MiB with 413', async () => {
  const client = await newClient(service, organization);
  const { status, body } = await client.create('huge', { title: 'x'.repeat(1024 * 1024) });
  expect([status, body.status, body.schemas]).toEqual([413, '413', scimError(413, '').schemas]);
});

test.each([
  ['lists', `${'['.repeat(400_000)}${']'.repeat(400_000)}`],
  ['objects', `${'{"name":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  [
    'objects in a user',
    `{"userName":"deep@corp.example","name":${'{"name":'.repeat(90_000)}1${'}'.repeat(90_000)}}`,
  ],
  [
    'values of an operation',
    `{"Operations":[{"op":"add","path":"name","value":${'['.repeat(90_000)}${']'.repeat(90_000)}}]}`,
  ],
])('answers deeply nested %s', async (_, body) => {
  const client = await newClient(service, organization);
  const { body: user } = await client.create('nested');
  for (const [method, path] of [
    ['POST', '/Users'],
    ['PATCH', `/Users/${user.id}`],
    ['POST', '/Groups'],
    ['POST', '/Bulk'],
    ['POST', '/Users/.search'],
  ] as const) {
    const { status } = await client.call(method, path, body);
    expect(status).toBeLessThan(500);
  }
});
