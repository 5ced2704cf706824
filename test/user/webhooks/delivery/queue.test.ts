import type { FastifyBaseLogger } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { COLLECTIONS } from '../../../../services/user/database.ts';
import { claim } from '../../../../services/user/webhooks/delivery/lease.ts';
import { workOff } from '../../../../services/user/webhooks/delivery/queue.ts';
import { createRecordOutcome } from '../../../../services/user/webhooks/delivery/record-outcome.ts';
import { createSecrets } from '../../../../services/user/webhooks/delivery/secrets.ts';
import type { Delivery, Webhook } from '../../../../services/user/webhooks/records.ts';
import { freshDatabase } from '../../../fixtures/database.ts';
import { eventually } from '../../../fixtures/eventually.ts';

let database: Awaited<ReturnType<typeof freshDatabase<typeof COLLECTIONS>>>;
beforeAll(async () => {
  database = await freshDatabase(COLLECTIONS);
});
afterAll(() => database.drop());

const secrets = createSecrets({ JWT_SECRET: 'a secret that only the tests know, 32 bytes and more' });
let webhooks = 0;
let webhook_id: string;
/** What was sent, in order, and how each answers: when it is told to. */
let sent: string[];
let answer: Map<string, (status: number) => void>;
beforeEach(() => {
  webhooks += 1;
  webhook_id = `webhook-${webhooks}`;
  sent = [];
  answer = new Map();
});

/** Stores deliveries. */
async function store(...ids: string[]): Promise<Delivery[]> {
  const deliveries = ids.map(deliveryOf);
  await database.db.webhookDeliveries.insertMany(deliveries.map((delivery) => ({ ...delivery })));
  return deliveries;
}

const deliveryOf = (id: string): Delivery => ({
  _id: `${webhook_id}-${id}`,
  delivery_id: `${webhook_id}-${id}`,
  webhook_id,
  event_id: id,
  event: 'conversation.started',
  payload: '{}',
  status: 'pending',
  created_at: new Date(),
  seq: 0,
  due: new Date(),
  attempt_count: 0,
  failures: 0,
  attempts: [],
  gives_up_at: null,
  settled_at: null,
  expires_at: new Date(Date.now() + 3_600_000),
});

/** A queue of a webhook of its own, whose receiver is at hand. */
async function startQueue() {
  const { db } = database;
  const webhook: Webhook = {
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
  };
  await db.webhooks.insertOne({ ...webhook });
  const worker = {
    db,
    id: 'worker',
    now: Date.now,
    secrets,
    log: { error: () => {}, warn: () => {} } as unknown as FastifyBaseLogger,
    attempted: () => {},
    recordOutcome: createRecordOutcome({ db, now: Date.now }),
    send: ({ headers }: { headers: Record<string, string> }) => {
      const id = headers['webhook-id'] as string;
      sent.push(id);
      return new Promise<never>((resolve) => {
        answer.set(id, (status) =>
          resolve({ at: new Date(), duration_ms: 1, status, error: null, answer: '', asked: null } as never),
        );
      });
    },
  };
  const claimed = await claim(worker);
  if (!claimed) throw new Error('not claimed');
  return workOff(worker, claimed);
}

const isSent = (...ids: string[]) => eventually(() => expect(sent).toEqual(ids));
/** Answers, so that more and more are sent at once. */
async function widen(queue: Awaited<ReturnType<typeof startQueue>>, count: number) {
  for (let number = 0; number < count; number += 1) {
    const [delivery] = (await store(`warm${number}`)) as [Delivery];
    queue.offer([delivery]);
    await eventually(() => answer.get(delivery.event_id)?.(200) ?? expect(sent).toContain(delivery.event_id));
    await eventually(async () =>
      expect((await database.db.webhookDeliveries.findOne({ _id: delivery._id }))?.status).toBe('delivered'),
    );
  }
  sent = [];
}

test('what came by two ways, read and offered, is sent once, and the queue goes on', async () => {
  const queue = await startQueue();
  await widen(queue, 3);
  const four = await store('a', 'b', 'c', 'd');
  queue.kick();
  await isSent('a', 'b', 'c', 'd');
  queue.offer(four);
  // One fails, so that from now on one is sent at a time; it may be tried again at any moment.
  for (const [id, status] of [
    ['a', 200],
    ['b', 200],
    ['c', 500],
  ] as const)
    answer.get(id)?.(status);
  await eventually(async () => {
    const written = { webhook_id, attempt_count: 1, event_id: { $in: ['a', 'b', 'c'] } };
    expect(await database.db.webhookDeliveries.countDocuments(written)).toBe(3);
  });
  queue.offer(four.slice(0, 2)); // late: they are settled
  queue.offer(await store('next'));
  answer.get('d')?.(200);
  await eventually(() => expect(sent).toContain('next'));
  answer.get('next')?.(200);
  queue.stop();
  answer.get('c')?.(200);
  await queue.done;
  expect(sent.filter((id) => id !== 'c').toSorted()).toEqual(['a', 'b', 'd', 'next']);
});

test.each([
  [410, 'active'],
  [503, 'active'],
])(
  'a late %i of an address that the webhook no longer has says nothing of the new one',
  async (status, then) => {
    const queue = await startQueue();
    queue.offer(await store('old'));
    await isSent('old');
    const url = 'https://moved.example.com/';
    await database.db.webhooks.updateOne({ webhook_id }, { $set: { url } });
    answer.get('old')?.(status);
    await eventually(async () => {
      const attempts = (await database.db.webhookDeliveries.findOne({ webhook_id }))?.attempts;
      expect(attempts).toHaveLength(1);
    });
    queue.stop();
    await queue.done;
    const webhook = await database.db.webhooks.findOne({ webhook_id });
    expect(webhook).toMatchObject({ status: then, url, held_until: null });
  },
);
