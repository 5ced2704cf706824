import { openEnum } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { DELIVERY_STATUSES, type Delivery } from '../delivery-records.ts';
import { EVENT_NAMES } from '../events.ts';
import { ATTEMPT_EXAMPLE, attemptRecord, presentAttempt } from './present-attempt.ts';

const dateTime = z.string().meta({ format: 'date-time' });

export const DELIVERY_EXAMPLE = {
  delivery_id: '5f1c3b52-0d6e-8a41-9f57-0d4e8a6b2c13',
  event_id: 'conv-started_8421',
  event: 'conversation.started' as const,
  status: 'delivered' as const,
  created_at: '2026-01-15T09:30:00.000Z',
  next_attempt_at: null,
  settled_at: '2026-01-15T09:30:00.204Z',
  attempt_count: 1,
  http_status: 200,
  attempts: [ATTEMPT_EXAMPLE],
};

/** One event for one webhook, as its managers see it. */
export const deliveryRecord = z
  .object({
    delivery_id: z.string(),
    event_id: z.string().meta({ description: 'Sent to the receiver as `webhook-id`' }),
    event: openEnum(EVENT_NAMES),
    status: z.enum(DELIVERY_STATUSES).meta({
      description:
        '`failed`: all retries of three days failed, or the event is no longer subscribed. `cancelled`: canceled by a call. Both can be replayed while the webhook is subscribed to the event',
    }),
    created_at: dateTime,
    next_attempt_at: dateTime.nullable(),
    settled_at: dateTime
      .nullable()
      .meta({ description: 'When it was delivered, failed for good or was canceled' }),
    attempt_count: z.int(),
    http_status: z
      .int()
      .nullable()
      .meta({ description: 'The status of the latest response; null when there was none' }),
    attempts: z.array(attemptRecord).meta({ description: 'The latest 20, oldest first' }),
  })
  .meta({
    description: 'The delivery',
    examples: [DELIVERY_EXAMPLE],
  });

export const presentDelivery = (delivery: Delivery): z.infer<typeof deliveryRecord> => ({
  delivery_id: delivery.delivery_id,
  event_id: delivery.event_id,
  event: delivery.event,
  status: delivery.status,
  created_at: delivery.created_at.toISOString(),
  next_attempt_at: delivery.status === 'pending' ? delivery.due.toISOString() : null,
  settled_at: delivery.settled_at?.toISOString() ?? null,
  attempt_count: delivery.attempt_count,
  http_status: delivery.attempts.at(-1)?.status ?? null,
  attempts: delivery.attempts.map(presentAttempt),
});
