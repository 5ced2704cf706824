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

/** Looks for work at an interval, and sooner when woken, in one run at a time. */
export function createPoller({ interval, run, log, failure }: Options) {
  let timer: NodeJS.Timeout | undefined;
  let stopping = false;
  let isRunning = false;
  let runAgain = false;
  let lastRun: Promise<void> | undefined;

  async function runWhileWoken(): Promise<void> {
    isRunning = true;
    try {
      do {
        runAgain = false;
        await run(() => stopping);
      } while (runAgain && !stopping);
    } catch (error) {
      log.warn({ err: error }, failure);
    }
    isRunning = false;
  }

  function runUnlessRunning(): void {
    if (!stopping && !isRunning) lastRun = runWhileWoken();
  }

  return {
    /** Begins to look at the interval. A tick during a run is skipped. */
    start() {
      timer = setInterval(runUnlessRunning, interval);
    },
    /** Runs now. During a run, runs once more afterward: the run in progress may have missed what is new. */
    wake() {
      runAgain = true;
      runUnlessRunning();
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
