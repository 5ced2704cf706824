import { connect } from '@gatehouse/shared/data/connect';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildUserService } from '../../../services/user/app.ts';
import { COLLECTIONS } from '../../../services/user/database.ts';
import { createMailer } from '../../../services/user/mail/mailer.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { holdResponses, type Receiver, startReceiver, status } from '../../fixtures/receiver.ts';
import { testConfig } from '../../fixtures/services.ts';
import { conversation } from '../event-samples.ts';
import {
  INTERNAL_API_KEY,
  type Person,
  startWebhookService,
  type WebhookService,
} from '../webhook-service.ts';

const HOUR = 3_600;

let service: WebhookService;
let ada: Person;
let receiver: Receiver;
beforeAll(async () => {
  service = await startWebhookService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  ada = await service.person();
  receiver = await startReceiver();
});
afterEach(() => receiver.stop());

const publish = async (count = 1) => {
  const events = Array.from({ length: count }, () => conversation(ada.user_id));
  expect((await service.publish(events)).status).toBe(200);
  return events.map(({ id }) => id);
};
const stored = (webhook_id: string) =>
  service.db.webhookDeliveries.find({ webhook_id }).sort({ seq: 1 }).toArray();
/** Waits until no worker holds the queue and nothing in it is due. @returns when the next attempt is due, if ever. */
const idle = (webhook_id: string) =>
  eventually(async () => {
    const webhook = await service.stored(webhook_id);
    if (!webhook || webhook.lease) throw new Error('a worker holds the queue');
    if (webhook.status === 'disabled') return null;
    if (webhook.due_at && webhook.due_at.getTime() <= service.clock.now())
      throw new Error('the queue is due');
    return webhook.due_at;
  });
/** Moves the clock from one attempt to the next, until nothing is pending or the time has come. */
async function retry(webhook_id: string, seconds = Number.POSITIVE_INFINITY) {
  const end = service.clock.now() + seconds * 1_000;
  for (let due = await idle(webhook_id); due; due = await idle(webhook_id)) {
    if (due.getTime() > end) return;
    service.clock.advance((due.getTime() - service.clock.now()) / 1_000);
  }
}

describe('one receiver', () => {
  test('gets events in the order of their creation', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    const ids = [...(await publish(3)), ...(await publish(3))];
    await service.settled(webhook_id, 'delivered');
    expect(receiver.ids().slice(0, 1)).toEqual(ids.slice(0, 1));
    expect(receiver.ids().toSorted()).toEqual(ids.toSorted());
  });

  test('gets one event at a time at first, and never more than sixteen', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    const held = holdResponses();
    receiver.answers = [held.answer];
    await publish(100);
    for (const concurrency of [1, 2, 8, 16]) {
      await eventually(() => expect(held.count).toBe(concurrency));
      if (concurrency < 16) held.release();
    }
    // Another receiver still gets events, and this one no seventeenth.
    const other = await startReceiver();
    const bob = await service.person();
    const bobs = await bob.configure({ url: other.url });
    await service.publish(conversation(bob.user_id));
    await service.settled(bobs, 'delivered');
    expect(other.received).toHaveLength(1);
    expect(held.count).toBe(16);
    receiver.answers = [];
    held.release();
    await service.settled(webhook_id, 'delivered');
    expect(receiver.received).toHaveLength(100);
    expect(new Set(receiver.ids()).size).toBe(100);
    await other.stop();
  });

  test('that hangs with many pending events does not delay another', async () => {
    const bob = await service.person();
    const other = await startReceiver();
    const held = holdResponses();
    receiver.answers = [held.answer];
    const webhook_id = await ada.configure({ url: receiver.url });
    await bob.configure({ url: other.url });
    await publish(50);
    await eventually(() => expect(receiver.received).toHaveLength(1));
    await service.publish(conversation(bob.user_id));
    await eventually(() => expect(other.received).toHaveLength(1));
    expect(receiver.received).toHaveLength(1);
    await ada.call('DELETE', `/${webhook_id}`);
    held.release();
    await other.stop();
  });

  test('that is down for an hour finally gets every event once, with the same bytes', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    receiver.answers = [status(500)];
    const ids = await publish(3);
    await retry(webhook_id, HOUR);
    expect(receiver.received.length).toBeGreaterThan(3);
    const tried = receiver.received.length;
    receiver.answers = [];
    await retry(webhook_id);
    const delivered = receiver.received.slice(tried);
    expect(delivered.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(ids.toSorted());
    const bytes = new Map(receiver.received.map(({ headers, body }) => [headers['webhook-id'], body]));
    for (const { headers, body } of receiver.received) expect(body).toBe(bytes.get(headers['webhook-id']));
  });

  test('that fails for three days gets no attempt after that', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    receiver.answers = [status(500)];
    await publish();
    await retry(webhook_id);
    const [delivery] = await ada.deliveries(webhook_id);
    expect(delivery).toMatchObject({ status: 'failed', next_attempt_at: null });
    expect(delivery.attempt_count).toBe(receiver.received.length);
    expect(delivery.attempts.at(-1)).toMatchObject({ status: 500, answer: 'status 500' });
    const tried = receiver.received.length;
    service.clock.advance(10 * 24 * HOUR);
    await ada.call('PATCH', `/${webhook_id}`, { status: 'active' });
    await publish();
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(tried));
    expect(receiver.ids().slice(tried)).not.toContain(receiver.ids()[0]);
  });

  test('gets no more events after its webhook is deleted', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    const held = holdResponses();
    receiver.answers = [held.answer];
    const [first] = await publish(50);
    await eventually(() => expect(held.count).toBe(1));
    expect((await ada.call('DELETE', `/${webhook_id}`)).status).toBe(200);
    receiver.answers = [];
    held.release();
    const next = await ada.configure({ url: receiver.url });
    const [later] = await publish();
    await service.settled(next, 'delivered');
    expect(receiver.ids()).toEqual([first, later]);
  });
});

describe('the response decides', () => {
  test.each([200, 204, 299])('%i counts as delivered', async (code) => {
    const webhook_id = await ada.configure({ url: receiver.url });
    receiver.answers = [(response) => void response.writeHead(code).end()];
    await publish();
    const [delivery] = await service.settled(webhook_id, 'delivered');
    expect(delivery).toMatchObject({ attempt_count: 1, attempts: [{ status: code, error: null }] });
  });

  test.each([302, 308, 400, 500])('%i is retried', async (code) => {
    const webhook_id = await ada.configure({ url: receiver.url });
    receiver.answers = [status(code, { location: `${receiver.url}/elsewhere` }), status(200)];
    await publish();
    await retry(webhook_id);
    expect(receiver.received).toHaveLength(2);
    expect((await stored(webhook_id))[0]?.attempts.map(({ status }) => status)).toEqual([code, 200]);
  });

  test('410 disables the webhook; activating it again sends what is pending', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    receiver.answers = [status(410)];
    await publish(3);
    await eventually(async () => expect((await service.stored(webhook_id))?.status).toBe('disabled'));
    expect(receiver.received).toHaveLength(1);
    await publish(); // a disabled webhook gets no deliveries
    service.clock.advance(HOUR);
    receiver.answers = [];
    await ada.call('PATCH', `/${webhook_id}`, { status: 'active' });
    expect(await service.settled(webhook_id, 'delivered')).toHaveLength(3);
  });

  test.each([
    [429, '120'],
    [503, '120'],
  ])('%i with Retry-After %s holds the queue until then', async (code, seconds) => {
    const webhook_id = await ada.configure({ url: receiver.url });
    receiver.answers = [status(code, { 'retry-after': seconds }), status(200)];
    await publish(2);
    await eventually(async () => expect((await service.stored(webhook_id))?.held_until).not.toBeNull());
    const until = new Date(service.clock.now() + 120_000);
    const held = { held_until: until, due_at: until, lease: null };
    expect(await service.stored(webhook_id)).toMatchObject(held);
    await publish();
    service.clock.advance(119);
    // The worker has looked for queues that are due by now once another receiver has its event.
    const bob = await service.person();
    const other = await startReceiver();
    const bobs = await bob.configure({ url: other.url });
    await service.publish(conversation(bob.user_id));
    await service.settled(bobs, 'delivered');
    await other.stop();
    expect(await service.stored(webhook_id)).toMatchObject(held);
    expect(receiver.received).toHaveLength(1);
    service.clock.advance(1);
    await service.settled(webhook_id, 'delivered');
    expect(receiver.received).toHaveLength(4);
  });
});

describe('several processes', () => {
  /** Starts another user service on the database of the first. */
  async function startAnother({ uri, clock }: WebhookService) {
    const config = testConfig('user', { WEBHOOK_ALLOW_PRIVATE: 'on', INTERNAL_API_KEY });
    const db = await connect(uri, COLLECTIONS, { appName: 'user' });
    const mailer = createMailer(config);
    const delivery = { poll: 5, linger: 1 };
    const app = await buildUserService({ config, db, mailer, now: clock.now, delivery });
    await app.ready();
    return {
      app,
      async stop() {
        await app.close();
        mailer.close();
        await db.close();
      },
    };
  }

  test('share the work, and every event arrives once', async () => {
    const others = await Promise.all([startAnother(service), startAnother(service)]);
    const people = await Promise.all(Array.from({ length: 4 }, () => service.person()));
    const webhooks = await Promise.all(people.map((person) => person.configure({ url: receiver.url })));
    const events = people.flatMap(({ user_id }) => Array.from({ length: 10 }, () => conversation(user_id)));
    for (let index = 0; index < events.length; index += 50)
      await service.publish(events.slice(index, index + 50));
    for (const webhook_id of webhooks) await service.settled(webhook_id, 'delivered');
    expect(receiver.ids().toSorted()).toEqual(events.map(({ id }) => id).toSorted());
    for (const other of others) await other.stop();
  });

  test.each([
    ['a deletion', 'DELETE', undefined],
    ['a pause', 'PATCH', { status: 'paused' }],
    ['a change of events', 'PATCH', { events: ['payment.failed'] }],
  ])(
    '%s in one process stops the queue of another after the attempts in flight',
    async (_what, method, body) => {
      // This process does not look for work.
      const idle = await startWebhookService({ delivery: { poll: 3_600_000 } });
      const busy = await startAnother(idle);
      try {
        const bob = await idle.person();
        const webhook_id = await bob.configure({ url: receiver.url });
        const publishToBusy = (count: number) =>
          busy.app.inject({
            method: 'POST',
            url: '/internal/events',
            headers: { authorization: `Bearer ${INTERNAL_API_KEY}` },
            payload: Array.from({ length: count }, () => conversation(bob.user_id)),
          });
        const held = holdResponses();
        receiver.answers = [held.answer];
        expect((await publishToBusy(100)).statusCode).toBe(200);
        for (const concurrency of [1, 2, 8, 16]) {
          await eventually(() => expect(held.count).toBe(concurrency));
          if (concurrency < 16) held.release();
        }
        expect((await bob.call(method, `/${webhook_id}`, body)).status).toBe(200);
        receiver.answers = [];
        held.release();
        await eventually(async () => expect((await idle.stored(webhook_id))?.lease ?? null).toBeNull());
        // A later event arrives, and nothing of the stopped queue with it.
        const other = await startReceiver();
        const next = await bob.configure({ url: other.url });
        await publishToBusy(1);
        await idle.settled(next, 'delivered');
        await other.stop();
        expect(receiver.received).toHaveLength(1 + 2 + 8 + 16);
      } finally {
        await busy.stop();
        await idle.stop();
      }
    },
  );
});
