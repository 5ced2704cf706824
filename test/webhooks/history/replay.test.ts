import { BSON } from 'mongodb';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Delivery } from '../../../packages/webhooks/delivery-records.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { type Receiver, status } from '../../fixtures/receiver.ts';
import { conversation, DATA } from '../event-samples.ts';
import { ada, receiver, service, withAda, withWebhooks } from '../with-webhooks.ts';

const DAY = 86_400;

let webhook_id: string;
withWebhooks();
withAda();
beforeEach(async () => {
  webhook_id = await ada.configure({ url: receiver.url });
});

const at = () => new Date(service.clock.now()).toISOString();
/** Publishes events one second apart and waits until they are delivered. */
async function delivered(count: number) {
  const events = Array.from({ length: count }, () => conversation(ada.user_id));
  for (const event of events) {
    await service.publish(event);
    service.clock.advance(1);
  }
  await service.settled(webhook_id, 'delivered');
  service.clock.advance(1);
  return events.map(({ id }) => id);
}
/** Marks deliveries as failed for good. */
const giveUp = (event_ids: string[]) =>
  service.db.webhookDeliveries.updateMany(
    { webhook_id, event_id: { $in: event_ids } },
    { $set: { status: 'failed' } },
  );

/** Stores copies of one delivered delivery, of a paused webhook, with other fields. */
async function copies(count: number, fields: Partial<Delivery>) {
  await delivered(1);
  const { webhookDeliveries } = service.db;
  const one = await webhookDeliveries.findOneAndDelete({ webhook_id });
  await ada.call('PATCH', `/${webhook_id}`, { status: 'paused' });
  const many = Array.from({ length: count }, (_, index) => {
    const _id = `${webhook_id}_${index}`;
    return { ...(one as Delivery), _id, delivery_id: _id, seq: index, status: 'failed' as const, ...fields };
  });
  await webhookDeliveries.insertMany(many);
}

describe('GET …/deliveries', () => {
  test('shows each delivery with its attempts', async () => {
    receiver.answers = [status(500), status(200)];
    const event = conversation(ada.user_id);
    const made = at();
    await service.publish(event);
    await service.settled(webhook_id, 'pending');
    const [waiting] = await ada.deliveries(webhook_id);
    const first = {
      at: made,
      duration_ms: expect.any(Number),
      status: 500,
      error: null,
      answer: 'status 500',
    };
    const delivery = {
      delivery_id: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      event_id: event.id,
      event: 'conversation.started',
      status: 'pending',
      created_at: made,
      next_attempt_at: expect.any(String),
      settled_at: null,
      attempt_count: 1,
      http_status: 500,
      attempts: [first],
    };
    expect(waiting).toStrictEqual(delivery);
    expect(Date.parse(waiting.next_attempt_at)).toBeLessThanOrEqual(Date.parse(made) + 5_000);
    service.clock.advance(5);
    await service.settled(webhook_id, 'delivered');
    expect(await ada.deliveries(webhook_id)).toStrictEqual([
      {
        ...delivery,
        status: 'delivered',
        next_attempt_at: null,
        settled_at: at(),
        attempt_count: 2,
        http_status: 200,
        attempts: [first, { ...first, at: at(), status: 200, answer: 'status 200' }],
      },
    ]);
  });

  test.each(['asc', 'desc'])(
    'lists events that were published together in their order: %s',
    async (order) => {
      await ada.call('PATCH', `/${webhook_id}`, { status: 'paused' });
      const events = Array.from({ length: 60 }, () => conversation(ada.user_id));
      await service.publish(events);
      const listed: string[] = [];
      for (const page of [1, 2, 3]) {
        const { body } = await ada.call(
          'GET',
          `/${webhook_id}/deliveries?order=${order}&limit=25&page=${page}`,
        );
        listed.push(...body.data.map(({ event_id }: { event_id: string }) => event_id));
      }
      const ids = events.map(({ id }) => id);
      expect(listed).toEqual(order === 'asc' ? ids : ids.toReversed());
    },
  );

  test('pages, filters and searches', async () => {
    const ids = await delivered(3);
    await giveUp(ids.slice(0, 1));
    const found = async (query: string) =>
      (await ada.deliveries(webhook_id, query)).map((delivery: { event_id: string }) => delivery.event_id);
    expect(await found('')).toEqual(ids);
    expect(await found('&limit=2&page=2')).toEqual(ids.slice(2));
    expect(await found('&status=failed')).toEqual(ids.slice(0, 1));
    expect(await found(`&search=${ids[1]?.toUpperCase()}`)).toEqual(ids.slice(1, 2));
    expect((await ada.call('GET', `/${webhook_id}/deliveries?sort_by=due`)).status).toBe(400);
  });

  test('filters by event, status, HTTP status and time', async () => {
    await ada.call('PATCH', `/${webhook_id}`, { events: ['conversation.started', 'chatbot.created'] });
    const from = at();
    receiver.answers = [status(503), status(500), status(200)];
    const chatbot = { id: 'bot-created', event: 'chatbot.created', data: DATA['chatbot.created'] };
    const events = [conversation(ada.user_id), conversation(ada.user_id, chatbot)];
    for (const event of events) {
      await service.publish(event);
      // The queue is also free before the worker claims it.
      await eventually(async () => {
        const stored = await service.settled(webhook_id, 'pending');
        expect(stored.map(({ attempt_count }) => attempt_count)).not.toContain(0);
      });
      service.clock.advance(0.001);
    }
    const [first, second] = events.map(({ id }) => id);
    const found = async (query: string) =>
      (await ada.deliveries(webhook_id, query)).map((delivery: { event_id: string }) => delivery.event_id);
    expect(await found('&event=chatbot.created')).toEqual([second]);
    expect(await found('&event=conversation.ended')).toEqual([]);
    expect(await found('&http_status=503')).toEqual([first]);
    expect(await found('&http_status=500&status=pending&event=chatbot.created')).toEqual([second]);
    expect(await found('&http_status=500&event=conversation.started')).toEqual([]);
    expect(await found(`&from=${from}`)).toEqual([first, second]);
    const second_at = (await ada.deliveries(webhook_id))[1].created_at;
    expect(await found(`&from=${from}&to=${second_at}`)).toEqual([first]);
    expect(await found(`&from=${second_at}&status=pending`)).toEqual([second]);
    await ada.call('DELETE', `/${webhook_id}`);
  });

  test('finds deliveries without a response', async () => {
    receiver.answers = [(response) => void response.destroy()];
    const event = conversation(ada.user_id);
    await service.publish(event);
    await service.settled(webhook_id, 'pending');
    const [found, ...others] = await ada.deliveries(webhook_id, '&http_status=none');
    expect(found).toMatchObject({ event_id: event.id, http_status: null });
    expect(others).toEqual([]);
    await ada.call('DELETE', `/${webhook_id}`);
  });

  test.each([
    ['http_status=600', 'http_status must be an HTTP status from 100 to 599, or none'],
    ['http_status=5xx', 'http_status must be an HTTP status from 100 to 599, or none'],
    ['from=yesterday', 'from must be an ISO 8601 date-time such as 2026-01-15T09:30:00Z'],
    ['status=lost', 'status must be one of pending, delivered, failed, cancelled'],
    ['until=2026-01-15T09:30:00Z', 'holds an unknown parameter'],
  ])('returns 400 for ?%s', async (query, details) => {
    const answer = await ada.call('GET', `/${webhook_id}/deliveries?${query}`);
    expect(outcome(answer)).toMatchObject({ status: 400, body: { error: { code: 'INVALID_FORMAT' } } });
    expect(answer.body.error.details).toContain(details);
  });

  test('counts up to a thousand deliveries and always tells whether there is a next page', async () => {
    await copies(1_050, {});
    const pagination = async (query: string) =>
      (await ada.call('GET', `/${webhook_id}/deliveries?${query}`)).body.pagination;
    expect(await pagination('limit=100')).toMatchObject({ total_items: 1_000, has_next: true });
    expect(await pagination('limit=100&page=10')).toMatchObject({ total_items: 1_001, has_next: true });
    expect(await pagination('limit=100&page=11')).toMatchObject({ total_items: 1_050, has_next: false });
    expect(await pagination('limit=100&status=failed&page=10')).toMatchObject({ has_next: true });
    await ada.call('DELETE', `/${webhook_id}`);
  });
});

describe('GET …/deliveries/{delivery_id}', () => {
  /** The headers of a request, without those of HTTP itself. */
  const sentTo = ({ headers }: Receiver['received'][number] = { headers: {} } as never) => {
    const { host: _, connection: __, 'content-length': ___, ...ours } = headers;
    return ours;
  };

  test('keeps 4 KiB of the latest three answers, and the beginning of older ones', async () => {
    const long = 'é'.repeat(3_000);
    receiver.answers = [(response) => void response.writeHead(500).end(long)];
    await service.publish(conversation(ada.user_id));
    const attempted = (count: number) =>
      eventually(async () => {
        const delivery = await service.db.webhookDeliveries.findOne({ webhook_id });
        expect(delivery?.attempt_count).toBe(count);
      });
    const [delivery] = await service.settled(webhook_id, 'pending');
    for (let count = 1; count < 22; count += 1) {
      await attempted(count);
      await ada.call('POST', `/${webhook_id}/deliveries/${delivery?.delivery_id}/replay`);
    }
    await attempted(22);
    const [listed] = await ada.deliveries(webhook_id);
    expect(new Set(listed.attempts.map(({ answer }: { answer: string }) => answer))).toStrictEqual(
      new Set(['é'.repeat(256)]),
    );
    const { body } = await ada.call('GET', `/${webhook_id}/deliveries/${listed.delivery_id}`);
    const lengths = body.attempts.map(({ answer }: { answer: string }) => Buffer.byteLength(answer));
    expect(lengths).toEqual([...Array(17).fill(512), 4_096, 4_096, 4_096]);
    const withHeaders = body.attempts.map(
      (attempt: { request_headers: unknown }) => attempt.request_headers !== null,
    );
    expect(withHeaders).toEqual([...Array(17).fill(false), true, true, true]);
    const stored = await service.db.webhookDeliveries.findOne({ webhook_id });
    expect(BSON.calculateObjectSize(stored as Delivery)).toBeLessThan(32 * 1_024);
    await ada.call('DELETE', `/${webhook_id}`);
  });

  test('returns the delivery as listed, and the exact text that was sent', async () => {
    receiver.answers = [status(500), status(200)];
    await service.publish(conversation(ada.user_id));
    await service.settled(webhook_id, 'pending');
    service.clock.advance(5);
    await service.settled(webhook_id, 'delivered');
    const [listed] = await ada.deliveries(webhook_id);
    const answer = await ada.call('GET', `/${webhook_id}/deliveries/${listed.delivery_id}`);
    const [first, second] = receiver.received;
    const attempts = listed.attempts.map((attempt: object, index: number) => ({
      ...attempt,
      request_headers: sentTo(receiver.received[index]),
    }));
    expect(outcome(answer)).toStrictEqual({
      status: 200,
      body: { ...listed, payload: first?.body, attempts },
    });
    expect(second?.body).toBe(first?.body);
    expect(answer.body.attempts).toMatchObject([{ answer: 'status 500' }, { answer: 'status 200' }]);
  });

  test('returns the headers of an older record, which are pairs', async () => {
    await delivered(1);
    const [{ delivery_id }] = await ada.deliveries(webhook_id);
    const older = { request_headers: [['webhook-id', 'older']] as [string, string][], answer: '' };
    await service.db.webhookDeliveries.updateOne({ webhook_id }, { $set: { exchanges: [older] } });
    const answer = await ada.call('GET', `/${webhook_id}/deliveries/${delivery_id}`);
    expect(answer.body.attempts[0].request_headers).toEqual({ 'webhook-id': 'older' });
  });

  test('masks the values of the headers that the webhook adds', async () => {
    await ada.call('PATCH', `/${webhook_id}`, { headers: { 'X.Api-Key': 'only the receiver knows' } });
    await delivered(1);
    expect(receiver.received[0]?.headers['x.api-key']).toBe('only the receiver knows');
    const [{ delivery_id }] = await ada.deliveries(webhook_id);
    const answer = await ada.call('GET', `/${webhook_id}/deliveries/${delivery_id}`);
    expect(answer.body.attempts[0].request_headers['X.Api-Key']).toBe('••••••••');
    const stored = await service.db.webhookDeliveries.findOne({ webhook_id });
    expect(JSON.stringify([answer.body, stored])).not.toContain('only the receiver knows');
  });

  test('returns the text of a delivery before it is sent', async () => {
    await ada.call('PATCH', `/${webhook_id}`, { status: 'paused' });
    const published = conversation(ada.user_id);
    await service.publish(published);
    const [{ delivery_id }] = await ada.deliveries(webhook_id);
    const { body } = await ada.call('GET', `/${webhook_id}/deliveries/${delivery_id}`);
    expect(body).toMatchObject({ status: 'pending', attempt_count: 0, attempts: [] });
    const { event, timestamp, data } = published;
    expect(body.payload).toBe(JSON.stringify({ event, timestamp, data }));
    expect(receiver.received).toEqual([]);
  });

  test("returns 404 for another webhook's delivery, another account's and an unknown one", async () => {
    await delivered(1);
    const [{ delivery_id }] = await ada.deliveries(webhook_id);
    const other = await ada.configure({ url: receiver.url });
    const bob = await service.person();
    for (const [caller, path] of [
      [ada, `/${other}/deliveries/${delivery_id}`],
      [ada, `/${webhook_id}/deliveries/5f1c3b52-0d6e-8a41-9f57-0d4e8a6b2c13`],
      [bob, `/${webhook_id}/deliveries/${delivery_id}`],
    ] as const) {
      const answer = await caller.call('GET', path);
      expect(outcome(answer)).toStrictEqual(service.failure(answer, 404, 'RESOURCE_NOT_FOUND', 'Not found'));
    }
  });
});

describe('POST …/deliveries/{delivery_id}/replay', () => {
  const replay = (delivery_id: string) => ada.call('POST', `/${webhook_id}/deliveries/${delivery_id}/replay`);

  test.each(['delivered', 'failed'])('sends a %s delivery again with the same bytes and id', async (was) => {
    const ids = await delivered(1);
    if (was === 'failed') await giveUp(ids);
    const [{ delivery_id }] = await ada.deliveries(webhook_id);
    const answer = await replay(delivery_id);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ delivery_id, status: 'pending', settled_at: null, attempt_count: 1 });
    await service.settled(webhook_id, 'delivered');
    const [first, again] = receiver.received;
    expect(receiver.ids()).toEqual([...ids, ...ids]);
    expect(again?.body).toBe(first?.body);
    expect((await ada.deliveries(webhook_id))[0]).toMatchObject({ status: 'delivered', attempt_count: 2 });
  });

  test('starts a new retry window and extends the expiry', async () => {
    await delivered(1);
    const [{ delivery_id }] = await ada.deliveries(webhook_id);
    service.clock.advance(27 * DAY);
    receiver.answers = [status(500)];
    await replay(delivery_id);
    await eventually(() => expect(receiver.received).toHaveLength(2));
    const [delivery] = await service.settled(webhook_id, 'pending');
    expect(delivery).toMatchObject({
      failures: 1,
      gives_up_at: new Date(service.clock.now() + 3 * DAY * 1000),
      expires_at: new Date(service.clock.now() + 30 * DAY * 1000),
    });
  });

  test('sends a pending delivery at once', async () => {
    receiver.answers = [status(500), status(200)];
    await service.publish(conversation(ada.user_id));
    await service.settled(webhook_id, 'pending');
    const [{ delivery_id }] = await ada.deliveries(webhook_id);
    await replay(delivery_id);
    await service.settled(webhook_id, 'delivered');
    expect(receiver.received).toHaveLength(2);
  });

  test('returns 403 if the webhook is no longer subscribed to the event', async () => {
    const [id] = await delivered(1);
    const [delivery] = await ada.deliveries(webhook_id);
    await ada.call('PATCH', `/${webhook_id}`, { events: ['payment.failed'] });
    const answer = await replay(delivery.delivery_id);
    const details = 'The webhook is not subscribed to conversation.started';
    expect(outcome(answer)).toStrictEqual(service.failure(answer, 403, 'FORBIDDEN', 'Forbidden', details));
    expect((await ada.deliveries(webhook_id))[0]).toEqual(delivery);
    await ada.call('PATCH', `/${webhook_id}`, { events: ['conversation.started'] });
    expect((await replay(delivery.delivery_id)).status).toBe(200);
    await service.settled(webhook_id, 'delivered');
    expect(receiver.ids().filter((sent) => sent === id)).toHaveLength(2);
  });

  test("returns 404 for another webhook's delivery", async () => {
    await delivered(1);
    const [{ delivery_id }] = await ada.deliveries(webhook_id);
    const other = await ada.configure({ url: receiver.url });
    const answer = await ada.call('POST', `/${other}/deliveries/${delivery_id}/replay`);
    expect(outcome(answer)).toStrictEqual(service.failure(answer, 404, 'RESOURCE_NOT_FOUND', 'Not found'));
  });
});

describe('POST …/replay', () => {
  test('sends deliveries that an interrupted call left pending without waking the queue', async () => {
    const [id] = await delivered(1);
    await service.db.webhookDeliveries.updateOne(
      { webhook_id },
      { $set: { status: 'pending', settled_at: null } },
    );
    const since = new Date(service.clock.now() - DAY * 1000).toISOString();
    const { body } = await ada.call('POST', `/${webhook_id}/replay`, { since, all: true });
    expect(body).toStrictEqual({ replayed: 0, next_since: null });
    await service.settled(webhook_id, 'delivered');
    expect(receiver.ids().filter((sent) => sent === id)).toHaveLength(2);
  });

  const replay = (body: unknown) => ada.call('POST', `/${webhook_id}/replay`, body);

  test('sends failed deliveries created since a time again, in the order of creation', async () => {
    const since = service.clock.now();
    const ids = await delivered(4);
    await giveUp([ids[0], ids[1], ids[3]] as string[]);
    receiver.received.length = 0;
    const answer = await replay({ since: new Date(since + 1_000).toISOString() });
    expect(outcome(answer)).toStrictEqual({ status: 200, body: { replayed: 2, next_since: null } });
    await eventually(() => expect(receiver.ids()).toEqual([ids[1], ids[3]]));
  });

  test('with `all`, sends delivered ones again too', async () => {
    const since = at();
    const ids = await delivered(3);
    await giveUp([ids[2]] as string[]);
    receiver.received.length = 0;
    expect((await replay({ since, all: true })).body).toStrictEqual({ replayed: 3, next_since: null });
    await service.settled(webhook_id, 'delivered');
    expect(receiver.ids().toSorted()).toEqual(ids.toSorted());
  });

  test('leaves out events that are no longer subscribed', async () => {
    const since = at();
    await delivered(2);
    await ada.call('PATCH', `/${webhook_id}`, { events: ['payment.failed'] });
    expect((await replay({ since, all: true })).body).toStrictEqual({ replayed: 0, next_since: null });
  });

  test('ten concurrent calls send each delivery once', async () => {
    const since = at();
    const ids = await delivered(20);
    receiver.received.length = 0;
    const answers = await Promise.all(Array.from({ length: 10 }, () => replay({ since, all: true })));
    expect(answers.reduce((sum, { body }) => sum + body.replayed, 0)).toBe(20);
    await service.settled(webhook_id, 'delivered');
    expect(receiver.ids().toSorted()).toEqual(ids.toSorted());
  });

  test('replays more than one page', async () => {
    const [id] = await delivered(1);
    const [one] = await service.db.webhookDeliveries.find({ webhook_id }).toArray();
    await ada.call('PATCH', `/${webhook_id}`, { status: 'paused' });
    const many = Array.from({ length: 1_500 }, (_, index) => {
      const _id = `${id}_${index}`;
      return { ...(one as NonNullable<typeof one>), _id, delivery_id: _id, status: 'failed' as const };
    });
    await service.db.webhookDeliveries.insertMany(many);
    expect((await replay({ since: '2026-01-01T00:00:00+01:00' })).body).toStrictEqual({
      replayed: 1_500,
      next_since: null,
    });
    expect(await service.db.webhookDeliveries.countDocuments({ webhook_id, status: 'pending' })).toBe(1_500);
    expect((await replay({ since: '2026-01-01T00:00:00+01:00' })).body).toStrictEqual({
      replayed: 0,
      next_since: null,
    });
    await ada.call('DELETE', `/${webhook_id}`);
  });

  test('narrows the choice by event, status, HTTP status and `until`', async () => {
    const since = at();
    await copies(6, {});
    const { webhookDeliveries } = service.db;
    const change = (index: number, fields: Partial<Delivery>) =>
      webhookDeliveries.updateOne({ _id: `${webhook_id}_${index}` }, { $set: fields });
    await change(0, { http_status: 503 });
    await change(1, { http_status: 0 });
    await change(2, { status: 'cancelled' });
    await change(3, { status: 'delivered' });
    await change(4, { created_at: new Date(service.clock.now()) });
    await change(5, { event: 'payment.failed' });
    const replayed = async (fields: object) => {
      const { body } = await replay({ since, ...fields });
      const pending = await webhookDeliveries.find({ webhook_id, status: 'pending' }).toArray();
      expect(body).toStrictEqual({ replayed: pending.length, next_since: null });
      const ids = pending.map(({ _id }) => Number(_id.split('_')[1]));
      await webhookDeliveries.updateMany(
        { webhook_id, status: 'pending' },
        { $set: { status: 'failed', settled_at: new Date(0) } },
      );
      return ids;
    };
    expect(await replayed({ http_status: 503 })).toEqual([0]);
    expect(await replayed({ http_status: 'none' })).toEqual([1]);
    expect(await replayed({ status: 'cancelled' })).toEqual([2]);
    expect(await replayed({ status: 'delivered', event: 'conversation.started' })).toEqual([3]);
    // Not of an event that the webhook is not subscribed to.
    expect(await replayed({ event: 'payment.failed' })).toEqual([]);
    expect(await replayed({ until: at() })).toEqual([0, 1, 2, 3]);
    expect(await replayed({ since: at() })).toEqual([4]);
    await ada.call('DELETE', `/${webhook_id}`);
  });

  const dateTime = 'since must be an ISO 8601 date-time such as 2026-01-15T09:30:00Z';
  test.each([
    [{}, 'MISSING_FIELD', 'since is required'],
    [{ since: 'yesterday' }, 'INVALID_FORMAT', dateTime],
    [{ since: 1_768_469_400 }, 'INVALID_FORMAT', dateTime],
    [{ since: '2026-01-15T00:00:00Z', all: 'yes' }, 'INVALID_FORMAT', 'all must be true or false'],
    [
      { since: '2026-01-15T00:00:00Z', all: true, status: 'failed' },
      'INVALID_FORMAT',
      'body must not contain both all and status',
    ],
    [
      { since: '2026-01-15T00:00:00Z', status: 'pending' },
      'INVALID_FORMAT',
      'status must be one of failed, delivered, cancelled',
    ],
    [
      { since: '2026-01-15T00:00:00Z', http_status: '503' },
      'INVALID_FORMAT',
      'http_status must be an HTTP status from 100 to 599, or none',
    ],
  ])('returns 400 for %j', async (body, code, details) => {
    const answer = await replay(body);
    const message = code === 'MISSING_FIELD' ? 'A required field is missing' : 'The request is malformed';
    expect(outcome(answer)).toStrictEqual(service.failure(answer, 400, code, message, details));
  });
});

test('a delivery replayed during its last attempt gets a new retry window', async () => {
  const attempt = Promise.withResolvers<void>();
  receiver.answers = [
    status(500),
    async (response) => {
      await attempt.promise;
      response.writeHead(500).end();
    },
    status(200),
  ];
  await service.publish(conversation(ada.user_id));
  const [first] = await service.settled(webhook_id, 'pending');
  await service.db.webhookDeliveries.updateOne({ webhook_id }, { $set: { gives_up_at: new Date(0) } });
  service.clock.advance(5);
  await eventually(() => expect(receiver.received).toHaveLength(2));
  const path = `/${webhook_id}/deliveries/${first?.delivery_id}/replay`;
  expect((await ada.call('POST', path)).body.status).toBe('pending');
  attempt.resolve();
  await service.settled(webhook_id, 'delivered');
  expect(receiver.received).toHaveLength(3);
});

test('a replay is sent before the end of Retry-After', async () => {
  receiver.answers = [(response) => response.writeHead(503, { 'retry-after': '86400' }).end(), status(200)];
  await service.publish(conversation(ada.user_id));
  const [delivery] = await service.settled(webhook_id, 'pending');
  await ada.call('POST', `/${webhook_id}/deliveries/${delivery?.delivery_id}/replay`);
  await service.settled(webhook_id, 'delivered');
});
