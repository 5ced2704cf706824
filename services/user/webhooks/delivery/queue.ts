import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../../database.ts';
import type { Delivery } from '../records.ts';
import { bounded } from './database-timeout.ts';
import { deliver, type Sender } from './deliver.ts';
import * as leases from './lease.ts';
import { afterAttempt, INITIAL_STATE, maySend } from './receiver-state.ts';
import type { RecordOutcome, Result } from './record-outcome.ts';
import { createSignal } from './signal.ts';

/** Deliveries read at a time. */
const PAGE = 200;

export interface WorkerContext extends Sender, leases.LeaseHolder {
  db: Database;
  recordOutcome: RecordOutcome;
  countAttempt: (result: Result) => void;
  log: FastifyBaseLogger;
  /** Milliseconds to keep the lease of an empty queue, since more often follows. */
  linger: number;
}

/** A queue whose lease this process holds. */
export interface Queue {
  /** New deliveries are in the database. */
  readMore(): void;
  /** The webhook or its deliveries changed: forget what was read ahead. */
  reload(): void;
  /** Starts no more attempts; `done` follows when those in flight are recorded. */
  stop(): void;
  /** Leaves the outcomes of attempts in flight unrecorded. */
  abandon(): void;
  /** Resolves when the lease is released or lost. Never rejects. */
  readonly done: Promise<void>;
}

/** Sends the deliveries of a claimed webhook in the order in which they are due, until nothing more is due. */
export function startQueue(worker: WorkerContext, claimed: leases.Claimed): Queue {
  const { webhook_id } = claimed;
  const changes = createSignal();
  let phase: 'sending' | 'stopping' | 'abandoned' = 'sending';
  let webhook = claimed;
  /** The webhook may have changed since it was read. */
  let stale = true;
  /** The database may hold deliveries that are due and not in `page`. */
  let mayHaveMore = true;
  let page: Delivery[] = [];
  let receiver = INITIAL_STATE;
  let inFlight = 0;
  /** The ids of deliveries from the start of an attempt until its outcome is recorded. */
  const unrecorded = new Set<string>();
  let failure: unknown;

  async function run(): Promise<void> {
    for (;;) {
      if (mayStart() && page.length === 0 && mayHaveMore) await readPage();
      while (mayStart() && page.length > 0) start(page.shift() as Delivery);
      if (failure) throw failure;
      if (unrecorded.size > 0) await changes.wait();
      else if (await letGo()) return;
    }
  }

  const mayStart = () => phase === 'sending' && maySend(receiver, inFlight);

  async function readPage(): Promise<void> {
    mayHaveMore = false;
    if (stale) {
      stale = false;
      const renewed = await bounded(leases.renew(worker, webhook_id));
      if (!renewed) return stop();
      webhook = renewed;
    }
    // Copied before the read: an outcome recorded during the read may not show in its result yet.
    const skipped = new Set(unrecorded);
    const limit = PAGE + skipped.size;
    const due = await bounded(
      worker.db.webhookDeliveries
        .find({ webhook_id, status: 'pending', due: { $lte: new Date(worker.now()) } })
        .sort({ due: 1, seq: 1 })
        .limit(limit)
        .toArray(),
    );
    if (stale) return;
    page = due.filter(({ _id }) => !skipped.has(_id));
    if (due.length === limit) mayHaveMore = true;
  }

  function start(delivery: Delivery): void {
    inFlight += 1;
    unrecorded.add(delivery._id);
    attempt(delivery).catch((error) => {
      failure = error;
      stop();
    });
  }

  async function attempt(delivery: Delivery): Promise<void> {
    const { url } = webhook;
    const outcome = await deliver(worker, webhook, delivery);
    inFlight -= 1;
    // Ignore results for a URL that has been replaced.
    if (url === webhook.url) receiver = afterAttempt(receiver, outcome, worker.now());
    changes.notify();
    // Another worker records the outcome of an abandoned delivery.
    if (phase === 'abandoned') return;
    worker.countAttempt(await worker.recordOutcome(delivery, outcome));
    unrecorded.delete(delivery._id);
    changes.notify();
  }

  /** Ends the lease when nothing is left to do. @returns false when there is more. */
  async function letGo(): Promise<boolean> {
    if (phase !== 'sending') {
      await bounded(leases.abandon(worker, [webhook_id]));
    } else if (receiver.gone) {
      await bounded(leases.disable(worker, webhook));
    } else if (receiver.heldUntil !== null) {
      await bounded(leases.hold(worker, webhook, new Date(receiver.heldUntil)));
    } else {
      return !mayHaveMore && releaseWhenIdle();
    }
    return true;
  }

  async function releaseWhenIdle(): Promise<boolean> {
    await changes.wait(worker.linger);
    if (mayHaveMore || phase !== 'sending') return false;
    const next = await bounded(
      worker.db.webhookDeliveries.findOne(
        { webhook_id, status: 'pending' },
        { sort: { due: 1, seq: 1 }, projection: { due: 1 } },
      ),
    );
    if (await bounded(leases.release(worker, webhook, next?.due ?? null))) return true;
    reload();
    return false;
  }

  function reload(): void {
    stale = mayHaveMore = true;
    page = [];
    changes.notify();
  }

  function stop(): void {
    if (phase === 'sending') phase = 'stopping';
    changes.notify();
  }

  return {
    readMore() {
      mayHaveMore = true;
      changes.notify();
    },
    reload,
    stop,
    abandon() {
      phase = 'abandoned';
    },
    done: run().catch((error) => {
      stop();
      worker.log.error({ err: error, webhook_id }, 'webhook queue failed; retrying when its lease expires');
    }),
  };
}
