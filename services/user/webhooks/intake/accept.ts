import { hash, randomUUIDv7 } from 'node:crypto';
import type { Database } from '../../database.ts';
import { batched } from '../delivery/batched.ts';
import { duplicateIndexes } from '../delivery/bulk-errors.ts';
import { type PublishedEvent, payloadOf } from '../events.ts';
import { KEPT_DAYS, type StoredEvent } from '../records.ts';
import { completeFanOut, fanOut, type IntakeOptions, isSubscribed, subscribersOf } from './fan-out.ts';

/** `known`: the same event was accepted before. `conflict`: another event has its id. */
type Acceptance = 'accepted' | 'known' | 'conflict';

/** Resolves when an event and its deliveries are stored. Concurrent calls are written together. */
export type Accept = (event: PublishedEvent) => Promise<Acceptance>;

/**
 * Stores the events, then their deliveries, then answers. An intake record exists meanwhile: if the process is killed,
 * `repair` or the publisher's retry creates the missing deliveries.
 */
export function createAccept(options: IntakeOptions): Accept {
  const { db, now } = options;
  return batched(
    async (published: PublishedEvent[]) => {
      const at = now();
      const subscribers = await subscribersOf(db, new Set(published.map(({ owner_id }) => owner_id)));
      const subscribed = published.filter((event) =>
        subscribers.some((webhook) => isSubscribed(webhook, event)),
      );
      const _id = randomUUIDv7();
      if (subscribed.length > 0) {
        const event_ids = subscribed.map(({ id }) => id);
        await db.eventIntakes.insertOne({ _id, event_ids, began_at: new Date(at) });
      }
      const { acceptances, stored, known } = await insert(
        db,
        published.map((event) => storedEvent(event, at)),
      );
      await fanOut(options, stored, subscribers);
      await completeFanOut(options, await withOpenIntake(db, known, _id));
      if (subscribed.length > 0) await db.eventIntakes.deleteOne({ _id });
      return acceptances;
    },
    { maxItems: 500 },
  );
}

function storedEvent({ id, event, owner_id, timestamp, data }: PublishedEvent, now: number): StoredEvent {
  // The default timestamp is left out, so that an event published again without one counts as the same.
  const content = JSON.stringify([event, owner_id, timestamp ?? null, data]);
  return {
    _id: id,
    owner_id,
    event,
    payload: payloadOf(event, timestamp ?? new Date(now).toISOString(), data),
    fingerprint: hash('sha256', content, 'base64url'),
    accepted_at: new Date(now),
    expires_at: new Date(now + KEPT_DAYS * 86_400_000),
  };
}

/** The known events whose earlier intake is still open, so that their deliveries may be incomplete. */
async function withOpenIntake(db: Database, known: StoredEvent[], own: string): Promise<StoredEvent[]> {
  if (known.length === 0) return [];
  const ids = known.map(({ _id }) => _id);
  const intakes = await db.eventIntakes.find({ _id: { $ne: own }, event_ids: { $in: ids } }).toArray();
  const open = new Set(intakes.flatMap(({ event_ids }) => event_ids));
  return known.filter(({ _id }) => open.has(_id));
}

/** Stores new events. @returns the acceptance of each, the events stored now, and those stored before. */
async function insert(db: Database, events: StoredEvent[]) {
  let duplicates = new Set<number>();
  try {
    await db.events.insertMany(events, { ordered: false });
  } catch (error) {
    duplicates = duplicateIndexes(error);
  }
  const ids = [...duplicates].map((index) => events[index]?._id as string);
  const known = ids.length > 0 ? await db.events.find({ _id: { $in: ids } }).toArray() : [];
  const knownById = new Map(known.map((event) => [event._id, event]));
  const acceptances = events.map(({ _id, fingerprint }, index): Acceptance => {
    if (!duplicates.has(index)) return 'accepted';
    return knownById.get(_id)?.fingerprint === fingerprint ? 'known' : 'conflict';
  });
  return { acceptances, stored: events.filter((_, index) => !duplicates.has(index)), known };
}
