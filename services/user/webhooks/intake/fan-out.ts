import { derivedId } from '@gatehouse/shared/derived-id';
import { activeAmong } from '@gatehouse/shared/identity/users';
import type { Database } from '../../database.ts';
import { duplicateIndexes } from '../delivery/bulk-errors.ts';
import type { Wake } from '../delivery/wake.ts';
import { type Delivery, KEPT_DAYS, type StoredEvent, type Webhook } from '../records.ts';

export interface IntakeOptions {
  db: Database;
  now: () => number;
  deliveriesAdded: Wake['deliveriesAdded'];
}

type Subscriber = Pick<Webhook, 'webhook_id' | 'owner_id' | 'events' | 'created_at'>;

/**
 * The webhooks of some accounts that get deliveries. Those of a paused webhook wait; a disabled webhook, or one of an
 * account that is not active, gets none.
 */
export async function subscribersOf(db: Database, owners: Iterable<string>): Promise<Subscriber[]> {
  const webhooks = await db.webhooks
    .find(
      { owner_id: { $in: [...owners] }, status: { $in: ['active', 'paused'] } },
      { projection: { _id: 0, webhook_id: 1, owner_id: 1, events: 1, created_at: 1 } },
    )
    .toArray();
  // Most accounts have no webhook, so their events cost no second query.
  if (webhooks.length === 0) return [];
  const active = await activeAmong(
    db.users,
    webhooks.map(({ owner_id }) => owner_id),
  );
  return webhooks.filter(({ owner_id }) => active.has(owner_id));
}

export const isSubscribed = (
  subscriber: Subscriber,
  { owner_id, event }: Pick<StoredEvent, 'owner_id' | 'event'>,
): boolean => subscriber.owner_id === owner_id && subscriber.events.includes(event);

let seq = 0;

/** Creates the deliveries of stored events and wakes their queues. Leaves existing deliveries as they are. */
export async function fanOut(
  { db, now, deliveriesAdded }: IntakeOptions,
  events: readonly StoredEvent[],
  subscribers: readonly Subscriber[],
): Promise<void> {
  const at = now();
  const deliveries = events.flatMap((event) =>
    subscribers
      .filter((subscriber) => isSubscribed(subscriber, event))
      .map(({ webhook_id }) => deliveryOf(event, webhook_id, at)),
  );
  if (deliveries.length === 0) return;
  await db.webhookDeliveries.insertMany(deliveries, { ordered: false }).catch(duplicateIndexes);
  await deliveriesAdded([...new Set(deliveries.map(({ webhook_id }) => webhook_id))]);
}

/** Creates deliveries that an interrupted intake left out, except for webhooks configured after the event. */
export async function completeFanOut(options: IntakeOptions, events: readonly StoredEvent[]): Promise<void> {
  if (events.length === 0) return;
  const subscribers = await subscribersOf(options.db, new Set(events.map(({ owner_id }) => owner_id)));
  await Promise.all(
    events.map((event) => {
      const older = subscribers.filter(({ created_at }) => created_at <= event.accepted_at);
      return fanOut(options, [event], older);
    }),
  );
}

function deliveryOf(stored: StoredEvent, webhook_id: string, now: number): Delivery {
  const { _id: event_id, event, payload } = stored;
  const delivery_id = deliveryId(webhook_id, stored);
  seq += 1;
  return {
    _id: delivery_id,
    delivery_id,
    webhook_id,
    event_id,
    event,
    payload,
    status: 'pending',
    created_at: new Date(now),
    seq,
    due: new Date(now),
    attempt_count: 0,
    failures: 0,
    attempts: [],
    gives_up_at: null,
    settled_at: null,
    expires_at: new Date(now + KEPT_DAYS * 86_400_000),
  };
}

/** There is one delivery for each pair of webhook and event. */
const deliveryId = (webhook_id: string, { _id, accepted_at }: StoredEvent): string =>
  derivedId(accepted_at.getTime(), `${webhook_id} ${_id}`);
