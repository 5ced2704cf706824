import { createSecrets } from '@gatehouse/shared/data/secrets';
import { createLease, type Lease } from '@gatehouse/shared/durable/lease';
import type { FastifyBaseLogger } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { abandonQueues, createReadHeldWebhook } from '../../../packages/webhooks/delivery/lease.ts';
import { type Queue, startQueue, type WorkerContext } from '../../../packages/webhooks/delivery/queue.ts';
import { createRecordOutcome } from '../../../packages/webhooks/delivery/record-outcome.ts';
import type { Outcome } from '../../../packages/webhooks/delivery/send.ts';
import { createWake } from '../../../packages/webhooks/delivery/wake.ts';
import type { EventName } from '../../../packages/webhooks/events.ts';
import type { Webhook } from '../../../packages/webhooks/records.ts';
import { COLLECTIONS } from '../../../services/user/database.ts';
import { testClock } from '../../fixtures/clock.ts';
import { freshDatabase } from '../../fixtures/database.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { newMember } from '../../fixtures/members.ts';
import { hostOf } from '../host.ts';
import { storedWebhook } from '../stored-webhook.ts';

const { now } = testClock();
const secrets = createSecrets({ JWT_SECRET: 'a secret that only the tests know, 32 bytes and more' });

let database: Awaited<ReturnType<typeof freshDatabase<typeof COLLECTIONS>>>;
beforeAll(async () => {
  database = await freshDatabase(COLLECTIONS);
});
afterAll(() => database.drop());

let webhooks = 0;
let webhook_id: string;
let owner_id: string;
let worker: WorkerContext;
let lease: Lease<Webhook>;
let queue: Queue;
/** The event ids of the attempts made, in order. */
let sent: string[];
/** Answers the attempt that is in flight for an event. */
let answer: Map<string, (status: number, retryAfter?: number) => void>;
beforeEach(async () => {
  webhooks += 1;
  webhook_id = `webhook-${webhooks}`;
  sent = [];
  answer = new Map();
  owner_id = (await newMember(database.db)).user_id as string;
  await storeWebhook();
  lease = createLease({
    collection: database.db.webhooks,
    due: 'due_at',
    holder: 'lease',
    duration: 600_000,
    now,
  });
  worker = {
    db: database.db,
    id: lease.id,
    leaseDuration: 600_000,
    linger: 600_000,
    now,
    secrets,
    log: { error: () => {} } as unknown as FastifyBaseLogger,
    countAttempt: () => {},
    disableAfter: 3 * 86_400_000,
    onDisabled: () => {},

    readHeldWebhook: createReadHeldWebhook({ db: database.db, host: hostOf(database.db), id: lease.id }),
    recordOutcome: createRecordOutcome({ db: database.db, now }),
    send: ({ headers }) =>
      new Promise<Outcome>((resolve) => {
        const id = headers['webhook-id'] as string;
        sent.push(id);
        answer.set(id, (status, retryAfter) =>
          resolve({
            at: new Date(),
            duration_ms: 1,
            status,
            error: null,
            answer: '',
            retryAfter: retryAfter ?? null,
          }),
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
  await database.db.webhooks.insertOne(
    storedWebhook({
      webhook_id,
      owner_id,
      events: ['conversation.started', 'payment.failed'],
      status: 'active',
      secret: secrets.seal('keep-it-to-yourself', webhook_id),
      due_at: new Date(0),
    }),
  );
}

async function claimQueue(): Promise<Queue> {
  const claimed = await lease.claim({ status: 'active' });
  if (!claimed) throw new Error('the queue was not claimed');
  return startQueue(worker, claimed);
}

let seq = 0;
/** Stores deliveries and tells the queue. */
const add = (...ids: string[]) => addEvents('conversation.started', ...ids);
async function addEvents(event: EventName, ...ids: string[]): Promise<void> {
  const deliveries = ids.map((id) => {
    seq += 1;
    return {
      _id: `${webhook_id}-${id}`,
      delivery_id: `${webhook_id}-${id}`,
      webhook_id,
      event_id: id,
      event,
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
async function respond(id: string, status: number, retryAfter?: number): Promise<void> {
  await eventually(() => expect(sent).toContain(id));
  answer.get(id)?.(status, retryAfter);
}

const recorded = (id: string) =>
  eventually(async () => {
    const delivery = await database.db.webhookDeliveries.findOne({ _id: `${webhook_id}-${id}` });
    expect(delivery?.attempts).toHaveLength(1);
  });

test('sends each delivery once when more are read while some are in flight', async () => {
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

const numbered = (count: number) => Array.from({ length: count }, (_, index) => String(index));
const webhook = () => database.db.webhooks.findOne({ webhook_id });
/** Changes the webhook as another process does: this one is not told. */
const changeElsewhere = (fields: object) => database.db.webhooks.updateOne({ webhook_id }, { $set: fields });

test('has at most sixteen deliveries that are sent and not recorded', async () => {
  const ids = numbered(60);
  await add(...ids);
  for (const id of ids.slice(0, 11)) await respond(id, 200);
  await eventually(() => expect(sent).toEqual(ids.slice(0, 27)));
  const { recordOutcome } = worker;
  const thawed = Promise.withResolvers<void>();
  let unrecorded = 0;
  worker.recordOutcome = async (...outcome) => {
    unrecorded += 1;
    await thawed.promise;
    return recordOutcome(...outcome);
  };
  try {
    for (const id of ids.slice(11, 27)) await respond(id, 200);
    await eventually(() => expect(unrecorded).toBe(16));
    expect(sent).toHaveLength(27);
  } finally {
    thawed.resolve();
  }
  for (const id of ids.slice(27)) await respond(id, 200);
  for (const id of ids) await recorded(id);
  expect(sent).toEqual(ids);
});

test('sends nothing after the attempts in flight when another process deletes the webhook', async () => {
  await add(...numbered(40));
  for (const id of numbered(3)) await respond(id, 200);
  await eventually(() => expect(sent.length).toBeGreaterThanOrEqual(8));
  const before = [...sent];
  await database.db.webhooks.deleteOne({ webhook_id });
  for (const id of before) await respond(id, 200);
  await queue.done;
  expect(sent).toEqual(before);
});

test('uses the settings of another process for every delivery that is not in flight', async () => {
  await add('a', 'b');
  await eventually(() => expect(sent).toEqual(['a']));
  const urls: string[] = [];
  const { send } = worker;
  worker.send = (request) => {
    urls.push(request.url);
    return send(request);
  };
  await changeElsewhere({ url: 'https://moved.example.com/' });
  await respond('a', 200);
  await respond('b', 200);
  await recorded('b');
  expect(urls).toEqual(['https://moved.example.com/']);
});

test('uses the settings of another process when more arrives while nothing is in flight', async () => {
  await add('a');
  await respond('a', 200);
  await recorded('a');
  const urls: string[] = [];
  const { send } = worker;
  worker.send = (request) => {
    urls.push(request.url);
    return send(request);
  };
  await changeElsewhere({ url: 'https://moved.example.com/' });
  await add('b');
  await respond('b', 200);
  await recorded('b');
  expect(urls).toEqual(['https://moved.example.com/']);
});

test('sends no delivery that arrives after another process paused the webhook', async () => {
  await add('a');
  await respond('a', 200);
  await recorded('a');
  await changeElsewhere({ status: 'paused' });
  await add('b');
  await queue.done;
  expect(sent).toEqual(['a']);
});

test('drops deliveries of an event that is no longer subscribed, without an attempt', async () => {
  await add('a', 'b', 'c');
  await addEvents('payment.failed', 'd');
  await eventually(() => expect(sent).toEqual(['a']));
  await changeElsewhere({ events: ['payment.failed'] });
  await respond('a', 200);
  await respond('d', 200);
  await recorded('d');
  expect(sent).toEqual(['a', 'd']);
  const { webhookDeliveries } = database.db;
  for (const id of ['b', 'c']) {
    expect(await webhookDeliveries.findOne({ _id: `${webhook_id}-${id}` })).toMatchObject({
      status: 'failed',
      attempts: [],
      settled_at: new Date(now()),
    });
  }
});

test('sends deliveries of an event that another process has just subscribed', async () => {
  await add('a', 'b');
  await respond('a', 200);
  await eventually(() => expect(sent).toEqual(['a', 'b']));
  await recorded('a');
  await changeElsewhere({ events: ['conversation.started', 'chatbot.created'] });
  await addEvents('chatbot.created', 'c');
  await respond('c', 200);
  await recorded('c');
  expect(sent).toEqual(['a', 'b', 'c']);
});

test('sends no delivery that another process cancels, except those in flight', async () => {
  await add('a', 'b', 'c');
  await respond('a', 200);
  await eventually(() => expect(sent).toEqual(['a', 'b', 'c']));
  await add('d', 'e', 'f');
  const { webhookDeliveries } = database.db;
  await webhookDeliveries.updateMany(
    { webhook_id, event_id: { $in: ['c', 'd', 'e'] } },
    { $set: { status: 'cancelled' } },
  );
  const elsewhere = createWake({ db: database.db, now, worker: { reload: () => {}, readMore: () => {} } });
  await elsewhere.webhookChanged(webhook_id, { cancelled: true });
  await respond('b', 200);
  await respond('f', 200);
  await recorded('f');
  await respond('c', 500);
  await add('g');
  await respond('g', 200);
  await recorded('g');
  expect(sent).toEqual(['a', 'b', 'c', 'f', 'g']);
  expect(await webhookDeliveries.findOne({ _id: `${webhook_id}-c` })).toMatchObject({
    status: 'cancelled',
    attempts: [],
  });
});

test('sends nothing while the account is not active, and checks again later', async () => {
  await add(...numbered(5));
  await respond('0', 200);
  await eventually(() => expect(sent).toHaveLength(3));
  const { users } = database.db;
  await users.updateOne({ user_id: owner_id }, { $set: { account_status: 'disabled' } });
  for (const id of ['1', '2']) await respond(id, 200);
  await queue.done;
  expect(sent).toHaveLength(3);
  expect(await webhook()).toMatchObject({ status: 'active', lease: null, due_at: new Date(now() + 30_000) });
});

test('releases a claimed queue whose account is not active', async () => {
  queue.stop();
  await queue.done;
  await database.db.users.updateOne({ user_id: owner_id }, { $set: { account_status: 'disabled' } });
  queue = await claimQueue();
  await add('a');
  await queue.done;
  expect(sent).toEqual([]);
});

test.each(['this process', 'another process'])(
  'a pause that its owner ends in %s while attempts are in flight stays ended',
  async (where) => {
    await add('a', 'b', 'c', 'd');
    await respond('a', 200);
    await eventually(() => expect(sent).toEqual(['a', 'b', 'c']));
    await respond('b', 429, 3_600_000);
    await recorded('b');
    const reload = () => where === 'this process' && queue.reload();
    const { webhookChanged } = createWake({ db: database.db, now, worker: { reload, readMore: () => {} } });
    await webhookChanged(webhook_id, { endPause: true });
    await respond('c', 200);
    await respond('d', 200);
    await recorded('d');
    expect((await webhook())?.held_until).toEqual(new Date(now()));
  },
);

test('stops without recording an attempt that is abandoned', async () => {
  await add('a');
  await eventually(() => expect(sent).toEqual(['a']));
  queue.stop();
  queue.abandon();
  answer.get('a')?.(200);
  const { webhookDeliveries } = database.db;
  expect(await webhookDeliveries.findOne({ webhook_id })).toMatchObject({ status: 'pending', attempts: [] });
  await abandonQueues(worker, [webhook_id]);
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

describe('the health of the webhook', () => {
  const health = async () => (await webhook())?.health;
  const outage = {
    last_success_at: null,
    last_failure_at: new Date(now() - 3_600_000),
    consecutive_failures: 7,
    failing_since: new Date(now() - 48 * 3_600_000),
    hours: [],
  };
  /** Claims the queue anew, with a health and deliveries that wait. */
  async function claimWith(stored: typeof outage, ...ids: string[]): Promise<void> {
    queue.stop();
    await queue.done;
    await changeElsewhere({ health: stored });
    if (ids.length > 0) await add(...ids);
    worker.linger = 1;
    queue = await claimQueue();
  }

  test('counts every attempt of the queue', async () => {
    worker.linger = 1;
    await add('a', 'b', 'c');
    await respond('a', 200);
    await respond('b', 500);
    await respond('c', 200);
    await queue.done;
    expect(await health()).toEqual({
      last_success_at: new Date(now()),
      last_failure_at: new Date(now()),
      consecutive_failures: 0,
      failing_since: null,
      hours: [{ hour: Math.floor(now() / 3_600_000), delivered: 2, failed: 1 }],
    });
  });

  test('is stored with the outcome, while the queue is held', async () => {
    await add('a');
    await respond('a', 500);
    await recorded('a');
    expect(await health()).toMatchObject({ consecutive_failures: 1, failing_since: new Date(now()) });
    expect((await webhook())?.lease).toBe(lease.id);
  });

  test('has no failures left when a success is recorded', async () => {
    await claimWith(outage, 'a');
    const { webhookDeliveries } = database.db;
    const write = webhookDeliveries.bulkWrite.bind(webhookDeliveries);
    let healthBefore: unknown;
    vi.spyOn(webhookDeliveries, 'bulkWrite').mockImplementationOnce(async (...call) => {
      healthBefore = await health();
      return write(...call);
    });
    await respond('a', 200);
    await recorded('a');
    expect(healthBefore).toMatchObject({ failing_since: null, consecutive_failures: 0 });
    await queue.done;
    expect(await health()).toMatchObject({ last_success_at: new Date(now()), consecutive_failures: 0 });
  });

  test('has no failures left after a success of a worker that has lost its lease', async () => {
    await claimWith(outage, 'a');
    await eventually(() => expect(sent).toEqual(['a']));
    await changeElsewhere({ lease: 'another worker' });
    await respond('a', 200);
    await recorded('a');
    expect(await health()).toMatchObject({ failing_since: null, consecutive_failures: 0 });
    queue.stop();
    await queue.done;
  });

  test('keeps what another worker counted when a worker has lost its lease', async () => {
    await claimWith(outage, 'a');
    await eventually(() => expect(sent).toEqual(['a']));
    await changeElsewhere({ lease: 'another worker', 'health.consecutive_failures': 12 });
    await respond('a', 500);
    await recorded('a');
    queue.stop();
    await queue.done;
    expect(await health()).toMatchObject({ consecutive_failures: 13, failing_since: outage.failing_since });
  });

  test('ignores the results of a URL that has been replaced', async () => {
    await claimWith(outage, 'a');
    await eventually(() => expect(sent).toEqual(['a']));
    const url = 'https://moved.example.com/';
    await changeElsewhere({ url, health: { ...outage, failing_since: null, consecutive_failures: 0 } });
    await respond('a', 500);
    await recorded('a');
    queue.reload();
    await queue.done;
    expect(await health()).toMatchObject({ failing_since: null, consecutive_failures: 0 });
  });

  test('disables the webhook after three days of failures, unless the count was reset', async () => {
    const long = { ...outage, failing_since: new Date(now() - 72 * 3_600_000) };
    await claimWith(long);
    let disabled = 0;
    worker.onDisabled = () => {
      disabled += 1;
    };
    await add('a', 'b');
    await eventually(() => expect(sent).toEqual(['a']));
    await changeElsewhere({ 'health.failing_since': null, 'health.consecutive_failures': 0 });
    await respond('a', 500);
    await respond('b', 500);
    await queue.done;
    expect(await webhook()).toMatchObject({ status: 'active', health: { failing_since: new Date(now()) } });
    expect(disabled).toBe(0);

    await changeElsewhere({ due_at: new Date(0) });
    await claimWith(long);
    await add('c', 'd');
    await respond('c', 500);
    await queue.done;
    const at = new Date(now());
    expect(await webhook()).toMatchObject({
      status: 'disabled',
      disabled: { reason: 'failing', at },
      notice: { due: at, reason: 'failing', at },
      lease: null,
    });
    expect(disabled).toBe(1);
    expect(sent).toEqual(['a', 'b', 'c']);
  });
});
