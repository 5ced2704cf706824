import { bounded } from '@gatehouse/shared/data/bounded';
import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import type { FastifyBaseLogger } from 'fastify';
import { DEFAULT_RETENTION, type OpenIntake } from '../records.ts';
import type { Accept } from './accept.ts';
import { publishUnannounced } from './chatbot-created.ts';
import { close, eventsOf, fill, IS_EVENT, openIntakes } from './event-log.ts';
import { completeFanOut, type IntakeOptions } from './fan-out.ts';

/** Milliseconds between two runs. */
export const INTERVAL = 5_000;
/** Milliseconds after which whatever is unfinished counts as interrupted. */
const STALE_AFTER = 10_000;
const PAGE = 200;

interface Options extends IntakeOptions {
  accept: Accept;
}

/** Completes what a kill interrupted: events without their deliveries, chatbots without their event. */
export function createRepair(options: Options): () => Promise<void> {
  const { db, now, retention = DEFAULT_RETENTION } = options;
  /** When this process first saw each intake that is open. The clocks of others do not count. */
  let seen = new Map<string, number>();

  async function complete(intake: OpenIntake): Promise<void> {
    // First, so that no event of the intake can be stored once its deliveries are complete.
    await bounded(fill(db, intake, new Date(now() + retention)));
    const events = await bounded(db.events.find({ ...eventsOf(intake), ...IS_EVENT }).toArray());
    await completeFanOut(options, events);
    await bounded(close(db, intake.id));
  }

  return async () => {
    const open = await bounded(openIntakes(db));
    seen = new Map(open.map(({ id }) => [id, seen.get(id) ?? now()]));
    for (const intake of open) if (now() - (seen.get(intake.id) ?? 0) >= STALE_AFTER) await complete(intake);
    const before = new Date(now() - STALE_AFTER).toISOString();
    await bounded(publishUnannounced(options, before, PAGE));
  };
}

/** Repairs periodically. */
export const createRepairPoller = (options: Options & { log: FastifyBaseLogger }): Poller =>
  createPoller({
    interval: INTERVAL,
    run: createRepair(options),
    log: options.log,
    failure: 'cannot repair interrupted events',
  });
