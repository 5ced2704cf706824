import { collection } from '@gatehouse/shared/data/connect';
import { type Delivery, NO_RESPONSE } from './delivery-records.ts';
import type { EventName } from './events.ts';

/** What is stored: webhooks, events and their deliveries. */

export const WEBHOOK_STATUSES = ['active', 'paused', 'disabled'] as const;
type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** Milliseconds for which events and deliveries are kept and can be replayed, unless the operator sets another time. */
export const DEFAULT_RETENTION = 30 * 86_400_000;

/** Who hears an event. */
export interface Audience {
  /** The account whose own webhooks hear it. */
  owner_id: string | null;
  /** The organization whose webhooks hear it. */
  organization_id: string | null;
  /** The department of that organization whose webhooks hear it too. */
  department_id: string | null;
  /** The chatbot that it is about, for webhooks that hear only some chatbots. */
  chatbot_id: string | null;
  /** Further organizations that hear it: the event of an account concerns every organization of the account. */
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
  /** The chatbots that it hears; empty for all. */
  chatbot_ids?: string[];
  /** Sent beside ours. The values are encrypted, see registration/headers.ts. */
  headers?: { name: string; value: string }[];
  /** Numbers the webhooks of an account or a place. The unique index with the owner enforces the limit. */
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

  /** When a worker must look at the queue; while a lease is held, when it expires. Null: nothing is pending. */
  due_at: Date | null;
  /** The id of the worker that holds the lease of the queue. */
  lease: string | null;
  /** The receiver is not called before. In the past: when the hold ended. */
  held_until: Date | null;
  /** Counts changes to the queue, so that a worker does not release it while something comes in. */
  wakes: number;
  /** Counts the calls that canceled deliveries, so that a worker forgets what it read ahead. */
  cancellations?: number;

  /** Written by the worker that holds the lease. */
  health?: Health;
  /** Why and when a worker disabled it; null once it is active again. */
  disabled?: { reason: DisabledReason; at: Date } | null;
  /** Who must be told that it was disabled, until it is done. */
  notice?: {
    /** When a process must look; while one sends mails, when another may. */
    due: Date;
    /** Which process sends mails. */
    holder?: string;
    reason: DisabledReason;
    at: Date;
    /** The accounts that have not been told yet; absent until they are looked up. */
    recipients?: string[];
  };
}

/** A webhook whose owners must be told that it was disabled. */
export type DisabledWebhook = Webhook & Required<Pick<Webhook, 'notice'>>;

/** `gone`: the receiver answered 410. `failing`: nothing but failures for too long. */
export const DISABLED_REASONS = ['gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** How the attempts to deliver went lately. */
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

/** An accepted event, kept so that it is accepted only once. */
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
  /** The ids of those who may read it, see intake/readers.ts. */
  readers?: string[];
  accepted_at: Date;
  expires_at: Date;
}

/** The order of the events, and the intakes that are storing some; see intake/event-log.ts. */
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

/** Which process looks for audit events to relay. The lease saves work; relaying twice has no effect. */
interface RelayLease {
  _id: 'audit';
  holder?: string;
  until: Date;
}

/** The pending deliveries of a queue, in the order in which they are sent. */
export const BY_DUE = { webhook_id: 1, due: 1, seq: 1 } as const;
/** The order of a history: by creation, deliveries of one call in the order of their events. */
export const HISTORY = { created_at: 1, seq: 1, delivery_id: 1 } as const;
/** All deliveries of a webhook, in an order that no change of a delivery moves. */
export const BY_TIME = { webhook_id: 1, ...HISTORY } as const;
/** The order of the history within each status and event. */
export const BY_STATUS = { webhook_id: 1, status: 1, event: 1, ...HISTORY } as const;
export const BY_HTTP_STATUS = { webhook_id: 1, http_status: 1, status: 1, event: 1, ...HISTORY } as const;

/** The webhooks of an account; no delivery moves one in it, nor in `BY_PLACE`. */
export const BY_OWNER = { owner_id: 1, slot: 1 } as const;
/** The shared webhooks of a place. */
export const BY_PLACE = { organization_id: 1, department_id: 1 } as const;

export const webhookCollections = {
  webhooks: collection<Webhook>('webhooks', [
    { key: { webhook_id: 1 }, unique: true },
    { key: BY_OWNER, unique: true },
    { key: BY_PLACE },
    // Queues that are due.
    { key: { status: 1, due_at: 1 } },
    // Webhooks that were disabled, and whose owners are not told yet.
    { key: { 'notice.due': 1 }, sparse: true },
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
