import { reasonOf } from '@gatehouse/shared/outbound/reason';
import type { Agent, Dispatcher } from 'undici';
import { type Attempt, EXCHANGE_ANSWER } from '../delivery-records.ts';
import { retryAfterOf } from './backoff.ts';
import { truncateUtf8 } from './truncate-utf8.ts';

/** Bytes of a response that are read before the connection is closed. */
const MAX_RESPONSE = 64 * 1024;

export interface Outcome extends Attempt {
  /** Milliseconds for which the receiver asked not to be called. */
  retryAfter: number | null;
}

interface SignedRequest {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** Posts to a receiver within `timeout` milliseconds, from dialing to the end of the response. Never rejects. */
export type Send = (request: SignedRequest, timeout?: number) => Promise<Outcome>;

export const createSend =
  ({ agent, attemptTimeout, now }: { agent: Agent; attemptTimeout: number; now: () => number }): Send =>
  ({ url, headers, body }, timeout = attemptTimeout) =>
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
