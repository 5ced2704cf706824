import type { FastifyBaseLogger } from 'fastify';
import type { Accept } from './accept.ts';
import { publishUnannounced } from './chatbot-created.ts';
import { completeFanOut, type IntakeOptions } from './fan-out.ts';

/** Milliseconds between two runs. */
const INTERVAL = 5_000;
/** Milliseconds after which whatever is unfinished counts as interrupted. */
const STALE_AFTER = 10_000;
/** Milliseconds after which an event that an intake names counts as never stored. */
const LOST_AFTER = 600_000;
const PAGE = 200;

interface Options extends IntakeOptions {
  accept: Accept;
}

/** Completes what a kill interrupted: events without their deliveries, chatbots without their event. */
export async function repair(options: Options): Promise<void> {
  const { db, now } = options;
  const stale = { began_at: { $lte: new Date(now() - STALE_AFTER) } };
  for (const { _id, event_ids, began_at } of await db.eventIntakes.find(stale).limit(PAGE).toArray()) {
    const events = await db.events.find({ _id: { $in: event_ids } }).toArray();
    await completeFanOut(options, events);
    // A database that stalls may store events after the publisher has given up.
    const complete = events.length === new Set(event_ids).size;
    if (complete || began_at.getTime() <= now() - LOST_AFTER) await db.eventIntakes.deleteOne({ _id });
  }
  const before = new Date(now() - STALE_AFTER).toISOString();
  await publishUnannounced(options, before, PAGE);
}

/** Runs `repair` periodically. @returns a function that stops it. */
export function startRepair(options: Options & { log: FastifyBaseLogger }): () => void {
  const timer = setInterval(() => {
    repair(options).catch((error) => options.log.warn({ err: error }, 'cannot repair interrupted events'));
  }, INTERVAL);
  return () => clearInterval(timer);
}
