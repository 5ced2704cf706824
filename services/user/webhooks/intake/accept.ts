import { hash, randomUUIDv7 } from 'node:crypto';
import type { Database } from '../../database.ts';
import { batched } from '../delivery/batched.ts';
import { takenIndexes } from '../delivery/bulk-errors.ts';
import { type PublishedEvent, payloadOf } from '../events.ts';
import { type Delivery, KEPT_DAYS, type StoredEvent } from '../records.ts';
import { DURABLE, fanOut, fanOutAgain, hears, receiversOf } from './fan-out.ts';

/** `known`: the very same was accepted before. `conflict`: another event has its id. */
type Acceptance = 'accepted' | 'known' | 'conflict';

/** Told of deliveries that are due, since somebody may have their queues at hand. */
export type Offer = (deliveries: readonly Delivery[]) => void;

/** Resolves when an event and its deliveries are in the database. Many at once are written together. */
export type Accept = (event: PublishedEvent) => Promise<Acceptance>;

/**
 * The events come first, then their deliveries, then the answer. An intake stands in the database meanwhile: what a
 * kill cuts off is made up by `repair`, and by the publisher who got no answer and sends again.
 */
export function createAccept({ db, now, offer }: { db: Database; now: () => number; offer: Offer }): Accept {
  return batched(
    async (published: PublishedEvent[]) => {
      const at = now();
      const receivers = await receiversOf(db, new Set(published.map(({ owner_id }) => owner_id)));
      const heard = published.filter((event) => receivers.some((receiver) => hears(receiver, event)));
      const _id = randomUUIDv7();
      if (heard.length > 0) {
        const event_ids = heard.map(({ id }) => id);
        await db.eventIntakes.insertOne({ _id, event_ids, began_at: new Date(at) }, DURABLE);
      }
      const { acceptances, stored, known } = await insert(
        db,
        published.map((event) => storedEvent(event, at)),
      );
      offer(await fanOut(db, stored, receivers, at));
      offer(await fanOutAgain(db, await underWay(db, known, _id), at));
      if (heard.length > 0) await db.eventIntakes.deleteOne({ _id });
      return acceptances;
    },
    { most: 500 },
  );
}

function storedEvent({ id, event, owner_id, timestamp, data }: PublishedEvent, now: number): StoredEvent {
  // Without a timestamp of its own, the same event published later is still the same.
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

/**
 * Those of which an earlier intake still stands, so that not all that follows from them is known to be written: they
 * alone are made up by a new try.
 */
async function underWay(db: Database, known: StoredEvent[], own: string): Promise<StoredEvent[]> {
  if (known.length === 0) return [];
  const ids = known.map(({ _id }) => _id);
  const intakes = await db.eventIntakes.find({ _id: { $ne: own }, event_ids: { $in: ids } }).toArray();
  const open = new Set(intakes.flatMap(({ event_ids }) => event_ids));
  return known.filter(({ _id }) => open.has(_id));
}

/** Stores what is new. @returns what came of each; the events that were stored now, and those that were before. */
async function insert(db: Database, events: StoredEvent[]) {
  let taken = new Set<number>();
  try {
    await db.events.insertMany(events, { ordered: false, ...DURABLE });
  } catch (error) {
    taken = takenIndexes(error);
  }
  const ids = [...taken].map((index) => events[index]?._id as string);
  const known = ids.length > 0 ? await db.events.find({ _id: { $in: ids } }).toArray() : [];
  const knownById = new Map(known.map((event) => [event._id, event]));
  const acceptances = events.map(({ _id, fingerprint }, index): Acceptance => {
    if (!taken.has(index)) return 'accepted';
    return knownById.get(_id)?.fingerprint === fingerprint ? 'known' : 'conflict';
  });
  return { acceptances, stored: events.filter((_, index) => !taken.has(index)), known };
}
