import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import { type NoticeOptions, sendPaymentNotices } from './send.ts';

/** Milliseconds between two looks for notices that are due. */
export const INTERVAL = 60_000;

export function createPaymentNotices(options: Omit<NoticeOptions, 'isStopping'>): Poller {
  const poller: Poller = createPoller({
    interval: INTERVAL,
    run: () => sendPaymentNotices({ ...options, isStopping: () => poller.stopping }),
    log: options.log,
    failure: 'cannot tell the Owners of failed payments yet',
  });
  return poller;
}
