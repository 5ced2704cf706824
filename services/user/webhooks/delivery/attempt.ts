import type { Agent, Dispatcher } from 'undici';
import type { Attempt } from '../records.ts';
import { retryAfter } from './backoff.ts';
import { NotPublicError } from './public-address.ts';

/** Bytes of an answer that are read; then the connection is cut. */
const MAX_ANSWER = 64 * 1024;
/** Characters of it that are kept for the list of deliveries. */
const KEPT_ANSWER = 1024;

export interface Outcome extends Attempt {
  /** Milliseconds for which the receiver asked to be left alone. */
  asked: number | null;
}

interface Sending {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** Posts to a receiver. Never rejects, and never takes longer than its limit. */
export type Send = (sending: Sending, limit?: number) => Promise<Outcome>;

/** @param usual milliseconds for one attempt, from dialling to the end of the answer. */
export const createSend =
  ({ agent, usual, now }: { agent: Agent; usual: number; now: () => number }): Send =>
  ({ url, headers, body }, limit = usual) =>
    new Promise((resolve) => {
      const at = now();
      const began = performance.now();
      const { origin, pathname, search } = new URL(url);
      const chunks: Buffer[] = [];
      let length = 0;
      let status: number | null = null;
      let asked: number | null = null;
      let controller: Dispatcher.DispatchController | undefined;
      let settled = false;
      /** The status decides: an answer that is cut after it was still an answer. */
      const settle = (error: string | null) => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        const answer = textOf(Buffer.concat(chunks));
        const duration_ms = Math.round(performance.now() - began);
        resolve({ at: new Date(at), duration_ms, status, error, answer, asked });
      };
      const cut = (error: string) => {
        settle(error);
        controller?.abort(new Error(error));
      };
      const timer = setTimeout(() => cut(`no end of the answer within ${limit / 1000} s`), limit);
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart(started) {
          controller = started;
          if (settled) controller.abort(new Error('too late'));
        },
        onResponseStart(_controller, code, answered) {
          if (code < 200) return;
          status = code;
          if (code === 429 || code === 503) asked = retryAfter(answered['retry-after'], now());
        },
        onResponseData(_controller, chunk) {
          if (length < KEPT_ANSWER) chunks.push(chunk);
          length += chunk.length;
          if (length > MAX_ANSWER) cut(`the answer is longer than ${MAX_ANSWER / 1024} KiB`);
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

/** spec §Events does not say what counts as delivered: any 2xx, whatever follows it. */
export const isDelivered = ({ status }: Pick<Attempt, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300;

/** Text that a database and a JSON document can hold; bytes that are no UTF-8 show as such. */
const textOf = (body: Buffer): string =>
  body.subarray(0, KEPT_ANSWER).toString('utf8').replaceAll('\0', '\ufffd');

const REASONS: Record<string, string> = {
  ENOTFOUND: 'the name does not resolve',
  ENODATA: 'the name does not resolve',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  ETIMEDOUT: 'no connection in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
};

/** What an owner may know of a failure: nothing of our inside. */
function reasonOf(error: Error & { code?: string }): string {
  if (error instanceof NotPublicError) return error.message;
  const { code = '' } = error;
  if (/^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)) {
    return `the certificate or TLS failed (${code})`;
  }
  if (error.name === 'HTTPParserError') return 'the answer was not HTTP';
  return REASONS[code] ?? 'the call failed';
}
