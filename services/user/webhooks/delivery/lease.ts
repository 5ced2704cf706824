import type { WithId } from 'mongodb';
import type { Database } from '../../database.ts';
import type { Webhook } from '../records.ts';

/**
 * A webhook is the queue of its deliveries, and one worker at a time has it, so that what is asked of a receiver
 * (order, how much at once) holds for any number of processes. `due_at` says when a worker shall look at a queue.
 * To claim one moves it on by a lease: of a worker that is killed, others find the queue due again.
 * Every function is one atomic write with its precondition in the filter.
 */

/** Milliseconds after which the queues of a worker that was killed are taken up. */
export const LEASE = 5_000;

export type Claimed = WithId<Webhook>;

interface Worker {
  db: Database;
  /** Names the worker in the leases that it holds. */
  id: string;
  now: () => number;
}

const leasedFrom = (now: number) => ({ due_at: new Date(now + LEASE) });

/** The queue that has been due for longest, and that nobody has. */
export const claim = ({ db, id, now }: Worker): Promise<Claimed | null> =>
  db.webhooks.findOneAndUpdate(
    { status: 'active', due_at: { $lte: new Date(now()) } },
    { $set: { ...leasedFrom(now()), lease: id } },
    { sort: { due_at: 1 }, returnDocument: 'after' },
  );

/** The queue as it is now, kept for another lease; null when it is lost, or no longer to be worked off. */
export const renew = ({ db, id, now }: Worker, webhook_id: string): Promise<Claimed | null> =>
  db.webhooks.findOneAndUpdate(
    { webhook_id, lease: id, status: 'active' },
    { $set: leasedFrom(now()) },
    { returnDocument: 'after' },
  );

/** Keeps many queues in one write. @returns those that are still had. */
export async function renewAll({ db, id, now }: Worker, webhookIds: string[]): Promise<Set<string>> {
  const had = { webhook_id: { $in: webhookIds }, lease: id, status: 'active' as const };
  await db.webhooks.updateMany(had, { $set: leasedFrom(now()) });
  const kept = await db.webhooks.find(had, { projection: { webhook_id: 1 } }).toArray();
  return new Set(kept.map(({ webhook_id }) => webhook_id));
}

/**
 * Lets a queue go that has nothing to do before `next`.
 * @returns false when something came into it since it was last renewed, or it is lost: look again.
 */
export async function release(
  { db, id }: Worker,
  { webhook_id, wakes }: Claimed,
  next: Date | null,
): Promise<boolean> {
  const { matchedCount } = await db.webhooks.updateOne(
    { webhook_id, lease: id, wakes },
    { $set: { lease: null, due_at: next } },
  );
  return matchedCount === 1;
}

/** Lets a queue go until the receiver may be called again, whatever comes in meanwhile; unless it is another by now. */
export async function rest({ db, id }: Worker, { webhook_id, url }: Claimed, until: Date): Promise<void> {
  await db.webhooks.updateOne(
    { webhook_id, lease: id, url },
    { $set: { lease: null, held_until: until, due_at: until } },
  );
}

/** Lets queues go as they are, for whoever claims them next. */
export async function abandon({ db, id, now }: Worker, webhookIds: string[]): Promise<void> {
  await db.webhooks.updateMany(
    { webhook_id: { $in: webhookIds }, lease: id },
    { $set: { lease: null, due_at: new Date(now()) } },
  );
}

/** The receiver is gone for good (410). What waits for it stays, and goes on when its owner activates it again. */
export async function disable({ db, id, now }: Worker, { webhook_id, url }: Claimed): Promise<void> {
  const at = new Date(now());
  await db.webhooks.updateOne(
    { webhook_id, lease: id, status: 'active', url },
    { $set: { status: 'disabled', updated_at: at, lease: null, due_at: at } },
  );
}

/** Says that something was put into queues. One that a worker has stays his; he sees it by `wakes`. */
export async function wake(db: Database, webhookIds: string[], now: number): Promise<void> {
  const soon = { $max: [{ $min: ['$due_at', new Date(now)] }, '$held_until'] };
  await db.webhooks.updateMany({ webhook_id: { $in: webhookIds } }, [
    { $set: { wakes: { $add: ['$wakes', 1] }, due_at: { $cond: ['$lease', '$due_at', soon] } } },
  ]);
}

/** The same at its owner's word, whatever the receiver asked for. */
export async function wakeNow(db: Database, webhook_id: string, now: number): Promise<void> {
  await db.webhooks.updateOne({ webhook_id }, { $set: { held_until: null } });
  await wake(db, [webhook_id], now);
}
