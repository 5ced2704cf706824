import type { z } from 'zod';
import type { Database } from '../database.ts';
import { HISTORY, type Webhook } from '../records.ts';
import { type countedHealth, readHealth } from './get-health.ts';
import { selectDeliveries } from './select-deliveries.ts';

/** Webhooks that an operator should look at: those whose every attempt fails, and those that a worker has disabled. */
export const TROUBLES = ['failing', 'disabled'] as const;
export type Trouble = (typeof TROUBLES)[number];

/** Each has an index that holds no other webhook. */
export const TROUBLED = {
  failing: { status: 'active', 'health.failing_since': { $gt: new Date(0) } },
  disabled: { status: 'disabled', 'disabled.at': { $gt: new Date(0) } },
} as const;

/** The order of each list: whoever has been in trouble for longest comes first. */
export const TROUBLED_SINCE = { failing: 'health.failing_since', disabled: 'disabled.at' } as const;

/** What is known of a webhook in trouble: never a secret, a path, a body or a value of a header. */
export interface Troubled {
  origin: string;
  health: z.infer<typeof countedHealth>;
  last_error: { at: string; status: number | null; error: string | null } | null;
}

export async function readTroubled(db: Database, webhook: Webhook, now: number): Promise<Troubled> {
  const [health, last_error] = await Promise.all([
    readHealth(db, webhook, now),
    lastError(db, webhook.webhook_id),
  ]);
  return { origin: new URL(webhook.url).origin, health, last_error };
}

/** The latest attempt of the delivery that has waited longest, or else of the last one that was given up. */
async function lastError(db: Database, webhook_id: string): Promise<Troubled['last_error']> {
  const attempted = async (status: 'pending' | 'failed', direction: 1 | -1) => {
    const { filter, hint } = selectDeliveries(webhook_id, { statuses: [status] });
    const delivery = await db.webhookDeliveries.findOne(filter, {
      sort: Object.fromEntries(Object.keys(HISTORY).map((field) => [field, direction])),
      projection: { attempts: 1 },
      ...(hint && { hint }),
    });
    return delivery?.attempts.at(-1);
  };
  const attempt = (await attempted('pending', 1)) ?? (await attempted('failed', -1));
  if (!attempt) return null;
  const { at, status, error } = attempt;
  return { at: at.toISOString(), status, error };
}
