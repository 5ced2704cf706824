import type { FastifyBaseLogger } from 'fastify';

/** Looks for work at an interval, and sooner when woken, in one run at a time. */
export interface Poller {
  /** Begins to look at the interval. A tick during a run is skipped. */
  start(): void;
  /** Runs now. During a run, runs once more afterward: the run in progress may have missed what is new. */
  wake(): void;
  /** Begins no further run. @returns when the run in progress has ended. */
  stop(): Promise<void>;
  /** Whether `stop` has been called. A long run should end early. */
  readonly stopping: boolean;
}

interface Options {
  /** Milliseconds between two looks. */
  interval: number;
  /** Does what is due. */
  run: () => Promise<void>;
  log: Pick<FastifyBaseLogger, 'warn'>;
  /** Logged when a run fails. Only the next tick or wake-up tries again: a database that is down is not flooded. */
  failure: string;
}

export function createPoller({ interval, run, log, failure }: Options): Poller {
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
        await run();
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
    start() {
      timer = setInterval(runUnlessRunning, interval);
    },
    wake() {
      runAgain = true;
      runUnlessRunning();
    },
    async stop() {
      stopping = true;
      clearInterval(timer);
      await lastRun;
    },
    get stopping() {
      return stopping;
    },
  };
}
