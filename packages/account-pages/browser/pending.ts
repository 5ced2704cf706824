/** An account that waits for its one-time code. */
export interface Pending {
  email: string;
  /** The token of signup or forgot-password; that of a signup makes a code activate this signup and no other. */
  token: string;
  /** When the code was mailed; Unix milliseconds. */
  sentAt: number;
  /** How often a wrong code was entered since then. */
  wrongCodes?: number;
}

/** Wrong codes after which the right one is refused too (CONTRACT.md §OTP). */
const MAX_WRONG_CODES = 5;

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

/** Counts a wrong code while it could be the right one. @returns whether another one is worth a try. */
export function countWrongCode(): boolean {
  const pending = pendingCode();
  if (!pending || Date.now() > pending.sentAt + CODE_LIFETIME * 1000) return true;
  const wrongCodes = (pending.wrongCodes ?? 0) + 1;
  sessionStorage.setItem(KEY, JSON.stringify({ ...pending, wrongCodes }));
  return wrongCodes < MAX_WRONG_CODES;
}

export const isDead = ({ wrongCodes = 0 }: Pending): boolean => wrongCodes >= MAX_WRONG_CODES;

export function forgetPending(): void {
  sessionStorage.removeItem(KEY);
  submitted = undefined;
}
