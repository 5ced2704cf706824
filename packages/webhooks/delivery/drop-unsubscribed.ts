import { updateMethod } from '@gatehouse/shared/data/update-method';
import type { Database } from '../database.ts';
import type { Delivery } from '../delivery-records.ts';

/** Marks pending deliveries as failed, without an attempt, because their event is no longer subscribed. */
export async function dropUnsubscribed(
  db: Database,
  deliveries: readonly Pick<Delivery, '_id'>[],
  now: number,
): Promise<void> {
  if (deliveries.length === 0) return;
  const ids = deliveries.map(({ _id }) => _id);
  await db.webhookDeliveries[updateMethod(ids)](
    { _id: { $in: ids }, status: 'pending' },
    { $set: { status: 'failed', settled_at: new Date(now) } },
  );
}
