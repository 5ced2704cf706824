import { connect } from '@gatehouse/shared/data/connect';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildUserService } from '../../../../services/user/app.ts';
import { COLLECTIONS } from '../../../../services/user/database.ts';
import { createMailer } from '../../../../services/user/mail.ts';
import { eventually } from '../../../fixtures/eventually.ts';
import { type Receiver, startReceiver, status } from '../../../fixtures/receiver.ts';
import { testConfig } from '../../../fixtures/services.ts';
import { conversation, type Hooks, INTERNAL_API_KEY, type Person, startHooks } from '../hooks.ts';

const HOUR = 3_600;

let hooks: Hooks;
let ada: Person;
let receiver: Receiver;
beforeAll(async () => {
  hooks = await startHooks();
});
afterAll(() => hooks.stop());
beforeEach(async () => {
  ada = await hooks.person();
  receiver = await startReceiver();
});
afterEach(() => receiver.stop());

const publish = async (count = 1) => {
  const events = Array.from({ length: count }, () => conversation(ada.user_id));
  expect((await hooks.publish(events)).status).toBe(200);
  return events.map(({ id }) => id);
};
const stored = (webhook_id: string) =>
  hooks.db.webhookDeliveries.find({ webhook_id }).sort({ seq: 1 }).toArray();
/** Moves the clock on, a bit at a time, until everything is delivered. */
async function untilDelivered(webhook_id: string, seconds = HOUR) {
  await eventually(async () => {
    if ((await stored(webhook_id)).every((delivery) => delivery.status === 'delivered')) return;
    hooks.clock.advance(seconds);
    throw new Error('not yet');
  });
}

describe('one receiver', () => {
  test('gets events in the order of their creation', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    const ids = [...(await publish(3)), ...(await publish(3))];
    await hooks.settled(webhook_id, 'delivered');
    expect(receiver.ids().slice(0, 1)).toEqual(ids.slice(0, 1));
    expect(receiver.ids().toSorted()).toEqual(ids.toSorted());
  });

  test('gets one at a time until it has answered one, and never more than sixteen', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    let now = 0;
    const seen: number[] = [];
    receiver.answers = [
      (response) => {
        now += 1;
        seen.push(now);
        setTimeout(() => {
          now -= 1;
          response.end();
        }, 5);
      },
    ];
    await publish(200);
    await hooks.settled(webhook_id, 'delivered');
    expect(seen[0]).toBe(1);
    expect(seen[1]).toBeLessThanOrEqual(2);
    expect(Math.max(...seen)).toBe(16);
    expect(new Set(receiver.ids()).size).toBe(200);
  });

  test('that is down for an hour gets everything in the end, each event once, the same bytes', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    receiver.answers = [status(500)];
    const ids = await publish(20);
    for (let minutes = 0; minutes < 60; minutes += 1) {
      hooks.clock.advance(60);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const tried = receiver.received.length;
    expect(tried).toBeGreaterThan(1);
    receiver.answers = [];
    await untilDelivered(webhook_id);
    const delivered = receiver.received.slice(tried);
    expect(delivered.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(ids.toSorted());
    const bytes = new Map(receiver.received.map(({ headers, body }) => [headers['webhook-id'], body]));
    for (const { headers, body } of receiver.received) expect(body).toBe(bytes.get(headers['webhook-id']));
  });

  test('that fails for three days has its deliveries parked, and no attempt after', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    receiver.answers = [status(500)];
    await publish();
    await eventually(async () => {
      hooks.clock.advance(6 * HOUR);
      expect((await stored(webhook_id))[0]?.status).toBe('failed');
    });
    const [delivery] = await ada.deliveries(webhook_id);
    expect(delivery).toMatchObject({ status: 'failed', next_attempt_at: null });
    expect(delivery.attempt_count).toBe(receiver.received.length);
    expect(delivery.attempts.at(-1)).toMatchObject({ status: 500, answer: 'status 500' });
    const tried = receiver.received.length;
    hooks.clock.advance(10 * 24 * HOUR);
    await publish();
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(tried));
    expect(receiver.ids().slice(tried)).not.toContain(receiver.ids()[0]);
  });
});

describe('what counts', () => {
  test.each([200, 201, 204, 299])('%i is delivered', async (code) => {
    const webhook_id = await ada.configure({ url: receiver.url });
    receiver.answers = [(response) => void response.writeHead(code).end()];
    await publish();
    const [delivery] = await hooks.settled(webhook_id, 'delivered');
    expect(delivery).toMatchObject({ attempt_count: 1, attempts: [{ status: code, error: null }] });
  });

  test.each([301, 302, 307, 308, 400, 401, 404, 500])('%i is a failure, and tried again', async (code) => {
    const webhook_id = await ada.configure({ url: receiver.url });
    receiver.answers = [status(code, { location: `${receiver.url}/elsewhere` }), status(200)];
    await publish();
    await untilDelivered(webhook_id, 5);
    expect(receiver.received).toHaveLength(2);
    expect((await stored(webhook_id))[0]?.attempts.map(({ status }) => status)).toEqual([code, 200]);
  });

  test('410 disables the webhook; what waits goes on when it is active again', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    receiver.answers = [status(410)];
    await publish(3);
    await eventually(async () => expect((await hooks.stored(webhook_id))?.status).toBe('disabled'));
    expect(receiver.received).toHaveLength(1);
    await publish(); // nobody hears of it
    hooks.clock.advance(HOUR);
    receiver.answers = [];
    await ada.call('PATCH', `/${webhook_id}`, { status: 'active' });
    expect(await hooks.settled(webhook_id, 'delivered')).toHaveLength(3);
  });

  test.each([
    [429, '120'],
    [503, '120'],
  ])('%i with Retry-After %s: nothing is sent before', async (code, seconds) => {
    const webhook_id = await ada.configure({ url: receiver.url });
    receiver.answers = [status(code, { 'retry-after': seconds }), status(200)];
    await publish(2);
    await eventually(async () => expect((await hooks.stored(webhook_id))?.held_until).not.toBeNull());
    const until = new Date(hooks.clock.now() + 120_000);
    expect(await hooks.stored(webhook_id)).toMatchObject({ held_until: until, due_at: until, lease: null });
    await publish();
    hooks.clock.advance(119);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(receiver.received).toHaveLength(1);
    hooks.clock.advance(1);
    await hooks.settled(webhook_id, 'delivered');
    expect(receiver.received).toHaveLength(4);
  });
});

describe('several processes', () => {
  test('share the work: every event arrives once, and a receiver is asked no more at once', async () => {
    const config = testConfig('user', { WEBHOOK_ALLOW_PRIVATE: 'on', INTERNAL_API_KEY });
    const others = await Promise.all(
      [1, 2].map(async () => {
        const db = await connect(hooks.uri, COLLECTIONS, { appName: 'user' });
        const mailer = createMailer(config);
        const delivery = { poll: 5 };
        const app = await buildUserService({ config, db, mailer, now: hooks.clock.now, delivery });
        await app.ready();
        return { app, db, mailer };
      }),
    );
    const people = await Promise.all(Array.from({ length: 10 }, () => hooks.person()));
    const webhooks = await Promise.all(people.map((person) => person.configure({ url: receiver.url })));
    const events = people.flatMap(({ user_id }) => Array.from({ length: 30 }, () => conversation(user_id)));
    for (let index = 0; index < events.length; index += 50)
      await hooks.publish(events.slice(index, index + 50));
    for (const webhook_id of webhooks) await hooks.settled(webhook_id, 'delivered');
    expect(receiver.ids().toSorted()).toEqual(events.map(({ id }) => id).toSorted());
    for (const { app, db, mailer } of others) {
      await app.close();
      mailer.close();
      await db.close();
    }
  });
});
