import { bounded } from '@gatehouse/shared/data/bounded';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../database.ts';
import { BY_DUE, type DisabledReason } from '../records.ts';
import { deliver, hasSameTarget, openTarget, type Sender, type Target } from './deliver.ts';
import { dropUnsubscribed } from './drop-unsubscribed.ts';
import { failsFor, healthOf } from './health.ts';
import type { ReadHeldWebhook } from './held-webhook.ts';
import * as leases from './lease.ts';
import { afterAttempt, INITIAL_STATE, maySend } from './receiver-state.ts';
import { DUE_FIELDS, type DueDelivery, type RecordOutcome, type Result } from './record-outcome.ts';
import { isDelivered } from './send.ts';
import { createSignal } from './signal.ts';

/** Deliveries read at a time. */
const PAGE = 200;
/** Milliseconds after which a queue whose owner is not active is looked at again. */
const OWNER_CHECK = 30_000;

export interface WorkerContext extends Sender, leases.LeaseHolder {
  db: Database;
  readHeldWebhook: ReadHeldWebhook;
  recordOutcome: RecordOutcome;
  countAttempt: (result: Result) => void;
  log: FastifyBaseLogger;
  /** Milliseconds to keep the lease of an empty queue, since more often follows. */
  linger: number;
  /** Milliseconds of nothing but failures after which a webhook is disabled. */
  disableAfter: number;
  /** A webhook was disabled, and its owners must be told. */
  onDisabled: () => void;
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
  /** The target of `webhook`. The first attempt that needs it opens the secrets, and later ones share them. */
  let target: Target | undefined;
  let ownerActive = true;
  /** The webhook has changed since it was read. */
  let stale = false;
  /** The database may hold deliveries that are due and not in `page`. */
  let mayHaveMore = true;
  let page: DueDelivery[] = [];
  let receiver = INITIAL_STATE;
  /** The ids of deliveries from the start of an attempt until its outcome is recorded. Bounds what is sent twice. */
  const unrecorded = new Set<string>();
  let failure: unknown;

  async function run(): Promise<void> {
    for (;;) {
      while (stale && phase === 'sending') {
        stale = false;
        await refresh();
      }
      if (mayStart() && page.length === 0 && mayHaveMore) await readPage();
      while (mayStart() && page.length > 0) start(page.shift() as DueDelivery);
      if (failure) throw failure;
      if (unrecorded.size > 0) await changes.wait();
      else if (await tryRelease()) return;
    }
  }

  const mayStart = () =>
    phase === 'sending' && ownerActive && !failsTooLong() && maySend(receiver, unrecorded.size);
  const failsTooLong = () => failsFor(healthOf(webhook), worker.disableAfter);
  const isSubscribed = ({ event }: DueDelivery) => webhook.events.includes(event);

  async function refresh(): Promise<void> {
    const { webhook: present, ownerActive: active } = await worker.readHeldWebhook(claimed);
    if (!present) return stop();
    // Attempts that refresh together get the same result, and one of them has applied it.
    if (present === webhook) return;
    if (present.url !== webhook.url) receiver = INITIAL_STATE;
    // The owner ended the hold.
    else if (Number(present.held_until) !== Number(webhook.held_until)) {
      receiver = { ...receiver, heldUntil: null };
    }
    const cancelled = present.cancellations !== webhook.cancellations;
    if (!hasSameTarget(webhook, present)) target = undefined;
    webhook = present;
    ownerActive = active;
    if (cancelled || !page.every(isSubscribed)) reload();
  }

  async function readPage(): Promise<void> {
    mayHaveMore = false;
    // Copied before the read: an outcome recorded during the read may not show in its result yet.
    const skipped = new Set(unrecorded);
    const limit = PAGE + skipped.size;
    const due = await bounded(
      worker.db.webhookDeliveries
        .find({ webhook_id, status: 'pending', due: { $lte: new Date(worker.now()) } })
        .sort({ due: 1, seq: 1 })
        .hint(BY_DUE)
        .limit(limit)
        .batchSize(limit + 1)
        .project<DueDelivery>(Object.fromEntries(DUE_FIELDS.map((field) => [field, 1])))
        .toArray(),
    );
    if (due.length === limit) mayHaveMore = true;
    const waiting = due.filter(({ _id }) => !skipped.has(_id));
    if (stale || waiting.length === 0) return;
    // Another process may have changed the webhook, and the subscription may be younger than the one in memory.
    await refresh();
    if (phase !== 'sending') return;
    const unsubscribed = waiting.filter((delivery) => !isSubscribed(delivery));
    await bounded(dropUnsubscribed(worker.db, unsubscribed, worker.now()));
    if (!stale) page = waiting.filter(isSubscribed);
  }

  function start(delivery: DueDelivery): void {
    unrecorded.add(delivery._id);
    attempt(delivery).catch((error) => {
      failure = error;
      stop();
    });
  }

  async function attempt(delivery: DueDelivery): Promise<void> {
    const { url } = webhook;
    target ??= openTarget(worker, webhook);
    const outcome = await deliver(worker, target, delivery);
    // Ignore results for a URL that has been replaced.
    if (url === webhook.url) receiver = afterAttempt(receiver, outcome, worker.now());
    // Another worker records the outcome of an abandoned delivery.
    if (phase === 'abandoned') return;
    const recording = worker.recordOutcome({ webhook_id, url }, delivery, outcome);
    // The health that a failure leaves may disable the webhook.
    const failed = !isDelivered(outcome);
    if (failed) await recording;
    const [result] = await Promise.all([
      recording,
      // Another process may have changed or deleted the webhook: read it before the next attempt takes this place.
      failed || page.length > 0 ? refresh() : undefined,
    ]);
    worker.countAttempt(result);
    unrecorded.delete(delivery._id);
    changes.notify();
  }

  /** Ends the lease when nothing is left to do. @returns false when there is more. */
  async function tryRelease(): Promise<boolean> {
    if (phase !== 'sending') {
      await bounded(leases.abandon(worker, [webhook_id]));
      return true;
    }
    if (receiver.gone) return disable('gone');
    if (failsTooLong()) return disable('failing');
    if (receiver.heldUntil !== null) {
      const until = new Date(receiver.heldUntil);
      return reloadUnlessReleased(leases.hold(worker, webhook, until));
    }
    if (!ownerActive) {
      const next = new Date(worker.now() + OWNER_CHECK);
      return reloadUnlessReleased(leases.release(worker, webhook, next));
    }
    return !mayHaveMore && releaseWhenIdle();
  }

  /** Looks at the queue again when the webhook changed before the lease was released. */
  async function reloadUnlessReleased(release: Promise<boolean>): Promise<boolean> {
    const done = await bounded(release);
    if (!done) reload();
    return done;
  }

  async function releaseWhenIdle(): Promise<boolean> {
    await changes.wait(worker.linger);
    if (mayHaveMore || phase !== 'sending') return false;
    const next = await bounded(
      worker.db.webhookDeliveries.findOne(
        { webhook_id, status: 'pending' },
        { sort: { due: 1, seq: 1 }, hint: BY_DUE, projection: { due: 1 } },
      ),
    );
    return reloadUnlessReleased(leases.release(worker, webhook, next?.due ?? null));
  }

  async function disable(reason: DisabledReason): Promise<boolean> {
    const disabled = await reloadUnlessReleased(leases.disable(worker, webhook, reason));
    if (disabled) worker.onDisabled();
    return disabled;
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
