import { beforeEach, describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { holdResponses, status } from '../../fixtures/receiver.ts';
import { conversation } from '../event-samples.ts';
import { ada, receiver, service, withAda, withWebhooks } from '../with-webhooks.ts';

let webhook_id: string;
withWebhooks();
withAda();
beforeEach(async () => {
  webhook_id = await ada.configure({ url: receiver.url });
});

/** Publishes events one second apart. */
async function publish(count: number): Promise<string[]> {
  const events = Array.from({ length: count }, () => conversation(ada.user_id));
  for (const event of events) {
    await service.publish(event);
    service.clock.advance(1);
  }
  return events.map(({ id }) => id);
}
const pause = () => ada.call('PATCH', `/${webhook_id}`, { status: 'paused' });
const activate = () => ada.call('PATCH', `/${webhook_id}`, { status: 'active' });
const cancel = (body?: object) => ada.call('POST', `/${webhook_id}/cancel`, body);
const cancelOne = (delivery_id: string, person = ada) =>
  person.call('POST', `/${webhook_id}/deliveries/${delivery_id}/cancel`);
const statuses = async () =>
  (await ada.deliveries(webhook_id)).map((delivery: { status: string }) => delivery.status);

describe('POST …/deliveries/{delivery_id}/cancel', () => {
  test('removes a pending delivery from the queue, and a replay puts it back', async () => {
    await pause();
    const ids = await publish(3);
    const [, second] = await ada.deliveries(webhook_id);
    const answer = await cancelOne(second.delivery_id);
    const settled_at = new Date(service.clock.now()).toISOString();
    expect(outcome(answer)).toStrictEqual({
      status: 200,
      body: { ...second, status: 'cancelled', next_attempt_at: null, settled_at },
    });
    await activate();
    await service.settled(webhook_id, 'delivered', 'cancelled');
    expect(receiver.ids()).toEqual([ids[0], ids[2]]);
    await ada.call('POST', `/${webhook_id}/deliveries/${second.delivery_id}/replay`);
    await service.settled(webhook_id, 'delivered');
    expect(receiver.ids()).toEqual([ids[0], ids[2], ids[1]]);
  });

  test('ends the retries of a failed attempt', async () => {
    receiver.answers = [status(500)];
    await publish(1);
    const [delivery] = await service.settled(webhook_id, 'pending');
    expect((await cancelOne(delivery?.delivery_id as string)).body.attempts).toHaveLength(1);
    service.clock.advance(3_600);
    receiver.answers = [];
    const [later] = await publish(1);
    await service.settled(webhook_id, 'delivered', 'cancelled');
    expect(receiver.ids()).toEqual([delivery?.event_id, later]);
  });

  test('two concurrent calls cancel once', async () => {
    await pause();
    await publish(1);
    const [{ delivery_id }] = await ada.deliveries(webhook_id);
    const answers = await Promise.all([cancelOne(delivery_id), cancelOne(delivery_id)]);
    expect(answers.map(({ body }) => body.status)).toEqual(['cancelled', 'cancelled']);
    const audited = await service.db.auditEvents
      .find({ action: 'webhook.cancel', 'target.webhook_id': webhook_id })
      .toArray();
    expect(audited.map(({ after }) => after)).toEqual([{ cancelled: delivery_id }]);
  });

  test.each(['delivered', 'failed'] as const)('returns 403 for a %s delivery', async (was) => {
    await publish(1);
    const [delivery] = await service.settled(webhook_id, 'delivered');
    await service.db.webhookDeliveries.updateOne({ webhook_id }, { $set: { status: was } });
    const answer = await cancelOne(delivery?.delivery_id as string);
    const details = `The delivery is already ${was}`;
    expect(outcome(answer)).toStrictEqual(service.failure(answer, 403, 'FORBIDDEN', 'Forbidden', details));
  });

  test("returns 404 for another account's delivery and an unknown one", async () => {
    await pause();
    await publish(1);
    const [{ delivery_id }] = await ada.deliveries(webhook_id);
    for (const answer of [
      await cancelOne(delivery_id, await service.person()),
      await cancelOne('5f1c3b52-0d6e-8a41-9f57-0d4e8a6b2c13'),
    ]) {
      expect(outcome(answer)).toStrictEqual(service.failure(answer, 404, 'RESOURCE_NOT_FOUND', 'Not found'));
    }
    expect(await statuses()).toEqual(['pending']);
  });

  test.each([
    ['becomes delivered if the receiver accepts it', 200, 'delivered'],
    ['stays cancelled and is not retried if it fails', 500, 'cancelled'],
  ])('an attempt in flight goes on: the delivery %s', async (_what, code, expected) => {
    const answered = Promise.withResolvers<void>();
    receiver.answers = [
      async (response) => {
        await answered.promise;
        response.writeHead(code).end();
      },
      status(200),
    ];
    await publish(1);
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const [{ delivery_id }] = await ada.deliveries(webhook_id);
    expect((await cancelOne(delivery_id)).body.status).toBe('cancelled');
    answered.resolve();
    await eventually(async () => expect(await statuses()).toEqual([expected]));
    // A later event arrives, and the cancelled one does not.
    service.clock.advance(3_600);
    const [later] = await publish(1);
    await eventually(() => expect(receiver.ids().at(-1)).toBe(later));
    await service.settled(webhook_id, 'delivered', 'cancelled');
    expect(receiver.received).toHaveLength(2);
    expect((await statuses())[0]).toBe(expected);
  });
});

test.each([
  ['one delivery', async () => cancelOne((await ada.deliveries(webhook_id))[0].delivery_id)],
  ['deliveries', () => cancel()],
])(
  'a call that cancels %s again tells the workers, which an interrupted one may not have done',
  async (_what, again) => {
    await pause();
    await publish(1);
    await service.db.webhookDeliveries.updateOne({ webhook_id }, { $set: { status: 'cancelled' } });
    const before = (await service.stored(webhook_id))?.cancellations ?? 0;
    expect((await again()).status).toBe(200);
    expect((await service.stored(webhook_id))?.cancellations).toBe(before + 1);
  },
);

describe('POST …/cancel', () => {
  test('cancels every pending delivery', async () => {
    await pause();
    await publish(3);
    expect(outcome(await cancel())).toStrictEqual({ status: 200, body: { cancelled: 3, next_since: null } });
    expect(await statuses()).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect((await cancel({})).body).toStrictEqual({ cancelled: 0, next_since: null });
    await activate();
    await publish(1);
    await service.settled(webhook_id, 'delivered', 'cancelled');
    expect(receiver.received).toHaveLength(1);
  });

  test('cancels deliveries that were read ahead but not sent', async () => {
    const held = holdResponses();
    receiver.answers = [held.answer];
    await publish(20);
    await eventually(() => expect(held.count).toBe(1));
    expect((await cancel()).body.cancelled).toBe(20);
    receiver.answers = [];
    held.release();
    await publish(1);
    await service.settled(webhook_id, 'delivered', 'cancelled');
    expect(receiver.received).toHaveLength(2);
  });

  test('filters by event, HTTP status and time', async () => {
    await pause();
    await publish(4);
    const { webhookDeliveries } = service.db;
    const all = await webhookDeliveries.find({ webhook_id }).sort({ seq: 1 }).toArray();
    const at = (index: number) => all[index]?.created_at.toISOString();
    await webhookDeliveries.updateOne({ _id: all[3]?._id as string }, { $set: { http_status: 503 } });
    expect((await cancel({ event: 'conversation.ended' })).body.cancelled).toBe(0);
    expect((await cancel({ since: at(1), until: at(2) })).body.cancelled).toBe(1);
    expect(await statuses()).toEqual(['pending', 'cancelled', 'pending', 'pending']);
    expect((await cancel({ http_status: 503, event: 'conversation.started' })).body.cancelled).toBe(1);
    expect(await statuses()).toEqual(['pending', 'cancelled', 'pending', 'cancelled']);
    expect((await cancel({ until: '2999-01-01T00:00:00Z' })).body.cancelled).toBe(2);
  });

  test('ten concurrent calls cancel each delivery once', async () => {
    await pause();
    await service.publish(Array.from({ length: 100 }, () => conversation(ada.user_id)));
    const answers = await Promise.all(Array.from({ length: 10 }, () => cancel()));
    expect(answers.reduce((sum, { body }) => sum + body.cancelled, 0)).toBe(100);
  });

  test('the later of a concurrent cancel and replay wins, for each delivery', async () => {
    await pause();
    await service.publish(Array.from({ length: 50 }, () => conversation(ada.user_id)));
    await cancel();
    service.clock.advance(1);
    const since = '2026-01-01T00:00:00Z';
    const replay = ada.call('POST', `/${webhook_id}/replay`, { since, status: 'cancelled' });
    const [, again] = await Promise.all([replay, cancel()]);
    expect((await replay).body.replayed).toBe(50);
    const cancelled = await service.db.webhookDeliveries.countDocuments({ webhook_id, status: 'cancelled' });
    expect(cancelled).toBe(again.body.cancelled);
  });

  test('returns 400 for a field that is malformed', async () => {
    const answer = await cancel({ since: 'yesterday' });
    const details = 'since must be an ISO 8601 date-time such as 2026-01-15T09:30:00Z';
    const message = 'The request is malformed';
    expect(outcome(answer)).toStrictEqual(service.failure(answer, 400, 'INVALID_FORMAT', message, details));
  });

  test("returns 404 for another account's webhook", async () => {
    const bob = await service.person();
    const answer = await bob.call('POST', `/${webhook_id}/cancel`, {});
    expect(outcome(answer)).toStrictEqual(service.failure(answer, 404, 'RESOURCE_NOT_FOUND', 'Not found'));
  });
});
