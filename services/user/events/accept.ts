import { createHash } from 'node:crypto';
import type { Database } from '@gatehouse/shared/database';
import { type PublishedEvent, payloadOf } from '@gatehouse/shared/events';
import { KEPT_DAYS, type StoredEvent } from '@gatehouse/shared/webhooks';
import { batched } from '../delivery/batched.ts';
import { DURABLE, fanOut, hears, receiversOf, takenIndexes } from './fan-out.ts';

/** `known`: the very same was accepted before. `conflict`: another event has its id. */
type Acceptance = 'accepted' | 'known' | 'conflict';

/** Resolves when an event and its deliveries are in the database. Many at once are written together. */
export type Accept = (event: PublishedEvent) => Promise<Acceptance>;

/** @param kick told which webhooks have something to deliver. */
export function createAccept({
  db,
  now,
  kick,
}: {
  db: Database;
  now: () => number;
  kick: (webhookIds: string[]) => void;
}): Accept {
  return batched(
    async (published: PublishedEvent[]) => {
      const at = now();
      const receivers = await receiversOf(db, new Set(published.map(({ owner_id }) => owner_id)));
      const events = published.map((event) => {
        const heard = receivers.some((receiver) => hears(receiver, event));
        return storedEvent(event, at, { dispatched: !heard });
      });
      const { acceptances, unfinished } = await insert(db, events);
      kick(await fanOut(db, unfinished, receivers, at));
      return acceptances;
    },
    { most: 500 },
  );
}

function storedEvent(
  { id, event, owner_id, timestamp, data }: PublishedEvent,
  now: number,
  { dispatched }: { dispatched: boolean },
): StoredEvent {
  // Without a timestamp of its own, the same event published later is still the same.
  const content = JSON.stringify([event, owner_id, timestamp ?? null, data]);
  return {
    _id: id,
    owner_id,
    event,
    payload: payloadOf(event, timestamp ?? new Date(now).toISOString(), data),
    fingerprint: createHash('sha256').update(content).digest('base64url'),
    accepted_at: new Date(now),
    expires_at: new Date(now + KEPT_DAYS * 86_400_000),
    dispatched,
  };
}

/** Stores what is new. @returns what came of each, and the events whose deliveries have still to be made. */
async function insert(db: Database, events: StoredEvent[]) {
  let taken = new Set<number>();
  try {
    await db.events.insertMany(events, { ordered: false, ...DURABLE });
  } catch (error) {
    taken = takenIndexes(error);
  }
  const ids = [...taken].map((index) => events[index]?._id as string);
  const stored = ids.length > 0 ? await db.events.find({ _id: { $in: ids } }).toArray() : [];
  const storedById = new Map(stored.map((event) => [event._id, event]));
  const acceptances = events.map(({ _id, fingerprint }, index): Acceptance => {
    if (!taken.has(index)) return 'accepted';
    return storedById.get(_id)?.fingerprint === fingerprint ? 'known' : 'conflict';
  });
  const fresh = events.filter((event, index) => !taken.has(index) && !event.dispatched);
  return { acceptances, unfinished: [...fresh, ...stored.filter(({ dispatched }) => !dispatched)] };
}
