import { bounded } from '@gatehouse/shared/data/bounded';
import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import type { FastifyBaseLogger } from 'fastify';
import { DEFAULT_RETENTION, type OpenIntake } from '../records.ts';
import { closeIntake, eventsOfIntake, fillIntake, IS_EVENT, openIntakes } from './event-log.ts';
import { completeFanOut, type IntakeOptions } from './fan-out.ts';

/** Milliseconds after which an open intake counts as interrupted. */
const STALE_AFTER = 10_000;

/** Creates the deliveries that interrupted intakes left out. */
export function createRepair(options: IntakeOptions): () => Promise<void> {
  const { db, now, retention = DEFAULT_RETENTION } = options;
  /** When this process first saw each open intake. It does not depend on the clocks of others. */
  let seen = new Map<string, number>();

  async function complete(intake: OpenIntake): Promise<void> {
    // First: afterwards no event of the intake can be stored without deliveries.
    await bounded(fillIntake(db, intake, new Date(now() + retention)));
    const events = await bounded(db.events.find({ ...eventsOfIntake(intake), ...IS_EVENT }).toArray());
    await completeFanOut(options, events);
    await bounded(closeIntake(db, intake.id));
  }

  return async () => {
    const open = await bounded(openIntakes(db));
    seen = new Map(open.map(({ id }) => [id, seen.get(id) ?? now()]));
    for (const intake of open) if (now() - (seen.get(intake.id) ?? 0) >= STALE_AFTER) await complete(intake);
  };
}

/** Repairs periodically. */
export const createRepairPoller = (
  options: IntakeOptions & { log: FastifyBaseLogger; interval: number },
): Poller =>
  createPoller({
    interval: options.interval,
    run: createRepair(options),
    log: options.log,
    failure: 'cannot repair interrupted events',
  });
