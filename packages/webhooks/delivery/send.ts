import { reasonOf } from '@gatehouse/shared/outbound/reason';
import type { Agent, Dispatcher } from 'undici';
import { type Attempt, EXCHANGE_ANSWER } from '../delivery-records.ts';
import { retryAfterOf } from './backoff.ts';

/** Bytes of a response after which the connection is closed. */
const MAX_RESPONSE = 64 * 1024;

export interface Outcome extends Attempt {
  /** Milliseconds to wait before the next attempt, as the receiver asked. */
  retryAfter: number | null;
}

interface SignedRequest {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

export type Send = ReturnType<typeof createSend>;

/**
 * Posts to a receiver within `timeout` milliseconds, from dialing to the end of the response. Never rejects. It uses
 * `dispatch` because undici's `request` does not settle when it is aborted while the connection is being opened.
 */
export const createSend =
  ({ agent, attemptTimeout, now }: { agent: Agent; attemptTimeout: number; now: () => number }) =>
  ({ url, headers, body }: SignedRequest, timeout = attemptTimeout): Promise<Outcome> =>
    new Promise((resolve) => {
      const at = now();
      const started = performance.now();
      const { origin, pathname, search } = new URL(url);
      const chunks: Buffer[] = [];
      let length = 0;
      let status: number | null = null;
      let retryAfter: number | null = null;
      let controller: Dispatcher.DispatchController | undefined;
      let settled = false;
      const settle = (error: string | null) => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        const answer = truncateUtf8(Buffer.concat(chunks), EXCHANGE_ANSWER);
        const duration_ms = Math.round(performance.now() - started);
        // An error in the rest of the response does not fail the delivery.
        const failure = isDelivered({ status }) ? null : error;
        resolve({ at: new Date(at), duration_ms, status, error: failure, answer, retryAfter });
      };
      const abort = (error: string) => {
        settle(error);
        controller?.abort(new Error(error));
      };
      const timer = setTimeout(() => abort(`no complete response within ${timeout / 1000} s`), timeout);
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart(request) {
          controller = request;
          if (settled) controller.abort(new Error('timed out before the request started'));
        },
        onResponseStart(_controller, code, responseHeaders) {
          if (code < 200) return;
          status = code;
          if (code === 429 || code === 503) retryAfter = retryAfterOf(responseHeaders['retry-after'], now());
        },
        onResponseData(_controller, chunk) {
          if (length < EXCHANGE_ANSWER) chunks.push(chunk);
          length += chunk.length;
          if (length > MAX_RESPONSE) abort(`the response is longer than ${MAX_RESPONSE / 1024} KiB`);
        },
        onResponseEnd: () => settle(null),
        onResponseError: (_controller, error) => settle(reasonOf(error)),
      };
      try {
        agent.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, handler);
      } catch (error) {
        settle(reasonOf(error as Error));
      }
    });

/** Any 2xx counts as delivered, even if the rest of the response is lost (CONTRACT.md §Delivery). */
export const isDelivered = ({ status }: Pick<Attempt, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300;

/**
 * The first `bytes` of a text, without an incomplete character at the end. NUL and bytes that are not UTF-8, which BSON
 * and JSON cannot hold, become U+FFFD.
 */
export function truncateUtf8(text: Buffer, bytes: number): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return decoder.decode(text.subarray(0, bytes), { stream: text.length > bytes }).replaceAll('\0', '\ufffd');
}
