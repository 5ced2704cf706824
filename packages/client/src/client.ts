import createClient, { type Client } from 'openapi-fetch';
import { type CallInit, type CallOptions, createCalls } from './calls.ts';
import { createClock } from './clock.ts';
import { type Failure, GatehouseError } from './failure.ts';
import { readFailure } from './read-failure.ts';
import { createRefresh } from './refresh.ts';
import type { paths } from './schema.ts';
import { createSessionStore, type LoginAnswer, type Session, type SessionState } from './session.ts';
import { browserStorage, type SessionStorage } from './storage.ts';

export type { CallInit, CallOptions } from './calls.ts';
export { type Failure, type FailureReason, GatehouseError } from './failure.ts';
export type { paths, webhooks } from './schema.ts';
export type { End, LoginAnswer, Session, SessionState } from './session.ts';
export { browserStorage, memoryStorage, type SessionStorage } from './storage.ts';

export interface GatehouseOptions
  extends Pick<
    CallOptions,
    'url' | 'fetch' | 'defaults' | 'timeout' | 'retries' | 'longestWait' | 'onResponse'
  > {
  /** Where the session is kept; by default `localStorage`, and in memory where there is none. */
  storage?: SessionStorage;
  /** Whether the gateway keeps the token in a cookie that no script can read. The storage then knows only whose it is. */
  cookies?: boolean;
  /** Unix milliseconds; tests set their own clock. */
  now?: () => number;
  /** Lets the person confirm that it is them, for example by `confirm`. The refused call is then repeated. */
  onConfirmationRequired?(methods: readonly string[]): Promise<unknown>;
}

/** What a login comes to. */
export type SignIn =
  | { status: 'signed-in'; session: Session }
  /** The password was right. `completeSignIn` takes the token and a code. */
  | { status: 'second-factor'; factor_token: string; methods: readonly string[] }
  | { status: 'failed'; error: Failure };

type Body<P extends keyof paths> = paths[P] extends {
  post: { requestBody: { content: { 'application/json': infer B } } };
}
  ? B
  : never;

/** A call of either contract. A failure is returned as `error`, also if no answer came; nothing is thrown. */
type Methods = Pick<Client<paths>, 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'>;

/** The calls of both contracts, such as `GET('/api/v1/users/me')`, and the session. Those under /v2/ are sent as forms. */
export interface Gatehouse extends Methods {
  /** Like `fetch` with the session, for paths of your own platform. @throws {GatehouseError} */
  fetch(path: string, init?: CallInit): Promise<Response>;
  session: {
    state(): SessionState;
    /** The session; undefined if nobody is signed in, or before `loaded`. */
    current(): Session | undefined;
    /** Resolves when the storage has answered. */
    loaded: Promise<void>;
    /** Calls a listener whenever the session begins, changes or ends. @returns the function that stops it. */
    subscribe(listener: () => void): () => void;
    /** Begins the session of a login that another call has made. */
    begin(answer: LoginAnswer): Promise<Session>;
    /** Extends the session now; calls do so in time. @throws {GatehouseError} */
    refresh(): Promise<void>;
  };
  /** Logs in with a password. */
  signIn(credentials: Body<'/api/v1/auth/login'>): Promise<SignIn>;
  /** Completes a login with a code of the second factor, or a passkey. */
  completeSignIn(proof: Body<'/api/v1/auth/login/factor'>): Promise<SignIn>;
  /** Proves that the person is there, which some calls need. */
  confirm(proof: Body<'/api/v1/auth/confirm'>): Promise<SignIn>;
  /** Ends the session here and at the server. @returns why the server could not be told, if so. */
  signOut(): Promise<{ error?: Failure }>;
}

/** A client of the Gatehouse at `url`, and the session of the person who uses it. */
export function createGatehouse({
  storage,
  cookies = false,
  now,
  onConfirmationRequired,
  url = '',
  ...options
}: GatehouseOptions = {}): Gatehouse {
  const calls = createCalls({
    ...options,
    url,
    readFailure,
    clock: createClock(now),
    ...(cookies && { defaults: { credentials: 'include', ...options.defaults }, headers: COOKIE_MODE }),
    bearer: () => refreshing.bearer(),
    hasSession: () => store.current() !== undefined,
    onRefused: (bearer) => (store.current()?.token ?? undefined) === bearer && store.end('expired'),
    ...(onConfirmationRequired && { confirm: onConfirmationRequired }),
  });
  const store = createSessionStore(storage ?? browserStorage(), calls.clock);
  const refreshing = createRefresh(store, calls);

  /** Passes a request of openapi-fetch on, with a body that can be sent again. */
  async function passOn(request: Request): Promise<Response> {
    const { method, headers, signal, keepalive } = request;
    const isText = /json|urlencoded/.test(headers.get('content-type') ?? '');
    const body = request.body === null ? undefined : isText ? await request.text() : await request.blob();
    const path = request.url.slice(BASE.length);
    return calls.send(path, { method, headers, signal, keepalive, ...(body !== undefined && { body }) });
  }
  const api = createClient<paths>({ baseUrl: BASE, fetch: passOn });

  async function call(method: 'get', path: string, init: RequestInit = {}): Promise<unknown> {
    const headers = new Headers(init.headers);
    if (path.startsWith('/v2/')) headers.set('content-type', 'application/x-www-form-urlencoded');
    try {
      return await api.request(
        method,
        path as '/api/v1/users/me',
        {
          ...init,
          headers,
        } as Record<string, unknown>,
      );
    } catch (error) {
      if (error instanceof GatehouseError) return { error };
      throw error;
    }
  }
  const of = (method: string) => (path: string, init?: RequestInit) => call(method as 'get', path, init);
  const methods = {
    GET: of('get'),
    POST: of('post'),
    PUT: of('put'),
    PATCH: of('patch'),
    DELETE: of('delete'),
  };

  const post = <T>(path: string, body: unknown, bearer?: string | null): Promise<T> =>
    calls.json<T>(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
      bearer,
    });

  async function begin(answer: Promise<LoginAnswer>): Promise<SignIn> {
    try {
      return { status: 'signed-in', session: await store.begin(await answer) };
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error;
      const failure = error as Failure;
      return failure.reason === 'secondFactorRequired'
        ? { status: 'second-factor', ...failure.details }
        : { status: 'failed', error: failure };
    }
  }

  return {
    ...(methods as unknown as Methods),
    fetch: calls.send,
    session: {
      state: store.state,
      current: store.current,
      loaded: Promise.resolve(store.loaded),
      subscribe: store.subscribe,
      begin: store.begin,
      refresh: refreshing.refresh,
    },
    signIn: (credentials) => begin(post('/api/v1/auth/login', credentials, null)),
    completeSignIn: (proof) => begin(post('/api/v1/auth/login/factor', proof, null)),
    confirm: (proof) => begin(post('/api/v1/auth/confirm', proof)),
    async signOut() {
      const bearer = store.current()?.token ?? null;
      store.end('signed-out');
      const ended = calls.send('/api/v1/auth/logout', { method: 'POST', keepalive: true, bearer });
      return ended.then(
        () => ({}),
        (error) => ({ error }),
      );
    },
  };
}

/** Asks a login to answer with a cookie (CONTRACT.md §Cookie sessions). Other calls ignore it. */
const COOKIE_MODE = { 'x-session-mode': 'cookie' };

/** openapi-fetch makes requests of full addresses, and only browsers know the one of the page. Nothing is sent here. */
const BASE = 'http://gatehouse.invalid';

/** Returns the data of a call, for code that prefers exceptions. @throws {GatehouseError} */
export function unwrap<T>(result: { data: T; error?: never } | { data?: never; error: Failure }): T {
  if (result.error) throw result.error;
  return result.data as T;
}
