import type { EventName } from './events.ts';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One attempt to deliver, and its outcome. */
export interface Attempt {
  at: Date;
  duration_ms: number;
  /** The status of the response; null when there was none. */
  status: number | null;
  /** Why there was no complete response. */
  error: string | null;
  /** The beginning of the response body. With a delivery, `ATTEMPT_ANSWER` bytes; its latest attempts have an exchange. */
  answer: string;
}

/** The request headers and the response of one attempt. */
export interface Exchange {
  /**
   * The headers as JSON, because a name may contain `.` or `$`; values of custom headers are masked. Older records
   * hold pairs of name and value.
   */
  request_headers: string | [string, string][];
  /** The beginning of the response body; empty if the attempt holds all of it. */
  answer: string;
}

/**
 * Bytes of a response that are kept with the latest `KEPT_EXCHANGES` attempts, and with each of `KEPT_ATTEMPTS`. They
 * bound what a failing receiver can store: about 22 KiB for a delivery.
 */
export const EXCHANGE_ANSWER = 4_096;
export const ATTEMPT_ANSWER = 512;
export const KEPT_EXCHANGES = 3;
export const KEPT_ATTEMPTS = 20;

/** The `http_status` of a delivery whose latest attempt got no response. */
export const NO_RESPONSE = 0;

/** One event for one webhook. */
export interface Delivery {
  /** Derived from the ids of webhook and event: there is one delivery for each pair. */
  _id: string;
  /** Equal to `_id`; the name that clients see. */
  delivery_id: string;
  webhook_id: string;
  event_id: string;
  event: EventName;
  /** The exact text to send, the same on every attempt. */
  payload: string;
  status: DeliveryStatus;
  created_at: Date;
  /** Orders deliveries that one process created in the same millisecond. */
  seq: number;
  /** When the next attempt is due. */
  due: Date;
  attempt_count: number;
  /** Failed attempts since its creation or last replay. */
  failures: number;
  /** The latest attempts, oldest first. */
  attempts: Attempt[];
  /** Request headers and responses of the latest attempts, oldest first. */
  exchanges?: Exchange[];
  /** The status of the response to the latest attempt, or `NO_RESPONSE`; absent before the first. */
  http_status?: number;
  /** The end of the retry window; set by the first failed attempt. */
  gives_up_at: Date | null;
  /** When it was delivered, failed for good or was canceled. */
  settled_at: Date | null;
  expires_at: Date;
}
