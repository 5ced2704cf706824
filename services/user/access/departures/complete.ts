import { derivedId } from '@gatehouse/shared/derived-id';
import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import { auditJob } from '@gatehouse/shared/identity/audit';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../../database.ts';
import { endedEvent, finish } from './depart.ts';
import type { Ended } from './end-roles.ts';

interface Options {
  db: Database;
  /** Returns Unix milliseconds. */
  now: () => number;
  log: FastifyBaseLogger;
}

/** Milliseconds between two looks for departures that were interrupted. */
export const INTERVAL = 30_000;
/** Milliseconds after which a departure counts as interrupted. */
const STALE_AFTER = 60_000;
const PAGE = 100;

/** Needs no lease: processes that complete the same departure end each role once. */
export const createDepartureJob = (options: Options): Poller =>
  createPoller({
    interval: INTERVAL,
    run: () => completeDepartures(options),
    log: options.log,
    failure: 'cannot complete departures',
  });

/** Completes departures that a kill interrupted. One that is refused by now is given up. */
export async function completeDepartures({ db, now, log }: Options): Promise<void> {
  const stale = { began_at: { $lte: new Date(now() - STALE_AFTER) } };
  for (const departure of await db.departures.find(stale, { limit: PAGE }).toArray()) {
    const { departure_id, organization_id, user_id, began_at, by } = departure;
    const record = (ended: Ended) => {
      const name = `${departure_id} ${ended.invitation_id ?? ended.department_id}`;
      const event_id = derivedId(began_at.getTime(), name);
      const event = { event_id, ...(by ?? departure.within?.by), ...endedEvent(departure, ended) };
      return auditJob(db, { id: departure_id, log }, now(), [event]);
    };
    await finish(db, departure, now(), record).catch((error) => {
      log.warn({ err: error, organization_id, user_id }, 'cannot complete a departure');
    });
  }
}
