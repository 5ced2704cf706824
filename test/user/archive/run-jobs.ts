import type { FastifyBaseLogger } from 'fastify';
import { runArchiveJobs } from '../../../services/user/archive/jobs/run.ts';
import type { Database } from '../../../services/user/database.ts';
import { testConfig } from '../../fixtures/services.ts';

const log = { info() {}, warn() {} } as unknown as FastifyBaseLogger;

/** Milliseconds for which a killed run keeps its places. */
export const LEASE = 60_000;

/** Runs the jobs of archived places, as a process of its own would. */
export const runJobs = (
  { db, clock }: { db: Database; clock: { now: () => number } },
  isStopping = () => false,
): Promise<void> =>
  runArchiveJobs({ config: testConfig('user'), db, now: clock.now, log, leaseDuration: LEASE, isStopping });
