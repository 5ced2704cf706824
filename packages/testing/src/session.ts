import type { IssuedSession } from './issue-sessions.ts';

/** A session of a person, in the forms in which tests use it. */
export interface TestSession {
  email: string;
  user_id: string | null;
  /** For `Authorization: Bearer`. */
  token: string;
  /** The header itself. */
  authorization: string;
  /** By the clock of the instance. */
  expires_at: Date;
  /**
   * A script for Playwright's `context.addInitScript()`, which signs the account pages in. They keep the session in
   * sessionStorage, which a `storageState` cannot carry.
   */
  initScript: string;
  /** A `storageState` for an app of yours that keeps the token in localStorage. */
  storageState(app: { origin: string; key: string }): StorageState;
}

interface StorageState {
  cookies: never[];
  origins: { origin: string; localStorage: { name: string; value: string }[] }[];
}

/** Where the account pages keep their session; packages/account-pages/browser/session.ts. */
const PAGES_KEY = 'gatehouse.session';

/** @param url the gateway's address. @param now Unix milliseconds. */
export function presentSession(
  email: string,
  { token, lifetime, user_id }: IssuedSession,
  { url, now }: { url: string; now: number },
): TestSession {
  const stored = { token, userId: user_id };
  // The pages count by the clock of the browser, which the test has not moved.
  const initScript = `if (location.origin === ${JSON.stringify(new URL(url).origin)} && !sessionStorage.getItem('gatehouse.test')) {
  sessionStorage.setItem('gatehouse.test', 'signed in');
  sessionStorage.setItem('${PAGES_KEY}', JSON.stringify({ ...${JSON.stringify(stored)}, beganAt: Date.now(), expiresAt: Date.now() + ${lifetime * 1000} }));
}`;
  return {
    email,
    user_id,
    token,
    authorization: `Bearer ${token}`,
    expires_at: new Date((Math.floor(now / 1000) + lifetime) * 1000),
    initScript,
    storageState: ({ origin, key }) => ({
      cookies: [],
      origins: [{ origin: new URL(origin).origin, localStorage: [{ name: key, value: token }] }],
    }),
  };
}
