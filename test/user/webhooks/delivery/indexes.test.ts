import type { Document, FindCursor } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COLLECTIONS } from '../../../../services/user/database.ts';
import type { Delivery } from '../../../../services/user/webhooks/records.ts';
import { freshDatabase } from '../../../fixtures/database.ts';

const OTHERS = 3_000;
const now = new Date();
const later = new Date(now.getTime() + 3_600_000);

let database: Awaited<ReturnType<typeof freshDatabase<typeof COLLECTIONS>>>;
beforeAll(async () => {
  database = await freshDatabase(COLLECTIONS);
  const { db } = database;
  const delivery = (index: number): Delivery => ({
    _id: String(index),
    delivery_id: String(index),
    webhook_id: index < 10 ? 'quiet' : 'busy',
    event_id: `evt_${index}`,
    event: 'payment.failed',
    payload: '{}',
    status: index % 3 === 0 ? 'failed' : 'pending',
    created_at: now,
    seq: index,
    due: index % 2 ? now : later,
    attempt_count: 0,
    failures: 0,
    attempts: [],
    gives_up_at: null,
    settled_at: now,
    expires_at: later,
  });
  await db.webhookDeliveries.insertMany(Array.from({ length: OTHERS }, (_, index) => delivery(index)));
  await db.webhooks.insertMany(
    Array.from({ length: OTHERS }, (_, index) => ({
      webhook_id: `webhook ${index}`,
      owner_id: `User-${index}`,
      slot: 0,
      ...(index % 1_000 === 0 && {
        owner_id: null,
        slot: `${index}`,
        organization_id: 'organization',
        department_id: [null, 'support', 'sales'][index / 1_000] ?? null,
      }),
      url: 'https://app.example.com/',
      events: ['payment.failed' as const],
      status: 'active' as const,
      secret: '',
      previous_secrets: [],
      created_at: now,
      updated_at: now,
      due_at: index % 100 === 0 ? now : later,
      lease: null,
      held_until: null,
      wakes: 0,
    })),
  );
});
afterAll(() => database.drop());

/** The number of documents that a query examines. */
async function examined(cursor: FindCursor<Document>): Promise<number> {
  const { queryPlanner, executionStats } = await cursor.explain('executionStats');
  expect(JSON.stringify(queryPlanner.winningPlan)).not.toContain('COLLSCAN');
  return executionStats.totalDocsExamined;
}

test('the queries of a worker examine only what they return, whatever else is pending', async () => {
  const { webhooks, webhookDeliveries: deliveries } = database.db;
  const pending = { webhook_id: 'quiet', status: 'pending' as const };
  const soonest = { due: 1, seq: 1 } as const;
  const due = deliveries
    .find({ ...pending, due: { $lte: now } })
    .sort(soonest)
    .limit(200);
  expect(await examined(due)).toBeLessThanOrEqual(4);
  expect(await examined(deliveries.find(pending).sort(soonest).limit(1))).toBeLessThanOrEqual(2);
  const queue = webhooks
    .find({ status: 'active', due_at: { $lte: now } })
    .sort({ due_at: 1 })
    .limit(1);
  expect(await examined(queue)).toBeLessThanOrEqual(2);
  const owned = webhooks.find({
    owner_id: { $in: ['User-1', 'User-2'] },
    status: { $in: ['active', 'paused'] },
  });
  expect(await examined(owned)).toBe(2);
  const status = { $in: ['active' as const, 'paused' as const] };
  const heard = webhooks.find({
    $or: [
      { owner_id: { $in: ['User-1', 'User-2'] }, status },
      { organization_id: { $in: ['organization'] }, department_id: { $in: [null, 'support'] }, status },
    ],
  });
  expect(await examined(heard)).toBe(4);
});

test('a reader of events examines only its page', async () => {
  const { events } = database.db;
  await events.insertMany(
    Array.from({ length: OTHERS }, (_, index) => ({
      _id: `evt_${index}`,
      owner_id: `User-${index % 2}`,
      organization_id: null,
      department_id: null,
      chatbot_id: null,
      event: 'payment.failed' as const,
      payload: '{}',
      fingerprint: '',
      position: index + 1,
      readers: [`account User-${index % 2}`, 'organization x'],
      accepted_at: now,
      expires_at: later,
    })),
  );
  const position = { $gt: 100, $lt: OTHERS };
  const page = (filter: object) => events.find(filter).sort({ position: 1 }).limit(20);
  expect(await examined(page({ readers: 'account User-1', position }))).toBeLessThanOrEqual(21);
  expect(await examined(page({ position }))).toBeLessThanOrEqual(21);
});

test('a replay examines only dead letters, and a list only its page', async () => {
  const { webhookDeliveries: deliveries } = database.db;
  const failed = { webhook_id: 'quiet', status: 'failed' as const, settled_at: { $lt: later } };
  const replay = deliveries
    .find({ ...failed, created_at: { $gte: now } })
    .sort({ created_at: 1 })
    .limit(1_000);
  expect(await examined(replay)).toBe(4);
  const newest = { created_at: -1, seq: -1, delivery_id: -1 } as const;
  const page = deliveries.find({ webhook_id: 'busy' }).sort(newest).limit(20);
  expect(await examined(page)).toBeLessThanOrEqual(32);
});
