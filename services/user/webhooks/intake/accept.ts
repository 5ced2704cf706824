import { hash, randomUUIDv7 } from 'node:crypto';
import type { Database } from '../../database.ts';
import { batched } from '../delivery/batched.ts';
import { duplicateIndexes } from '../delivery/bulk-errors.ts';
import { type EventName, payloadOf } from '../events.ts';
import { type Audience, KEPT_DAYS, type StoredEvent } from '../records.ts';
import { completeFanOut, fanOut, type IntakeOptions, isSubscribed, subscribersOf } from './fan-out.ts';

/** `known`: the same event was accepted before. `conflict`: another event has its id. */
type Acceptance = 'accepted' | 'known' | 'conflict';

export interface IncomingEvent {
  /** Derived from what happened, so that accepting the event twice has no effect. */
  id: string;
  event: EventName;
  audience: Audience;
  /** ISO 8601; defaults to now. */
  timestamp?: string | undefined;
  /** As the schema of the event describes it. */
  data: object;
}

/** Resolves when an event and its deliveries are stored. Concurrent calls are written together. */
export type Accept = (event: IncomingEvent) => Promise<Acceptance>;

/**
 * Stores the events, then their deliveries, then answers. An intake record exists meanwhile: if the process is killed,
 * `repair` or the publisher's retry creates the missing deliveries.
 */
export function createAccept(options: IntakeOptions): Accept {
  const { db, now } = options;
  return batched(
    async (incoming: IncomingEvent[]) => {
      const at = now();
      const events = incoming.map((event) => storedEvent(event, at));
      const subscribers = await subscribersOf(db, events);
      const subscribed = events.filter((event) =>
        subscribers.some((webhook) => isSubscribed(webhook, event)),
      );
      const _id = randomUUIDv7();
      if (subscribed.length > 0) {
        const event_ids = subscribed.map(({ _id: id }) => id);
        await db.eventIntakes.insertOne({ _id, event_ids, began_at: new Date(at) });
      }
      const { acceptances, stored, known } = await insert(db, events);
      await fanOut(options, stored, subscribers);
      await completeFanOut(options, await withOpenIntake(db, known, _id));
      if (subscribed.length > 0) await db.eventIntakes.deleteOne({ _id });
      return acceptances;
    },
    { maxItems: 500 },
  );
}

function storedEvent({ id, event, audience, timestamp, data }: IncomingEvent, now: number): StoredEvent {
  // Left out: the default timestamp and the places, which can differ when the event is published again.
  const content = JSON.stringify([event, audience.owner_id, timestamp ?? null, data]);
  return {
    _id: id,
    ...audience,
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
