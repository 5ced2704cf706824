import type { Clock } from './clock.ts';
import type { SessionStorage } from './storage.ts';

export interface Session {
  /** Null where a cookie that no script can read holds it. */
  token: string | null;
  /** Null for an old account that never got an ID. */
  userId: string | null;
  /** By the clock of this device; Unix milliseconds. */
  expiresAt: number;
  /** When the token was issued, by the clock of this device; Unix milliseconds. */
  issuedAt: number;
}

/** Why a session is over. */
export type End = 'signed-out' | 'expired';

/** The state of the session. It is `loading` until the storage has answered. */
export type SessionState =
  | { readonly status: 'loading' }
  | { readonly status: 'signed-in'; readonly session: Session }
  | { readonly status: 'signed-out'; readonly end?: End };

/** The answer of any login: of the Direct contract, of the catalogue, or of a gateway that keeps the token in a cookie. */
export interface LoginAnswer {
  token?: string;
  access_token?: string;
  /** Seconds. */
  expires_in?: number;
  user_id: string | null;
}

/** Milliseconds that `setTimeout` can wait: the session is looked at again after them. */
const LONGEST_TIMER = 60_000;

/** Keeps the session of an app in a storage that several tabs may share. */
export function createSessionStore(storage: SessionStorage, clock: Clock) {
  let state: SessionState = { status: 'loading' };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listeners = new Set<() => void>();

  function change(next: SessionState): void {
    const before = sessionOf(state);
    const after = sessionOf(next);
    if (
      before?.token === after?.token &&
      before?.expiresAt === after?.expiresAt &&
      state.status === next.status
    )
      return;
    state = next;
    watchExpiry();
    for (const listener of listeners) listener();
  }

  function watchExpiry(): void {
    clearTimeout(timer);
    const session = sessionOf(state);
    if (!session) return;
    const left = session.expiresAt - clock.now();
    if (left <= 0) {
      end('expired');
      return;
    }
    timer = setTimeout(watchExpiry, Math.min(left, LONGEST_TIMER));
    // A timer must not keep a command of Node running. A browser's is a number.
    (timer as { unref?(): void }).unref?.();
  }

  function adopt(value: string | null): void {
    const session = parse(value);
    if (session && session.expiresAt > clock.now()) change({ status: 'signed-in', session });
    else if (state.status !== 'signed-out') change({ status: 'signed-out' });
  }

  function end(why: End): void {
    if (state.status === 'signed-out') return;
    change({ status: 'signed-out', end: why });
    void storage.write(null);
  }

  /** Reads the storage again: another tab may have signed in, signed out or refreshed. */
  function load(): void | Promise<void> {
    const value = storage.read();
    return value instanceof Promise ? value.then(adopt) : adopt(value);
  }
  const loaded = load();
  storage.onChange?.(() => void load());

  return {
    state: (): SessionState => state,
    current: (): Session | undefined => sessionOf(state),
    load,
    loaded,
    /** Calls a listener whenever the session begins, changes or ends. @returns the function that stops it. */
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Begins the session of a login, or extends it. */
    async begin({ token, access_token, expires_in, user_id }: LoginAnswer): Promise<Session> {
      const bearer = access_token ?? token ?? null;
      const now = clock.now();
      const expiresAt =
        expires_in === undefined ? clock.toDevice(expiryOf(bearer, now)) : now + expires_in * 1000;
      const session = { token: bearer, userId: user_id, expiresAt, issuedAt: now };
      await storage.write(JSON.stringify(session));
      change({ status: 'signed-in', session });
      return session;
    },
    end,
  };
}

export type SessionStore = ReturnType<typeof createSessionStore>;

const sessionOf = (state: SessionState): Session | undefined =>
  state.status === 'signed-in' ? state.session : undefined;

/** Milliseconds that a token of the Direct contract is valid (CONTRACT.md §Tokens). */
const DIRECT_LIFETIME = 30 * 60_000;

/** When a token without `expires_in` expires. One in a cookie cannot be read. @returns Unix milliseconds. */
function expiryOf(token: string | null, now: number): number {
  if (token === null) return now + DIRECT_LIFETIME;
  const payload = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '';
  return (JSON.parse(atob(payload)) as { exp: number }).exp * 1000;
}

function parse(value: string | null): Session | undefined {
  try {
    const session = JSON.parse(value ?? 'null') as Session | null;
    return typeof session?.expiresAt === 'number' ? session : undefined;
  } catch {
    return undefined;
  }
}
