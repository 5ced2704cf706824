import type { FastifyBaseLogger } from 'fastify';
import { completeDepartures } from '../../../services/user/access/departures/complete.ts';
import { runArchiveJobs } from '../../../services/user/archive/jobs/run.ts';
import type { Database } from '../../../services/user/database.ts';
import { testConfig } from '../../fixtures/services.ts';

const log = { info() {}, warn() {} } as unknown as FastifyBaseLogger;

/** Milliseconds for which a killed run keeps its places. */
export const LEASE = 60_000;

/** Runs the jobs of archived places and of departures, as a process of its own would. */
export async function runJobs(
  { db, clock }: { db: Database; clock: { now: () => number } },
  isStopping = () => false,
): Promise<void> {
  const options = { config: testConfig('user'), db, now: clock.now, log };
  await Promise.all([
    runArchiveJobs({ ...options, leaseDuration: LEASE, isStopping }),
    completeDepartures(options),
  ]);
}
