import type { Connection } from '@gatehouse/sso/connection-records';
import { expect, test } from 'vitest';
import { eventsOf } from '../../fixtures/audit.ts';
import { GROUP, newClient, person, scimError } from './scim-client.ts';
import { client, organization, service, withScim } from './with-scim.ts';

let groups = 0;

withScim();

const newUser = async (name: string, fields: object = {}) =>
  String((await client.create(name, fields)).body.id);
const userIdOf = async (id: string) =>
  (await service.db.ssoIdentities.findOne({ identity_id: id }))?.user_id ?? '';

async function newGroup(members: string[] = [], fields: object = {}) {
  groups += 1;
  const { body } = await client.call('POST', '/Groups', {
    schemas: [GROUP],
    displayName: `Group ${'x'.repeat(groups)}`,
    members: members.map((value) => ({ value })),
    ...fields,
  });
  return { id: String(body.id), path: `/Groups/${body.id}` };
}
const membersOf = async (path: string) =>
  ((await client.call('GET', path)).body.members ?? []).map(({ value }: { value: string }) => value).sort();

test('shows the departments of the organization', async () => {
  const { body } = await client.filter('Groups', 'displayName eq "engineering"');
  expect(body.Resources).toEqual([
    {
      schemas: [GROUP],
      id: organization.department_id,
      displayName: 'Engineering',
      meta: expect.objectContaining({ resourceType: 'Group', version: 'W/"1"' }),
    },
  ]);
});

test('gives the members of a group the role that the table of the connection names for it', async () => {
  const { connection_id } = client.connection;
  const group_roles: Connection['group_roles'] = [
    { group: 'entra-7', role: 'Admin' },
    { group: 'Designers', role: 'Analyst' },
  ];
  await service.db.ssoConnections.updateOne({ connection_id }, { $set: { group_roles } });
  const members = [{ value: await newUser('mia') }, { value: await newUser('noa', { roles: ['Editor'] }) }];
  const rolesOf = async (group: object) => {
    const { body } = await client.call('POST', '/Groups', { schemas: [GROUP], members, ...group });
    const granted = await service.db.memberships.find({ department_id: body.id }).toArray();
    return granted.map(({ role }) => role).toSorted();
  };
  // A role that SCIM names for the person comes first.
  expect(await rolesOf({ displayName: 'Operations', externalId: 'entra-7' })).toEqual(['Admin', 'Editor']);
  expect(await rolesOf({ displayName: 'Designers' })).toEqual(['Analyst', 'Editor']);
});

test('creates a department with members', async () => {
  const ada = await newUser('ada', { roles: ['Editor'] });
  const { status, body, headers } = await client.call('POST', '/Groups', {
    schemas: [GROUP],
    displayName: 'Support',
    externalId: 'entra-1',
    members: [{ value: ada }],
  });
  expect(status).toBe(201);
  expect(headers.get('location')).toBe(`http://localhost:8000/scim/v2/Groups/${body.id}`);
  expect(body).toMatchObject({ displayName: 'Support', externalId: 'entra-1', members: [{ value: ada }] });
  expect(await service.db.memberships.findOne({ department_id: body.id })).toMatchObject({
    user_id: await userIdOf(ada),
    organization_id: organization.organization_id,
    role: 'Editor',
    granted_by: `sso:${client.connection.connection_id}`,
  });
  expect((await client.call('GET', `/Users/${ada}`)).body.groups).toEqual([
    { value: body.id, $ref: expect.stringContaining(body.id), display: 'Support', type: 'direct' },
  ]);
  expect((await client.filter('Groups', `members eq "${ada}"`)).body.Resources).toMatchObject([
    { id: body.id },
  ]);
  expect((await client.filter('Groups', `members[value eq "${ada}"]`)).body.totalResults).toBe(1);
  expect((await client.filter('Groups', 'externalId eq "entra-1"')).body.totalResults).toBe(1);
});

test.each(['Engineering', 'ENGINEERING', 'Engineering '])(
  'answers 409 to the name %s',
  async (displayName) => {
    const { status, body } = await client.call('POST', '/Groups', { displayName });
    expect([status, body]).toEqual([
      409,
      scimError(409, 'There is a group with this displayName', 'uniqueness'),
    ]);
  },
);

test.each([undefined, '', 7, 'see https://evil.example', 'x'.repeat(201)])(
  'answers 400 to the name %j',
  async (displayName) => {
    const { status, body } = await client.call('POST', '/Groups', { displayName });
    expect([status, body.scimType]).toEqual([400, 'invalidValue']);
  },
);

test.each([
  ['adds', (id: string) => [{ op: 'Add', path: 'members', value: [{ value: id }] }]],
  ['adds without a path', (id: string) => [{ op: 'add', value: { members: [{ value: id }] } }]],
  ['replaces', (id: string) => [{ op: 'replace', path: 'members', value: [{ value: id }] }]],
])('%s members', async (name, operations) => {
  const id = await newUser(`member-${name.replaceAll(' ', '-')}`);
  const { path } = await newGroup();
  expect((await client.patch(path, operations(id))).status).toBe(204);
  expect(await membersOf(path)).toEqual([id]);
});

test.each([
  ['by a filter, as Okta does', (id: string) => [{ op: 'remove', path: `members[value eq "${id}"]` }]],
  [
    'by a list, as Entra ID does',
    (id: string) => [{ op: 'Remove', path: 'members', value: [{ value: id }] }],
  ],
  ['altogether', () => [{ op: 'remove', path: 'members' }]],
  ['by an empty list', () => [{ op: 'replace', path: 'members', value: [] }]],
])('removes members %s', async (name, operations) => {
  const id = await newUser(`gone-${name.length}`);
  const { path } = await newGroup([id]);
  expect((await client.patch(path, operations(id))).status).toBe(204);
  expect(await membersOf(path)).toEqual([]);
});

test('withdraws older invitations to a member who is removed', async () => {
  const id = await newUser('invited');
  const user_id = await userIdOf(id);
  const group = await newGroup();
  const place = `/api/v1/organizations/${organization.organization_id}/departments/${group.id}`;
  const invited = await organization.owner.call('PUT', `${place}/members/${user_id}`, { role: 'Admin' });
  expect(invited.status).toBe(202);
  const members = (op: string) => client.patch(group.path, [{ op, path: 'members', value: [{ value: id }] }]);
  await members('add');
  const events = await eventsOf(service, () => members('remove'));
  const { connection_id } = client.connection;
  expect(
    events.map(({ action, target, before, user_id: actor }) => ({ action, target, before, actor })),
  ).toEqual([
    {
      action: 'invitation.withdraw',
      target: { user_id, invitation_id: invited.body.invitation_id, connection_id },
      before: { role: 'Admin' },
      actor: null,
    },
    { action: 'member.remove', target: { user_id, connection_id }, before: { role: 'Viewer' }, actor: null },
  ]);
  expect((await organization.owner.call('GET', `${place}/invitations`)).body.data).toEqual([]);
});

test('replaces a group', async () => {
  const [stays, goes, comes] = await Promise.all(['stays', 'goes', 'comes'].map((name) => newUser(name)));
  const { path } = await newGroup([String(stays), String(goes)]);
  const { status, body } = await client.call('PUT', path, {
    displayName: 'Replaced',
    members: [{ value: stays }, { value: comes }],
  });
  expect([status, body.displayName]).toEqual([200, 'Replaced']);
  expect(await membersOf(path)).toEqual([stays, comes].sort());
});

test('renames a department', async () => {
  const { path } = await newGroup();
  await client.patch(path, [{ op: 'replace', value: { id: 'another', displayName: 'Renamed' } }]);
  expect((await client.call('GET', path)).body).toMatchObject({
    displayName: 'Renamed',
    meta: { version: 'W/"2"' },
  });
  expect(
    (await client.patch(path, [{ op: 'replace', path: 'displayName', value: 'engineering' }])).status,
  ).toBe(409);
});

test('keeps memberships that a person granted', async () => {
  const id = await newUser('colleague');
  const { id: department_id, path } = await newGroup();
  const user_id = await userIdOf(id);
  await service.db.memberships.insertOne({
    membership_id: 'by-hand',
    organization_id: organization.organization_id,
    department_id,
    user_id,
    role: 'Admin',
    granted_by: organization.owner.user_id,
    granted_at: '2026-01-15T09:30:00.000Z',
  });
  await client.patch(path, [{ op: 'add', path: 'members', value: [{ value: id }] }]);
  await client.patch(path, [{ op: 'remove', path: 'members' }]);
  await client.patch(path, [{ op: 'remove', path: `members[value eq "${id}"]` }]);
  expect(await service.db.memberships.findOne({ department_id, user_id })).toMatchObject({
    membership_id: 'by-hand',
    role: 'Admin',
  });
});

test('leaves an Owner of the organization an Owner', async () => {
  await service.db.users.updateOne(
    { user_id: organization.owner.user_id },
    { $set: { email: 'owner@corp.example' } },
  );
  const id = String((await client.call('POST', '/Users', person('owner'))).body.id);
  const { id: department_id } = await newGroup([id]);
  expect(await service.db.memberships.countDocuments({ department_id })).toBe(0);
});

test('refuses unknown members and changes nothing', async () => {
  const id = await newUser('certain');
  const { path } = await newGroup([id]);
  const answer = await client.patch(path, [
    { op: 'remove', path: `members[value eq "${id}"]` },
    { op: 'add', path: 'members', value: [{ value: 'nobody' }] },
  ]);
  expect(answer.body).toStrictEqual(scimError(400, 'There is no user nobody', 'invalidValue'));
  expect(await membersOf(path)).toEqual([id]);
});

test('lets one of ten calls with the same version through', async () => {
  const id = await newUser('contended');
  const { path } = await newGroup();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      client.patch(path, [{ op: 'add', path: 'members', value: [{ value: id }] }], { 'if-match': 'W/"1"' }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array.from({ length: 9 }, () => 412)]);
});

test('a deleted group is gone for the connection, and the department stays', async () => {
  const id = await newUser('orphan');
  const { id: department_id, path } = await newGroup([id], { displayName: 'Doomed' });
  const other = await newClient(service, organization);
  expect((await client.call('DELETE', path)).status).toBe(204);
  expect((await client.call('GET', path)).status).toBe(404);
  expect((await client.call('DELETE', path)).status).toBe(404);
  expect((await client.filter('Groups', 'displayName eq "Doomed"')).body.totalResults).toBe(0);
  expect((await other.call('GET', path)).status).toBe(200);
  expect(await service.db.memberships.countDocuments({ department_id })).toBe(0);
  expect(await service.db.departments.findOne({ department_id })).toMatchObject({ name: 'Doomed' });

  const again = await client.call('POST', '/Groups', { displayName: 'Doomed' });
  expect([again.status, again.body.id]).toEqual([201, department_id]);
});

test('audits a group and its members', async () => {
  const id = await newUser('witness');
  const { path, id: department_id } = await newGroup([], { displayName: 'Before' });
  const events = await eventsOf(service, () =>
    client.patch(path, [
      { op: 'replace', path: 'displayName', value: 'After' },
      { op: 'add', path: 'members', value: [{ value: id }] },
    ]),
  );
  const target = { connection_id: client.connection.connection_id };
  // Events of one millisecond have no order.
  expect(events.toSorted((one, other) => (one.action < other.action ? -1 : 1))).toMatchObject([
    { action: 'member.grant', target: { ...target, user_id: await userIdOf(id) }, department_id },
    { action: 'scim.group', target, before: { displayName: 'Before' }, after: { displayName: 'After' } },
  ]);
});

test('refuses changes of an archived department, and every change in an archived organization', async () => {
  const ada = await newUser('archivist');
  const { id, path } = await newGroup([ada]);
  const archive = { $set: { archived_at: new Date(service.clock.now()).toISOString() } };
  const changes = [
    ['PATCH', { Operations: [{ op: 'remove', path: 'members' }] }],
    ['PUT', { schemas: [GROUP], displayName: 'Renamed archive', members: [] }],
    ['DELETE', undefined],
  ] as const;
  const refused = async (what: string) => {
    for (const [method, body] of changes) {
      const answer = await client.call(method, path, body);
      expect([answer.status, answer.body.detail]).toEqual([403, `The ${what} is archived`]);
    }
    expect(await membersOf(path)).toEqual([ada]);
  };
  await service.db.departments.updateOne({ department_id: id }, archive);
  await refused('department');
  const { organization_id } = organization;
  await service.db.organizations.updateOne({ organization_id }, archive);
  await refused('organization');
  const user = await client.create('newcomer');
  expect([user.status, user.body.detail]).toEqual([403, 'The organization is archived']);
  expect((await client.call('POST', '/Users/.search', {})).status).toBe(200);
  await service.db.organizations.updateOne({ organization_id }, { $unset: { archived_at: true } });
  expect((await client.create('newcomer')).status).toBe(201);
});
