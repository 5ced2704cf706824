import { updateMethod } from '@gatehouse/shared/data/update-method';
import type { WithId } from 'mongodb';
import type { Database } from '../database.ts';
import type { DisabledReason, Health, Webhook } from '../records.ts';
import { END_FAILURES } from './health.ts';

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

/** The health of a webhook as this worker counted it, and as it has last seen it stored. */
export interface Unsaved {
  url: string;
  health: Health;
  stored: Health;
}

/** Its owner may have replaced the URL or ended the count of failures. */
const unchanged = ({ url, stored }: Unsaved) => ({ url, 'health.failing_since': stored.failing_since });

/**
 * Releases a queue that has nothing due before `next`.
 * @returns false when the queue was woken since it was last renewed, the webhook has changed, or the lease is lost.
 */
export async function release(
  { db, id }: LeaseHolder,
  { webhook_id, wakes }: Claimed,
  next: Date | null,
  unsaved: Unsaved,
): Promise<boolean> {
  const { matchedCount } = await db.webhooks.updateOne(
    { webhook_id, lease: id, wakes, ...unchanged(unsaved) },
    { $set: { lease: null, due_at: next, health: unsaved.health } },
  );
  return matchedCount === 1;
}

/**
 * Releases a queue until the receiver may be called again.
 * @returns false when the webhook has changed, the owner has ended a hold meanwhile, or the lease is lost.
 */
export async function hold(
  { db, id }: LeaseHolder,
  { webhook_id, held_until }: Claimed,
  until: Date,
  unsaved: Unsaved,
): Promise<boolean> {
  const { matchedCount } = await db.webhooks.updateOne(
    { webhook_id, lease: id, held_until, ...unchanged(unsaved) },
    { $set: { lease: null, held_until: until, due_at: until, health: unsaved.health } },
  );
  return matchedCount === 1;
}

/** Saves the health of a queue that is not released yet. @returns false when the webhook has changed or the lease is lost. */
export async function saveHealth(
  { db, id }: LeaseHolder,
  webhook_id: string,
  unsaved: Unsaved,
): Promise<boolean> {
  const { matchedCount } = await db.webhooks.updateOne(
    { webhook_id, lease: id, ...unchanged(unsaved) },
    { $set: { health: unsaved.health } },
  );
  return matchedCount === 1;
}

/** Ends the count of failures, since an attempt has succeeded; also when the lease is lost meanwhile. */
export async function endFailures(
  { db, now }: LeaseHolder,
  { webhook_id, url }: Pick<Webhook, 'webhook_id' | 'url'>,
): Promise<void> {
  await db.webhooks.updateOne(
    { webhook_id, url },
    { $set: { ...END_FAILURES, 'health.last_success_at': new Date(now()) } },
  );
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
  webhook_id: string,
  reason: DisabledReason,
  unsaved: Unsaved,
): Promise<boolean> {
  const at = new Date(now());
  const { matchedCount } = await db.webhooks.updateOne(
    { webhook_id, lease: id, status: 'active', ...unchanged(unsaved) },
    {
      $set: {
        status: 'disabled',
        disabled: { reason, at },
        notice: { due: at, reason, at },
        updated_at: at,
        lease: null,
        due_at: at,
        health: unsaved.health,
      },
    },
  );
  return matchedCount === 1;
}
