import type { FastifyInstance } from 'fastify';
import { withTimeout } from '../with-timeout.ts';
import type { Runs } from './poller.ts';

/** Work that runs from the start of a service until it stops, such as a poller. */
export interface Startable {
  /** What the runs of this process came to. */
  runs?: Readonly<Runs>;
  start(): void;
  /** Looks for work now. @returns when it has looked. */
  runNow?(): Promise<void>;
  /** Begins nothing new. @returns when the work in progress has ended. */
  stop(): Promise<void>;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** What runs in the background of this service. The test kit runs it when it has moved the clock. */
    jobs?: readonly Startable[];
  }
}

/** Milliseconds that work in progress may take when the service stops. Whatever is left is done by another process. */
const GRACE = 5_000;

/**
 * Runs everything that a service does in the background. The repairs run once, in order, before the service accepts
 * calls: they complete what a kill has left. Then the jobs run until the service stops. They stop before the server and
 * the database close. A kill at any point leaves a mark, a lease or a due time in the database, by which the next start
 * or another process finds the work again, so a repair and a job must be idempotent.
 */
export function runInBackground(
  app: FastifyInstance,
  {
    repairs,
    jobs,
    grace = GRACE,
  }: { repairs: readonly (() => Promise<unknown>)[]; jobs: readonly Startable[]; grace?: number },
): void {
  app.decorate('jobs', jobs);
  app.addHook('onReady', async () => {
    for (const repair of repairs) await repair();
    for (const job of jobs) job.start();
  });
  app.addHook('preClose', async () => {
    const stopped = Promise.all(jobs.map((job) => job.stop()));
    await withTimeout(stopped, grace, new Error('grace period over')).catch(() => {});
  });
}
