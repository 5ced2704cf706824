/** The session of this tab. The token is in memory and in sessionStorage, never in a cookie. */
export interface Session {
  token: string;
  /** By the clock of this device; Unix milliseconds. */
  expiresAt: number;
  /** Whose session it is; null for an old account that never got an ID. */
  userId: string | null;
  /** The name and address of the account, if a member of the support team has adopted its session. */
  supportFor?: string;
}

export type End = 'signed out' | 'expired' | 'left';

const KEY = 'gatehouse.session';
const channel = new BroadcastChannel('gatehouse');
const listeners = new Set<(end?: End) => void>();
let current: Session | undefined = stored();
let expiry: ReturnType<typeof setTimeout> | undefined;

function stored(): Session | undefined {
  try {
    const session = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Session | null;
    return session && session.expiresAt > Date.now() ? session : undefined;
  } catch {
    return undefined;
  }
}

export const currentSession = (): Session | undefined => current;

/** Calls a listener whenever the session begins, changes or ends. @returns the function that stops it. */
export function onSessionChange(listener: (end?: End) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(session: Session | undefined, end?: End): void {
  current = session;
  if (session) sessionStorage.setItem(KEY, JSON.stringify(session));
  else sessionStorage.clear();
  watchExpiry();
  for (const listener of listeners) listener(end);
}

/** Begins or extends the session. */
export const beginSession = (session: Session): void => change(session);

/** Ends the session here and, after a logout, in every other tab of the account. */
export function endSession(end: End): void {
  if (!current) return;
  if (end === 'signed out') channel.postMessage(current.userId);
  change(undefined, end);
}

channel.addEventListener('message', ({ data }) => {
  if (current?.userId === data) change(undefined, 'signed out');
});

/** Ends the session when its token expires, also after the computer has slept. */
function watchExpiry(): void {
  clearTimeout(expiry);
  if (!current) return;
  const remaining = current.expiresAt - Date.now();
  if (remaining <= 0) endSession('expired');
  else expiry = setTimeout(watchExpiry, Math.min(remaining, 60_000));
}
watchExpiry();
addEventListener('visibilitychange', watchExpiry);

// The browser may keep a page in memory and show it again after a logout: it shows nothing until that is checked.
const root = document.documentElement;
addEventListener('pagehide', () => {
  root.hidden = true;
});
addEventListener('pageshow', ({ persisted }) => {
  const kept = stored();
  if (persisted && current?.token !== kept?.token) {
    if (kept) return location.reload(); // another session has begun in this tab since
    change(undefined, 'signed out');
  }
  root.hidden = false;
});
