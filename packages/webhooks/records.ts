import { collection } from '@gatehouse/shared/data/connect';
import { type Delivery, NO_RESPONSE } from './delivery-records.ts';
import type { EventName } from './events.ts';

export const WEBHOOK_STATUSES = ['active', 'paused', 'disabled'] as const;
type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** Milliseconds for which events and deliveries are kept and can be replayed, unless the operator sets another time. */
export const DEFAULT_RETENTION = 30 * 86_400_000;

/** The receivers of an event. */
export interface Audience {
  /** The account whose own webhooks receive it. */
  owner_id: string | null;
  /** The organization whose webhooks receive it. */
  organization_id: string | null;
  /** The department of that organization whose webhooks also receive it. */
  department_id: string | null;
  /** The chatbot that it is about, for webhooks with `chatbot_ids`. */
  chatbot_id: string | null;
  /** Other organizations of the account that receive it. */
  other_organization_ids?: readonly string[];
}

/** A receiver, and the queue of its deliveries. */
export interface Webhook {
  webhook_id: string;
  /** The account that the webhook belongs to; null if it belongs to an organization or department. */
  owner_id: string | null;
  /** The account that configured the webhook. Older records lack this and the next six fields. */
  created_by?: string;
  /** Null for the webhook of an account. */
  organization_id?: string | null;
  /** Null for the webhook of an account or of a whole organization. */
  department_id?: string | null;
  name?: string | null;
  description?: string | null;
  /** Receive only events of these chatbots; empty for all. */
  chatbot_ids?: string[];
  /** Custom headers. The values are encrypted, see registration/headers.ts. */
  headers?: { name: string; value: string }[];
  /** Numbers the webhooks of an account or tenant. The unique index with the owner enforces the limit. */
  slot: number | string;
  url: string;
  events: EventName[];
  /** `paused` by the owner, `disabled` by a worker. */
  status: WebhookStatus;
  /** Encrypted, see packages/shared/src/data/secrets.ts. */
  secret: string;
  /** Rotated out, newest first; each also signs until its time is over. */
  previous_secrets: { secret: string; until: Date }[];
  created_at: Date;
  updated_at: Date;

  /** When the queue has a delivery to send; while a lease is held, when it expires. Null: nothing is pending. */
  due_at: Date | null;
  /** The id of the worker that holds the lease of the queue. */
  lease: string | null;
  /** Until when the receiver asked not to be called. In the past: when that pause ended. */
  held_until: Date | null;
  /** Counts changes to the queue. A worker releases it only if the count is the one that it read. */
  wakes: number;
  /** Counts the calls that canceled deliveries. A worker that reads a new count drops what it read ahead. */
  cancellations?: number;

  /** Written by the worker that holds the lease. */
  health?: Health;
  /** Why and when a worker disabled it; null once it is active again. */
  disabled?: { reason: DisabledReason; at: Date } | null;
  /** Pending mails about its disabling. */
  notice?: {
    /** When a process sends the mails; while one does, when its lease ends. */
    due: Date;
    /** The process that sends the mails. */
    holder?: string;
    reason: DisabledReason;
    at: Date;
    /** The accounts without their mail yet; absent until they are looked up. */
    recipients?: string[];
  };
}

/** A webhook whose owners must be notified that it was disabled. */
export type DisabledWebhook = Webhook & Required<Pick<Webhook, 'notice'>>;

/** `gone`: the receiver answered 410. `failing`: every attempt failed for too long. */
export const DISABLED_REASONS = ['gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** The results of recent attempts. */
export interface Health {
  last_success_at: Date | null;
  last_failure_at: Date | null;
  /** Failed attempts since the last success. */
  consecutive_failures: number;
  /** When the first of them failed; see delivery/health.ts. */
  failing_since: Date | null;
  /** The attempts of the last day, oldest hour first. */
  hours: { hour: number; delivered: number; failed: number }[];
}

/**
 * The audited fields. Only the origin of the URL and the names of headers are kept, because paths and values may hold
 * keys.
 */
export const auditedWebhook = ({
  url,
  events,
  status,
  name = null,
  description = null,
  chatbot_ids = [],
  headers = [],
}: Pick<Webhook, 'url' | 'events' | 'status' | 'name' | 'description' | 'chatbot_ids' | 'headers'>) => ({
  url: new URL(url).origin,
  events,
  status,
  name,
  description,
  chatbot_ids,
  headers: headers.map((header) => header.name),
});

/** An accepted event. Accepting its id again has no effect while it is kept. */
export interface StoredEvent extends Audience {
  /** The publisher's id of the event. */
  _id: string;
  event: EventName;
  /** The exact text to send. */
  payload: string;
  /** A digest of the published content: the same id with other content is a conflict. */
  fingerprint: string;
  /** Orders the events, see intake/event-log.ts. Older events have none. */
  position?: number;
  /** The accounts and tenants that may read it, see `readersOf` in intake/accept.ts. */
  readers?: string[];
  accepted_at: Date;
  expires_at: Date;
}

/** The order of the events and the open intakes; see intake/event-log.ts. */
export interface EventLog {
  _id: 'events';
  /** The next free position. */
  next: number;
  open: OpenIntake[];
}

/** An intake whose events or deliveries may be incomplete. It has reserved `count` positions from `first` on. */
export interface OpenIntake {
  id: string;
  first: number;
  count: number;
}

/** The process that relays audit events. The lease saves work; relaying is idempotent. */
interface RelayLease {
  _id: 'audit';
  holder?: string;
  until: Date;
}

/** The pending deliveries of a queue, in the order in which they are sent. */
export const BY_DUE = { webhook_id: 1, due: 1, seq: 1 } as const;
/** The order of a history: by creation, deliveries of one call in the order of their events. */
export const HISTORY = { created_at: 1, seq: 1, delivery_id: 1 } as const;
/** All deliveries of a webhook. No change of a delivery changes a key of this index. */
export const BY_TIME = { webhook_id: 1, ...HISTORY } as const;
/** The order of the history within each status and event. */
export const BY_STATUS = { webhook_id: 1, status: 1, event: 1, ...HISTORY } as const;
export const BY_HTTP_STATUS = { webhook_id: 1, http_status: 1, status: 1, event: 1, ...HISTORY } as const;

/** The webhooks of an account. Deliveries change no key of this index, nor of `BY_TENANT`. */
export const BY_OWNER = { owner_id: 1, slot: 1 } as const;
/** The shared webhooks of a tenant. */
export const BY_TENANT = { organization_id: 1, department_id: 1 } as const;

export const webhookCollections = {
  webhooks: collection<Webhook>('webhooks', [
    { key: { webhook_id: 1 }, unique: true },
    { key: BY_OWNER, unique: true },
    { key: BY_TENANT },
    // Queues that are due.
    { key: { status: 1, due_at: 1 } },
    // Disabled webhooks with pending mails to their owners.
    { key: { 'notice.due': 1 }, sparse: true },
    // Those in trouble. Attempts change a key only when an outage begins or ends.
    {
      key: { 'health.failing_since': 1, webhook_id: 1 },
      partialFilterExpression: { 'health.failing_since': { $gt: new Date(0) } },
    },
    { key: { 'disabled.at': 1, webhook_id: 1 }, partialFilterExpression: { status: 'disabled' } },
  ]),
  events: collection<StoredEvent>('events', [
    { key: { position: 1 }, unique: true, partialFilterExpression: { position: { $gt: 0 } } },
    // The events that an account, organization or department may read, in order.
    { key: { readers: 1, position: 1 } },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ]),
  eventLog: collection<EventLog>('event_log', []),
  relayLeases: collection<RelayLease>('relay_leases', []),
  webhookDeliveries: collection<Delivery>('webhook_deliveries', [
    { key: BY_DUE, partialFilterExpression: { status: 'pending' } },
    // A page of the history, and the deliveries that a replay or a cancellation selects.
    { key: BY_TIME },
    { key: BY_STATUS },
    { key: BY_HTTP_STATUS, partialFilterExpression: { http_status: { $gte: NO_RESPONSE } } },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ]),
};
