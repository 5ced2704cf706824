import { get, patch, post, remove } from '../../gate.ts';
import type { Page } from '../../parts/pager.ts';

export const EVENTS = [
  'chatbot.created',
  'conversation.started',
  'conversation.ended',
  'payment.succeeded',
  'payment.failed',
  'subscription.cancelled',
  'user.created',
  'user.updated',
  'user.disabled',
  'user.factor_enabled',
  'user.factor_disabled',
  'user.passkey_added',
  'user.passkey_removed',
  'user.deleted',
  'session.created',
  'password.reset',
  'password.changed',
  'organization.member.added',
  'organization.member.removed',
  'organization.member.role_changed',
  'invitation.created',
  'invitation.accepted',
  'invitation.declined',
  'invitation.withdrawn',
  'webhook.disabled',
] as const;
export type EventName = (typeof EVENTS)[number];

export const STATUSES = ['active', 'paused', 'disabled'] as const;
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const;

export interface Webhook {
  webhook_id: string;
  /** Null for a webhook of an organization or department. */
  owner_id: string | null;
  organization_id: string | null;
  department_id: string | null;
  created_by: string | null;
  name: string | null;
  description: string | null;
  url: string;
  events: EventName[];
  /** Empty for every event. */
  chatbot_ids: string[];
  /** Every value is masked. */
  headers: Record<string, string>;
  status: (typeof STATUSES)[number];
  created_at: string;
  updated_at: string;
  /** Until when the secret before the current one signs as well. */
  previous_secret_until: string | null;
  health: { disabled_reason: 'gone' | 'failing' | null };
}

/** How the receiver does; the counts are those of the last 24 hours. */
export interface Health {
  /** From 0 to 1; null without an attempt. */
  success_rate: number | null;
  attempts: { delivered: number; failed: number };
  last_success_at: string | null;
  last_failure_at: string | null;
  consecutive_failures: number;
  backlog: number;
  oldest_pending_at: string | null;
}

export interface WebhookWithDetails extends Webhook {
  details: { organization_name: string | null; department_name: string | null; health: Health };
}

/** One attempt to call the receiver. */
export interface Attempt {
  at: string;
  duration_ms: number;
  /** The status of the response; null when there was none. */
  status: number | null;
  error: string | null;
  /** The beginning of the response body. */
  answer: string;
}

/** An attempt with what was sent. */
export interface Exchange extends Attempt {
  /** Null for an older attempt. */
  request_headers: Record<string, string> | null;
}

export interface TestOutcome extends Exchange {
  event_id: string;
  delivered: boolean;
}

export interface Delivery {
  delivery_id: string;
  event_id: string;
  event: EventName;
  status: (typeof DELIVERY_STATUSES)[number];
  created_at: string;
  next_attempt_at: string | null;
  settled_at: string | null;
  attempt_count: number;
  attempts: Attempt[];
}

export interface DeliveryWithPayload extends Delivery {
  /** The exact JSON text of the request body. */
  payload: string;
  attempts: Exchange[];
}

/** What the people who manage a webhook set. */
export type Settings = Pick<Webhook, 'name' | 'description' | 'url' | 'events' | 'chatbot_ids'> & {
  /** By name; null removes one. */
  headers: Record<string, string | null>;
};

/** The organization or department of a new webhook; neither for one of the reader. */
export interface PlaceIds {
  organization_id?: string;
  department_id?: string;
}

/** Which deliveries of a webhook to replay or cancel. */
export interface Selection {
  since?: string;
  until?: string;
  event?: EventName;
  http_status?: number | 'none';
}

/** The deliveries that can be replayed. */
export interface ReplaySelection extends Selection {
  since: string;
  all?: boolean;
  status?: 'failed' | 'delivered' | 'cancelled';
}

const path = (id: string, part = '') => `/api/v1/webhooks/${encodeURIComponent(id)}${part}`;
const deliveryPath = (id: string, delivery: string, part = '') =>
  path(id, `/deliveries/${encodeURIComponent(delivery)}${part}`);

export const listWebhooks = (query: string) => get<Page<Webhook>>(`/api/v1/webhooks?${query}`);
export const getWebhook = (id: string) => get<WebhookWithDetails>(path(id, '?include=details'));
export const configureWebhook = (settings: Settings & PlaceIds & { secret: string }) =>
  post<Pick<Webhook, 'webhook_id'>>('/api/v1/webhooks/configure', settings);
export const updateWebhook = (id: string, changes: Partial<Settings & { status: 'active' | 'paused' }>) =>
  patch<Webhook>(path(id), changes);
export const deleteWebhook = (id: string) => remove(path(id));
/** @returns the new secret if none was given. */
export const rotateSecret = (id: string, secret?: string) =>
  post<{ secret?: string; previous_secret_until: string | null }>(
    path(id, '/rotate-secret'),
    secret === undefined ? {} : { secret },
  );
/** @param event the event whose sample is sent; without it, the test event. */
export const sendTestEvent = (id: string, event?: EventName) =>
  post<TestOutcome>(path(id, '/test'), event === undefined ? {} : { event });
export const listDeliveries = (id: string, query: string) =>
  get<Page<Delivery>>(path(id, `/deliveries?${query}`));
export const getDelivery = (id: string, delivery: string) =>
  get<DeliveryWithPayload>(deliveryPath(id, delivery));
export const replayDelivery = (id: string, delivery: string) =>
  post<Delivery>(deliveryPath(id, delivery, '/replay'));
export const cancelDelivery = (id: string, delivery: string) =>
  post<Delivery>(deliveryPath(id, delivery, '/cancel'));
export const replaySince = (id: string, selection: ReplaySelection) =>
  post<{ replayed: number; next_since: string | null }>(path(id, '/replay'), selection);
export const cancelDeliveries = (id: string, selection: Selection) =>
  post<{ cancelled: number; next_since: string | null }>(path(id, '/cancel'), selection);
