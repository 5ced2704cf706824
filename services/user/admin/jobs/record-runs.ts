import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import type { Startable } from '@gatehouse/shared/durable/jobs';
import type { Runs } from '@gatehouse/shared/durable/poller';
import type { AnyBulkWriteOperation } from 'mongodb';
import type { Database } from '../../database.ts';
import type { JobRun } from './records.ts';

/** Milliseconds within which the runs of a job by all processes are recorded once. */
const RESOLUTION = 10_000;

/** Returns a function that records which jobs have run in this process since the last call. */
export function createRunRecorder(db: Database, jobs: Readonly<Record<string, Startable>>) {
  const recorded = new Map<string, Pick<Runs, 'completed' | 'failed'>>();
  return async (now: number): Promise<void> => {
    const writes = Object.entries(jobs).flatMap(([name, { runs }]) => {
      const before = recorded.get(name) ?? { completed: 0, failed: 0 };
      if (!runs) return [];
      recorded.set(name, { ...runs });
      return [
        ...(runs.completed > before.completed ? [lastRun(name, now)] : []),
        ...(runs.failed > before.failed ? [lastFailure(name, runs.error, now)] : []),
      ];
    });
    if (writes.length === 0) return;
    await db.jobRuns.bulkWrite(writes, { ordered: false }).catch((error: unknown) => {
      // Another process has just recorded the same job.
      if (!isDuplicateKey(error)) throw error;
    });
  };
}

/** Matches nothing, and so writes nothing, if another process has recorded a run just before: the id is taken then. */
const lastRun = (_id: string, now: number): AnyBulkWriteOperation<JobRun> => ({
  updateOne: {
    filter: {
      _id,
      $or: [{ last_run_at: { $exists: false } }, { last_run_at: { $lte: new Date(now - RESOLUTION) } }],
    },
    update: { $set: { last_run_at: new Date(now) } },
    upsert: true,
  },
});

/** The message of an error may name what nobody should read here; the log has it. */
const lastFailure = (_id: string, error: unknown, now: number): AnyBulkWriteOperation<JobRun> => ({
  updateOne: {
    filter: { _id },
    update: {
      $set: { last_failure: { at: new Date(now), error: error instanceof Error ? error.name : 'Error' } },
    },
    upsert: true,
  },
});
