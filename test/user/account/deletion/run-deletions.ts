import type { FastifyBaseLogger } from 'fastify';
import { runAccountDeletions } from '../../../../services/user/account/deletion/run.ts';
import type { Database } from '../../../../services/user/database.ts';
import { testConfig } from '../../../fixtures/services.ts';

/** Milliseconds for which a killed run keeps its account. */
export const LEASE = 60_000;

/** Deletes the accounts that are due, as a process of its own would. @returns what it has warned of. */
export async function runDeletions({
  db,
  clock,
  env = {},
}: {
  db: Database;
  clock: { now: () => number };
  env?: NodeJS.ProcessEnv;
}): Promise<unknown[]> {
  const warnings: unknown[] = [];
  const log = { info() {}, warn: (problem: { err: unknown }) => void warnings.push(problem.err) };
  await runAccountDeletions({
    config: testConfig('user', env),
    db,
    now: clock.now,
    log: log as unknown as FastifyBaseLogger,
    leaseDuration: LEASE,
    isStopping: () => false,
  });
  return warnings;
}
