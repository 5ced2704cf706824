import { setTimeout as sleep } from 'node:timers/promises';
import { type Answered, send } from '../fixtures/http.ts';
import type { Cluster } from './cluster.ts';

/** An answer, and whether an earlier try was cut, so that it may be the second to arrive. */
export type Answer = Answered & { isRetry: boolean };

interface Call {
  method?: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
  json?: unknown;
}

/** Milliseconds between two tries of a client. */
const PAUSE = 50;
/** A client gives up after so many. */
const MAX_TRIES = 100;

/**
 * Calls the services as a careful client does: it repeats a call that was cut or answered with 503.
 * A call that fails while no process restarts ends the run.
 */
export function createCaller({ wasRestarting }: Pick<Cluster, 'wasRestarting'>) {
  const counts = { calls: 0, cut: 0 };
  const answers: Record<string, number> = {};

  async function call(url: string, { method, headers = {}, form, json }: Call = {}): Promise<Answer> {
    const body = form ? new URLSearchParams(form) : json === undefined ? null : JSON.stringify(json);
    const request = {
      method: method ?? (body === null ? 'GET' : 'POST'),
      body,
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    };
    for (let tries = 1; ; tries += 1) {
      const began = performance.now();
      counts.calls += 1;
      const answered = await send(url, request).catch((error: Error) => error);
      if (!(answered instanceof Error) && answered.status !== 503) {
        answers[answered.status] = (answers[answered.status] ?? 0) + 1;
        return { ...answered, isRetry: tries > 1 };
      }
      counts.cut += 1;
      const failure = answered instanceof Error ? String(answered.cause) : JSON.stringify(answered.body);
      const what = `${request.method} ${url} (${failure})`;
      if (!wasRestarting(began, performance.now()))
        throw new Error(`${what} failed though nothing restarted`);
      if (tries === MAX_TRIES) throw new Error(`${what} failed ${tries} times`);
      await sleep(PAUSE);
    }
  }

  return { call, counts, answers };
}

export type Caller = ReturnType<typeof createCaller>;

/** @throws unless the answer has the status. */
export function expectStatus(answer: Answer, ...expected: number[]): Answer {
  if (expected.includes(answer.status)) return answer;
  throw new Error(
    `expected ${expected.join(' or ')}${answer.isRetry ? ' (a retry)' : ''}, got ${answer.status}: ${JSON.stringify(answer.body)}`,
  );
}
