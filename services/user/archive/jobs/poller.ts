import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import { type ClosingOptions, runClosing } from './run.ts';

/** Milliseconds. Tests inject others. */
export const CLOSING = {
  /** Between two looks for places that are due. */
  poll: 30_000,
  /** Until another process continues the job of one that was killed. */
  leaseDuration: 60_000,
};

export type ClosingTuning = Partial<typeof CLOSING>;

export function createClosing(
  options: Pick<ClosingOptions, 'config' | 'db' | 'now' | 'log'> & { closing?: ClosingTuning | undefined },
): Poller {
  const { poll, leaseDuration } = { ...CLOSING, ...options.closing };
  const poller: Poller = createPoller({
    interval: poll,
    run: () => runClosing({ ...options, leaseDuration, isStopping: () => poller.stopping }),
    log: options.log,
    failure: 'cannot run the jobs of archived places',
  });
  return poller;
}
