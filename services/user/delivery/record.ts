import type { Database } from '@gatehouse/shared/database';
import type { Attempt, Delivery } from '@gatehouse/shared/webhooks';
import type { AnyBulkWriteOperation } from 'mongodb';
import { isDelivered, type Outcome } from './attempt.ts';
import { nextAttempt, RETRY_WINDOW } from './backoff.ts';
import { batched } from './batched.ts';
import { withoutDocuments } from './bulk-errors.ts';

/** Attempts that are kept, the latest. */
const KEPT_ATTEMPTS = 20;

/** Writes down what came of an attempt; many at once in one call to the database. */
export type WriteDown = (delivery: Delivery, outcome: Outcome) => Promise<Result>;
export type Result = 'delivered' | 'retried' | 'failed';

export function createWriteDown({ db, now }: { db: Database; now: () => number }): WriteDown {
  const write = batched(
    async (operations: AnyBulkWriteOperation<Delivery>[]) => {
      await db.webhookDeliveries.bulkWrite(operations, { ordered: false }).catch(withoutDocuments);
      return operations;
    },
    { most: 500 },
  );
  return async (delivery, outcome) => {
    const { operation, result } = judge(delivery, outcome, now());
    await write(operation);
    return result;
  };
}

function judge(delivery: Delivery, outcome: Outcome, now: number) {
  const { _id, attempt_count, failures } = delivery;
  const { asked, ...attempt } = outcome;
  const pushed = {
    $push: { attempts: { $each: [attempt satisfies Attempt], $slice: -KEPT_ATTEMPTS } },
  };
  if (isDelivered(outcome)) {
    return {
      result: 'delivered',
      operation: {
        updateOne: {
          filter: { _id, status: { $ne: 'delivered' } },
          update: {
            $set: { status: 'delivered', settled_at: new Date(now) },
            $inc: { attempt_count: 1 },
            ...pushed,
          },
        },
      },
    } as const;
  }
  const gives_up_at = delivery.gives_up_at ?? new Date(now + RETRY_WINDOW);
  const next = nextAttempt({
    failures: failures + 1,
    now,
    givesUpAt: gives_up_at.getTime(),
    asked,
  });
  // A failure counts only where nothing was written since: another worker may have delivered meanwhile.
  const filter = { _id, status: 'pending', attempt_count } as const;
  const tried = { $inc: { attempt_count: 1, failures: 1 }, ...pushed };
  return next === null
    ? ({
        result: 'failed',
        operation: {
          updateOne: { filter, update: { $set: { status: 'failed', settled_at: new Date(now) }, ...tried } },
        },
      } as const)
    : ({
        result: 'retried',
        operation: {
          updateOne: { filter, update: { $set: { due: new Date(next), gives_up_at }, ...tried } },
        },
      } as const);
}
