import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { type Answered, send, sendJson } from '../../fixtures/http.ts';
import { bearerOf } from '../../fixtures/members.ts';
import { type KeyService, OWN_KEYS, startKeyService } from './key-service.ts';

let service: KeyService;
beforeAll(async () => {
  service = await startKeyService();
});
afterAll(() => service.stop());

const refusal = ({ status, body }: Answered) => [status, body.error?.details];
const at = () => new Date(service.clock.now()).toISOString();
const KEY = /^gh_[0-9A-Za-z]{16}_[0-9A-Za-z]{49}$/;

describe('a new key', () => {
  test('is answered once with its secret, audited and mailed', async () => {
    const ada = await service.newPerson({ language: 'de' });
    const body = {
      name: 'Nightly export',
      permissions: ['export data', 'view organizations', 'export data'],
      networks: ['192.0.2.7/24'],
      expires_at: '2099-01-01T00:00:00+01:00',
    };
    let answer: Awaited<ReturnType<typeof ada.ask>> | undefined;
    const events = await eventsOf(service, async () => {
      answer = await ada.ask('POST', OWN_KEYS, body);
    });
    const { key, ...record } = answer?.body ?? {};
    expect(answer?.status).toBe(201);
    expect(answer?.headers.get('cache-control')).toBe('no-store');
    expect(key).toMatch(KEY);
    expect(record).toEqual({
      key_id: key.slice(3, 19),
      name: 'Nightly export',
      permissions: ['export data', 'view organizations'],
      networks: ['192.0.2.0/24'],
      expires_at: '2098-12-31T23:00:00.000Z',
      created_at: at(),
      created_by: ada.user_id,
      last_used_at: null,
      rotated_at: null,
      overlap_until: null,
    });
    expect(events).toEqual([
      auditEvent(service.clock.now(), {
        action: 'key.create',
        user_id: ada.user_id,
        email: ada.email.toLowerCase(),
        address: ada.address,
        target: { key_id: record.key_id },
        after: {
          name: 'Nightly export',
          permissions: ['export data', 'view organizations'],
          networks: ['192.0.2.0/24'],
          expires_at: '2098-12-31T23:00:00.000Z',
        },
      }),
    ]);
    expect((await ada.ask('GET', OWN_KEYS)).body).toEqual({ keys: [record] });
    expect((await ada.ask('GET', `${OWN_KEYS}/${record.key_id}`)).body).toEqual(record);
    await eventually(() => {
      const mail = service.mailbox.mails.find(({ recipients }) => recipients.includes(ada.email));
      expect(mail?.content.subject).toBe('Ihr Konto hat einen neuen Schlüssel');
      expect(mail?.content.text).not.toContain('Nightly');
    });
  });

  test('has neither networks nor an expiry unless they are given', async () => {
    const { record } = await service.newKey(await service.newPerson());
    expect([record.networks, record.expires_at]).toEqual([[], null]);
  });

  test.each([
    ['no name', { permissions: ['platform'] }, 'name is required'],
    ['no permissions', { name: 'Robot' }, 'permissions is required'],
    [
      'an empty list of permissions',
      { name: 'Robot', permissions: [] },
      'permissions must name a permission',
    ],
    ['a network that is none', { name: 'R', permissions: ['platform'], networks: ['home'] }, /networks/],
    [
      'an expiry in the past',
      { name: 'R', permissions: ['platform'], expires_at: '2020-01-01T00:00:00Z' },
      /future/,
    ],
    ['a permission about members', { name: 'R', permissions: ['assign roles'] }, /permissions/],
    ['an unknown permission', { name: 'R', permissions: ['root'] }, /permissions/],
  ])('is refused with %s', async (_, body, details) => {
    const ada = await service.newPerson();
    const answer = await ada.ask('POST', OWN_KEYS, body);
    expect([answer.status, answer.body.error.details]).toEqual([400, expect.stringMatching(details)]);
    expect(await service.db.machineKeys.countDocuments({ created_by: ada.user_id })).toBe(0);
  });

  test('belongs to the caller, whatever owner the body names', async () => {
    const [ada, bob] = [await service.newPerson(), await service.newPerson()];
    const { record } = await service.newKey(ada, {
      owner: bob.user_id,
      user_id: bob.user_id,
      created_by: bob.user_id,
      service_account_id: 'Service-x',
    });
    expect(record.created_by).toBe(ada.user_id);
    expect((await ada.ask('GET', OWN_KEYS)).body.keys).toHaveLength(1);
    expect((await bob.ask('GET', OWN_KEYS)).body).toEqual({ keys: [] });
  });

  test('with the scope of operators is for operators', async () => {
    const ada = await service.newPerson();
    const answer = await ada.ask('POST', OWN_KEYS, { name: 'Robot', permissions: ['admin'] });
    expect(refusal(answer)).toEqual([403, 'Only operators make keys with the permission "admin"']);
  });

  test('needs a fresh session, as its change and its rotation do', async () => {
    const ada = await service.newPerson();
    const { key_id } = await service.newKey(ada);
    const user = await service.db.users.findOne({ email: ada.email });
    const authorization = bearerOf(user as NonNullable<typeof user>, service.clock.now());
    service.clock.advance(601);
    const calls: [string, string, object][] = [
      ['POST', OWN_KEYS, { name: 'Robot', permissions: ['platform'] }],
      ['PATCH', `${OWN_KEYS}/${key_id}`, { name: 'Other' }],
      ['POST', `${OWN_KEYS}/${key_id}/rotate`, { overlap_days: 0 }],
    ];
    for (const [method, path, body] of calls) {
      const answer = await sendJson(method, `${service.url}${path}`, body, { authorization });
      expect([answer.status, answer.body.error.code]).toEqual([403, 'CONFIRMATION_REQUIRED']);
    }
    const path = `${service.url}${OWN_KEYS}/${key_id}`;
    expect((await send(path, { method: 'DELETE', headers: { authorization } })).status).toBe(200);
  });

  test('is one of at most twenty, also of 21 that are made at once', async () => {
    const ada = await service.newPerson();
    await service.db.users.updateOne({ email: ada.email }, { $set: { language: 'en' } });
    const made = await Promise.all(
      Array.from({ length: 21 }, () =>
        ada.ask('POST', OWN_KEYS, { name: 'Robot', permissions: ['platform'] }),
      ),
    );
    const refused = made.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(1);
    expect([409, 429]).toContain(refused[0]?.status);
    expect((await ada.ask('GET', OWN_KEYS)).body.keys).toHaveLength(20);
    service.clock.advance(3_601);
    expect(refusal(await ada.ask('POST', OWN_KEYS, { name: 'Robot', permissions: ['platform'] }))).toEqual([
      409,
      'There are 20 keys. Please delete one first.',
    ]);
    const [{ key_id }] = (await ada.ask('GET', OWN_KEYS)).body.keys;
    await ada.ask('DELETE', `${OWN_KEYS}/${key_id}`);
    expect((await ada.ask('POST', OWN_KEYS, { name: 'Robot', permissions: ['platform'] })).status).toBe(201);
  });
});

describe('a key', () => {
  test('changes in the fields that are named', async () => {
    const ada = await service.newPerson();
    const { key, key_id, record } = await service.newKey(ada, { networks: ['198.51.100.0/24'] });
    const changes = { name: 'Other', permissions: ['edit profile', 'view profile'], networks: [] };
    const events = await eventsOf(service, async () => {
      const answer = await ada.ask('PATCH', `${OWN_KEYS}/${key_id}`, changes);
      expect(outcome(answer)).toEqual({ status: 200, body: { ...record, ...changes } });
    });
    expect(events).toMatchObject([
      {
        action: 'key.update',
        target: { key_id },
        before: { name: 'Robot', permissions: ['view profile'], networks: ['198.51.100.0/24'] },
        after: changes,
      },
    ]);
    const renamed = await service.callGateway(key, 'PATCH', '/api/v1/users/me', { name: 'Grace' });
    expect([renamed.status, renamed.body.name]).toEqual([200, 'Grace']);
  });

  test('is named by the audit events of its calls', async () => {
    const ada = await service.newPerson();
    const { key, key_id } = await service.newKey(ada, { permissions: ['edit profile'] });
    const events = await eventsOf(service, () =>
      service.call(key, 'PATCH', '/api/v1/users/me', { name: 'Grace' }),
    );
    expect(events).toMatchObject([{ action: 'profile.update', user_id: ada.user_id, key_id }]);
    const [shown] = (await ada.ask('GET', '/api/v1/users/me/audit?action=profile.update')).body.data;
    expect(shown.actor).toEqual({ user_id: ada.user_id, email: ada.email.toLowerCase(), key_id });
  });

  test('notes its last use to the hour', async () => {
    const ada = await service.newPerson();
    const { key, key_id } = await service.newKey(ada);
    const hour = () => new Date(service.clock.now() - (service.clock.now() % 3_600_000)).toISOString();
    const lastUse = async () => (await ada.ask('GET', `${OWN_KEYS}/${key_id}`)).body.last_used_at;
    await service.call(key, 'GET', '/api/v1/users/me');
    expect(await lastUse()).toBe(hour());
    service.clock.advance(3_600);
    await service.callGateway(key, 'GET', '/api/v1/users/me');
    expect(await lastUse()).toBe(hour());
  });

  test('of somebody else is unknown', async () => {
    const [ada, bob] = [await service.newPerson(), await service.newPerson()];
    const { key_id, record } = await service.newKey(ada);
    const path = `${OWN_KEYS}/${key_id}`;
    const missing = [404, 'Not found'];
    expect(refusal(await bob.ask('GET', path))).toEqual(missing);
    expect(refusal(await bob.ask('PATCH', path, { name: 'Mine' }))).toEqual(missing);
    expect(refusal(await bob.ask('POST', `${path}/rotate`, { overlap_days: 0 }))).toEqual(missing);
    expect(refusal(await bob.ask('DELETE', path))).toEqual(missing);
    expect((await ada.ask('GET', path)).body).toEqual(record);
  });

  test('rotates once when two calls rotate it at once', async () => {
    const ada = await service.newPerson();
    const { key, key_id } = await service.newKey(ada);
    const rotations = await Promise.all(
      [1, 2].map(() => ada.ask('POST', `${OWN_KEYS}/${key_id}/rotate`, { overlap_days: 1 })),
    );
    for (const { status } of rotations) expect([200, 409]).toContain(status);
    const current = await service.db.machineKeys.findOne({ _id: key_id });
    const working = rotations.filter(({ status }) => status === 200).length;
    expect(working).toBeGreaterThan(0);
    // Only when the calls came one after the other did the second end the overlap of the first.
    const first = await service.call(key, 'GET', '/api/v1/users/me');
    expect(first.status).toBe(working === 1 ? 200 : 401);
    expect(current?.previous).toBeDefined();
  });

  test.each([-1, 8, 1.5, '1', null])('does not overlap for %s days', async (overlap_days) => {
    const ada = await service.newPerson();
    const { key, key_id } = await service.newKey(ada);
    const answer = await ada.ask('POST', `${OWN_KEYS}/${key_id}/rotate`, { overlap_days });
    expect(answer.body.error.details).toBe('overlap_days must be an integer from 0 to 7');
    expect((await service.call(key, 'GET', '/api/v1/users/me')).status).toBe(200);
  });

  test('spends the budget of its owner at the gateway, and is part of their own data', async () => {
    const ada = await service.newPerson();
    const { record } = await service.newKey(ada);
    const { body } = await ada.ask('GET', '/api/v1/users/me/data');
    expect(body.keys).toEqual([record]);
  });
});
