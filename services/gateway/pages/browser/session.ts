/** The session of this tab. The token is in memory and in sessionStorage, never in a cookie. */
export interface Session {
  token: string;
  /** Unix milliseconds. */
  expiresAt: number;
  /** Whose session it is, if a member of the support team has adopted it. */
  supportFor?: string;
}

export type End = 'signed out' | 'expired';

const KEY = 'gatehouse.session';
const channel = new BroadcastChannel('gatehouse');
const listeners = new Set<(end?: End) => void>();
let current: Session | undefined = stored();

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
  for (const listener of listeners) listener(end);
}

/** Begins or extends the session. */
export const beginSession = (session: Session): void => change(session);

/** Ends the session here and, after a logout, in every other tab. */
export function endSession(end: End): void {
  if (end === 'signed out') channel.postMessage(end);
  if (current) change(undefined, end);
}

channel.addEventListener('message', () => current && change(undefined, 'signed out'));

// The browser may show a page again that it has kept in memory since before the logout.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && current && !stored()) change(undefined, 'signed out');
});
