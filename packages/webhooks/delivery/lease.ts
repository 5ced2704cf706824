import { updateMethod } from '@gatehouse/shared/data/update-method';
import type { WithId } from 'mongodb';
import type { Database } from '../database.ts';
import type { DisabledReason, Webhook } from '../records.ts';
import { healthOf } from './health.ts';

/**
 * Each webhook has a queue of deliveries. One worker at a time holds its lease, so that order and concurrency hold
 * for any number of processes; packages/shared/src/durable/lease.ts claims it. These writes end or renew the lease.
 * Each is one atomic write with its precondition in the filter.
 */

export interface LeaseHolder {
  db: Database;
  /** Names the worker in the leases that it holds. */
  id: string;
  /** Milliseconds until another worker may claim a queue that is not renewed. */
  leaseDuration: number;
  now: () => number;
}

export type Claimed = WithId<Webhook>;

const leaseEnd = ({ now, leaseDuration }: LeaseHolder) => ({ due_at: new Date(now() + leaseDuration) });

/** Renews many leases. @returns the ids of the webhooks whose lease is still held. */
export async function renewAll(holder: LeaseHolder, webhookIds: string[]): Promise<Set<string>> {
  const { db, id } = holder;
  const held = { webhook_id: { $in: webhookIds }, lease: id, status: 'active' as const };
  await db.webhooks[updateMethod(webhookIds)](held, { $set: leaseEnd(holder) });
  const renewed = await db.webhooks.find(held, { projection: { webhook_id: 1 } }).toArray();
  return new Set(renewed.map(({ webhook_id }) => webhook_id));
}

/**
 * Releases a queue that has nothing due before `next`.
 * @returns false when the queue was woken since it was last renewed, or the lease is lost.
 */
export async function release(
  { db, id }: LeaseHolder,
  { webhook_id, wakes }: Claimed,
  next: Date | null,
): Promise<boolean> {
  const { matchedCount } = await db.webhooks.updateOne(
    { webhook_id, lease: id, wakes },
    { $set: { lease: null, due_at: next } },
  );
  return matchedCount === 1;
}

/**
 * Releases a queue until the receiver may be called again.
 * @returns false when the webhook has changed, the owner has ended a hold meanwhile, or the lease is lost.
 */
export async function hold(
  { db, id }: LeaseHolder,
  { webhook_id, held_until, url }: Claimed,
  until: Date,
): Promise<boolean> {
  const { matchedCount } = await db.webhooks.updateOne(
    { webhook_id, lease: id, held_until, url },
    { $set: { lease: null, held_until: until, due_at: until } },
  );
  return matchedCount === 1;
}

/** Releases queues as they are; another worker may claim them at once. */
export async function abandon({ db, id, now }: LeaseHolder, webhookIds: string[]): Promise<void> {
  await db.webhooks[updateMethod(webhookIds)](
    { webhook_id: { $in: webhookIds }, lease: id },
    { $set: { lease: null, due_at: new Date(now()) } },
  );
}

/**
 * Disables a webhook, and leaves a notice for its owners. Its pending deliveries wait until one activates it again.
 * @returns false when the webhook has changed, or the lease is lost.
 */
export async function disable(
  { db, id, now }: LeaseHolder,
  webhook: Claimed,
  reason: DisabledReason,
): Promise<boolean> {
  const { webhook_id, url } = webhook;
  // Its owner may have ended the count of failures.
  const { failing_since } = healthOf(webhook);
  const at = new Date(now());
  const { matchedCount } = await db.webhooks.updateOne(
    { webhook_id, url, lease: id, status: 'active', 'health.failing_since': failing_since },
    {
      $set: {
        status: 'disabled',
        disabled: { reason, at },
        notice: { due: at, reason, at },
        updated_at: at,
        lease: null,
        due_at: at,
      },
    },
  );
  return matchedCount === 1;
}
