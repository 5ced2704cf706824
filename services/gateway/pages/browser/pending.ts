/** An account that waits for its one-time code. */
export interface Pending {
  email: string;
  /** The token of signup or forgot-password; it makes the code activate this signup and no other. */
  token: string;
  /** When the code was mailed; Unix milliseconds. */
  sentAt: number;
}

/** Seconds that a code is valid. */
export const CODE_LIFETIME = 60;

const KEY = 'gatehouse.pending';

/** What the signup form submitted. It stays in memory, so that the code page can send a new code and sign in. */
let signup: { password: string; name: string } | undefined;

export function waitForCode(pending: Pending, submitted?: typeof signup): void {
  sessionStorage.setItem(KEY, JSON.stringify(pending));
  signup = submitted;
}

export function pendingCode(): (Pending & { signup?: typeof signup }) | undefined {
  const stored = sessionStorage.getItem(KEY);
  return stored === null ? undefined : { ...(JSON.parse(stored) as Pending), ...(signup && { signup }) };
}

export function forgetPending(): void {
  sessionStorage.removeItem(KEY);
  signup = undefined;
}
