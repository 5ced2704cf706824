import type { FastifyBaseLogger } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { COLLECTIONS } from '../../../../services/user/database.ts';
import { abandon, claim } from '../../../../services/user/webhooks/delivery/lease.ts';
import {
  type Queue,
  startQueue,
  type WorkerContext,
} from '../../../../services/user/webhooks/delivery/queue.ts';
import { createRecordOutcome } from '../../../../services/user/webhooks/delivery/record-outcome.ts';
import { createSecrets } from '../../../../services/user/webhooks/delivery/secrets.ts';
import type { Outcome } from '../../../../services/user/webhooks/delivery/send.ts';
import { createWake } from '../../../../services/user/webhooks/delivery/wake.ts';
import { testClock } from '../../../fixtures/clock.ts';
import { freshDatabase } from '../../../fixtures/database.ts';
import { eventually } from '../../../fixtures/eventually.ts';

const { now } = testClock();
const secrets = createSecrets({ JWT_SECRET: 'a secret that only the tests know, 32 bytes and more' });

let database: Awaited<ReturnType<typeof freshDatabase<typeof COLLECTIONS>>>;
beforeAll(async () => {
  database = await freshDatabase(COLLECTIONS);
});
afterAll(() => database.drop());

let webhooks = 0;
let webhook_id: string;
let worker: WorkerContext;
let queue: Queue;
/** The event ids of the attempts made, in order. */
let sent: string[];
/** Answers the attempt that is in flight for an event. */
let answer: Map<string, (status: number) => void>;
beforeEach(async () => {
  webhooks += 1;
  webhook_id = `webhook-${webhooks}`;
  sent = [];
  answer = new Map();
  await storeWebhook();
  worker = {
    db: database.db,
    id: 'worker',
    leaseDuration: 600_000,
    linger: 600_000,
    now,
    secrets,
    log: { error: () => {} } as unknown as FastifyBaseLogger,
    countAttempt: () => {},
    recordOutcome: createRecordOutcome({ db: database.db, now }),
    send: ({ headers }) =>
      new Promise<Outcome>((resolve) => {
        const id = headers['webhook-id'] as string;
        sent.push(id);
        answer.set(id, (status) =>
          resolve({ at: new Date(), duration_ms: 1, status, error: null, answer: '', retryAfter: null }),
        );
      }),
  };
  queue = await claimQueue();
});
afterEach(async () => {
  queue.stop();
  for (const respond of answer.values()) respond(200);
  await queue.done;
  await database.db.webhooks.deleteOne({ webhook_id });
});

async function storeWebhook(): Promise<void> {
  await database.db.webhooks.insertOne({
    webhook_id,
    owner_id: `User-${100_000 + webhooks}`,
    slot: 0,
    url: 'https://receiver.example.com/',
    events: ['conversation.started'],
    status: 'active',
    secret: secrets.seal('keep-it-to-yourself', webhook_id),
    previous_secrets: [],
    created_at: new Date(0),
    updated_at: new Date(0),
    due_at: new Date(0),
    held_until: null,
    lease: null,
    wakes: 0,
  });
}

async function claimQueue(): Promise<Queue> {
  const claimed = await claim(worker);
  if (!claimed) throw new Error('the queue was not claimed');
  return startQueue(worker, claimed);
}

let seq = 0;
/** Stores deliveries and tells the queue. */
async function add(...ids: string[]): Promise<void> {
  const deliveries = ids.map((id) => {
    seq += 1;
    return {
      _id: `${webhook_id}-${id}`,
      delivery_id: `${webhook_id}-${id}`,
      webhook_id,
      event_id: id,
      event: 'conversation.started' as const,
      payload: '{}',
      status: 'pending' as const,
      created_at: new Date(now()),
      seq,
      due: new Date(now()),
      attempt_count: 0,
      failures: 0,
      attempts: [],
      gives_up_at: null,
      settled_at: null,
      expires_at: new Date(now() + 3_600_000),
    };
  });
  await database.db.webhookDeliveries.insertMany(deliveries);
  queue.readMore();
}

/** Waits until an attempt is in flight, and answers it. */
async function respond(id: string, status: number): Promise<void> {
  await eventually(() => expect(sent).toContain(id));
  answer.get(id)?.(status);
}

const recorded = (id: string) =>
  eventually(async () => {
    const delivery = await database.db.webhookDeliveries.findOne({ _id: `${webhook_id}-${id}` });
    expect(delivery?.attempts).toHaveLength(1);
  });

test('sends each delivery once, also when more are read while some are in flight', async () => {
  await add('a');
  await respond('a', 200);
  await add('b', 'c');
  await eventually(() => expect(sent).toEqual(['a', 'b', 'c']));
  await add('d', 'e');
  await respond('b', 200);
  await respond('d', 200);
  await respond('e', 200);
  await respond('c', 200);
  for (const id of ['b', 'c', 'd', 'e']) await recorded(id);
  await add('last');
  await respond('last', 200);
  await recorded('last');
  expect(sent).toEqual(['a', 'b', 'c', 'd', 'e', 'last']);
});

test('a reload drops the deliveries that were read ahead', async () => {
  await add('a', 'b', 'c');
  await eventually(() => expect(sent).toEqual(['a']));
  await database.db.webhookDeliveries.deleteOne({ _id: `${webhook_id}-b` });
  queue.reload();
  await respond('a', 200);
  await respond('c', 200);
  await recorded('c');
  expect(sent).toEqual(['a', 'c']);
});

test('stops sending when the webhook is deleted', async () => {
  await add('a', 'b', 'c');
  await eventually(() => expect(sent).toEqual(['a']));
  await database.db.webhooks.deleteOne({ webhook_id });
  const { webhookChanged } = createWake({
    db: database.db,
    now,
    worker: { reload: () => queue.reload(), readMore: () => {} },
  });
  await webhookChanged(webhook_id);
  await respond('a', 200);
  await queue.done;
  expect(sent).toEqual(['a']);
});

test('stops without recording an attempt that is abandoned', async () => {
  await add('a');
  await eventually(() => expect(sent).toEqual(['a']));
  queue.stop();
  queue.abandon();
  answer.get('a')?.(200);
  const { webhookDeliveries } = database.db;
  expect(await webhookDeliveries.findOne({ webhook_id })).toMatchObject({ status: 'pending', attempts: [] });
  await abandon(worker, [webhook_id]);
  queue = await claimQueue();
  await eventually(() => expect(sent).toEqual(['a', 'a']));
});

test.each([410, 503])('ignores a late %i of a URL that has been replaced', async (status) => {
  await add('old');
  await eventually(() => expect(sent).toEqual(['old']));
  const url = 'https://moved.example.com/';
  await database.db.webhooks.updateOne({ webhook_id }, { $set: { url } });
  await respond('old', status);
  await recorded('old');
  queue.stop();
  await queue.done;
  const webhook = await database.db.webhooks.findOne({ webhook_id });
  expect(webhook).toMatchObject({ status: 'active', url, held_until: null });
});
