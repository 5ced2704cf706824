import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../../database.ts';
import type { Accept, Offer } from './accept.ts';
import { announceStored } from './chatbot-created.ts';
import { fanOutAgain } from './fan-out.ts';

/** Milliseconds between two looks, and those that somebody else is given to finish. */
const EVERY = 5_000;
const STALE_AFTER = 10_000;
const PAGE = 200;

interface Options {
  db: Database;
  now: () => number;
  accept: Accept;
  offer: Offer;
}

/** Makes up what a kill left half-way: events without their deliveries, chatbots that no event tells of. */
export async function repair({ db, now, accept, offer }: Options): Promise<void> {
  const stale = { began_at: { $lte: new Date(now() - STALE_AFTER) } };
  for (const { _id, event_ids } of await db.eventIntakes.find(stale).limit(PAGE).toArray()) {
    const events = await db.events.find({ _id: { $in: event_ids } }).toArray();
    offer(await fanOutAgain(db, events, now()));
    await db.eventIntakes.deleteOne({ _id });
  }
  const before = new Date(now() - STALE_AFTER).toISOString();
  await announceStored({ db, accept }, before, PAGE);
}

/** Repairs now and then. @returns how to stop it. */
export function startRepair(options: Options & { log: FastifyBaseLogger }): () => void {
  const timer = setInterval(() => {
    repair(options).catch((error) => options.log.warn({ err: error }, 'events could not be made up'));
  }, EVERY);
  return () => clearInterval(timer);
}
