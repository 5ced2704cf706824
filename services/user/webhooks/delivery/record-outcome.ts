import type { AnyBulkWriteOperation, Filter } from 'mongodb';
import type { Database } from '../../database.ts';
import type { Delivery } from '../records.ts';
import { isDelivered, type Outcome } from './attempt.ts';
import { nextAttempt, RETRY_WINDOW } from './backoff.ts';
import { batched } from './batched.ts';
import { withoutDocuments } from './bulk-errors.ts';

/** Attempts that are kept, the latest. */
const KEPT_ATTEMPTS = 20;

/** Writes down what came of an attempt; many at once in one call to the database. */
export type RecordOutcome = (delivery: Delivery, outcome: Outcome) => Promise<Result>;
export type Result = 'delivered' | 'retried' | 'failed';

export function createRecordOutcome({ db, now }: { db: Database; now: () => number }): RecordOutcome {
  const write = batched(
    async (operations: AnyBulkWriteOperation<Delivery>[]) => {
      await db.webhookDeliveries.bulkWrite(operations, { ordered: false }).catch(withoutDocuments);
      return operations;
    },
    { most: 500 },
  );
  return async (delivery, outcome) => {
    const { result, filter, fields } = judge(delivery, outcome, now());
    const { asked: _, ...attempt } = outcome;
    const update = {
      $set: fields,
      $inc: { attempt_count: 1, ...(result !== 'delivered' && { failures: 1 }) },
      $push: { attempts: { $each: [attempt], $slice: -KEPT_ATTEMPTS } },
    };
    // Which index is said outright: to look for it would be a third of what the write costs.
    await write({ updateOne: { filter, update, hint: '_id_' } });
    return result;
  };
}

function judge(
  { _id, attempt_count, failures, gives_up_at }: Delivery,
  outcome: Outcome,
  now: number,
): { result: Result; filter: Filter<Delivery>; fields: Partial<Delivery> } {
  const settled_at = new Date(now);
  if (isDelivered(outcome)) {
    const filter = { _id, status: { $ne: 'delivered' as const } };
    return { result: 'delivered', filter, fields: { status: 'delivered', settled_at } };
  }
  // A failure counts only where nothing was written since: another worker may have delivered, or the owner replayed it.
  const filter = { _id, status: 'pending' as const, attempt_count, failures, gives_up_at };
  const givesUpAt = gives_up_at?.getTime() ?? now + RETRY_WINDOW;
  const next = nextAttempt({ failures: failures + 1, now, givesUpAt, asked: outcome.asked });
  return next === null
    ? { result: 'failed', filter, fields: { status: 'failed', settled_at } }
    : {
        result: 'retried',
        filter,
        fields: { due: new Date(next), gives_up_at: new Date(givesUpAt) },
      };
}
