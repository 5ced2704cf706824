import { expect, test } from 'vitest';
import { ENTERPRISE, GROUP, scimError, USER } from './scim-client.ts';
import { client, withScim } from './with-scim.ts';

withScim();

test('says what is supported', async () => {
  const { status, body } = await client.call('GET', '/ServiceProviderConfig');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { supported: true, maxOperations: 1_000, maxPayloadSize: 1_048_576 },
    filter: { supported: true, maxResults: 500 },
    sort: { supported: true },
    etag: { supported: true },
    changePassword: { supported: false },
  });
});

test.each([
  ['ResourceTypes', ['User', 'Group']],
  ['Schemas', [USER, GROUP, ENTERPRISE]],
])('lists the %s, and each by its id', async (name, ids) => {
  const { body } = await client.call('GET', `/${name}`);
  expect(body).toMatchObject({ totalResults: ids.length, startIndex: 1 });
  expect(body.Resources.map(({ id }: { id: string }) => id)).toEqual(ids);
  for (const id of ids) expect((await client.call('GET', `/${name}/${id}`)).body.id).toBe(id);
  expect((await client.call('GET', `/${name}/other`)).status).toBe(404);
});

test('describes the attributes of a user', async () => {
  const { body } = await client.call('GET', `/Schemas/${USER}`);
  const names = body.attributes.map(({ name }: { name: string }) => name);
  for (const ignored of ['password', 'x509Certificates', 'photos', 'ims'])
    expect(names).not.toContain(ignored);
  expect(body.attributes).toContainEqual(
    expect.objectContaining({ name: 'userName', type: 'string', required: true, uniqueness: 'server' }),
  );
});

test.each([
  [ENTERPRISE, 'manager', { value: {} }],
  [
    GROUP,
    'members',
    {
      value: {},
      display: { mutability: 'readOnly' },
      $ref: { referenceTypes: ['User'] },
      type: { canonicalValues: ['User'] },
    },
  ],
])('announces of an attribute in %s what is stored: %s', async (id, name, expected) => {
  const { body } = await client.call('GET', `/Schemas/${id}`);
  const { subAttributes } = body.attributes.find((each: { name: string }) => each.name === name);
  const announced = Object.fromEntries(subAttributes.map((each: { name: string }) => [each.name, each]));
  expect(Object.keys(announced)).toEqual(Object.keys(expected));
  expect(announced).toMatchObject(expected);
});

test.each([
  '/ServiceProviderConfig',
  '/ResourceTypes',
  '/ResourceTypes/User',
  '/Schemas',
  `/Schemas/${USER}`,
])('refuses to change %s with 405', async (path) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const { status, body, headers } = await client.call(method, path);
    expect([status, headers.get('allow')]).toEqual([405, 'GET']);
    expect(body).toStrictEqual(scimError(405, 'This resource can only be read'));
  }
});
