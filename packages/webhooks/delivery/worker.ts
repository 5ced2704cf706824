import { bounded } from '@gatehouse/shared/data/bounded';
import { createLease } from '@gatehouse/shared/durable/lease';
import { createPoller } from '@gatehouse/shared/durable/poller';
import { withTimeout } from '@gatehouse/shared/with-timeout';
import type { WebhookHost } from '../host.ts';
import { abandonQueues, createReadHeldWebhook, renewQueues } from './lease.ts';
import { type Queue, startQueue, type WorkerContext } from './queue.ts';

/** Queues that one process holds at a time. */
const MAX_QUEUES = 4_000;
/** Milliseconds that attempts in flight may take when the service stops. */
const GRACE = 3_000;

interface Tuning {
  /** Milliseconds between polls for queues that are due. */
  poll: number;
  /** Milliseconds until another worker takes over the queues of one that was killed. */
  leaseDuration: number;
}

export type Worker = ReturnType<typeof createWorker>;

/** Claims queues that are due and sends their deliveries. Any number of processes may run a worker. */
export function createWorker(
  options: Omit<WorkerContext, 'id' | 'readHeldWebhook'> &
    Tuning & { host: Pick<WebhookHost, 'closedAmong'> },
) {
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
      // The lease of this worker had expired.
      if (held) held.reload();
      else add(webhook_id, startQueue(worker, claimed));
    }
  }

  function add(webhook_id: string, queue: Queue): void {
    queues.set(webhook_id, queue);
    void queue.done.then(() => {
      queues.delete(webhook_id);
      // A change during the release makes the queue due again.
      poller.wake();
    });
  }

  async function renewLeases(): Promise<void> {
    const held = [...queues];
    if (held.length === 0) return;
    try {
      const renewed = await bounded(
        renewQueues(
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
    runs: poller.runs,
    start(): void {
      poller.start();
      renewal = setInterval(renewLeases, options.leaseDuration / 3);
    },
    /** Also wakes the queues that wait for the next attempt. */
    async runNow(): Promise<void> {
      for (const queue of queues.values()) queue.reload();
      await poller.runNow();
    },
    /** Call when a webhook or its deliveries changed. */
    reload(webhookId: string): void {
      queues.get(webhookId)?.reload();
      poller.wake();
    },
    /** Call when new deliveries of these webhooks are stored. */
    readMore(webhookIds: readonly string[]): void {
      for (const webhookId of webhookIds) queues.get(webhookId)?.readMore();
      if (!webhookIds.every((webhookId) => queues.has(webhookId))) poller.wake();
    },
    /** Stops within the grace period. Another worker repeats the attempts that are then still in flight. */
    async stop(): Promise<void> {
      clearInterval(renewal);
      await withTimeout(drain(), GRACE, new Error('grace period over')).catch(() => {});
      for (const queue of queues.values()) queue.abandon();
      if (queues.size > 0) await abandonQueues(worker, [...queues.keys()]);
    },
  };
}
