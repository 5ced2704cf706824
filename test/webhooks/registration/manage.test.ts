import { beforeEach, describe, expect, test } from 'vitest';
import { EVENTS } from '../../../packages/webhooks/events.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { holdResponses, startReceiver, status } from '../../fixtures/receiver.ts';
import { conversation, DATA } from '../event-samples.ts';
import { type Person, SECRET } from '../webhook-service.ts';
import { ada, receiver, service, withAda, withWebhooks } from '../with-webhooks.ts';

let bob: Person;
withWebhooks();
withAda();
beforeEach(async () => {
  bob = await service.person();
});

const at = () => new Date(service.clock.now()).toISOString();
const record = (webhook_id: string, fields: object = {}) => ({
  webhook_id,
  owner_id: ada.user_id,
  organization_id: null,
  department_id: null,
  created_by: ada.user_id,
  name: null,
  description: null,
  url: receiver.url,
  events: ['conversation.started'],
  chatbot_ids: [],
  headers: {},
  status: 'active',
  created_at: at(),
  updated_at: at(),
  previous_secret_until: null,
  health: {
    last_success_at: null,
    last_failure_at: null,
    consecutive_failures: 0,
    disabled_reason: null,
    disabled_at: null,
  },
  ...fields,
});

describe("another account's webhook", () => {
  test.each([
    ['GET', '', undefined],
    ['PATCH', '', { status: 'paused' }],
    ['DELETE', '', undefined],
    ['POST', '/rotate-secret', {}],
    ['POST', '/test', undefined],
    ['GET', '/deliveries', undefined],
    ['GET', '/deliveries/x', undefined],
    ['POST', '/replay', { since: '2026-01-15T00:00:00Z' }],
    ['POST', '/deliveries/x/replay', undefined],
  ])('%s …%s is 404, like an unknown one, and changes nothing', async (method, path, body) => {
    const webhook_id = await ada.configure({ url: receiver.url });
    const before = await service.stored(webhook_id);
    for (const id of [webhook_id, '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21', '__proto__', '%7B%22$ne%22:1%7D']) {
      const answer = await bob.call(method, `/${id}${path}`, body);
      expect(outcome(answer)).toStrictEqual(service.failure(answer, 404, 'RESOURCE_NOT_FOUND', 'Not found'));
    }
    expect(await service.stored(webhook_id)).toEqual(before);
    expect(receiver.received).toEqual([]);
  });

  test('is not listed', async () => {
    await ada.configure({ url: receiver.url });
    const { body } = await bob.call('GET');
    expect(body).toStrictEqual({
      data: [],
      pagination: { page: 1, limit: 20, total_items: 0, total_pages: 0, has_next: false, has_prev: false },
    });
  });
});

describe('list and get', () => {
  test('show everything but the secret', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    expect(outcome(await ada.call('GET', `/${webhook_id}`))).toStrictEqual({
      status: 200,
      body: record(webhook_id),
    });
    expect(outcome(await ada.call('GET'))).toStrictEqual({
      status: 200,
      body: {
        data: [record(webhook_id)],
        pagination: { page: 1, limit: 20, total_items: 1, total_pages: 1, has_next: false, has_prev: false },
      },
    });
  });

  test('filter, sort and search', async () => {
    const [one, two] = [
      await ada.configure({ url: `${receiver.url}/one` }),
      await ada.configure({ url: `${receiver.url}/two` }),
    ];
    await ada.call('PATCH', `/${two}`, { status: 'paused' });
    const ids = async (query: string) =>
      (await ada.call('GET', `?${query}`)).body.data.map(
        (webhook: { webhook_id: string }) => webhook.webhook_id,
      );
    expect(await ids('sort_by=url&order=asc')).toEqual([one, two]);
    expect(await ids('status=paused')).toEqual([two]);
    expect(await ids('search=/ONE')).toEqual([one]);
    expect((await ada.call('GET', '?secret=x')).status).toBe(400);
  });
});

describe('PATCH', () => {
  test('changes the given fields and nothing else', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    service.clock.advance(60);
    const before = (await ada.call('GET', `/${webhook_id}`)).body;
    const changes = { url: `${receiver.url}/new`, events: ['payment.failed', 'payment.failed'] };
    const changed = { ...before, url: changes.url, events: ['payment.failed'], updated_at: at() };
    const answer = await ada.call('PATCH', `/${webhook_id}`, {
      ...changes,
      secret: 'ignored here: rotate-secret changes it',
      owner_id: bob.user_id,
    });
    expect(outcome(answer)).toStrictEqual({ status: 200, body: changed });
    expect((await service.stored(webhook_id))?.owner_id).toBe(ada.user_id);
  });

  test.each([
    [{}, 'body must contain url, events, status, name, description, chatbot_ids or headers'],
    [{ status: 'disabled' }, 'status must be one of active, paused'],
    [{ url: 'ftp://x' }, 'url must be a URL that begins with https://'],
    [{ events: [] }, 'events must contain at least one event'],
  ])('returns 400 and changes nothing for %j', async (changes, details) => {
    const webhook_id = await ada.configure({ url: receiver.url });
    const answer = await ada.call('PATCH', `/${webhook_id}`, changes);
    expect(outcome(answer)).toStrictEqual(
      service.failure(answer, 400, 'INVALID_FORMAT', 'The request is malformed', details),
    );
    expect((await ada.call('GET', `/${webhook_id}`)).body).toStrictEqual(record(webhook_id));
  });

  test('deliveries of a paused webhook wait until it is active', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    await ada.call('PATCH', `/${webhook_id}`, { status: 'paused' });
    const event = conversation(ada.user_id);
    await service.publish(event);
    await service.settled(webhook_id, 'pending');
    expect(receiver.received).toEqual([]);
    await ada.call('PATCH', `/${webhook_id}`, { status: 'active' });
    await service.settled(webhook_id, 'delivered');
    expect(receiver.ids()).toEqual([event.id]);
  });

  test('pausing stops a long queue after the attempts in flight', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    const held = holdResponses();
    receiver.answers = [held.answer];
    await service.publish(Array.from({ length: 100 }, () => conversation(ada.user_id)));
    await eventually(() => expect(held.count).toBe(1));
    held.release();
    await eventually(() => expect(held.count).toBe(2));
    await ada.call('PATCH', `/${webhook_id}`, { status: 'paused' });
    held.release();
    await service.settled(webhook_id, 'delivered', 'pending');
    expect(receiver.received).toHaveLength(3);
    await ada.call('DELETE', `/${webhook_id}`);
  });

  test('pending deliveries of an event that is no longer subscribed become failed without an attempt', async () => {
    const events = ['conversation.started', 'payment.failed'];
    const webhook_id = await ada.configure({ url: receiver.url, events });
    const held = holdResponses();
    receiver.answers = [held.answer];
    const sample = { event: 'payment.failed' as const, data: DATA['payment.failed'] };
    const started = Array.from({ length: 30 }, () => conversation(ada.user_id));
    const failed = Array.from({ length: 3 }, () => conversation(ada.user_id, sample));
    await service.publish([...started, ...failed]);
    await eventually(() => expect(held.count).toBe(1));
    await ada.call('PATCH', `/${webhook_id}`, { events: ['payment.failed'] });
    receiver.answers = [];
    held.release();
    const deliveries = await service.settled(webhook_id, 'delivered', 'failed');
    const sent = [started[0], ...failed].map((event) => event?.id);
    expect(receiver.ids().toSorted()).toEqual(sent.toSorted());
    const dropped = deliveries.filter(({ event_id }) => !sent.includes(event_id));
    expect(new Set(dropped.map(({ status, attempt_count }) => `${status} ${attempt_count}`))).toEqual(
      new Set(['failed 0']),
    );
  });

  test('a new URL applies to events published after it', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    const other = await startReceiver();
    await service.publish(conversation(ada.user_id));
    await eventually(() => expect(receiver.received).toHaveLength(1));
    await ada.call('PATCH', `/${webhook_id}`, { url: other.url });
    await service.publish(conversation(ada.user_id));
    await service.settled(webhook_id, 'delivered');
    expect([receiver.received.length, other.received.length]).toEqual([1, 1]);
    await other.stop();
  });

  test('ends a pause that the receiver asked for', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    receiver.answers = [status(429, { 'retry-after': '3600' }), status(200)];
    await service.publish([conversation(ada.user_id), conversation(ada.user_id)]);
    await eventually(async () => expect((await service.stored(webhook_id))?.held_until).not.toBeNull());
    await ada.call('PATCH', `/${webhook_id}`, { status: 'active' });
    await eventually(() => expect(receiver.received).toHaveLength(2));
  });
});

describe('DELETE', () => {
  test('stops a long queue after the attempts in flight', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    const held = holdResponses();
    receiver.answers = [held.answer];
    await service.publish(Array.from({ length: 100 }, () => conversation(ada.user_id)));
    for (const count of [1, 2, 8]) {
      await eventually(() => expect(held.count).toBe(count));
      if (count < 8) held.release();
    }
    expect((await ada.call('DELETE', `/${webhook_id}`)).status).toBe(200);
    receiver.answers = [];
    held.release();
    // A later event arrives, and nothing of the deleted webhook with it.
    const next = await ada.configure({ url: receiver.url });
    await service.publish(conversation(ada.user_id));
    await service.settled(next, 'delivered');
    expect(receiver.received).toHaveLength(1 + 2 + 8 + 1);
  });

  test('deletes the webhook and its deliveries', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    receiver.answers = [status(500)];
    await service.publish([conversation(ada.user_id), conversation(ada.user_id)]);
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(0));
    const answers = await Promise.all([1, 2, 3].map(() => ada.call('DELETE', `/${webhook_id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect(answers.find(({ status }) => status === 200)?.body).toStrictEqual({ message: 'Webhook deleted' });
    await eventually(async () =>
      expect(await service.db.webhookDeliveries.countDocuments({ webhook_id })).toBe(0),
    );
  });
});

describe('POST …/test', () => {
  test('sends a signed event and returns the outcome', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    await ada.call('PATCH', `/${webhook_id}`, { status: 'paused' });
    const answer = await ada.call('POST', `/${webhook_id}/test`);
    expect(outcome(answer)).toStrictEqual({
      status: 200,
      body: {
        event_id: expect.stringMatching(/^test_[0-9a-f-]{36}$/),
        delivered: true,
        at: at(),
        duration_ms: expect.any(Number),
        status: 200,
        error: null,
        answer: '{"ok":true}',
        request_headers: {
          'content-type': 'application/json',
          'user-agent': 'Gatehouse-Webhooks/1',
          'webhook-id': answer.body.event_id,
          'webhook-timestamp': String(service.clock.seconds()),
          'webhook-signature': receiver.received[0]?.headers['webhook-signature'],
          'x-service-signature': receiver.received[0]?.headers['x-service-signature'],
        },
      },
    });
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
    expect(JSON.parse(body)).toStrictEqual({ event: 'webhook.test', timestamp: at(), data: { webhook_id } });
    expect(headers['webhook-id']).toBe(answer.body.event_id);
    expect(headers['x-service-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
    expect(await service.db.webhookDeliveries.countDocuments({ webhook_id })).toBe(0);
  });

  test.each(Object.entries(EVENTS))('sends the documented example of %s', async (event, { example }) => {
    const webhook_id = await ada.configure({ url: receiver.url });
    const answer = await ada.call('POST', `/${webhook_id}/test`, { event });
    expect(answer.body).toMatchObject({ event_id: expect.stringMatching(/^test_/), delivered: true });
    const [{ body }] = receiver.received as [(typeof receiver.received)[0]];
    expect(JSON.parse(body)).toStrictEqual({ event, timestamp: at(), data: example });
    expect(await service.db.webhookDeliveries.countDocuments({ webhook_id })).toBe(0);
  });

  test.each([{ event: 'unknown.event' }, { event: null }, 'x'])('returns 400 for %j', async (body) => {
    const webhook_id = await ada.configure({ url: receiver.url });
    expect((await ada.call('POST', `/${webhook_id}/test`, body)).status).toBe(400);
    expect(receiver.received).toEqual([]);
  });

  test('reports no error after a 2xx whose body breaks off', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    receiver.answers = [
      (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('received', () => response.destroy());
      },
    ];
    const { body } = await ada.call('POST', `/${webhook_id}/test`);
    expect(body).toMatchObject({ delivered: true, status: 200, error: null, answer: 'received' });
  });

  test('returns a failure, which does not change the webhook', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    receiver.answers = [status(410)];
    const { body } = await ada.call('POST', `/${webhook_id}/test`);
    expect(body).toMatchObject({ delivered: false, status: 410, answer: 'status 410' });
    expect((await service.stored(webhook_id))?.status).toBe('active');
  });

  test('returns a refused connection', async () => {
    const gone = await startReceiver();
    const webhook_id = await ada.configure({ url: gone.url });
    await gone.stop();
    const { body } = await ada.call('POST', `/${webhook_id}/test`);
    expect(body).toMatchObject({ delivered: false, status: null, error: 'the connection was refused' });
  });
});

describe('POST …/rotate-secret', () => {
  const rotate = (webhook_id: string, body?: object) =>
    ada.call('POST', `/${webhook_id}/rotate-secret`, body);
  const tomorrow = () => new Date(service.clock.now() + 86_400_000).toISOString();

  test('generates a secret and shows it once', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    const answer = await rotate(webhook_id);
    expect(outcome(answer)).toStrictEqual({
      status: 200,
      body: {
        webhook_id,
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
        previous_secret_until: tomorrow(),
      },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect((await ada.call('GET', `/${webhook_id}`)).body).toStrictEqual(
      record(webhook_id, { previous_secret_until: tomorrow() }),
    );
    expect(JSON.stringify(await service.stored(webhook_id))).not.toContain(answer.body.secret.slice(6));
  });

  test('accepts a secret without returning it; giving it again changes nothing', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    const body = { webhook_id, previous_secret_until: tomorrow() };
    const secret = 'another secret';
    expect(outcome(await rotate(webhook_id, { secret }))).toStrictEqual({ status: 200, body });
    service.clock.advance(60);
    expect(outcome(await rotate(webhook_id, { secret }))).toStrictEqual({ status: 200, body });
    expect((await service.stored(webhook_id))?.previous_secrets).toHaveLength(1);
  });

  test('concurrent rotations are all kept, and the last five secrets sign', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    const answers = await Promise.all(Array.from({ length: 6 }, () => rotate(webhook_id)));
    expect(new Set(answers.map(({ body }) => body.secret)).size).toBe(6);
    expect((await service.stored(webhook_id))?.previous_secrets).toHaveLength(4);
    await ada.call('POST', `/${webhook_id}/test`);
    expect(String(receiver.received[0]?.headers['webhook-signature']).split(' ')).toHaveLength(5);
  });

  test.each([{ secret: 'short' }, { secret: 7 }, { secret: null }])('returns 400 for %j', async (body) => {
    const webhook_id = await ada.configure({ url: receiver.url, secret: SECRET });
    const before = await service.stored(webhook_id);
    expect((await rotate(webhook_id, body)).status).toBe(400);
    expect(await service.stored(webhook_id)).toEqual(before);
  });
});
