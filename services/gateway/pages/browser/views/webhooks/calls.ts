import { get, patch, post, remove } from '../../api.ts';
import type { Page } from '../../parts/pager.ts';

export const EVENTS = [
  'chatbot.created',
  'conversation.started',
  'conversation.ended',
  'payment.succeeded',
  'payment.failed',
  'subscription.cancelled',
] as const;
export type EventName = (typeof EVENTS)[number];

export const STATUSES = ['active', 'paused', 'disabled'] as const;
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const;

export interface Webhook {
  webhook_id: string;
  url: string;
  events: EventName[];
  status: (typeof STATUSES)[number];
  created_at: string;
  updated_at: string;
  /** Until when the secret before the current one signs as well. */
  previous_secret_until: string | null;
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

export interface TestOutcome extends Attempt {
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
}

export interface Settings {
  url: string;
  events: EventName[];
}

const path = (id: string, part = '') => `/api/v1/webhooks/${encodeURIComponent(id)}${part}`;

export const listWebhooks = (query: string) => get<Page<Webhook>>(`/api/v1/webhooks?${query}`);
export const getWebhook = (id: string) => get<Webhook>(path(id));
export const configureWebhook = (settings: Settings & { secret: string }) =>
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
export const sendTestEvent = (id: string) => post<TestOutcome>(path(id, '/test'));
export const listDeliveries = (id: string, query: string) =>
  get<Page<Delivery>>(path(id, `/deliveries?${query}`));
export const getDelivery = (id: string, delivery: string) =>
  get<DeliveryWithPayload>(path(id, `/deliveries/${encodeURIComponent(delivery)}`));
export const replayDelivery = (id: string, delivery: string) =>
  post<Delivery>(path(id, `/deliveries/${encodeURIComponent(delivery)}/replay`));
export const replaySince = (id: string, since: string, all: boolean) =>
  post<{ replayed: number; next_since: string | null }>(path(id, '/replay'), { since, all });
