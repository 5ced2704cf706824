import { connect } from '@gatehouse/shared/data/connect';
import { COLLECTIONS, type Database } from '../services/user/database.ts';
import type { Delivery } from '../services/user/webhooks/records.ts';
import { testClock } from '../test/fixtures/clock.ts';
import { launch } from '../test/fixtures/launcher.ts';
import { member } from '../test/fixtures/members.ts';
import { JWT_SECRET } from '../test/fixtures/services.ts';
import { load } from './load.ts';
import { compare } from './report.ts';

const SMALL = 1_000;
const LARGE = 100_000;

const QUERIES = {
  'as it comes': '',
  'by status': '&status=failed',
  'by event': '&event=payment.failed',
  'by HTTP status': '&http_status=503',
  'by everything, without a match': '&status=delivered&event=payment.failed&http_status=503',
};

/** GET …/deliveries: a page of 20 from 100,000 deliveries, relative to a page of 20 from 1,000. */
export async function listDeliveries(): Promise<void> {
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn', JWT_SECRET } });
  try {
    await gatehouse.up;
    const db = await connect(gatehouse.mongodb, COLLECTIONS, { appName: 'bench' });
    const { user_id, authorization } = await member(db, testClock());
    await fill(db, user_id, SMALL);
    await fill(db, user_id, LARGE);
    await db.close();
    for (const [name, query] of Object.entries(QUERIES)) {
      const list = (count: number) => () =>
        load(`${gatehouse.user}/api/v1/webhooks/webhook-${count}/deliveries?limit=20${query}`, {
          headers: { authorization },
          connections: 4,
        });
      const [few, many] = [`${name}, of ${SMALL}`, `${name}, of ${LARGE}`];
      await compare('list-deliveries', {
        unit: 'requests/s',
        rounds: 5,
        measures: { [few]: list(SMALL), [many]: list(LARGE) },
        ratios: [{ of: many, over: few, goal: 0.5 }],
      });
    }
  } finally {
    await gatehouse.stop();
  }
}

/** Stores a webhook with deliveries, of which every fourth has failed, half of them of another event. */
async function fill(db: Database, owner_id: string, count: number): Promise<void> {
  const webhook_id = `webhook-${count}`;
  const start = Date.UTC(2026, 0, 15);
  const at = new Date(start);
  await db.webhooks.insertOne({
    webhook_id,
    owner_id,
    slot: count,
    url: 'https://app.example.com/',
    events: ['payment.failed'],
    status: 'paused',
    secret: '',
    previous_secrets: [],
    created_at: at,
    updated_at: at,
    due_at: null,
    lease: null,
    held_until: null,
    wakes: 0,
  });
  const deliveries = Array.from({ length: count }, (_, number): Delivery => {
    const failed = number % 4 === 0;
    const created_at = new Date(start + number * 10);
    return {
      _id: `${webhook_id}-${number}`,
      delivery_id: `${webhook_id}-${number}`,
      webhook_id,
      event_id: `event-${number}`,
      event: number % 8 < 4 ? 'payment.failed' : 'payment.succeeded',
      payload: '{"event":"payment.failed","timestamp":"2026-01-15T09:30:00.000Z","data":{}}',
      status: failed ? 'failed' : 'delivered',
      created_at,
      seq: number,
      due: created_at,
      attempt_count: 1,
      failures: failed ? 1 : 0,
      attempts: [{ at: created_at, duration_ms: 20, status: failed ? 503 : 200, error: null, answer: 'ok' }],
      exchanges: [{ request_headers: [['webhook-id', `event-${number}`]], answer: '' }],
      http_status: failed ? 503 : 200,
      gives_up_at: null,
      settled_at: created_at,
      expires_at: new Date(Date.now() + 86_400_000),
    };
  });
  for (let from = 0; from < count; from += 2_000)
    await db.webhookDeliveries.insertMany(deliveries.slice(from, from + 2_000));
}
