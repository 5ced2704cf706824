import type { FastifyInstance } from 'fastify';
import { createPoller } from '../poller.ts';
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
  const poller = createPoller({
    interval: poll,
    run: () => runClosing({ ...options, log: app.log, leaseDuration, isStopping: () => poller.stopping }),
    log: app.log,
    failure: 'cannot run the jobs of archived places',
  });
  app.addHook('onReady', async () => poller.start());
  app.addHook('onClose', () => poller.stop());
  return poller.wake;
}
