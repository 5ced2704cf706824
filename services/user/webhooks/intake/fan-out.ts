import { hash } from 'node:crypto';
import type { Database } from '../../database.ts';
import { takenIndexes } from '../delivery/bulk-errors.ts';
import { wake } from '../delivery/lease.ts';
import { type Delivery, KEPT_DAYS, type StoredEvent, type Webhook } from '../records.ts';

/** What MongoDB has written is on its disk: what was acknowledged outlives a power cut. */
export const DURABLE = { writeConcern: { w: 'majority', j: true } } as const;

type Receiver = Pick<Webhook, 'webhook_id' | 'owner_id' | 'events' | 'created_at'>;

/** The webhooks of some accounts that hear of anything. For a paused one deliveries wait; a disabled one gets none. */
export const receiversOf = (db: Database, owners: Iterable<string>): Promise<Receiver[]> =>
  db.webhooks
    .find(
      { owner_id: { $in: [...owners] }, status: { $in: ['active', 'paused'] } },
      { projection: { _id: 0, webhook_id: 1, owner_id: 1, events: 1, created_at: 1 } },
    )
    .toArray();

export const hears = (
  receiver: Receiver,
  { owner_id, event }: Pick<StoredEvent, 'owner_id' | 'event'>,
): boolean => receiver.owner_id === owner_id && receiver.events.includes(event);

let seq = 0;

/**
 * Makes the deliveries of events that are stored, and wakes their queues. Done again it changes nothing that is
 * there already.
 * @returns the deliveries that were not there.
 */
export async function fanOut(
  db: Database,
  events: readonly StoredEvent[],
  receivers: readonly Receiver[],
  now: number,
): Promise<Delivery[]> {
  const deliveries = events.flatMap((event) =>
    receivers
      .filter((receiver) => hears(receiver, event))
      .map(({ webhook_id }) => deliveryOf(event, webhook_id, now)),
  );
  if (deliveries.length === 0) return [];
  const fresh = await insertNew(db, deliveries);
  await wake(db, [...new Set(deliveries.map(({ webhook_id }) => webhook_id))], now);
  return fresh;
}

/** Makes up what may be missing of events that were stored before, but for webhooks that are younger. */
export async function fanOutAgain(
  db: Database,
  events: readonly StoredEvent[],
  now: number,
): Promise<Delivery[]> {
  if (events.length === 0) return [];
  const receivers = await receiversOf(db, new Set(events.map(({ owner_id }) => owner_id)));
  const made = events.map((event) => {
    const older = receivers.filter(({ created_at }) => created_at <= event.accepted_at);
    return fanOut(db, [event], older, now);
  });
  return (await Promise.all(made)).flat();
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

/**
 * A UUIDv8 (RFC 9562 §5.8) that is the same whoever makes it. It begins with the time, as version 7 does: ids that
 * grow go to the end of their index, ids at random all over it.
 */
function deliveryId(webhook_id: string, { _id, accepted_at }: StoredEvent): string {
  const bytes = hash('sha256', `${webhook_id} ${_id}`, 'buffer').subarray(0, 16);
  bytes.writeUIntBE(accepted_at.getTime(), 0, 6);
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

async function insertNew(db: Database, deliveries: Delivery[]): Promise<Delivery[]> {
  try {
    await db.webhookDeliveries.insertMany(deliveries, { ordered: false, ...DURABLE });
    return deliveries;
  } catch (error) {
    const taken = takenIndexes(error);
    return deliveries.filter((_, index) => !taken.has(index));
  }
}
