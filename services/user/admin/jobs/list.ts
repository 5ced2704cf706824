import { z } from 'zod';
import type { Database } from '../../database.ts';
import { JOBS, MARKS, REPAIRS } from '../../jobs.ts';
import { AT } from '../../organizations/contract.ts';
import { operation } from '../operation.ts';
import { MARKED, WAITING } from './waiting.ts';

const dateTime = z.string().meta({ format: 'date-time' });

/** Runs without a word for so many intervals, but at least so many milliseconds, are too few. */
const [PATIENCE, MIN_PATIENCE] = [10, 300_000];

const job = z.object({
  name: z.string(),
  every_seconds: z.number(),
  completes: z.string(),
  waiting: z
    .int()
    .nullable()
    .meta({ description: 'What is due, counted up to 1,000; null if nothing can wait' }),
  waiting_since: dateTime.nullable().meta({ description: 'Since when the oldest of it is due' }),
  last_run_at: dateTime.nullable().meta({ description: 'In any process, to ten seconds' }),
  last_failure_at: dateTime.nullable(),
  last_failure: z.string().nullable().meta({ description: 'The name of the error; the log has the rest' }),
  stuck: z.boolean().meta({
    description: 'Whether it has not run, or something has been due, for ten intervals and five minutes',
  }),
});

const jobList = z
  .object({
    jobs: z.array(job),
    repairs: z
      .array(
        z.object({
          name: z.string(),
          mark: z.string().nullable().meta({ description: 'The field that means “complete me”' }),
          left: z.int().nullable().meta({ description: 'Documents with the mark, counted up to 1,000' }),
        }),
      )
      .meta({ description: 'What a start of the service repairs, in its order' }),
  })
  .meta({
    description: 'The jobs and repairs of the user service',
    examples: [
      {
        jobs: [
          {
            name: 'deliver webhooks',
            every_seconds: 0.5,
            completes: 'deliveries in flight, which are sent again',
            waiting: 3,
            waiting_since: AT,
            last_run_at: AT,
            last_failure_at: null,
            last_failure: null,
            stuck: false,
          },
        ],
        repairs: [{ name: 'complete activations', mark: 'users.activated_at', left: 0 }],
      },
    ],
  });

export const listJobs = operation('GET /api/v1/admin/jobs', {
  needs: 'support operator',
  byKey: true,
  summary: 'Read the state of the background jobs',
  description:
    'Lists each job of the user service with what is due and when it last ran in any process, and each repair with the marks that are left. A mark is there for a moment while a call is under way; one that stays is repaired by the next start.',
  returns: jobList,
  handle: async ({ db, now }) => ({ jobs: await readJobs(db, now()), repairs: await readRepairs(db) }),
});

export async function readJobs(db: Database, now: number): Promise<z.infer<typeof job>[]> {
  const runs = new Map(
    (await db.jobRuns.find({ _id: { $in: NAMES } }).toArray()).map((run) => [run._id, run]),
  );
  return Promise.all(
    NAMES.map(async (name) => {
      const { every, completes } = JOBS[name];
      const waiting = (await WAITING[name]?.(db, now)) ?? null;
      const { last_run_at = null, last_failure } = runs.get(name) ?? {};
      const limit = now - Math.max(PATIENCE * every, MIN_PATIENCE);
      const isOver = (time: Date | null | undefined) => time instanceof Date && time.getTime() < limit;
      return {
        name,
        every_seconds: every / 1_000,
        completes,
        waiting: waiting?.count ?? null,
        waiting_since: waiting?.since?.toISOString() ?? null,
        last_run_at: last_run_at?.toISOString() ?? null,
        last_failure_at: last_failure?.at.toISOString() ?? null,
        last_failure: last_failure?.error ?? null,
        stuck: isOver(last_run_at) || isOver(waiting?.since),
      };
    }),
  );
}

const NAMES = Object.keys(JOBS) as (keyof typeof JOBS)[];

async function readRepairs(db: Database): Promise<z.infer<typeof jobList>['repairs']> {
  const marks = Object.entries(MARKS) as [keyof typeof MARKS, (typeof MARKS)[keyof typeof MARKS]][];
  return Promise.all(
    REPAIRS.map(async (name) => {
      const [mark = null] = marks.find(([, { completedBy }]) => completedBy === name) ?? [];
      return { name, mark, left: (mark && (await MARKED[mark]?.(db))) ?? null };
    }),
  );
}
