import { hash, randomUUIDv7 } from 'node:crypto';
import { batched } from '@gatehouse/shared/data/batched';
import { bounded } from '@gatehouse/shared/data/bounded';
import { duplicatePositions } from '@gatehouse/shared/data/bulk-errors';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Database } from '../database.ts';
import { type EventName, payloadOf } from '../events.ts';
import { type Audience, DEFAULT_RETENTION, type StoredEvent } from '../records.ts';
import { close, openIntakes, reserve } from './event-log.ts';
import { completeFanOut, fanOut, type IntakeOptions, subscribersOf } from './fan-out.ts';
import { readersOf } from './readers.ts';

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
 * Stores the events, then their deliveries, then answers. The intake is open meanwhile: if the process is killed,
 * `repair` or the publisher's retry creates the missing deliveries.
 */
export function createAccept(options: IntakeOptions): Accept {
  const { db, now, retention = DEFAULT_RETENTION } = options;
  return batched(
    async (incoming: IncomingEvent[]) => {
      const at = now();
      const id = randomUUIDv7();
      const [{ first }, subscribers] = await bounded(
        Promise.all([
          reserve(db, id, incoming.length),
          subscribersOf(
            options,
            incoming.map(({ audience, event }) => ({ ...audience, event })),
          ),
        ]),
      );
      const events = incoming.map((event, index) =>
        storedEvent(event, { position: first + index, at, retention }),
      );
      const { acceptances, stored, known } = await bounded(insert(db, events));
      await fanOut(options, stored, subscribers);
      await completeFanOut(options, await bounded(withOpenIntake(db, known, id)));
      await bounded(close(db, id));
      return acceptances;
    },
    // Each step is bounded: the deliveries of all of them may take longer than one step may.
    { maxItems: 500, isBounded: true },
  );
}

function storedEvent(
  { id, event, audience, timestamp, data }: IncomingEvent,
  { position, at, retention }: { position: number; at: number; retention: number },
): StoredEvent {
  // Left out: the default timestamp and the places, which can differ when the event is published again.
  const content = JSON.stringify([event, audience.owner_id, timestamp ?? null, data]);
  return {
    _id: id,
    ...audience,
    event,
    payload: payloadOf(event, timestamp ?? new Date(at).toISOString(), data),
    fingerprint: hash('sha256', content, 'base64url'),
    position,
    readers: readersOf(audience),
    accepted_at: new Date(at),
    expires_at: new Date(at + retention),
  };
}

/** The known events whose earlier intake is still open, so that their deliveries may be incomplete. */
async function withOpenIntake(db: Database, known: StoredEvent[], own: string): Promise<StoredEvent[]> {
  if (known.length === 0) return [];
  const others = (await openIntakes(db)).filter(({ id }) => id !== own);
  return known.filter(({ position = 0 }) =>
    others.some(({ first, count }) => position >= first && position < first + count),
  );
}

/**
 * Stores new events.
 * @returns the acceptance of each, the events stored now, and those stored before.
 * @throws {AppError} unavailable if `repair` took the intake for interrupted; publishing again succeeds.
 */
async function insert(db: Database, events: StoredEvent[]) {
  let duplicates = new Set<number>();
  try {
    await db.events.insertMany(events, { ordered: false });
  } catch (error) {
    duplicates = duplicatePositions(error);
  }
  const ids = [...duplicates].map((index) => events[index]?._id as string);
  const known = ids.length > 0 ? await db.events.find({ _id: { $in: ids } }).toArray() : [];
  const knownById = new Map(known.map((event) => [event._id, event]));
  const acceptances = events.map(({ _id, fingerprint }, index): Acceptance => {
    if (!duplicates.has(index)) return 'accepted';
    const earlier = knownById.get(_id);
    // The position was the duplicate, not the id.
    if (!earlier)
      throw new AppError('unavailable', { cause: new Error('the intake was taken for interrupted') });
    return earlier.fingerprint === fingerprint ? 'known' : 'conflict';
  });
  return { acceptances, stored: events.filter((_, index) => !duplicates.has(index)), known };
}
