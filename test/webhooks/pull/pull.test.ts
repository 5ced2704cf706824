import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { send } from '../../fixtures/http.ts';
import { conversation } from '../event-samples.ts';
import {
  INTERNAL_API_KEY,
  type Person,
  startWebhookService,
  type WebhookService,
} from '../webhook-service.ts';

type Place = { organization_id: string; department_id: string };

let service: WebhookService;
let ada: Person;
let adam: Person;
let erin: Person;
let stranger: Person;
let support: Place;
let sales: Place;
let other: Place;
beforeAll(async () => {
  service = await startWebhookService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  [ada, adam, erin, stranger] = (await Promise.all([1, 2, 3, 4].map(() => service.person()))) as [
    Person,
    Person,
    Person,
    Person,
  ];
  [support, sales] = (await service.organization(ada, 'Support', 'Sales')) as [Place, Place];
  [other] = (await service.organization(ada, 'Support')) as [Place];
  await service.join(adam, support, 'Admin');
  await service.join(erin, support, 'Viewer');
});

const pull = (person: Person, query: Record<string, string | number> = {}) =>
  person.events(
    `?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`,
  );
const ids = async (person: Person, query: Record<string, string | number> = {}) => {
  const { status, body } = await pull(person, query);
  expect(status).toBe(200);
  return body.data.map(({ id }: { id: string }) => id);
};
const publish = async (...events: { id: string }[]) => {
  expect((await service.publish(events)).status).toBe(200);
  return events.map(({ id }) => id);
};

describe('GET /api/v1/events', () => {
  test("lists the caller's events with or without a webhook, in order", async () => {
    const events = [1, 2, 3].map(() => conversation(ada.user_id));
    await publish(...events, conversation(stranger.user_id));
    const answer = await pull(ada);
    expect(outcome(answer)).toStrictEqual({
      status: 200,
      body: {
        data: events.map(({ id, event, timestamp, data }) => ({
          id,
          event,
          timestamp,
          data,
          department_id: null,
        })),
        next_after: expect.stringMatching(/^\d+$/),
        has_more: false,
      },
    });
  });

  test('continues after a cursor, page by page', async () => {
    const published = await publish(...[1, 2, 3, 4, 5].map(() => conversation(ada.user_id)));
    const seen: string[] = [];
    let after: string | undefined;
    for (let more = true; more; ) {
      const { body } = await pull(ada, { limit: 2, ...(after && { after }) });
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      ({ next_after: after, has_more: more } = body);
    }
    expect(seen).toEqual(published);
    expect((await pull(ada, { after: after ?? '' })).body).toStrictEqual({
      data: [],
      next_after: after,
      has_more: false,
    });
    const next = await publish(conversation(ada.user_id));
    expect(await ids(ada, { after: after ?? '' })).toEqual(next);
  });

  test('is empty without a cursor if there is no event yet', async () => {
    expect((await pull(ada)).body).toStrictEqual({ data: [], next_after: null, has_more: false });
  });

  test('lists the events of a department, and of an organization with all of its departments', async () => {
    const [inSupport, inSales, whole, elsewhere] = await publish(
      conversation(stranger.user_id, support),
      conversation(stranger.user_id, sales),
      conversation(stranger.user_id, { organization_id: support.organization_id }),
      conversation(stranger.user_id, other),
      conversation(stranger.user_id),
    );
    const { organization_id, department_id } = support;
    expect(await ids(ada, { organization_id })).toEqual([inSupport, inSales, whole]);
    expect(await ids(ada, { department_id })).toEqual([inSupport]);
    expect(await ids(adam, support)).toEqual([inSupport]);
    expect(await ids(ada, { organization_id: other.organization_id })).toEqual([elsewhere]);
    expect(await ids(ada)).toEqual([]);
    const { body } = await pull(ada, { organization_id });
    expect(body.data.map((each: Place) => each.department_id)).toEqual([
      support.department_id,
      sales.department_id,
      null,
    ]);
  });

  test('is only for present Owners and Admins of the tenant', async () => {
    const { organization_id, department_id } = support;
    expect((await pull(adam, { organization_id })).status).toBe(403);
    expect((await pull(erin, { department_id })).status).toBe(403);
    expect((await pull(stranger, { department_id })).status).toBe(404);
    expect((await pull(stranger, { organization_id })).status).toBe(404);
    expect((await pull(adam, { department_id: sales.department_id })).status).toBe(404);
    expect((await pull(adam, { department_id, organization_id: other.organization_id })).status).toBe(404);
    await service.db.memberships.deleteMany({ user_id: adam.user_id });
    expect((await pull(adam, { department_id })).status).toBe(404);
  });

  test('is readable while the tenant is archived', async () => {
    const { department_id } = support;
    const published = await publish(conversation(stranger.user_id, support));
    const archived_at = '2026-01-15T09:30:00.000Z';
    await service.db.departments.updateOne({ department_id }, { $set: { archived_at } });
    expect(await ids(adam, { department_id })).toEqual(published);
  });

  test('hides the department from another organization of the account', async () => {
    await publish(conversation(stranger.user_id, support));
    const readers = other.organization_id;
    await service.db.events.updateOne({ department_id: support.department_id }, { $push: { readers } });
    const { body } = await pull(ada, { organization_id: other.organization_id });
    expect(body.data).toMatchObject([{ department_id: null }]);
  });

  test.each([
    [{ after: 'x' }, 'after must be a cursor that this list has returned'],
    [{ after: '-1' }, 'after must be a cursor that this list has returned'],
    [{ after: '999999999999999' }, 'after must be a cursor that this list has returned'],
    [{ limit: 501 }, 'limit must be an integer from 1 to 500'],
    [{ limit: 0 }, 'limit must be an integer from 1 to 500'],
    [{ before: 1 }, 'querystring holds an unknown parameter'],
  ])('returns 400 for %j', async (query, details) => {
    const answer = await pull(ada, query as Record<string, string>);
    expect(outcome(answer)).toStrictEqual(
      service.failure(answer, 400, 'INVALID_FORMAT', 'The request is malformed', details),
    );
  });

  test('needs a bearer', async () => {
    expect((await send(`${service.user}/api/v1/events`, {})).status).toBe(401);
  });
});

describe('GET /internal/events', () => {
  const pullAll = (query: string, key = INTERNAL_API_KEY) =>
    send(`${service.user}/internal/events${query}`, { headers: { authorization: `Bearer ${key}` } });

  test('lists everything with its audience', async () => {
    const before = (await pullAll('?limit=500')).body.next_after;
    const [one, two] = [conversation(ada.user_id), conversation(stranger.user_id, support)];
    await publish(one, two);
    const answer = await pullAll(before ? `?after=${before}` : '');
    const { id, event, timestamp, data } = two;
    expect(answer.body.data).toMatchObject([
      { id: one.id, owner_id: ada.user_id, organization_id: null, department_id: null },
      { id, event, timestamp, data, owner_id: stranger.user_id, ...support },
    ]);
  });

  test('needs the service key', async () => {
    expect((await pullAll('', 'wrong')).status).toBe(401);
    expect((await send(`${service.user}/internal/events`, {})).status).toBe(401);
  });
});
