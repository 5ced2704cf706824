import { beforeEach, describe, expect, test } from 'vitest';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { type Person, SECRET } from '../webhook-service.ts';
import { receiver, service, withWebhooks } from '../with-webhooks.ts';

type Place = { organization_id: string; department_id: string };

/** Owner of the organization. */
let olga: Person;
/** Members of the department Support. */
let adam: Person;
let erin: Person;
/** Admin of another department, and of another organization. */
let sally: Person;
let stranger: Person;
let support: Place;
let sales: Place;
withWebhooks();
beforeEach(async () => {
  [olga, adam, erin, sally, stranger] = (await Promise.all([1, 2, 3, 4, 5].map(() => service.person()))) as [
    Person,
    Person,
    Person,
    Person,
    Person,
  ];
  [support, sales] = (await service.organization(olga, 'Support', 'Sales')) as [Place, Place];
  await service.join(adam, support, 'Admin');
  await service.join(erin, support, 'Editor');
  await service.join(sally, sales, 'Admin');
  receiver.received.length = 0;
});

const configure = (person: Person, fields: object) =>
  person.call('POST', '/configure', {
    url: receiver.url,
    events: ['conversation.started'],
    secret: SECRET,
    ...fields,
  });
const organization = () => ({ organization_id: support.organization_id });
const listed = async (person: Person, query = '') => {
  const { body } = await person.call('GET', query);
  expect(body.pagination.total_items).toBe(body.data.length);
  return body.data.map((webhook: { webhook_id: string }) => webhook.webhook_id).sort();
};

describe('registration', () => {
  test('a webhook of a department belongs to the department', async () => {
    const { status, body } = await configure(adam, {
      ...support,
      name: ' Helpdesk ',
      chatbot_ids: ['bot-1'],
    });
    expect({ status, body }).toStrictEqual({
      status: 201,
      body: { webhook_id: expect.any(String), status: 'active', created_at: expect.any(String) },
    });
    const { body: record } = await olga.call('GET', `/${body.webhook_id}`);
    const { body: health } = await olga.call('GET', `/${body.webhook_id}/health`);
    const detailed = `/${body.webhook_id}?include=details`;
    expect((await olga.call('GET', detailed)).body).toStrictEqual({
      ...record,
      details: { organization_name: expect.any(String), department_name: 'Support', health },
    });
    expect((await erin.call('GET', detailed)).status).toBe(404);
    expect((await olga.call('GET', `/${body.webhook_id}?include=all`)).status).toBe(400);
    expect(record).toMatchObject({
      owner_id: null,
      created_by: adam.user_id,
      ...support,
      name: 'Helpdesk',
      description: null,
      chatbot_ids: ['bot-1'],
    });
  });

  test('a department is enough; its organization follows', async () => {
    const { body } = await configure(adam, { department_id: support.department_id });
    expect((await adam.call('GET', `/${body.webhook_id}`)).body).toMatchObject(support);
  });

  test('a webhook of an organization belongs to the organization', async () => {
    const { body } = await configure(olga, organization());
    expect((await olga.call('GET', `/${body.webhook_id}`)).body).toMatchObject({
      owner_id: null,
      ...organization(),
      department_id: null,
      created_by: olga.user_id,
    });
  });

  test('is only for Owners and Admins of the tenant', async () => {
    const refused = async (person: Person, fields: object) => (await configure(person, fields)).status;
    expect(await refused(adam, organization())).toBe(403);
    expect(await refused(erin, support)).toBe(403);
    expect(await refused(erin, organization())).toBe(403);
    expect(await refused(sally, support)).toBe(404);
    expect(await refused(stranger, support)).toBe(404);
    expect(await refused(stranger, organization())).toBe(404);
    expect(await refused(adam, { ...support, organization_id: 'another' })).toBe(404);
    expect(await refused(olga, { ...organization(), department_id: 'unknown' })).toBe(404);
    expect(await service.db.webhooks.countDocuments(organization())).toBe(0);
    await service.join(stranger, support, 'Owner');
    expect(await refused(stranger, support)).toBe(201);
    expect(await refused(stranger, organization())).toBe(403);
  });

  test('enforces the limit for each tenant, also under concurrent calls', async () => {
    for (const [person, place, text] of [
      [adam, support, 'A department on the Free plan has at most 20 webhooks'],
      [olga, organization(), 'An organization on the Free plan has at most 20 webhooks'],
    ] as const) {
      const answers = await Promise.all(Array.from({ length: 25 }, () => configure(person, place)));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
      const answer = await configure(person, place);
      expect(outcome(answer)).toStrictEqual(service.failure(answer, 403, 'FORBIDDEN', 'Forbidden', text));
    }
    expect((await configure(sally, sales)).status).toBe(201);
    expect((await configure(adam, {})).status).toBe(201);
  });

  test.each([
    [{ name: '' }, 'name must be a single line of 1 to 200 characters'],
    [{ name: 7 }, 'name must be a string'],
    [{ description: 'x'.repeat(1_001) }, 'description must be a single line of 1 to 1000 characters'],
    [{ chatbot_ids: 'bot-1' }, 'chatbot_ids must be an array of chatbot ids'],
    [{ chatbot_ids: [''] }, 'chatbot_ids.0 must be a single line of 1 to 200 characters'],
    [{ chatbot_ids: Array(101).fill('bot') }, 'chatbot_ids must contain at most 100 chatbots'],
    [{ organization_id: null }, 'organization_id must be a string'],
  ])('returns 400 for %j', async (fields, details) => {
    const answer = await configure(adam, fields);
    expect(outcome(answer)).toStrictEqual(
      service.failure(answer, 400, 'INVALID_FORMAT', 'The request is malformed', details),
    );
  });
});

describe('a shared webhook', () => {
  let webhook_id: string;
  beforeEach(async () => {
    webhook_id = (await configure(adam, support)).body.webhook_id;
  });

  const OPERATIONS: [method: string, path: string, body?: object][] = [
    ['GET', ''],
    ['PATCH', '', { name: 'Other' }],
    ['POST', '/rotate-secret', {}],
    ['POST', '/test'],
    ['GET', '/deliveries'],
    ['POST', '/replay', { since: '2026-01-15T00:00:00Z' }],
    ['DELETE', ''],
  ];

  test('is managed by the Admins of its department and the Owners of its organization', async () => {
    for (const person of [adam, olga])
      for (const [method, path, body] of OPERATIONS.slice(0, -1))
        expect((await person.call(method, `/${webhook_id}${path}`, body)).status).toBe(200);
    expect((await olga.call('DELETE', `/${webhook_id}`)).status).toBe(200);
  });

  test.each(OPERATIONS)('%s …%s returns 404 to others', async (method, path, body) => {
    for (const person of [erin, sally, stranger])
      expect((await person.call(method, `/${webhook_id}${path}`, body)).status).toBe(404);
    expect(await service.stored(webhook_id)).toMatchObject({ name: null });
  });

  test('remains when its creator loses the role, and with it the access', async () => {
    await service.db.memberships.updateOne({ user_id: adam.user_id }, { $set: { role: 'Viewer' } });
    expect((await adam.call('GET', `/${webhook_id}`)).status).toBe(404);
    await service.db.memberships.deleteMany({ user_id: adam.user_id });
    expect((await adam.call('DELETE', `/${webhook_id}`)).status).toBe(404);
    expect(await listed(adam)).toEqual([]);
    await service.db.users.deleteOne({ user_id: adam.user_id });
    expect((await olga.call('GET', `/${webhook_id}`)).body).toMatchObject({ created_by: adam.user_id });
  });

  test('is listed for its managers, also by tenant', async () => {
    const own = await adam.configure({ url: receiver.url });
    const whole = (await configure(olga, organization())).body.webhook_id;
    const other = (await configure(sally, sales)).body.webhook_id;
    expect(await listed(adam)).toEqual([webhook_id, own].sort());
    expect(await listed(olga)).toEqual([webhook_id, whole, other].sort());
    expect(await listed(sally)).toEqual([other]);
    expect(await listed(erin)).toEqual([]);
    expect(await listed(olga, `?organization_id=${support.organization_id}`)).toEqual(
      [webhook_id, whole, other].sort(),
    );
    expect(await listed(olga, `?department_id=${support.department_id}`)).toEqual([webhook_id]);
    expect(await listed(adam, `?organization_id=${support.organization_id}`)).toEqual([webhook_id]);
    expect(await listed(adam, `?department_id=${sales.department_id}`)).toEqual([]);
  });

  test.each(['department', 'organization'] as const)(
    'can only be read while its %s is archived',
    async (what) => {
      const archived = { $set: { archived_at: '2026-01-15T09:30:00.000Z' } };
      if (what === 'department') await service.db.departments.updateOne(support, archived);
      else await service.db.organizations.updateOne(organization(), archived);
      for (const [method, path, body] of OPERATIONS) {
        const answer = await adam.call(method, `/${webhook_id}${path}`, body);
        if (method === 'GET') expect(answer.status).toBe(200);
        else
          expect(outcome(answer)).toStrictEqual(
            service.failure(answer, 403, 'FORBIDDEN', 'Forbidden', `The ${what} is archived`),
          );
      }
      expect((await configure(adam, support)).status).toBe(403);
      expect((await configure(olga, organization())).status).toBe(what === 'department' ? 201 : 403);
      expect(await listed(adam)).toEqual([webhook_id]);
    },
  );

  test('does not change its tenant', async () => {
    await olga.call('PATCH', `/${webhook_id}`, { ...sales, owner_id: olga.user_id, name: 'Mine' });
    expect(await service.stored(webhook_id)).toMatchObject({ ...support, owner_id: null, name: 'Mine' });
  });

  test('is audited in its tenant', async () => {
    const { clock } = service;
    const { email } = (await service.db.users.findOne({ user_id: olga.user_id })) ?? {};
    const events = await eventsOf(service, async () => {
      await olga.call('POST', `/${webhook_id}/rotate-secret`, {});
    });
    expect(events).toEqual([
      auditEvent(clock.now(), {
        action: 'webhook.rotate',
        user_id: olga.user_id,
        email: String(email).toLowerCase(),
        target: { webhook_id },
        ...support,
      }),
    ]);
  });
});
