import { collection } from '@gatehouse/shared/data/connect';
import type { EventName } from './events.ts';

/** What is stored of webhooks, of events and of their deliveries. */

export const WEBHOOK_STATUSES = ['active', 'paused', 'disabled'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** Days for which events and deliveries are kept, and so can be replayed. */
export const KEPT_DAYS = 30;

/** A receiver, and the queue of its deliveries. */
export interface Webhook {
  webhook_id: string;
  owner_id: string;
  /** 0 to the limit of an account; unique an owner, which makes the limit hold. */
  slot: number;
  url: string;
  events: EventName[];
  /** `paused` by its owner, `disabled` by a receiver that answered 410. */
  status: WebhookStatus;
  /** Encrypted. */
  secret: string;
  /** Those before the present one, newest first; each signs, too, until its time is over. */
  previous_secrets: { secret: string; until: Date }[];
  created_at: Date;
  updated_at: Date;

  /** When a worker shall look at the queue; while one does, when its lease runs out. Null: there is nothing to do. */
  due_at: Date | null;
  /** The worker that has the queue. */
  lease: string | null;
  /** The receiver asked not to be called before. */
  held_until: Date | null;
  /** Counts what was put into the queue, so that nobody ends it while something comes in. */
  wakes: number;
}

/** An event that was accepted, kept so that it is accepted once. */
export interface StoredEvent {
  /** As the publisher named it. */
  _id: string;
  owner_id: string;
  event: EventName;
  /** The exact text to send. */
  payload: string;
  /** A digest of what was published: the same id with another content is refused. */
  fingerprint: string;
  accepted_at: Date;
  expires_at: Date;
}

/** Events that are being taken in: it goes when their deliveries exist, and what it names is made up until then. */
export interface Intake {
  _id: string;
  event_ids: string[];
  began_at: Date;
}

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One try to deliver, and what came of it. */
export interface Attempt {
  at: Date;
  duration_ms: number;
  /** The status of the answer; null when there was none. */
  status: number | null;
  /** Why there was no answer, or not a whole one. */
  error: string | null;
  /** The beginning of the answer's body. */
  answer: string;
}

/** One event on its way to one webhook. */
export interface Delivery {
  /** Made of the ids of webhook and event, so that there is one for each pair. */
  _id: string;
  /** The same, as it is shown. */
  delivery_id: string;
  webhook_id: string;
  event_id: string;
  event: EventName;
  /** The exact text to send, the same at every attempt. */
  payload: string;
  status: DeliveryStatus;
  created_at: Date;
  /** Decides between deliveries of one millisecond. */
  seq: number;
  /** When it is to be tried next. */
  due: Date;
  attempt_count: number;
  /** Attempts that failed since it was made or last replayed. */
  failures: number;
  /** The latest. */
  attempts: Attempt[];
  /** When it is given up; set by the first attempt that fails. */
  gives_up_at: Date | null;
  /** When it was delivered or given up. */
  settled_at: Date | null;
  expires_at: Date;
}

export const webhookCollections = {
  webhooks: collection<Webhook>('webhooks', [
    { key: { webhook_id: 1 }, unique: true },
    { key: { owner_id: 1, slot: 1 }, unique: true },
    // The queues that are due.
    { key: { status: 1, due_at: 1 } },
  ]),
  events: collection<StoredEvent>('events', [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }]),
  // What a kill may have left half-way.
  eventIntakes: collection<Intake>('event_intakes', [{ key: { began_at: 1 } }]),
  webhookDeliveries: collection<Delivery>('webhook_deliveries', [
    // A queue, in the order in which it is worked off.
    { key: { webhook_id: 1, due: 1, seq: 1 }, partialFilterExpression: { status: 'pending' } },
    // A page of the history, and what a replay selects.
    { key: { webhook_id: 1, created_at: 1, delivery_id: 1 } },
    { key: { webhook_id: 1, created_at: 1 }, partialFilterExpression: { status: 'failed' } },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ]),
};
