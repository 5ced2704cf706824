import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../../database.ts';
import type { Delivery } from '../records.ts';
import { isDelivered, type Outcome } from './attempt.ts';
import { deliver, type Sender } from './deliver.ts';
import * as leases from './lease.ts';
import type { RecordOutcome, Result } from './record-outcome.ts';

/** Attempts at one receiver at the same time, at most. */
const WIDEST = 16;
/** Deliveries read at once. */
const PAGE = 200;
/** Deliveries taken from memory that wait at a time; more are left to be read. */
const MOST_OFFERED = 1_000;
/** After so many failures in a row the whole queue rests, for half a minute at most. */
const MISSES = 5;
const REST = 30_000;
/** Milliseconds for which an empty queue is kept, since more often follows. */
const LINGER = 50;

export interface WorkerContext extends Sender {
  db: Database;
  /** Names the worker in the leases that it holds. */
  id: string;
  recordOutcome: RecordOutcome;
  log: FastifyBaseLogger;
  /** Told of every attempt. */
  attempted: (result: Result) => void;
}

/** A queue that this process works off. */
export interface Queue {
  /** Something may have come in, become due, or changed. */
  kick(): void;
  /** These came in, after all that is read or under way. */
  offer(deliveries: readonly Delivery[]): void;
  /** Another worker has it, or it is no longer to be worked off. */
  lose(): void;
  /** Starts nothing any more; `done` follows when what is in flight has been written down. */
  stop(): void;
  /** Forgets what is in flight. */
  abandon(): void;
  /** Milliseconds since anything last went on here. */
  stillFor(): number;
  readonly done: Promise<void>;
}

/**
 * Works a queue off, in the order in which its deliveries are due. It begins with one attempt at a time, twice as
 * many after each success, and one again after a failure: a receiver in trouble is not pushed.
 */
export function workOff(worker: WorkerContext, claimed: leases.Claimed): Queue {
  const { webhook_id } = claimed;
  let webhook: leases.Claimed | null = claimed;
  let read: Delivery[] = [];
  /** From the start of an attempt until it is written down. */
  const busy = new Set<string>();
  /** What is read and what is settled of late, so that nothing is sent twice because it came by two ways. */
  const waiting = new Set<string>();
  const settled = new Set<string>();
  let inFlight = 0;
  let width = 1;
  let misses = 0;
  let restUntil = 0;
  let gone = false;
  let stopped = false;
  let abandoned = false;
  /** Whether there may be more in the database than what is read or under way. */
  let kicked = true;
  let reading = false;
  /** Whether what is read, the webhook above all, may be out of date. */
  let stale = false;
  let changed = Promise.withResolvers<void>();
  /** What is not the receiver's failure: the queue is dropped, and due again when its lease has run out. */
  const dropped = Promise.withResolvers<never>();
  dropped.promise.catch(() => {});

  const mayStart = () => webhook !== null && !stopped && !gone && restUntil === 0 && inFlight < width;

  /** Lets deliveries wait that do not wait yet, are not under way, and were not just settled. */
  function enqueue(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) {
      const { _id } = delivery;
      if (waiting.has(_id) || busy.has(_id) || settled.has(_id)) continue;
      waiting.add(_id);
      read.push(delivery);
    }
  }

  function forgetRead(): void {
    read = [];
    waiting.clear();
  }

  /** The webhook is read anew with every page. */
  async function readPage(): Promise<void> {
    kicked = false;
    stale = false;
    reading = true;
    webhook = await leases.renew(worker, webhook_id);
    if (!webhook) return;
    // As of now: what is written down while the page is on its way may still stand in it.
    const underway = new Set(busy);
    settled.clear();
    const most = PAGE + underway.size;
    const due = await worker.db.webhookDeliveries
      .find({ webhook_id, status: 'pending', due: { $lte: new Date(worker.now()) } })
      .sort({ due: 1, seq: 1 })
      .limit(most)
      .toArray();
    forgetRead();
    if (!stale) enqueue(due.filter(({ _id }) => !underway.has(_id)));
    reading = false;
    if (due.length === most) kicked = true;
  }

  async function attempt(delivery: Delivery, to: leases.Claimed): Promise<void> {
    const outcome = await deliver(worker, to, delivery);
    inFlight -= 1;
    heed(outcome, to);
    changed.resolve();
    // Of what was let go somebody else will say what came of it.
    if (abandoned) return;
    worker.attempted(await worker.recordOutcome(delivery, outcome));
    busy.delete(delivery._id);
    settled.add(delivery._id);
    changed.resolve();
  }

  function heed(outcome: Outcome, { url }: leases.Claimed): void {
    // What an address asks for, or fails at, that the webhook no longer has, is nothing to the new one.
    if (webhook && webhook.url !== url) return;
    if (isDelivered(outcome)) {
      misses = 0;
      width = Math.min(WIDEST, width * 2);
      return;
    }
    width = 1;
    misses += 1;
    if (outcome.status === 410) gone = true;
    const rest = Math.max(outcome.asked ?? 0, misses < MISSES ? 0 : Math.ceil(Math.random() * REST));
    if (rest > 0) restUntil = Math.max(restUntil, worker.now() + rest);
  }

  let wentOn = performance.now();
  async function run(): Promise<void> {
    for (;;) {
      wentOn = performance.now();
      if (kicked && read.length === 0 && mayStart()) await readPage();
      while (webhook && read.length > 0 && mayStart()) {
        const delivery = read.shift() as Delivery;
        waiting.delete(delivery._id);
        busy.add(delivery._id);
        inFlight += 1;
        attempt(delivery, webhook).catch(dropped.reject);
      }
      if (busy.size > 0 || inFlight > 0) {
        await changed.promise;
        changed = Promise.withResolvers();
      } else if (stopped || !webhook) return leases.abandon(worker, [webhook_id]);
      else if (gone) return leases.disable(worker, webhook);
      else if (restUntil > 0) return leases.rest(worker, webhook, new Date(restUntil));
      else if (!kicked && read.length === 0 && (await finish(webhook))) return;
    }
  }

  /** Waits a moment for more, and lets the queue go. @returns whether it is let go. */
  async function finish(known: leases.Claimed): Promise<boolean> {
    changed = Promise.withResolvers();
    const timer = setTimeout(changed.resolve, LINGER);
    await changed.promise;
    clearTimeout(timer);
    if (kicked || read.length > 0 || stopped || !webhook) return false;
    const next = await worker.db.webhookDeliveries.findOne(
      { webhook_id, status: 'pending' },
      { sort: { due: 1, seq: 1 }, projection: { due: 1 } },
    );
    if (await leases.release(worker, known, next?.due ?? null)) return true;
    kicked = true;
    return false;
  }

  return {
    kick() {
      kicked = true;
      stale = true;
      forgetRead();
      changed.resolve();
    },
    offer(deliveries) {
      // Whatever there may be more of comes first, and a page under way may hold these.
      if (kicked || reading || read.length > MOST_OFFERED) kicked = true;
      else enqueue(deliveries);
      changed.resolve();
    },
    lose() {
      webhook = null;
      changed.resolve();
    },
    stop() {
      stopped = true;
      changed.resolve();
    },
    abandon() {
      abandoned = true;
    },
    stillFor: () => performance.now() - wentOn,
    done: Promise.race([run(), dropped.promise]).catch((error) => {
      stopped = true;
      worker.log.error({ err: error, webhook_id }, 'a queue of webhooks was dropped; it is taken up again');
    }),
  };
}
