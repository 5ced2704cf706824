import { collection } from '@gatehouse/shared/data/connect';

/** When a job last ran in any process. */
export interface JobRun {
  /** The name of the job. */
  _id: string;
  last_run_at?: Date;
  /** A run that ended with an error. What a run leaves for later is counted by what waits. */
  last_failure?: { at: Date; error: string };
}

export const jobRunCollections = { jobRuns: collection<JobRun>('job_runs', []) };
