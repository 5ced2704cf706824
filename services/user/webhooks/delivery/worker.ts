import { randomUUIDv7 } from 'node:crypto';
import type { Delivery } from '../records.ts';
import { abandon, claim, LEASE, renewAll } from './lease.ts';
import { type Queue, type WorkerContext, workOff } from './queue.ts';

/** Milliseconds between two looks for queues that are due. */
const POLL = 500;
/** Queues that one process works off at a time; each has an attempt or more in flight. */
const MOST_QUEUES = 4_000;
/**
 * Milliseconds after which a queue in which nothing goes on is given up: longer than an attempt and what is written
 * of it. The driver can wait for ever for what was written to a connection in the moment in which it was closed.
 */
const STUCK = 40_000;
/** Milliseconds that attempts in flight may take when the service stops. */
const GRACE = 3_000;

/** Delivers what is due, beside any number of others in other processes. */
export interface Worker {
  start(): void;
  /** Something changed in these queues: memory makes it fast, the next look would find it. */
  kick(webhookIds: Iterable<string>): void;
  /** These deliveries are in the database, and due. */
  offer(deliveries: readonly Delivery[]): void;
  /** Ends in time: what is still in flight then is sent again by somebody else. */
  stop(): Promise<void>;
}

export function createWorker(
  options: Omit<WorkerContext, 'id'>,
  { poll = POLL }: { poll?: number | undefined } = {},
): Worker {
  const worker: WorkerContext = { ...options, id: randomUUIDv7() };
  const queues = new Map<string, Queue>();
  let timers: NodeJS.Timeout[] = [];
  let stopping = false;
  let looking: Promise<void> | undefined;
  let again = false;

  async function claimDue(): Promise<void> {
    do {
      again = false;
      while (!stopping && queues.size < MOST_QUEUES) {
        const claimed = await claim(worker);
        if (!claimed) break;
        const { webhook_id } = claimed;
        // Of a queue whose lease ran out under our hands it is the same worker that goes on.
        const known = queues.get(webhook_id);
        if (known) {
          known.kick();
          continue;
        }
        const queue = workOff(worker, claimed);
        queues.set(webhook_id, queue);
        queue.done.then(() => {
          if (queues.get(webhook_id) === queue) queues.delete(webhook_id);
          // What came in at its last moment stands in the database.
          look();
        });
      }
    } while (again);
  }

  function look(): void {
    if (stopping || timers.length === 0) return;
    again = true;
    looking ??= claimDue()
      .catch((error) => worker.log.warn({ err: error }, 'queues of webhooks could not be looked at'))
      .finally(() => {
        looking = undefined;
      });
  }

  async function keep(): Promise<void> {
    for (const [webhook_id, queue] of queues) {
      if (queue.stillFor() < STUCK) continue;
      worker.log.error({ webhook_id }, 'a queue of webhooks is stuck and given up; it is taken up again');
      queue.abandon();
      queue.lose();
      queues.delete(webhook_id);
    }
    const held = [...queues];
    if (held.length === 0) return;
    try {
      const kept = await renewAll(
        worker,
        held.map(([webhook_id]) => webhook_id),
      );
      for (const [webhook_id, queue] of held) {
        if (kept.has(webhook_id)) queue.kick();
        else queue.lose();
      }
    } catch (error) {
      worker.log.warn({ err: error }, 'queues of webhooks could not be kept');
    }
  }

  return {
    start() {
      timers = [setInterval(look, poll), setInterval(keep, LEASE / 3)];
    },
    kick(webhookIds) {
      for (const webhook_id of webhookIds) queues.get(webhook_id)?.kick();
      look();
    },
    offer(deliveries) {
      const byQueue = Map.groupBy(deliveries, ({ webhook_id }) => webhook_id);
      for (const [webhook_id, due] of byQueue) {
        const queue = queues.get(webhook_id);
        if (queue) queue.offer(due);
        else look();
      }
    },
    async stop() {
      stopping = true;
      for (const timer of timers) clearInterval(timer);
      await looking;
      for (const queue of queues.values()) queue.stop();
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, GRACE);
      await Promise.race([Promise.all([...queues.values()].map(({ done }) => done)), late.promise]);
      clearTimeout(timer);
      for (const queue of queues.values()) queue.abandon();
      if (queues.size > 0) await abandon(worker, [...queues.keys()]);
    },
  };
}
