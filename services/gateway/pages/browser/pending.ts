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

/** What the form before submitted. It stays in memory, so that the code page can send a new code and sign in. */
interface Submitted {
  password: string;
  /** Present for a signup. */
  name?: string;
}
let submitted: Submitted | undefined;

export function waitForCode(pending: Pending, form?: Submitted): void {
  sessionStorage.setItem(KEY, JSON.stringify(pending));
  submitted = form;
}

export const submittedForm = (): Submitted | undefined => submitted;

export function pendingCode(): Pending | undefined {
  const stored = sessionStorage.getItem(KEY);
  return stored === null ? undefined : (JSON.parse(stored) as Pending);
}

export function forgetPending(): void {
  sessionStorage.removeItem(KEY);
  submitted = undefined;
}
