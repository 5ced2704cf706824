import { addOpenToken, OPEN_TOKENS_KEY } from './open-tokens.ts';
import { hasSignedOut, noteSignOut, onSignOutElsewhere, timeAfterSignOut } from './sign-outs.ts';

/** The session of this tab. The token is in memory and in sessionStorage, never in a cookie. */
export interface Session {
  token: string;
  /** By the clock of this device; Unix milliseconds. */
  expiresAt: number;
  /** When somebody signed in, by the clock of this device; Unix milliseconds. An older session lacks it. */
  beganAt?: number;
  /** Whose session it is; null for an old account that never got an ID. */
  userId: string | null;
  /** The name and address of the account, if a member of the support team has adopted its session. */
  supportFor?: string;
  /** What they may do, and their user ID; not for a session that another service of the platform hands over. */
  support?: { mode: 'read' | 'full'; operator: string };
}

export type End = 'signed out' | 'expired' | 'left' | 'deleted';

const KEY = 'gatehouse.session';
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
  const ended = end !== undefined && end !== 'expired' ? current : undefined;
  current = session;
  if (session) sessionStorage.setItem(KEY, JSON.stringify(session));
  else
    for (const key of Object.keys(sessionStorage))
      if (key !== OPEN_TOKENS_KEY) sessionStorage.removeItem(key);
  if (ended) addOpenToken(ended);
  watchExpiry();
  for (const listener of listeners) listener(end);
}

/** Begins or extends the session. */
export const beginSession = (session: Session): void =>
  change({ beganAt: timeAfterSignOut(session.userId), ...session });

/** Ends the session here and, when somebody signs out, in every other tab of the account. */
export function endSession(end: End): void {
  if (!current) return;
  if (end === 'signed out') noteSignOut(current.userId);
  change(undefined, end);
}

/** Ends the session if its account has signed out in another tab: each tab has a token of its own to end. */
function followSignOut(): void {
  if (current && hasSignedOut(current.userId, current.beganAt ?? 0)) change(undefined, 'signed out');
}
followSignOut();
onSignOutElsewhere(followSignOut);

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

// The browser may keep a page in memory and show it again after a logout here, in another tab or on another device.
// It stays hidden, and a page with an account is loaded again.
const root = document.documentElement;
addEventListener('pagehide', () => {
  root.hidden = true;
});
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && (current || stored())) return location.reload();
  root.hidden = false;
});
