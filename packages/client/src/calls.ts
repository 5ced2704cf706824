import { type Clock, createClock } from './clock.ts';
import { type Failure, GatehouseError } from './failure.ts';
import { createKeys } from './idempotency.ts';

export { createClock } from './clock.ts';
export { GatehouseError } from './failure.ts';

export interface CallOptions {
  /** The gateway, such as `https://accounts.example.com`; by default the origin of the page. */
  url?: string;
  fetch?: typeof globalThis.fetch;
  /** Reads what a refused call throws. Without the error table in it, the calls of the account pages stay small. */
  readFailure(response: Pick<Response, 'status' | 'headers'>, body: unknown): GatehouseError;
  /** What every call passes to `fetch`, such as `credentials`. */
  defaults?: RequestInit;
  /** Headers of every call that do not name their own. */
  headers?: Readonly<Record<string, string>>;
  /** Milliseconds until a call counts as failed, by default 20,000. A file may then still arrive. */
  timeout?: number;
  /** How often a call without effect, or with an Idempotency-Key, is repeated; by default 2. */
  retries?: number;
  /** A call is not repeated if that would take more than these milliseconds; by default 10,000. */
  longestWait?: number;
  clock?: Clock;
  /** Returns the bearer of calls that bring none. */
  bearer?(): string | undefined | Promise<string | undefined>;
  /** Whether the session has a bearer, or a cookie of the gateway. Its writes then get an Idempotency-Key. */
  hasSession?(): boolean;
  /** Is told when the bearer that `bearer` returned, or the cookie, is refused. */
  onRefused?(bearer: string | undefined): void;
  /** Sees every response before it is read. */
  onResponse?(response: Response, call: { method: string; path: string }): void;
  /** Is told that no answer came. */
  onUnreachable?(call: { method: string; path: string }): void;
  /** Lets the person confirm that it is them, in one of these ways. The call is then repeated. */
  confirm?(methods: readonly string[]): Promise<unknown>;
}

/** As for `fetch`, and the bearer: null for none, undefined for that of the session. */
export interface CallInit extends RequestInit {
  bearer?: string | null | undefined;
  /** Whether the answer is a file, which may take longer than the time limit also if it is JSON. */
  isFile?: boolean;
}

/** Calls the API of a gateway. Nothing here needs a browser. */
export function createCalls({
  url = '',
  readFailure,
  fetch = (input, init) => globalThis.fetch(input, init),
  defaults = {},
  headers: common = {},
  timeout = 20_000,
  retries = 2,
  longestWait = 10_000,
  clock = createClock(),
  bearer: currentBearer,
  hasSession = () => false,
  onRefused,
  onResponse,
  onUnreachable,
  confirm,
}: CallOptions) {
  const keys = createKeys();

  /** @param path with its query. @returns the answer of a call that succeeds. @throws {GatehouseError} */
  async function send(path: string, init: CallInit = {}): Promise<Response> {
    const method = (init.method ?? 'GET').toUpperCase();
    const headers = new Headers(init.headers);
    const isSafe = method === 'GET' || method === 'HEAD';
    const content = typeof init.body === 'string' ? `${path} ${init.body}` : undefined;
    let ownKey: string | undefined;
    if (method === 'POST' && content !== undefined && !headers.has('idempotency-key') && isIdentified(init)) {
      ownKey = keys.take(content);
      headers.set('idempotency-key', ownKey);
    }
    const isRepeatable = (isSafe || headers.has('idempotency-key')) && !isStream(init.body);
    const call = () =>
      repeat({ path, init: { ...init, method, headers }, limit: isRepeatable ? retries : 0 });
    try {
      return await call().catch(async (failure: Failure) => {
        if (failure.reason !== 'confirmationRequired' || !confirm) throw failure;
        await confirm(failure.details.methods);
        return call();
      });
    } catch (error) {
      if (ownKey && content && (error as Failure).reason === 'unreachable') keys.keep(content, ownKey);
      throw error;
    }
  }

  const isIdentified = ({ bearer, headers }: CallInit): boolean =>
    (bearer === undefined ? hasSession() : bearer !== null) || new Headers(headers).has('authorization');

  async function repeat(call: Call & { limit: number }): Promise<Response> {
    for (let made = 1; ; made++) {
      try {
        return await once(call);
      } catch (error) {
        const wait = waitAfter(error as Failure, made);
        if (made > call.limit || wait === undefined || wait > longestWait) throw error;
        await pause(wait, call.init.signal);
      }
    }
  }

  async function once({ path, init }: Call): Promise<Response> {
    const { bearer = await currentBearer?.(), method, headers: given, isFile, ...rest } = init;
    const headers = new Headers({ accept: 'application/json', ...common });
    for (const [name, value] of given) headers.set(name, value);
    if (bearer && !headers.has('authorization')) headers.set('authorization', `Bearer ${bearer}`);
    const limit = new AbortController();
    const abort = () => limit.abort(init.signal?.reason);
    init.signal?.addEventListener('abort', abort);
    if (init.signal?.aborted) abort();
    const timer = setTimeout(() => limit.abort(), timeout);
    try {
      const signal = limit.signal;
      const response = await fetch(url + path, { ...defaults, ...rest, method, headers, signal });
      clock.note(response.headers);
      onResponse?.(response, { method, path });
      return response.ok
        ? await whole(response, isFile)
        : await refuse(response, init.bearer === undefined && { bearer });
    } catch (cause) {
      if (cause instanceof GatehouseError || init.signal?.aborted) throw cause;
      onUnreachable?.({ method, path });
      throw new GatehouseError('unreachable', 'The server cannot be reached', { cause });
    } finally {
      clearTimeout(timer);
      init.signal?.removeEventListener('abort', abort);
    }
  }

  /** @param own what the session has sent, if the caller brought nothing else. */
  async function refuse(
    response: Response,
    own: false | { bearer: string | null | undefined },
  ): Promise<never> {
    const failure = readFailure(response, parse(await response.text()));
    if (own && failure.code === 'INVALID_TOKEN') onRefused?.(own.bearer ?? undefined);
    throw failure;
  }

  /** Calls the API and reads its JSON. @throws {GatehouseError} */
  async function json<T>(path: string, init?: CallInit): Promise<T> {
    const response = await send(path, init);
    const answer = parse(await response.text());
    if (answer === undefined) throw readFailure(response, undefined);
    return answer as T;
  }

  return { send, json, clock };
}

export type Calls = ReturnType<typeof createCalls>;

interface Call {
  path: string;
  init: CallInit & { method: string; headers: Headers };
}

/** @returns milliseconds until a retry can succeed; undefined if it cannot. @param made calls so far. */
function waitAfter({ reason, status, retryAfter }: Failure, made: number): number | undefined {
  if (status === 429) return retryAfter === undefined ? undefined : retryAfter * 1000;
  if (status !== 503 && reason !== 'unreachable') return undefined;
  return retryAfter === undefined ? 250 * 2 ** made * (0.5 + Math.random() / 2) : retryAfter * 1000;
}

const pause = (milliseconds: number, signal: AbortSignal | null | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

/** Reads JSON within the time limit of its call. A file takes its time. */
async function whole(response: Response, isFile = false): Promise<Response> {
  if (isFile || !response.headers.get('content-type')?.includes('json')) return response;
  const { status, statusText, headers } = response;
  return new Response(await response.text(), { status, statusText, headers });
}

/** Whether a body can be sent only once. */
const isStream = (body: unknown): boolean =>
  typeof ReadableStream !== 'undefined' && body instanceof ReadableStream;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
