import { updateMethod } from '@gatehouse/shared/data/update-method';
import type { Database } from '../database.ts';
import type { Worker } from './worker.ts';

interface WakeOptions {
  endHold?: boolean;
  cancelled?: boolean;
}

/**
 * Tells the worker that holds a queue, in this process or another, that there is something to do. Every write that
 * a worker must act on ends with one of these.
 */
export interface Wake {
  /**
   * A webhook or its deliveries changed, or are gone.
   * @param options.endHold send now, even if the receiver asked for a later time.
   * @param options.cancelled deliveries that may have been read ahead must not be sent.
   */
  webhookChanged(webhook_id: string, options?: WakeOptions): Promise<void>;
  /** New deliveries are in the database. */
  deliveriesAdded(webhookIds: string[]): Promise<void>;
}

export const createWake = ({
  db,
  now,
  worker,
}: {
  db: Database;
  now: () => number;
  worker: Pick<Worker, 'reload' | 'readMore'>;
}): Wake => ({
  async webhookChanged(webhook_id, options = {}) {
    await wake(db, [webhook_id], now(), options);
    worker.reload(webhook_id);
  },
  async deliveriesAdded(webhookIds) {
    await wake(db, webhookIds, now(), {});
    worker.readMore(webhookIds);
  },
});

/** Makes queues due. The holder of a lease keeps it, and learns from `wakes` that it cannot release the queue yet. */
async function wake(
  db: Database,
  webhookIds: string[],
  now: number,
  { endHold = false, cancelled = false }: WakeOptions,
): Promise<void> {
  const soon = { $min: ['$due_at', new Date(now)] };
  const due_at = endHold ? soon : { $max: [soon, '$held_until'] };
  await db.webhooks[updateMethod(webhookIds)]({ webhook_id: { $in: webhookIds } }, [
    {
      $set: {
        wakes: { $add: ['$wakes', 1] },
        due_at: { $cond: ['$lease', '$due_at', due_at] },
        // Not null: `hold` must see that a hold ended while it waited for attempts in flight.
        ...(endHold && { held_until: new Date(now) }),
        ...(cancelled && { cancellations: { $add: [{ $ifNull: ['$cancellations', 0] }, 1] } }),
      },
    },
  ]);
}
