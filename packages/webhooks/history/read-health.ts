import { z } from 'zod';
import type { Database } from '../database.ts';
import { healthOf, lastDay } from '../delivery/health.ts';
import type { Delivery, DeliveryStatus } from '../delivery-records.ts';
import { BY_STATUS, WEBHOOK_STATUSES, type Webhook } from '../records.ts';
import { HEALTH_EXAMPLE, healthRecord, presentHealth } from './present-health.ts';
import { selectDeliveries } from './select-deliveries.ts';

/** Pending deliveries that are counted. */
const MAX_BACKLOG = 100_000;

const dateTime = z.string().meta({ format: 'date-time' }).nullable();

/** How a receiver does, with what is counted for the answer. */
export const countedHealth = healthRecord
  .extend({
    status: z.enum(WEBHOOK_STATUSES),
    success_rate: z
      .number()
      .nullable()
      .meta({ description: 'The part of the attempts of the last day that succeeded; null without any' }),
    attempts: z
      .object({ delivered: z.int(), failed: z.int() })
      .meta({ description: 'The attempts of the last 24 hours, the present one included' }),
    failing_since: dateTime,
    backlog: z.int().meta({ description: 'Pending deliveries' }),
    oldest_pending_at: dateTime.meta({ description: 'When the oldest of them was created' }),
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
  const [backlog, oldest, newest] = await Promise.all([
    db.webhookDeliveries.countDocuments(
      { webhook_id, status: 'pending' },
      { hint: BY_STATUS, limit: MAX_BACKLOG },
    ),
    firstOf(db, webhook_id, 'pending', 1),
    firstOf(db, webhook_id, 'delivered', -1),
  ]);
  // The worker that delivered it may have been killed before it saved the health.
  const delivered = Math.max(Number(health.last_success_at), Number(newest?.settled_at));
  const last_success_at = delivered > 0 ? new Date(delivered) : null;
  const attempts = lastDay(health, now);
  const total = attempts.delivered + attempts.failed;
  return {
    ...presentHealth({ ...webhook, health: { ...health, last_success_at } }),
    status,
    success_rate: total === 0 ? null : Math.round((attempts.delivered / total) * 10_000) / 10_000,
    attempts,
    failing_since: health.failing_since?.toISOString() ?? null,
    backlog,
    oldest_pending_at: oldest?.created_at.toISOString() ?? null,
  };
}

/** The oldest delivery of a status, or with `direction` -1 the newest. */
function firstOf(
  db: Database,
  webhook_id: string,
  status: DeliveryStatus,
  direction: 1 | -1,
): Promise<Pick<Delivery, 'created_at' | 'settled_at'> | null> {
  const { filter, hint } = selectDeliveries(webhook_id, { statuses: [status] });
  return db.webhookDeliveries.findOne(filter, {
    sort: { created_at: direction, seq: direction, delivery_id: direction },
    projection: { created_at: 1, settled_at: 1 },
    ...(hint && { hint }),
  });
}
