import { expect, test, vi } from 'vitest';
import { person, scimError } from './scim-client.ts';
import { client, service, withScim } from './with-scim.ts';

withScim();

const bulk = (Operations: unknown, fields: object = {}) =>
  client.call('POST', '/Bulk', {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
    Operations,
    ...fields,
  });
const creation = (name: string, fields: object = {}) => ({
  method: 'POST',
  path: '/Users',
  bulkId: name,
  data: person(name, fields),
});

test('creates a thousand users in one call', async () => {
  const { status, body } = await bulk(Array.from({ length: 1_000 }, (_, index) => creation(`many${index}`)));
  expect(status).toBe(200);
  expect(new Set(body.Operations.map((each: { status: string }) => each.status))).toEqual(new Set(['201']));
  const { location, bulkId } = body.Operations[700];
  const { body: user } = await client.call('GET', `/Users/${location.split('/').at(-1)}`);
  expect(user.userName).toBe(`${bulkId}@corp.example`);
  expect(await service.db.users.countDocuments({ email: /^many\d+@corp\.example$/ })).toBe(1_000);
});

test('answers each operation by itself', async () => {
  await client.create('existing');
  await service.newPerson({ email: 'linked@corp.example' });
  const { body } = await bulk([
    creation('fresh1'),
    creation('existing'),
    creation('fresh1', { bulkId: 'again' }),
    creation('foreign', { userName: 'x@elsewhere.example', emails: [] }),
    creation('owner', { roles: ['Owner'] }),
    creation('linked'),
    creation('invalid', { userName: 7 }),
    creation('fresh2'),
  ]);
  expect(body.Operations.map((each: { status: string }) => each.status)).toEqual(
    '201 409 409 403 403 201 400 201'.split(' '),
  );
  expect(body.Operations[1].response).toEqual(
    scimError(409, 'There is a user with this userName', 'uniqueness'),
  );
});

test('a refused user takes no userName from a later one', async () => {
  const { body } = await bulk([
    creation('reused', { emails: [{ value: 'reused@elsewhere.example', primary: true }] }),
    creation('reused', { bulkId: 'again' }),
  ]);
  expect(body.Operations.map((each: { status: string }) => each.status)).toStrictEqual(['403', '201']);
});

test('links the addresses that have an account, wherever they are in a long list', async () => {
  const linked = new Map<string, string>();
  for (const index of [3, 140, 249]) {
    const { user_id } = await service.newPerson({ email: `long${index}@corp.example` });
    linked.set(`long${index}@corp.example`, user_id);
  }
  const { body } = await bulk(Array.from({ length: 250 }, (_, index) => creation(`long${index}`)));
  expect(new Set(body.Operations.map((each: { status: string }) => each.status))).toEqual(new Set(['201']));
  const { db } = service;
  const events = await db.auditEvents.find({ action: 'scim.user', 'after.account': 'linked' }).toArray();
  const targets = events.map(({ target }) => target.user_id);
  for (const [email, user_id] of linked) {
    expect(targets).toContain(user_id);
    expect(await db.ssoIdentities.findOne({ email })).toMatchObject({ user_id });
  }
  const users = await db.users.find({ email: /^long\d+@corp\.example$/ }).toArray();
  const identities = await db.ssoIdentities.find({ email: /^long\d+@corp\.example$/ }).toArray();
  expect(identities.map(({ user_id }) => user_id).sort()).toEqual(users.map(({ user_id }) => user_id).sort());
  expect(users).toHaveLength(250);
});

test('finishes the users that are stored when the write of the others fails', async () => {
  const { ssoIdentities, auditEvents } = service.db;
  const insertMany = ssoIdentities.insertMany.bind(ssoIdentities);
  const spy = vi
    .spyOn(ssoIdentities, 'insertMany')
    .mockImplementationOnce(insertMany)
    .mockRejectedValueOnce(new Error('the connection broke'));
  const operations = Array.from({ length: 200 }, (_, index) => creation(`half${index}`));
  const statuses = async () =>
    (await bulk(operations)).body.Operations.map((each: { status: string }) => each.status);
  const audited = () => auditEvents.countDocuments({ 'after.userName': /^half\d+@/ });
  const each = (first: string, others: string) =>
    Array.from({ length: 200 }, (_, index) => (index < 125 ? first : others));
  expect(await statuses()).toEqual(each('201', '500'));
  expect(await audited()).toBe(125);
  spy.mockRestore();
  expect(await statuses()).toEqual(each('409', '201'));
  expect(await audited()).toBe(200);
});

test('answers each user of a batch whose reads fail, and goes on with the next batch', async () => {
  const { ssoIdentities } = service.db;
  const spy = vi.spyOn(ssoIdentities, 'distinct').mockRejectedValueOnce(new Error('the connection broke'));
  const { status, body } = await bulk(Array.from({ length: 300 }, (_, index) => creation(`unread${index}`)));
  spy.mockRestore();
  expect(status).toBe(200);
  expect(body.Operations.map((each: { status: string }) => each.status)).toEqual(
    Array.from({ length: 300 }, (_, index) => (index < 250 ? '500' : '201')),
  );
});

test('audits users whose invitations cannot be accepted', async () => {
  const { memberships, auditEvents } = service.db;
  const distinct = memberships.distinct.bind(memberships) as (...given: unknown[]) => Promise<unknown[]>;
  const spy = vi.spyOn(memberships, 'distinct').mockImplementation((async (...given: unknown[]) => {
    if (given[0] === 'email') throw new Error('the connection broke');
    return distinct(...given);
  }) as never);
  const { body } = await bulk(['uninvited1', 'uninvited2'].map((name) => creation(name)));
  expect(spy).toHaveBeenCalledWith('email', expect.anything());
  spy.mockRestore();
  expect(body.Operations.map((each: { status: string }) => each.status)).toEqual(['201', '201']);
  expect(await auditEvents.countDocuments({ 'after.userName': /^uninvited/ })).toBe(2);
});

test('changes users, and names a user created before as a member', async () => {
  const { body: user } = await client.create('changed');
  const { body } = await bulk([
    creation('newcomer'),
    {
      method: 'POST',
      path: '/Groups',
      bulkId: 'g',
      data: { displayName: 'Bulk', members: [{ value: 'bulkId:newcomer' }] },
    },
    {
      method: 'PATCH',
      path: '/Groups/bulkId:g',
      data: { Operations: [{ op: 'add', path: 'members', value: [{ value: user.id }] }] },
    },
    {
      method: 'PATCH',
      path: `/Users/${user.id}`,
      version: 'W/"9"',
      data: { Operations: [{ op: 'replace', value: { active: false } }] },
    },
    { method: 'PUT', path: `/Users/${user.id}`, data: person('changed', { title: 'Put' }) },
    { method: 'DELETE', path: `/Users/${user.id}` },
    { method: 'GET', path: `/Users/${user.id}` },
    { method: 'DELETE', path: '/Users/nobody' },
    { method: 'POST', path: '/Connections', data: {} },
    { method: 'DELETE', path: '/Users/bulkId:nobody' },
    null,
  ]);
  expect(body.Operations.map((each: { status: string }) => each.status)).toEqual(
    '201 201 204 412 200 204 400 404 400 400 400'.split(' '),
  );
  const id = body.Operations[1].location.split('/').at(-1);
  expect((await client.call('GET', `/Groups/${id}`)).body.members).toHaveLength(1);
});

test('stops after the errors that the caller accepts', async () => {
  const { body } = await bulk(
    [creation('a1'), creation('a1'), creation('a2'), creation('a2'), creation('a3')],
    {
      failOnErrors: 1,
    },
  );
  expect(body.Operations.map((each: { status: string }) => each.status)).toEqual(['201', '409']);
});

test.each([
  ['no operations', [], 400, 'invalidSyntax'],
  ['no list', {}, 400, 'invalidSyntax'],
  ['too many operations', Array.from({ length: 1_001 }, () => ({})), 413, 'tooMany'],
])('refuses %s', async (_, operations, status, scimType) => {
  const { body } = await bulk(operations);
  expect(body).toStrictEqual(scimError(status, expect.any(String), scimType));
});
