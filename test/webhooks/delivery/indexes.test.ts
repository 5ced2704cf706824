import { BY_DUE } from '@gatehouse/webhooks/records';
import type { Document, FindCursor, IndexSpecification } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DELIVERY_STATUSES, type Delivery } from '../../../packages/webhooks/delivery-records.ts';
import { EVENT_NAMES } from '../../../packages/webhooks/events.ts';
import { selectDeliveries } from '../../../packages/webhooks/history/select-deliveries.ts';
import { closeIntake, reservePositions } from '../../../packages/webhooks/intake/event-log.ts';
import { subscribersOf } from '../../../packages/webhooks/intake/fan-out.ts';
import { readEvents } from '../../../packages/webhooks/pull/read-events.ts';
import { COLLECTIONS } from '../../../services/user/database.ts';
import { explained, freshDatabase } from '../../fixtures/database.ts';
import { hostOf } from '../host.ts';
import { storedWebhook } from '../stored-webhook.ts';

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
    ...(index % 3 === 0 && { http_status: index % 2 ? 500 : 503 }),
    gives_up_at: null,
    settled_at: now,
    expires_at: later,
  });
  await db.webhookDeliveries.insertMany(Array.from({ length: OTHERS }, (_, index) => delivery(index)));
  await db.webhooks.insertMany(
    Array.from({ length: OTHERS }, (_, index) =>
      storedWebhook({
        webhook_id: `webhook ${index}`,
        owner_id: `User-${index}`,
        ...(index % 1_000 === 0 && {
          owner_id: null,
          organization_id: 'organization',
          department_id: [null, 'support', 'sales'][index / 1_000] ?? null,
        }),
        events: ['payment.failed'],
        status: 'active',
        due_at: index % 100 === 0 ? now : later,
      }),
    ),
  );
});
afterAll(() => database.drop());

/** The number of documents that a query examines. */
async function examined(cursor: FindCursor<Document>): Promise<number> {
  const { queryPlanner, executionStats } = await cursor.explain('executionStats');
  expect(JSON.stringify(queryPlanner.winningPlan)).not.toContain('COLLSCAN');
  return executionStats.totalDocsExamined;
}

test('the queries of a worker examine only the deliveries that they return', async () => {
  const { webhooks, webhookDeliveries: deliveries } = database.db;
  const pending = { webhook_id: 'quiet', status: 'pending' as const };
  const soonest = { due: 1, seq: 1 } as const;
  const due = deliveries
    .find({ ...pending, due: { $lte: now } })
    .sort(soonest)
    .hint(BY_DUE)
    .limit(200);
  expect(await examined(due)).toBeLessThanOrEqual(4);
  const next = deliveries.find(pending).sort(soonest).hint(BY_DUE).limit(1);
  expect(await examined(next)).toBeLessThanOrEqual(2);
  const queue = webhooks
    .find({ status: 'active', due_at: { $lte: now } })
    .sort({ due_at: 1 })
    .limit(1);
  expect(await examined(queue)).toBeLessThanOrEqual(2);
});

test('the subscribers of events are found without reading other webhooks', async () => {
  const { db } = database;
  const nowhere = { organization_id: null, department_id: null, chatbot_id: null };
  const heard = [
    { event: 'payment.failed' as const, ...nowhere, owner_id: 'User-1' },
    { event: 'payment.failed' as const, ...nowhere, owner_id: 'User-2' },
    {
      event: 'payment.failed' as const,
      ...nowhere,
      owner_id: null,
      organization_id: 'organization',
      department_id: 'support',
    },
  ];
  const reads = await explained(db, () => subscribersOf({ db, host: hostOf(db) }, heard), {
    find: 'webhooks',
  });
  expect(reads.map(({ examined }) => examined)).toEqual([2, 2]);
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
      readers: [`User-${index % 2}`, 'organization'],
      accepted_at: now,
      expires_at: later,
    })),
  );
  await reservePositions(database.db, 'all', OTHERS + 1);
  await closeIntake(database.db, 'all');
  for (const visible of [{ readers: 'User-1' }, {}]) {
    const read = () => readEvents(database.db, visible, { after: '100', limit: 20 });
    const [page] = await explained(database.db, read, { find: 'events' });
    expect(page?.plan).not.toContain('COLLSCAN');
    expect(page?.examined).toBeLessThanOrEqual(21);
  }
});

test('a replay examines only dead letters, and a list only its page', async () => {
  const { webhookDeliveries: deliveries } = database.db;
  const failed = selectDeliveries('quiet', { statuses: ['failed'], events: ['payment.failed'], since: now });
  const replay = deliveries
    .find({ ...failed.filter, settled_at: { $lt: later } })
    .hint(failed.hint as IndexSpecification)
    .sort({ created_at: 1, seq: 1, delivery_id: 1 })
    .limit(1_000);
  expect(await examined(replay)).toBe(4);
});

test.each([
  [{}, 20],
  [{ since: now, until: later }, 20],
  [{ statuses: ['pending'] }, 20],
  [{ statuses: ['delivered'] }, 0],
  [{ events: ['payment.failed'] }, 20],
  [{ events: ['chatbot.created'] }, 0],
  [{ http_status: 500 }, 20],
  [{ http_status: 404 }, 0],
  [{ http_status: 'none' }, 0],
  [{ http_status: 503, statuses: ['pending'], events: ['payment.failed'] }, 0],
  [{ http_status: 503, statuses: ['failed'], events: ['payment.failed'], since: now }, 20],
] as const)('a list filtered by %j reads a page of %i and no other delivery', async (selection, page) => {
  const { filter, hint } = selectDeliveries('busy', selection);
  const newest = { created_at: -1, seq: -1, delivery_id: -1 } as const;
  const cursor = database.db.webhookDeliveries.find(filter).sort(newest).limit(20);
  const found = await examined(hint ? cursor.hint(hint) : cursor);
  expect(found).toBeGreaterThanOrEqual(page);
  // The standalone database reads the first documents of each range that it merges.
  expect(found).toBeLessThanOrEqual(page === 0 ? 0 : page + 32);
});

test('a list without an event filter stays below the number of ranges that MongoDB merges in order', () => {
  // internalQueryMaxScansToExplode
  expect(DELIVERY_STATUSES.length * EVENT_NAMES.length).toBeLessThanOrEqual(200);
});
