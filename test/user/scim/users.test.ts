import { describe, expect, test } from 'vitest';
import { eventsOf } from '../../fixtures/audit.ts';
import { person, scimError, USER } from './scim-client.ts';
import { client, organization, service, withScim } from './with-scim.ts';

withScim();

const accountOf = (email: string) => service.db.users.findOne({ email });

describe('POST /scim/v2/Users', () => {
  test('creates an identity and an active account without a password', async () => {
    const answer = await client.create('grace');
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(answer).toMatchObject({
      status: 201,
      body: {
        schemas: [USER],
        id,
        userName: 'grace@corp.example',
        externalId: 'okta-grace',
        name: { givenName: 'grace', familyName: 'Hopper' },
        emails: [{ value: 'grace@corp.example', type: 'work', primary: true }],
        active: true,
        meta: { resourceType: 'User', version: 'W/"1"' },
      },
    });
    expect(answer.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
    expect(answer.headers.get('etag')).toBe('W/"1"');
    expect(answer.headers.get('location')).toBe(`http://localhost:8000/scim/v2/Users/${answer.body.id}`);
    expect(await accountOf('grace@corp.example')).toMatchObject({
      verified: true,
      account_status: 'active',
      name: 'grace Hopper',
      role: 'Viewer',
      user_id: expect.stringMatching(/^User-\d{6}$/),
    });
  });

  test('never stores or returns a password', async () => {
    const { body } = await client.create('secretive', { password: 'hunter2hunter2' });
    expect(JSON.stringify(body)).not.toContain('hunter2');
    const stored = await service.db.ssoIdentities.findOne({ identity_id: body.id });
    expect(JSON.stringify(stored)).not.toContain('hunter2');
  });

  test('returns 409 for a userName that differs only in case', async () => {
    await client.create('twice');
    const { status, body } = await client.create('TWICE', { emails: [{ value: 'other@corp.example' }] });
    expect(status).toBe(409);
    expect(body).toStrictEqual(scimError(409, 'There is a user with this userName', 'uniqueness'));
    expect(await accountOf('other@corp.example')).toBeNull();
  });

  test('creates one user of eight at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.create('stampede')));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
    expect(await service.db.users.countDocuments({ email: 'stampede@corp.example' })).toBe(1);
  });

  test('refuses an address outside the verified domains and creates nothing', async () => {
    const { status, body } = await client.create('mallory', {
      userName: 'mallory@elsewhere.example',
      emails: [],
    });
    expect(status).toBe(403);
    expect(body).toStrictEqual(
      scimError(403, 'The organization has not verified the domain elsewhere.example'),
    );
    expect(await accountOf('mallory@elsewhere.example')).toBeNull();
  });

  test('refuses the role Owner and creates nothing', async () => {
    const { status } = await client.create('usurper', { roles: [{ value: 'owner', primary: true }] });
    expect(status).toBe(403);
    expect(await accountOf('usurper@corp.example')).toBeNull();
  });

  test('gives the role that the provider names, also as a string', async () => {
    await client.create('editor', { roles: ['editor'] });
    expect(await accountOf('editor@corp.example')).toMatchObject({ role: 'Editor' });
  });

  test('takes an unverified signup over, and its planted password dies', async () => {
    await service.newPerson({ email: 'signup@corp.example', verified: false, password: 'planted' });
    expect((await client.create('signup')).status).toBe(201);
    const account = await accountOf('signup@corp.example');
    expect(account).toMatchObject({ verified: true, account_status: 'active' });
    expect(account?.password).not.toBe('planted');
  });

  test('links a verified account of the own domain and keeps its password', async () => {
    const { user_id } = await service.newPerson({ email: 'known@corp.example' });
    const { body } = await client.create('known');
    expect(await service.db.ssoIdentities.findOne({ identity_id: body.id })).toMatchObject({ user_id });
    expect(await accountOf('known@corp.example')).toMatchObject({ password: 'secret', user_id });
  });

  test('refuses an account that an operator has disabled', async () => {
    await service.newPerson({ email: 'banned@corp.example', account_status: 'disabled' });
    expect((await client.create('banned')).status).toBe(403);
    expect(await accountOf('banned@corp.example')).toMatchObject({ account_status: 'disabled' });
  });

  test('adopts an identity that a login has created', async () => {
    const { user_id } = await service.newPerson({ email: 'early@corp.example' });
    const at = new Date(service.clock.now());
    const { connection_id } = client.connection;
    await service.db.ssoIdentities.insertOne({
      identity_id: 'early-identity',
      connection_id,
      subject: 'early',
      user_id,
      email: 'early@corp.example',
      created_at: at,
      updated_at: at,
    });
    expect((await client.filter('Users', 'userName eq "early@corp.example"')).body.totalResults).toBe(0);
    expect((await client.create('early')).body.id).toBe('early-identity');
    expect(await service.db.ssoIdentities.countDocuments({ connection_id, user_id })).toBe(1);
  });

  test.each([
    ['no userName', { userName: undefined }, 'invalidValue'],
    ['a userName that is an object', { userName: { $gt: '' } }, 'invalidValue'],
    ['no address at all', { userName: 'ada', emails: [] }, 'invalidValue'],
    ['active as a number', { active: 1 }, 'invalidValue'],
    ['emails as a number', { emails: 7 }, 'invalidValue'],
    [
      'too many emails',
      { emails: Array.from({ length: 101 }, () => ({ value: 'a@corp.example' })) },
      'invalidValue',
    ],
  ])('returns 400 for %s', async (_, fields, scimType) => {
    const { status, body } = await client.create('invalid', fields);
    expect(status).toBe(400);
    expect(body).toStrictEqual(scimError(400, expect.any(String), scimType));
  });

  test('audits the creation without secrets', async () => {
    const events = await eventsOf(service, () => client.create('audited', { password: 'hunter2' }));
    expect(events).toMatchObject([
      {
        action: 'scim.user',
        outcome: 'success',
        user_id: null,
        target: { connection_id: client.connection.connection_id },
        after: { userName: 'audited@corp.example', active: 'true', account: 'created' },
        organization_id: organization.organization_id,
      },
    ]);
    expect(JSON.stringify(events)).not.toContain('hunter2');
  });
});

describe('reading a user', () => {
  test('returns 304 for the version that the caller knows', async () => {
    const { body } = await client.create('cached');
    const path = `/Users/${body.id}`;
    const cached = await client.call('GET', path, undefined, { 'if-none-match': 'W/"1"' });
    expect([cached.status, cached.body]).toEqual([304, '']);
    expect((await client.call('GET', path, undefined, { 'if-none-match': 'W/"9"' })).status).toBe(200);
  });

  test('returns the attributes that the caller asks for', async () => {
    const { body } = await client.create('partial');
    const only = await client.call('GET', `/Users/${body.id}?attributes=userName,name.givenName`);
    expect(only.body).toStrictEqual({
      schemas: [USER],
      id: body.id,
      userName: 'partial@corp.example',
      name: { givenName: 'partial' },
    });
    const without = await client.call('GET', `/Users/${body.id}?excludedAttributes=emails,name.familyName`);
    expect(without.body.emails).toBeUndefined();
    expect(without.body.name).toEqual({ givenName: 'partial' });
  });

  test.each(['nobody', '__proto__', '%7B%22$gt%22:%22%22%7D'])('returns 404 for the id %s', async (id) => {
    const { status, body } = await client.call('GET', `/Users/${id}`);
    expect(status).toBe(404);
    expect(body).toStrictEqual(scimError(404, 'There is no such resource'));
  });
});

describe('PUT /scim/v2/Users/{id}', () => {
  test('replaces the user, and the account follows its name and role', async () => {
    const { body } = await client.create('replaced', { title: 'Engineer' });
    const path = `/Users/${body.id}`;
    const { status, body: after } = await client.call(
      'PUT',
      path,
      person('replaced', { name: { givenName: 'New', familyName: 'Name' }, roles: [{ value: 'Editor' }] }),
    );
    expect(status).toBe(200);
    expect(after).toMatchObject({ name: { givenName: 'New' }, meta: { version: 'W/"2"' } });
    expect(after.title).toBeUndefined();
    expect(await accountOf('replaced@corp.example')).toMatchObject({ name: 'New Name', role: 'Editor' });
  });

  test('does not change the id or the address of the account', async () => {
    const { body } = await client.create('steady');
    const { body: after } = await client.call(
      'PUT',
      `/Users/${body.id}`,
      person('renamed', { id: 'another', groups: [{ value: 'x' }] }),
    );
    expect(after).toMatchObject({ id: body.id, userName: 'renamed@corp.example' });
    expect(await accountOf('steady@corp.example')).not.toBeNull();
    expect(await accountOf('renamed@corp.example')).toBeNull();
  });

  test('returns 409 for the userName of another user', async () => {
    await client.create('first');
    const { body } = await client.create('second');
    expect((await client.call('PUT', `/Users/${body.id}`, person('FIRST'))).status).toBe(409);
  });
});

describe('If-Match', () => {
  test('returns 412 for another version and changes nothing', async () => {
    const { body } = await client.create('matched');
    const path = `/Users/${body.id}`;
    const stale = { 'if-match': 'W/"7"' };
    for (const answer of [
      await client.call('PUT', path, person('matched'), stale),
      await client.patch(path, [{ op: 'replace', path: 'active', value: false }], stale),
      await client.call('DELETE', path, undefined, stale),
    ])
      expect([answer.status, answer.body.status]).toEqual([412, '412']);
    expect((await client.call('GET', path)).body.active).toBe(true);
  });

  test('lets one of eight calls with the same version through', async () => {
    const { body } = await client.create('raced');
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        client.patch(`/Users/${body.id}`, [{ op: 'replace', path: 'title', value: `Title ${index}` }], {
          'if-match': 'W/"1"',
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array.from({ length: 7 }, () => 412),
    ]);
  });

  test('applies all of eight concurrent calls without a version', async () => {
    const { body } = await client.create('crowded');
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        client.patch(`/Users/${body.id}`, [
          { op: 'add', path: 'phoneNumbers', value: [{ value: `+1 555 ${index}` }] },
        ]),
      ),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const { body: after } = await client.call('GET', `/Users/${body.id}`);
    expect(after.phoneNumbers).toHaveLength(8);
    expect(after.meta.version).toBe('W/"9"');
  });
});
