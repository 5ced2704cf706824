import { updateMethod } from '@gatehouse/shared/data/update-method';
import type { Database } from '../database.ts';
import type { Worker } from './worker.ts';

interface WakeOptions {
  endPause?: boolean;
  cancelled?: boolean;
}

export type Wake = ReturnType<typeof createWake>;

/** Notifies the worker that holds a queue, in any process. Call one of these after every write that it must act on. */
export const createWake = ({
  db,
  now,
  worker,
}: {
  db: Database;
  now: () => number;
  worker: Pick<Worker, 'reload' | 'readMore'>;
}) => ({
  /**
   * A webhook or its deliveries changed or were deleted.
   * @param options.endPause send now, even if the receiver asked for a later time.
   * @param options.cancelled deliveries that were read ahead must not be sent.
   */
  async webhookChanged(webhook_id: string, options: WakeOptions = {}): Promise<void> {
    await wake(db, [webhook_id], now(), options);
    worker.reload(webhook_id);
  },
  /** New deliveries are stored. */
  async deliveriesAdded(webhookIds: string[]): Promise<void> {
    await wake(db, webhookIds, now(), {});
    worker.readMore(webhookIds);
  },
});

/** Makes queues due. A worker that holds one keeps its lease, and `wakes` prevents that it releases the queue. */
async function wake(
  db: Database,
  webhookIds: string[],
  now: number,
  { endPause = false, cancelled = false }: WakeOptions,
): Promise<void> {
  const soon = { $min: ['$due_at', new Date(now)] };
  const due_at = endPause ? soon : { $max: [soon, '$held_until'] };
  await db.webhooks[updateMethod(webhookIds)]({ webhook_id: { $in: webhookIds } }, [
    {
      $set: {
        wakes: { $add: ['$wakes', 1] },
        due_at: { $cond: ['$lease', '$due_at', due_at] },
        // Not null: `pauseQueue` must notice that an earlier pause was ended.
        ...(endPause && { held_until: new Date(now) }),
        ...(cancelled && { cancellations: { $add: [{ $ifNull: ['$cancellations', 0] }, 1] } }),
      },
    },
  ]);
}
