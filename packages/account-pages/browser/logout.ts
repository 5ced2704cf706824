import { ApiError, logout } from './gate.ts';
import { openTokens, removeOpenToken } from './open-tokens.ts';
import { onSessionChange } from './session.ts';

/** Whether the server has ended the sessions that are over here. */
export type LogoutState = 'none' | 'under way' | 'failed' | 'done';

/** Milliseconds until the next attempt; they double with each failure. */
const RETRY = { first: 5_000, longest: 60_000 };

let state: LogoutState = 'none';
let failures = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

export const logoutState = (): LogoutState => state;

/** Calls a listener whenever the state changes. @returns the function that stops it. */
export function onLogoutChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setState(next: LogoutState): void {
  state = next;
  for (const listener of listeners) listener();
}

/** Ends at the server what is over here, and tries again until the server has answered. */
export async function endOpenTokens(): Promise<void> {
  if (state === 'under way' || openTokens().length === 0) return;
  clearTimeout(timer);
  setState('under way');
  for (let [next] = openTokens(); next; [next] = openTokens()) {
    const isEnded = await end(next.token);
    if (!isEnded) {
      setState('failed');
      timer = setTimeout(retry, Math.min(RETRY.longest, RETRY.first * 2 ** failures++));
      return;
    }
    removeOpenToken(next.token);
  }
  failures = 0;
  setState('done');
}

/** A token that has expired meanwhile needs no end. */
const retry = () => (openTokens().length > 0 ? endOpenTokens() : setState('done'));

/** @returns whether the server has ended the session, or refuses its token anyhow. */
const end = (token: string): Promise<boolean> =>
  logout(token).then(
    () => true,
    (error) => error instanceof ApiError && error.status === 401,
  );

onSessionChange(() => void endOpenTokens());
addEventListener('online', () => void endOpenTokens());
addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void endOpenTokens());
void endOpenTokens();
