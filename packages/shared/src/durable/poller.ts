import type { FastifyBaseLogger } from 'fastify';

interface Options {
  /** Milliseconds between two looks. */
  interval: number;
  /** Does what is due. A long run ends early once the poller stops. */
  run: (isStopping: () => boolean) => Promise<void>;
  log: Pick<FastifyBaseLogger, 'warn'>;
  /** Logged when a run fails. Only the next tick or wake-up tries again: a database that is down is not flooded. */
  failure: string;
}

/** How often a job has run in this process, and why the last failed run failed. */
export interface Runs {
  completed: number;
  failed: number;
  error?: unknown;
}

/** Looks for work at an interval, and sooner when woken, in one run at a time. */
export function createPoller({ interval, run, log, failure }: Options) {
  let timer: NodeJS.Timeout | undefined;
  let stopping = false;
  let isRunning = false;
  let runAgain = false;
  let lastRun: Promise<void> | undefined;
  const runs: Runs = { completed: 0, failed: 0 };

  async function runWhileWoken(): Promise<void> {
    isRunning = true;
    try {
      do {
        runAgain = false;
        await run(() => stopping);
        runs.completed += 1;
      } while (runAgain && !stopping);
    } catch (error) {
      runs.failed += 1;
      runs.error = error;
      log.warn({ err: error }, failure);
    }
    isRunning = false;
  }

  function runUnlessRunning(): void {
    if (!stopping && !isRunning) lastRun = runWhileWoken();
  }

  return {
    /** What the runs of this process came to. */
    runs: runs as Readonly<Runs>,
    /** Begins to look at the interval. A tick during a run is skipped. */
    start() {
      timer = setInterval(runUnlessRunning, interval);
    },
    /** Runs now. During a run, runs once more afterward: the run in progress may have missed what is new. */
    wake() {
      runAgain = true;
      runUnlessRunning();
    },
    /** Runs now, or once more after the run in progress. @returns when that has ended. */
    async runNow() {
      runAgain = true;
      runUnlessRunning();
      await lastRun;
    },
    /** Begins no further run. @returns when the run in progress has ended. */
    async stop() {
      stopping = true;
      clearInterval(timer);
      await lastRun;
    },
  };
}

export type Poller = ReturnType<typeof createPoller>;
