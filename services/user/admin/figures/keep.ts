import type { Startable } from '@gatehouse/shared/durable/jobs';
import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../../database.ts';
import { createRunRecorder } from '../jobs/record-runs.ts';
import { foldAudit } from './fold-audit.ts';
import type { Tallies } from './tally.ts';

/** Milliseconds between two looks. */
export const INTERVAL = 10_000;

interface Options {
  db: Database;
  now: () => number;
  log: FastifyBaseLogger;
  tallies: Tallies;
  /** The other jobs, whose runs are recorded. */
  jobs: Readonly<Record<string, Startable>>;
}

/** Keeps the figures that operators see: the runs of jobs, what this process has counted, and the audit by hour. */
export function createFigures({ db, now, log, tallies, jobs }: Options): Poller {
  const recordRuns = createRunRecorder(db, jobs);
  return createPoller({
    interval: INTERVAL,
    async run(isStopping) {
      await recordRuns(now());
      await tallies.flush(db, now());
      await foldAudit(db, now, isStopping);
    },
    log,
    failure: 'cannot keep figures',
  });
}
