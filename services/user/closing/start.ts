import type { FastifyInstance } from 'fastify';
import { type ClosingOptions, runClosing } from './run.ts';

/** Milliseconds. Tests inject others. */
const DEFAULTS = {
  /** Between two looks for what is due. */
  poll: 30_000,
  /** Until another process continues the job of one that was killed. */
  leaseDuration: 60_000,
};

export type ClosingTuning = Partial<typeof DEFAULTS>;

/** Runs the jobs of archived places from the start of the service until it stops. @returns a function that runs them now. */
export function startClosing(
  app: FastifyInstance,
  options: Pick<ClosingOptions, 'config' | 'db' | 'now'> & { closing?: ClosingTuning | undefined },
): () => void {
  const { poll, leaseDuration } = { ...DEFAULTS, ...options.closing };
  let stopping = false;
  let again = false;
  let running: Promise<void> | undefined;
  const run = async () => {
    do {
      again = false;
      await runClosing({ ...options, log: app.log, leaseDuration, isStopping: () => stopping });
    } while (again && !stopping);
  };
  /** One run at a time; a call during a run makes it look again. */
  const wake = () => {
    if (stopping) return;
    again = true;
    running ??= run()
      .catch((error) => app.log.warn({ err: error }, 'cannot run the jobs of archived places'))
      .finally(() => {
        running = undefined;
      });
  };
  let timer: NodeJS.Timeout | undefined;
  app.addHook('onReady', async () => {
    timer = setInterval(wake, poll);
  });
  app.addHook('onClose', async () => {
    stopping = true;
    clearInterval(timer);
    await running;
  });
  return wake;
}
