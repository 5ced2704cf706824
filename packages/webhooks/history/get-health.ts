import { z } from 'zod';
import type { Database } from '../database.ts';
import { healthOf, lastDay } from '../delivery/health.ts';
import type { Delivery } from '../delivery-records.ts';
import { operation } from '../dependencies.ts';
import { managedWebhook } from '../managed.ts';
import { BY_STATUS, HISTORY, WEBHOOK_STATUSES, type Webhook } from '../records.ts';
import { HEALTH_EXAMPLE, healthRecord, presentHealth } from './present-health.ts';
import { selectDeliveries } from './select-deliveries.ts';

/** Pending deliveries that are counted. */
const MAX_BACKLOG = 100_000;

const dateTime = z.string().meta({ format: 'date-time' }).nullable();

/** The stored health of a webhook, with its attempts of the last 24 hours and its backlog. */
export const countedHealth = healthRecord
  .extend({
    status: z.enum(WEBHOOK_STATUSES),
    success_rate: z
      .number()
      .nullable()
      .meta({ description: 'The share of these attempts that succeeded; null if there were none' }),
    attempts: z
      .object({ delivered: z.int(), failed: z.int() })
      .meta({ description: 'Attempts in the last 24 hours, including the current hour' }),
    failing_since: dateTime,
    backlog: z.int().meta({ description: 'Pending deliveries' }),
    oldest_pending_at: dateTime.meta({ description: 'When the oldest pending delivery was created' }),
  })
  .meta({
    description: 'The health of the webhook',
    examples: [
      {
        ...HEALTH_EXAMPLE,
        status: 'active',
        success_rate: 0.9961,
        attempts: { delivered: 1_784, failed: 7 },
        failing_since: null,
        backlog: 3,
        oldest_pending_at: '2026-01-15T09:29:41.870Z',
      },
    ],
  });

export async function readHealth(
  db: Database,
  webhook: Webhook,
  now: number,
): Promise<z.infer<typeof countedHealth>> {
  const { webhook_id, status } = webhook;
  const health = healthOf(webhook);
  const pending = { webhook_id, status: 'pending' as const };
  const [backlog, oldest] = await Promise.all([
    db.webhookDeliveries.countDocuments(pending, { hint: BY_STATUS, limit: MAX_BACKLOG }),
    oldestPending(db, webhook_id),
  ]);
  const attempts = lastDay(health, now);
  const total = attempts.delivered + attempts.failed;
  return {
    ...presentHealth(webhook),
    status,
    success_rate: total === 0 ? null : Math.round((attempts.delivered / total) * 10_000) / 10_000,
    attempts,
    failing_since: health.failing_since?.toISOString() ?? null,
    backlog,
    oldest_pending_at: oldest?.created_at.toISOString() ?? null,
  };
}

function oldestPending(db: Database, webhook_id: string): Promise<Pick<Delivery, 'created_at'> | null> {
  const { filter, hint } = selectDeliveries(webhook_id, { statuses: ['pending'] });
  return db.webhookDeliveries.findOne(filter, {
    sort: HISTORY,
    projection: { created_at: 1 },
    ...(hint && { hint }),
  });
}

export const getHealth = operation('GET /api/v1/webhooks/{webhook_id}/health', {
  needs: 'administration',
  summary: 'Read the health of a webhook',
  description: `Returns the attempts of the last 24 hours, the failures in a row, and the backlog, counted up to 100,000. A webhook whose attempts all fail for three days is disabled; \`failing_since\` is when that outage began. Each attempt is counted just before its delivery changes; if the service is killed between the two, the attempt is made and counted again. Test events are not counted.`,
  returns: countedHealth,
  async handle({ db, host, now, request }) {
    return readHealth(db, await managedWebhook({ db, host }, request), now());
  },
});
