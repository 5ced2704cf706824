import type { FastifyInstance } from 'fastify';
import { createPoller } from '../../poller.ts';
import { type NoticeOptions, sendPaymentNotices } from './send.ts';

/** Milliseconds between two looks for notices that are due. */
const INTERVAL = 60_000;

/** Sends notices of failed payments from the start of the service until it stops. @returns a function that looks now. */
export function startPaymentNotices(
  app: FastifyInstance,
  options: Pick<NoticeOptions, 'db' | 'now' | 'mailer'>,
): () => void {
  const poller = createPoller({
    interval: INTERVAL,
    run: () => sendPaymentNotices({ ...options, log: app.log, isStopping: () => poller.stopping }),
    log: app.log,
    failure: 'cannot tell the Owners of failed payments yet',
  });
  app.addHook('onReady', async () => poller.start());
  app.addHook('onClose', () => poller.stop());
  return poller.wake;
}
