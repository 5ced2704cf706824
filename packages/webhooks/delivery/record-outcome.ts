import { batched } from '@gatehouse/shared/data/batched';
import { redactBulkError } from '@gatehouse/shared/data/bulk-errors';
import type { AnyBulkWriteOperation, Filter } from 'mongodb';
import type { Database } from '../database.ts';
import {
  ATTEMPT_ANSWER,
  type Delivery,
  KEPT_ATTEMPTS,
  KEPT_EXCHANGES,
  NO_RESPONSE,
} from '../delivery-records.ts';
import type { Webhook } from '../records.ts';
import { nextAttempt, RETRY_WINDOW } from './backoff.ts';
import type { Sent } from './deliver.ts';
import { addAttempts } from './health.ts';
import { isDelivered, type Outcome } from './send.ts';
import { truncateUtf8 } from './truncate-utf8.ts';

/** What a worker needs to know of a delivery. */
export type DueDelivery = Pick<Delivery, '_id' | (typeof DUE_FIELDS)[number]>;
export const DUE_FIELDS = [
  'event_id',
  'event',
  'payload',
  'attempt_count',
  'failures',
  'gives_up_at',
] as const satisfies (keyof Delivery)[];

/** The webhook of an attempt, with the URL that was called. */
type Called = Pick<Webhook, 'webhook_id' | 'url'>;

/** Records the outcome of an attempt, and counts it in the health of the webhook. Many at once are written together. */
export type RecordOutcome = (called: Called, delivery: DueDelivery, outcome: Sent) => Promise<Result>;
export type Result = 'delivered' | 'retried' | 'failed';

export function createRecordOutcome({ db, now }: { db: Database; now: () => number }): RecordOutcome {
  const write = batched(
    async (attempts: Recorded[]) => {
      // First: a kill in between must not leave an outage that a recorded success has ended.
      await db.webhooks.bulkWrite(healthUpdates(attempts, now()), { ordered: false }).catch(redactBulkError);
      const operations = attempts.map(({ operation }) => operation);
      await db.webhookDeliveries.bulkWrite(operations, { ordered: false }).catch(redactBulkError);
      return attempts;
    },
    { maxItems: 500 },
  );
  return async (called, delivery, outcome) => {
    const { result, filter, fields } = transition(delivery, outcome, now());
    const { retryAfter: _, request_headers, ...whole } = outcome;
    const attempt = { ...whole, answer: shortened(whole.answer) };
    const exchange = {
      request_headers: JSON.stringify(request_headers),
      answer: attempt.answer === whole.answer ? '' : whole.answer,
    };
    const update = {
      $set: { ...fields, http_status: outcome.status ?? NO_RESPONSE },
      $inc: { attempt_count: 1, ...(result !== 'delivered' && { failures: 1 }) },
      $push: {
        attempts: { $each: [attempt], $slice: -KEPT_ATTEMPTS },
        exchanges: { $each: [exchange], $slice: -KEPT_EXCHANGES },
      },
    };
    // The hint skips index selection, about a third of the cost of the write.
    const operation = { updateOne: { filter, update, hint: '_id_' } };
    await write({ called, delivered: result === 'delivered', operation });
    return result;
  };
}

interface Recorded {
  called: Called;
  delivered: boolean;
  operation: AnyBulkWriteOperation<Delivery>;
}

/** One update for each webhook. A result for a URL that has been replaced does not count. */
function healthUpdates(attempts: readonly Recorded[], now: number): AnyBulkWriteOperation<Webhook>[] {
  const byReceiver = Map.groupBy(attempts, ({ called }) => `${called.webhook_id} ${called.url}`);
  return [...byReceiver.values()].map((group) => {
    const { webhook_id, url } = (group[0] as Recorded).called;
    const update = addAttempts(
      group.map(({ delivered }) => delivered),
      now,
    );
    return { updateOne: { filter: { webhook_id, url }, update } };
  });
}

/** A UTF-16 code unit has up to three bytes. */
const shortened = (answer: string): string =>
  3 * answer.length <= ATTEMPT_ANSWER ? answer : truncateUtf8(Buffer.from(answer), ATTEMPT_ANSWER);

function transition(
  { _id, attempt_count, failures, gives_up_at }: DueDelivery,
  outcome: Outcome,
  now: number,
): { result: Result; filter: Filter<Delivery>; fields: Partial<Delivery> } {
  const settled_at = new Date(now);
  if (isDelivered(outcome)) {
    const filter = { _id, status: { $ne: 'delivered' as const } };
    return { result: 'delivered', filter, fields: { status: 'delivered', settled_at } };
  }
  // Ignore the failure if another worker recorded an attempt meanwhile, or the owner replayed or canceled the delivery.
  const filter = { _id, status: 'pending' as const, attempt_count, failures, gives_up_at };
  const givesUpAt = gives_up_at?.getTime() ?? now + RETRY_WINDOW;
  const { retryAfter } = outcome;
  const next = nextAttempt({ failures: failures + 1, now, givesUpAt, retryAfter });
  return next === null
    ? { result: 'failed', filter, fields: { status: 'failed', settled_at } }
    : {
        result: 'retried',
        filter,
        fields: { due: new Date(next), gives_up_at: new Date(givesUpAt) },
      };
}
