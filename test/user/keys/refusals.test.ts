import { randomUUIDv7 } from 'node:crypto';
import { keyText, newKeyId, newKeySecret } from '@gatehouse/shared/identity/machine-keys/format';
import type { User } from '@gatehouse/shared/identity/user-record';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send } from '../../fixtures/http.ts';
import { type KeyService, OWN_KEYS, startKeyService } from './key-service.ts';

let service: KeyService;
beforeAll(async () => {
  service = await startKeyService({ env: { LOG_LEVEL: 'info' } });
});
afterAll(() => service.stop());

const PROFILE = '/api/v1/users/me';
const codeOf = ({
  status,
  body,
}: {
  status: number;
  body: { error?: { code: string; details: unknown } };
}) => [status, body.error?.details];
/** What the user service and the gateway both answer. */
async function both(key: string, method = 'GET', path = PROFILE, body?: unknown, headers = {}) {
  const answers = [
    await service.call(key, method, path, body, headers),
    await service.callGateway(key, method, path, body, headers),
  ].map(codeOf);
  expect(answers[1]).toEqual(answers[0]);
  return answers[0];
}
const accepted = [200, undefined];
const invalid = [401, 'Invalid token'];
const change = (email: string, set: Partial<User>) => service.db.users.updateOne({ email }, { $set: set });

async function ownKey(fields: object = {}) {
  const person = await service.newPerson();
  const made = await service.newKey(person, fields);
  expect(await both(made.key)).toEqual(accepted);
  return { person, ...made };
}

describe('the bearer', () => {
  test('is accepted without the scheme too, as a session token', async () => {
    const { key } = await ownKey();
    expect((await send(`${service.url}${PROFILE}`, { headers: { authorization: key } })).status).toBe(200);
  });

  test('is refused with wrong check digits, without a database read', async () => {
    const { key } = await ownKey();
    const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    expect(await both(wrong)).toEqual(invalid);
  });

  test('is refused with another secret of the same id', async () => {
    const { key_id } = await ownKey();
    expect(await both(keyText(key_id, newKeySecret()))).toEqual(invalid);
  });

  test('is refused with the secret of another key', async () => {
    const [one, other] = [await ownKey(), await ownKey()];
    expect(await both(keyText(one.key_id, other.key.split('_')[2]?.slice(0, 43) as string))).toEqual(invalid);
  });

  test('is refused with an unknown id', async () => {
    expect(await both(keyText(newKeyId(), newKeySecret()))).toEqual(invalid);
  });

  test('is refused once it is deleted', async () => {
    const { person, key, key_id } = await ownKey();
    expect((await person.ask('DELETE', `${OWN_KEYS}/${key_id}`)).body).toEqual({ message: 'Key deleted' });
    expect(await both(key)).toEqual(invalid);
  });

  test('is refused in the query, in the path and in a cookie', async () => {
    const { key } = await ownKey();
    for (const query of ['access_token', 'token', 'key', 'authorization'])
      expect((await send(`${service.gateway}${PROFILE}?${query}=${key}`)).status).toBe(401);
    expect((await send(`${service.gateway}${PROFILE}/${key}`)).status).toBe(401);
    const headers = { cookie: `token=${key}; authorization=${key}; __Host-session=${key}` };
    expect((await send(`${service.gateway}${PROFILE}`, { headers })).status).toBe(401);
    expect((await send(`${service.gateway}${PROFILE}`, { headers: { 'x-api-key': key } })).status).toBe(401);
  });

  test('is logged nowhere, whether it is accepted or refused', async () => {
    const { key } = await ownKey();
    const secret = key.split('_')[2] as string;
    await both(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`);
    for (const base of [service.url, service.gateway])
      for (const path of [`${PROFILE}?key=${key}`, `${PROFILE}/${key}`, `/api/v1/payment/${key}/x`])
        expect((await send(`${base}${path}`)).status).toBe(401);
    const logged = [...service.logged, ...service.gatewayLog].join('');
    expect(logged).toContain(PROFILE);
    expect(logged).not.toContain(secret.slice(0, 43));
  });

  test('is stored nowhere: the record has only the digest', async () => {
    const { key, key_id } = await ownKey();
    const stored = JSON.stringify(await service.db.machineKeys.findOne({ _id: key_id }));
    expect(stored).not.toContain((key.split('_')[2] as string).slice(0, 43));
  });
});

describe('time', () => {
  test('a key expires at its second', async () => {
    const expires_at = new Date(service.clock.now() + 60_000).toISOString();
    const { key } = await ownKey({ expires_at });
    service.clock.advance(59.999);
    expect(await both(key)).toEqual(accepted);
    service.clock.advance(0.001);
    expect(await both(key)).toEqual([401, 'Token expired']);
  });

  test('a former secret works until the overlap is over', async () => {
    const { person, key, key_id } = await ownKey();
    const rotated = await person.ask('POST', `${OWN_KEYS}/${key_id}/rotate`, { overlap_days: 1 });
    expect(rotated.status).toBe(200);
    service.clock.advance(86_399);
    expect(await both(key)).toEqual(accepted);
    expect(await both(rotated.body.key)).toEqual(accepted);
    service.clock.advance(1);
    expect(await both(key)).toEqual([401, 'Token expired']);
    expect(await both(rotated.body.key)).toEqual(accepted);
  });

  test('a former secret ends at once without overlap', async () => {
    const { person, key, key_id } = await ownKey();
    const { body } = await person.ask('POST', `${OWN_KEYS}/${key_id}/rotate`, { overlap_days: 0 });
    expect(await both(key)).toEqual(invalid);
    expect(await both(body.key)).toEqual(accepted);
  });

  test('a former secret does not outlive the key', async () => {
    const expires_at = new Date(service.clock.now() + 60_000).toISOString();
    const { person, key, key_id } = await ownKey({ expires_at });
    await person.ask('POST', `${OWN_KEYS}/${key_id}/rotate`, { overlap_days: 7 });
    service.clock.advance(60);
    expect(await both(key)).toEqual([401, 'Token expired']);
  });
});

describe('the owner', () => {
  test.each([
    ['disabled', { account_status: 'disabled' }],
    ['paused', { account_status: 'paused' }],
    ['not verified any more', { verified: false }],
    [
      'whose deletion is pending',
      { deletion: { requested_at: new Date(), due_at: new Date(), next: new Date() } },
    ],
    ['whose keys have ended', { keys_valid_from: new Date(Date.now() + 365 * 86_400_000) }],
    ['without a user_id', { user_id: '' }],
  ] as [string, Partial<User>][])('%s opens nothing', async (_, set) => {
    const { person, key } = await ownKey();
    await change(person.email, set);
    expect(await both(key)).toEqual(invalid);
  });

  test('who asks for the deletion ends the key, and a login brings it back', async () => {
    const { person, key } = await ownKey();
    expect((await person.ask('DELETE', PROFILE)).status).toBe(202);
    expect(await both(key)).toEqual(invalid);
    await service.db.users.updateOne(
      { email: person.email },
      { $unset: { deletion: true, sessions_valid_from: true } },
    );
    expect(await both(key)).toEqual(accepted);
  });

  test('who is gone takes the key along', async () => {
    const { person, key } = await ownKey();
    await service.db.users.deleteOne({ email: person.email });
    expect(await both(key)).toEqual(invalid);
  });

  test('whose domain requires single sign-on since', async () => {
    const domain = `${randomUUIDv7()}.example`;
    const person = await service.newPerson({ email: `grace@${domain}` });
    const { key } = await service.newKey(person);
    const { organization_id } = await service.newTeam();
    await requireSso(organization_id, domain);
    const details =
      'The organization requires single sign-on, so personal keys do not work. Please use a service account.';
    expect(await both(key)).toEqual([403, details]);
    const made = await person.ask('POST', OWN_KEYS, { name: 'Robot', permissions: ['view profile'] });
    expect(codeOf(made)).toEqual([403, details]);
    await service.db.ssoDomains.updateOne({ domain }, { $set: { sso_required: false } });
    expect(await both(key)).toEqual(accepted);
  });
});

/** An organization with single sign-on requires it of a domain. */
async function requireSso(organization_id: string, domain: string) {
  const { db } = service;
  const id = () => String(randomUUIDv7());
  await db.departments.updateOne(
    { organization_id },
    { $set: { 'billing.subscription_plan': 'Enterprise', 'billing.payment_status': 'paid' } },
  );
  await db.ssoConnections.insertOne({
    connection_id: id(),
    organization_id,
    protocol: 'oidc',
    name: 'Provider',
    slug: id(),
    slot: 0,
    enabled: true,
  } as never);
  await db.ssoDomains.insertOne({
    domain_id: id(),
    organization_id,
    domain,
    token: id(),
    verified_at: new Date(),
    verified_domain: domain,
    sso_required: true,
    created_at: new Date(),
  });
}

describe('the network', () => {
  const refused = [403, 'This key is not allowed from this network'];
  test.each([
    ['IPv4', '192.0.2.0/24', '192.0.2.9', '192.0.3.9'],
    ['IPv6', '2001:db8:1::/48', '2001:db8:1::9', '2001:db8:2::9'],
    ['IPv4 that the client writes as IPv6', '192.0.2.0/24', '::ffff:192.0.2.9', '::ffff:192.0.3.9'],
    ['IPv4 that the owner has written as IPv6', '::ffff:192.0.2.0/120', '192.0.2.9', '192.0.3.9'],
  ])('allows its own and no other: %s', async (_, network, inside, outside) => {
    const person = await service.newPerson();
    const { key } = await service.newKey(person, { networks: [network] });
    expect(await both(key, 'GET', PROFILE, undefined, { 'x-forwarded-for': inside })).toEqual(accepted);
    expect(await both(key, 'GET', PROFILE, undefined, { 'x-forwarded-for': outside })).toEqual(refused);
  });

  test('is not noted as a use when it is refused', async () => {
    const person = await service.newPerson();
    const { key, key_id } = await service.newKey(person, { networks: ['198.51.100.0/24'] });
    expect(await both(key)).toEqual(refused);
    expect(await service.db.machineKeys.findOne({ _id: key_id })).not.toHaveProperty('last_used_at');
  });
});

describe('what no key may call', () => {
  const cannot = [403, 'A key cannot make this call'];
  test.each([
    ['POST', OWN_KEYS],
    ['GET', OWN_KEYS],
    ['GET', `${OWN_KEYS}/x`],
    ['PATCH', `${OWN_KEYS}/x`],
    ['POST', `${OWN_KEYS}/x/rotate`],
    ['DELETE', `${OWN_KEYS}/x`],
    ['POST', '/api/v1/users/me/password'],
    ['POST', '/api/v1/users/me/email'],
    ['DELETE', '/api/v1/users/me'],
    ['GET', '/api/v1/users/me/data'],
    ['GET', '/api/v1/users/me/sessions'],
    ['DELETE', '/api/v1/users/me/sessions'],
    ['GET', '/api/v1/users/me/factors'],
    ['POST', '/api/v1/users/me/factors/totp'],
    ['GET', '/api/v1/users/me/passkeys'],
    ['POST', '/api/v1/users/me/passkeys/options'],
    ['GET', '/api/v1/users/me/links'],
    ['POST', '/api/v1/users/me/links'],
    ['POST', '/api/v1/organizations'],
    ['GET', '/api/v1/invitations'],
    ['POST', '/api/v1/invitations/x/accept'],
    ['PATCH', '/api/v1/organizations/x'],
    ['PUT', '/api/v1/organizations/x/owners/y'],
    ['PUT', '/api/v1/organizations/x/departments/y/members/z'],
    ['DELETE', '/api/v1/organizations/x/departments/y/members/z'],
    ['POST', '/api/v1/organizations/x/departments/y/invitations'],
    ['GET', '/api/v1/organizations/x/service-accounts'],
    ['POST', '/api/v1/organizations/x/service-accounts'],
    ['POST', '/api/v1/organizations/x/service-accounts/y/keys'],
    ['POST', '/api/v1/organizations/x/archive'],
    ['GET', '/api/v1/sso/connections'],
    ['PUT', '/api/v1/chatbots/x/access/y'],
    ['POST', '/internal/sso/session/check'],
  ])('%s %s', async (method, path) => {
    const { key } = await everything();
    const body = method === 'GET' || method === 'DELETE' ? undefined : {};
    expect(codeOf(await service.call(key, method, path, body))).toEqual(cannot);
  });

  test.each(['/api/v1/auth/refresh', '/api/v1/auth/logout', '/auth/logout', '/api/v1/auth/confirm'])(
    'POST %s',
    async (path) => {
      const { key } = await everything();
      expect(codeOf(await service.callGateway(key, 'POST', path, {}))).toEqual(cannot);
      const { body, status } = await send(`${service.login}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
      });
      expect(codeOf({ body, status })).toEqual(cannot);
    },
  );

  let made: ReturnType<typeof ownKey> | undefined;
  /** A key with every permission that a person can give. */
  const everything = async () => {
    made ??= (async () => {
      const { KEY_PERMISSIONS } = await import('@gatehouse/shared/access/key-permissions');
      return ownKey({ permissions: KEY_PERMISSIONS.filter((permission) => !permission.endsWith('admin')) });
    })();
    return made;
  };
});

describe('roles', () => {
  const add = { name: 'Receptionist', type: '3d', avatar_id: 'avatar-7', language: 'en-GB' };
  const create = '/api/v1/chatbots/create';

  test('bound the key at each call: those of a lowered and of a removed member', async () => {
    const { ada, people, place, department_id } = await service.newTeam();
    const member = people.Editor;
    const { key } = await service.newKey(member, { permissions: ['create chatbot', 'view chatbot'] });
    const body = { ...add, department_id };
    expect((await service.callGateway(key, 'POST', create, body)).status).toBe(201);
    await service.addMember(ada, place, member, 'Viewer');
    expect((await service.callGateway(key, 'POST', create, body)).status).toBe(403);
    expect(
      (await service.callGateway(key, 'GET', `/api/v1/chatbots?department_id=${department_id}`)).body
        .pagination.total_items,
    ).toBe(1);
    await ada.call('DELETE', `${place}/members/${member.user_id}`);
    expect((await service.callGateway(key, 'POST', create, body)).status).toBe(404);
    expect(
      (await service.callGateway(key, 'GET', `/api/v1/chatbots?department_id=${department_id}`)).body
        .pagination.total_items,
    ).toBe(0);
  });

  test('give a key no more than its permissions', async () => {
    const { ada, department_id } = await service.newTeam();
    const { key } = await service.newKey(ada, { permissions: ['view chatbot'] });
    const body = { ...add, department_id };
    expect(codeOf(await service.call(key, 'POST', create, body))).toEqual([
      403,
      'This key lacks the permission "create chatbot"',
    ]);
    expect(codeOf(await service.call(key, 'GET', PROFILE))).toEqual([
      403,
      'This key lacks the permission "view profile"',
    ]);
  });

  test('a duplicate and a move need the permission to create too', async () => {
    const { ada, department_id } = await service.newTeam();
    const { body } = await ada.ask('POST', create, { ...add, department_id });
    const { key } = await service.newKey(ada, { permissions: ['duplicate chatbot', 'delete chatbot'] });
    const lacks = [403, 'This key lacks the permission "create chatbot"'];
    const path = `/api/v1/chatbots/${body.chatbot_id}`;
    expect(codeOf(await service.call(key, 'POST', `${path}/duplicate`, {}))).toEqual(lacks);
    expect(codeOf(await service.call(key, 'POST', `${path}/move`, { department_id: null }))).toEqual(lacks);
  });

  test('an export of bills needs the permission of the key too', async () => {
    const { ada, organization_id } = await service.newTeam();
    const path = `/api/v1/organizations/${organization_id}/exports`;
    const order = { format: 'csv', data: ['billing'] };
    const less = await service.newKey(ada, { permissions: ['export data'] });
    expect(codeOf(await service.call(less.key, 'POST', path, order))).toEqual([
      403,
      'To export billing needs the permission "view billing"',
    ]);
    const more = await service.newKey(ada, { permissions: ['export data', 'view billing'] });
    expect((await service.call(more.key, 'POST', path, order)).status).toBe(202);
  });

  test('the permissions that a chatbot shows are those of the key', async () => {
    const { ada, department_id } = await service.newTeam();
    const { body } = await ada.ask('POST', create, { ...add, department_id });
    const { key } = await service.newKey(ada, { permissions: ['platform', 'view chatbot', 'edit chatbot'] });
    const own = await service.call(key, 'GET', `/api/v1/chatbots/${body.chatbot_id}/access/me`);
    expect(own.body).toEqual({
      chatbot_id: body.chatbot_id,
      user_id: ada.user_id,
      role: 'Owner',
      permissions: ['edit chatbot', 'view chatbot'],
    });
    const read = await service.call(key, 'GET', `/api/v1/chatbots/${body.chatbot_id}?include=access`);
    expect(read.body.access.list).toBeNull();
  });

  test('a second factor that the organization requires is required of the owner', async () => {
    const { ada, organization_id } = await service.newTeam();
    const { key } = await service.newKey(ada, { permissions: ['view organizations'] });
    const path = `/api/v1/organizations/${organization_id}`;
    expect((await service.call(key, 'GET', path)).status).toBe(200);
    const grace_ends_at = new Date(service.clock.now() - 1).toISOString();
    await service.db.organizations.updateOne(
      { organization_id },
      { $set: { second_factor: { required_at: grace_ends_at, grace_ends_at } as never } },
    );
    expect((await service.call(key, 'GET', path)).body.error.code).toBe('ENROLLMENT_REQUIRED');
  });
});
