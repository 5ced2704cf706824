import { describe, expect, test } from 'vitest';
import { EVENTS, PLATFORM_EVENT_NAMES } from '../../../packages/webhooks/events.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { postJson } from '../../fixtures/http.ts';
import { member } from '../../fixtures/members.ts';
import { conversation, DATA } from '../event-samples.ts';
import { INTERNAL_API_KEY, startWebhookService } from '../webhook-service.ts';
import { ada, receiver, service, withAda, withWebhooks } from '../with-webhooks.ts';

withWebhooks();
withAda();

const events = () => service.db.events.countDocuments({ owner_id: ada.user_id });

describe('POST /internal/events', () => {
  test.each(PLATFORM_EVENT_NAMES)(
    '%s is delivered in the envelope with its data as published',
    async (event) => {
      const webhook_id = await ada.configure({ url: receiver.url, events: [event] });
      const published = conversation(ada.user_id, { event, data: DATA[event] });
      expect(outcome(await service.publish(published))).toStrictEqual({
        status: 200,
        body: { accepted: [published.id], known: [] },
      });
      await service.settled(webhook_id, 'delivered');
      expect(receiver.received.map(({ body }) => JSON.parse(body))).toStrictEqual([
        { event, timestamp: published.timestamp, data: DATA[event] },
      ]);
    },
  );

  test('only subscribed webhooks of the account get the event', async () => {
    const bob = await service.person();
    const subscribed = await ada.configure({ url: `${receiver.url}/subscribed` });
    const other = await ada.configure({ url: `${receiver.url}/other`, events: ['payment.failed'] });
    const bobs = await bob.configure({ url: `${receiver.url}/bobs` });
    await service.publish(conversation(ada.user_id));
    await service.settled(subscribed, 'delivered');
    const made = await service.db.webhookDeliveries
      .find({ webhook_id: { $in: [subscribed, other, bobs] } })
      .toArray();
    expect(made.map(({ webhook_id }) => webhook_id)).toEqual([subscribed]);
    expect(receiver.received).toHaveLength(1);
  });

  test('a webhook just configured by a process whose clock is ahead gets the event', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    const ahead = new Date(service.clock.now() + 1_000);
    await service.db.webhooks.updateOne({ webhook_id }, { $set: { created_at: ahead } });
    const event = conversation(ada.user_id);
    await service.publish(event);
    await service.settled(webhook_id, 'delivered');
    expect(receiver.ids()).toEqual([event.id]);
  });

  test('accepts an array of events', async () => {
    const many = Array.from({ length: 500 }, () => conversation(ada.user_id));
    const { status, body } = await service.publish(many);
    expect({ status, body }).toEqual({
      status: 200,
      body: { accepted: many.map(({ id }) => id), known: [] },
    });
    expect(await events()).toBe(500);
  });

  test('accepts an event once when it is published concurrently', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    const event = conversation(ada.user_id);
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.publish(event)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(answers.filter(({ body }) => body.accepted.length === 1)).toHaveLength(1);
    expect(outcome(await service.publish([event, event]))).toStrictEqual({
      status: 200,
      body: { accepted: [], known: [event.id, event.id] },
    });
    await service.settled(webhook_id, 'delivered');
    expect(receiver.ids()).toEqual([event.id]);
  });

  test('a known event has no second effect, even for a webhook that subscribed since', async () => {
    const event = conversation(ada.user_id);
    const webhook_id = await ada.configure({ url: receiver.url, events: ['chatbot.created'] });
    await service.publish(event);
    await ada.call('PATCH', `/${webhook_id}`, { events: ['conversation.started'] });
    expect((await service.publish(event)).body).toStrictEqual({ accepted: [], known: [event.id] });
    expect((await service.publish({ ...event, owner_id: 'User-999999' })).status).toBe(409);
    const next = conversation(ada.user_id);
    await service.publish(next);
    await service.settled(webhook_id, 'delivered');
    expect(receiver.ids()).toEqual([next.id]);
  });

  test('an event without a timestamp counts as the same when it is published later', async () => {
    const event = conversation(ada.user_id, { timestamp: undefined });
    await service.publish(event);
    service.clock.advance(60);
    expect((await service.publish(event)).body).toStrictEqual({ accepted: [], known: [event.id] });
  });

  test.each([
    { data: { ...DATA['conversation.started'], user_id: 'visitor-2' } },
    { owner_id: 'User-999999' },
    { timestamp: '2026-01-15T09:30:02.000Z' },
    { event: 'conversation.ended', data: DATA['conversation.ended'] },
  ])('returns 409 for another event with the same id: %j', async (fields) => {
    const event = conversation(ada.user_id);
    await service.publish(event);
    const answer = await service.publish({ ...event, ...fields });
    expect(outcome(answer)).toStrictEqual(
      service.failure(
        answer,
        409,
        'DUPLICATE_RESOURCE',
        'Resource already exists',
        `Another event has the id ${event.id}`,
      ),
    );
    expect(await service.db.events.findOne({ _id: event.id })).toMatchObject({ owner_id: ada.user_id });
  });

  const names = PLATFORM_EVENT_NAMES.join(', ');
  const started = DATA['conversation.started'];
  test.each([
    [{ id: undefined }, 'MISSING_FIELD', '0.id is required'],
    [{ id: 'a.b' }, 'INVALID_FORMAT', '0.id must be 1 to 128 letters, digits, _, : and -'],
    [{ id: 'x'.repeat(129) }, 'INVALID_FORMAT', '0.id must be 1 to 128 letters, digits, _, : and -'],
    [{ event: undefined }, 'MISSING_FIELD', '0.event is required'],
    [{ event: 'unknown.event' }, 'INVALID_FORMAT', `0.event must be one of ${names}`],
    // A service must not claim that an account logged in.
    [
      { event: 'session.created', data: EVENTS['session.created'].example },
      'INVALID_FORMAT',
      `0.event must be one of ${names}`,
    ],
    [{ owner_id: undefined }, 'MISSING_FIELD', '0.owner_id is required'],
    [
      { timestamp: 'yesterday' },
      'INVALID_FORMAT',
      '0.timestamp must be an ISO 8601 date-time such as 2026-01-15T09:30:00Z',
    ],
    [{ data: undefined }, 'MISSING_FIELD', '0.data is required'],
    [{ data: 'x' }, 'INVALID_FORMAT', '0.data must be a JSON object'],
    [{ data: { ...started, chatbot_id: undefined } }, 'MISSING_FIELD', '0.data.chatbot_id is required'],
    [{ data: { ...started, chatbot_id: 7 } }, 'INVALID_FORMAT', '0.data.chatbot_id must be a string'],
    [{ data: { ...started, more: 1 } }, 'INVALID_FORMAT', '0.data contains an unknown field'],
    [{ event: 'payment.failed', data: started }, 'MISSING_FIELD', '0.data.payment_id is required'],
    [
      { event: 'payment.failed', data: { ...DATA['payment.failed'], amount: 1.5 } },
      'INVALID_FORMAT',
      '0.data.amount must be an integer',
    ],
  ])('returns 400 and stores nothing for %j', async (fields, code, details) => {
    const answer = await service.publish({ ...conversation(ada.user_id), ...fields });
    const message = code === 'MISSING_FIELD' ? 'A required field is missing' : 'The request is malformed';
    expect(outcome(answer)).toStrictEqual(service.failure(answer, 400, code, message, details));
    expect(await events()).toBe(0);
  });

  test.each([
    ['a string', '"x"', '0 must be a JSON object'],
    ['nothing', '', 'body must be an event or an array of events'],
    ['no events', '[]', 'body must contain at least one event'],
    ['too many events', JSON.stringify(Array(501).fill({})), 'body must contain at most 500 events'],
  ])('returns 400 for a body of %s', async (_what, body, details) => {
    const answer = await service.publish(body);
    expect(outcome(answer)).toStrictEqual(
      service.failure(answer, 400, 'INVALID_FORMAT', 'The request is malformed', details),
    );
  });
});

describe('the service key', () => {
  const call = (headers: Record<string, string>, url = service.user) =>
    postJson(`${url}/internal/events`, conversation(ada.user_id), headers);

  test.each<[string, Record<string, string>, string]>([
    ['missing', {}, 'No authorization header'],
    ['wrong', { authorization: 'Bearer wrong' }, 'Invalid token'],
    ['truncated', { authorization: `Bearer ${INTERNAL_API_KEY.slice(0, -1)}` }, 'Invalid token'],
    ['empty', { authorization: 'Bearer ' }, 'Invalid token'],
  ])('%s is 401', async (_what, headers, message) => {
    const answer = await call(headers);
    expect(outcome(answer)).toStrictEqual(service.failure(answer, 401, 'INVALID_TOKEN', message));
    expect(await events()).toBe(0);
  });

  test("a user's bearer token is 401", async () => {
    const { authorization } = await member(service.db, service.clock);
    expect((await call({ authorization })).status).toBe(401);
  });

  test('is checked before the body is parsed', async () => {
    const answer = await postJson(`${service.user}/internal/events`, '{', { authorization: 'Bearer wrong' });
    expect(answer.status).toBe(401);
  });

  test('returns 503 if no key is configured', async () => {
    const closed = await startWebhookService({ env: { INTERNAL_API_KEY: '' } });
    try {
      const answer = await closed.publish(conversation(ada.user_id));
      expect(outcome(answer)).toStrictEqual(
        closed.failure(
          answer,
          503,
          'SERVICE_UNAVAILABLE',
          'Service unavailable',
          'INTERNAL_API_KEY is not configured',
        ),
      );
    } finally {
      await closed.stop();
    }
  });
});
