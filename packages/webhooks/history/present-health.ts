import { z } from 'zod';
import { healthOf } from '../delivery/health.ts';
import { DISABLED_REASONS, type Webhook } from '../records.ts';

const dateTime = z.string().meta({ format: 'date-time' }).nullable();

export const HEALTH_EXAMPLE = {
  last_success_at: '2026-01-15T09:30:00.204Z',
  last_failure_at: null,
  consecutive_failures: 0,
  disabled_reason: null,
  disabled_at: null,
};

/** The health in the record of a webhook. */
export const healthRecord = z.object({
  last_success_at: dateTime,
  last_failure_at: dateTime,
  consecutive_failures: z.int().meta({
    description: 'Failed attempts since the last success, activation or change of the URL',
  }),
  disabled_reason: z.enum(DISABLED_REASONS).nullable().meta({
    description:
      '`gone`: the receiver answered 410. `failing`: every attempt failed for three days. Null if the webhook is not disabled',
  }),
  disabled_at: dateTime,
});

export function presentHealth(webhook: Pick<Webhook, 'health' | 'disabled'>): z.infer<typeof healthRecord> {
  const { last_success_at, last_failure_at, consecutive_failures } = healthOf(webhook);
  return {
    last_success_at: last_success_at?.toISOString() ?? null,
    last_failure_at: last_failure_at?.toISOString() ?? null,
    consecutive_failures,
    disabled_reason: webhook.disabled?.reason ?? null,
    disabled_at: webhook.disabled?.at.toISOString() ?? null,
  };
}
