import { bounded } from '@gatehouse/shared/data/bounded';
import { createLease } from '@gatehouse/shared/durable/lease';
import { createPoller } from '@gatehouse/shared/durable/poller';
import { withTimeout } from '@gatehouse/shared/with-timeout';
import type { WebhookHost } from '../host.ts';
import { createReadHeldWebhook } from './held-webhook.ts';
import { abandon, renewAll } from './lease.ts';
import { type Queue, startQueue, type WorkerContext } from './queue.ts';

/** Queues of one process at a time, each with one or more attempts in flight. */
const MAX_QUEUES = 4_000;
/** Milliseconds that attempts in flight may take when the service stops. */
const GRACE = 3_000;

/** Claims queues that are due and sends their deliveries, beside any number of workers in other processes. */
export interface Worker {
  start(): void;
  /** The webhook or its deliveries changed. */
  reload(webhookId: string): void;
  /** New deliveries of these webhooks are in the database. */
  readMore(webhookIds: readonly string[]): void;
  /** Stops within the grace period. Another worker sends again what is still in flight by then. */
  stop(): Promise<void>;
}

interface Tuning {
  /** Milliseconds between two looks for queues that are due. */
  poll: number;
  /** Milliseconds until another worker takes over the queues of one that was killed. */
  leaseDuration: number;
}

export function createWorker(
  options: Omit<WorkerContext, 'id' | 'readHeldWebhook'> &
    Tuning & { host: Pick<WebhookHost, 'closedAmong'> },
): Worker {
  const lease = createLease({
    collection: options.db.webhooks,
    due: 'due_at',
    holder: 'lease',
    duration: options.leaseDuration,
    now: options.now,
  });
  const { id } = lease;
  const readHeldWebhook = createReadHeldWebhook({ ...options, id });
  const worker: WorkerContext = { ...options, id, readHeldWebhook };
  const { log } = worker;
  const queues = new Map<string, Queue>();
  let renewal: NodeJS.Timeout | undefined;
  const poller = createPoller({
    interval: options.poll,
    run: claimDue,
    log,
    failure: 'cannot claim webhook queues',
  });

  async function claimDue(isStopping: () => boolean): Promise<void> {
    while (!isStopping() && queues.size < MAX_QUEUES) {
      const claimed = await bounded(lease.claim({ status: 'active' }));
      if (!claimed) return;
      const { webhook_id } = claimed;
      const held = queues.get(webhook_id);
      // This worker's own lease had expired.
      if (held) held.reload();
      else add(webhook_id, startQueue(worker, claimed));
    }
  }

  function add(webhook_id: string, queue: Queue): void {
    queues.set(webhook_id, queue);
    void queue.done.then(() => {
      queues.delete(webhook_id);
      // A change may have come too late for the queue that ended.
      poller.wake();
    });
  }

  async function renewLeases(): Promise<void> {
    const held = [...queues];
    if (held.length === 0) return;
    try {
      const renewed = await bounded(
        renewAll(
          worker,
          held.map(([webhook_id]) => webhook_id),
        ),
      );
      for (const [webhook_id, queue] of held) {
        if (renewed.has(webhook_id)) queue.reload();
        else queue.stop();
      }
    } catch (error) {
      log.warn({ err: error }, 'cannot renew the leases of webhook queues');
    }
  }

  async function drain(): Promise<void> {
    await poller.stop();
    for (const queue of queues.values()) queue.stop();
    await Promise.all([...queues.values()].map(({ done }) => done));
  }

  return {
    start() {
      poller.start();
      renewal = setInterval(renewLeases, options.leaseDuration / 3);
    },
    reload(webhookId) {
      queues.get(webhookId)?.reload();
      poller.wake();
    },
    readMore(webhookIds) {
      for (const webhookId of webhookIds) queues.get(webhookId)?.readMore();
      if (!webhookIds.every((webhookId) => queues.has(webhookId))) poller.wake();
    },
    async stop() {
      clearInterval(renewal);
      await withTimeout(drain(), GRACE, new Error('grace period over')).catch(() => {});
      for (const queue of queues.values()) queue.abandon();
      if (queues.size > 0) await abandon(worker, [...queues.keys()]);
    },
  };
}
