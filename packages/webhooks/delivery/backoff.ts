/** Waits between attempts: exponential backoff with full jitter, over three days. */

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** Milliseconds, counted from the first failed attempt. */
export const RETRY_WINDOW = 72 * HOUR;
const FIRST_WAIT = 5 * SECOND;
const MAX_WAIT = 6 * HOUR;
/** Upper bound for `Retry-After`, which holds back the whole queue. */
const MAX_RETRY_AFTER = 24 * HOUR;

/**
 * The upper bound of the wait after a number of failed attempts: 5 s, 10 s, 20 s … 6 h. Full jitter picks any part of
 * it, which spreads the retries to a receiver that recovers
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 */
export const maxWait = (failures: number): number => Math.min(MAX_WAIT, FIRST_WAIT * 2 ** (failures - 1));

/**
 * When to try again; null when the retry window has passed. The last attempt is at the very end of the window.
 * All times are in milliseconds.
 * @param retryAfter the wait that the receiver asked for.
 */
export function nextAttempt({
  failures,
  now,
  givesUpAt,
  retryAfter,
  random = Math.random(),
}: {
  failures: number;
  now: number;
  givesUpAt: number;
  retryAfter: number | null;
  random?: number;
}): number | null {
  if (now >= givesUpAt) return null;
  const wait = Math.max(Math.ceil(random * maxWait(failures)), retryAfter ?? 0);
  return Math.min(now + wait, givesUpAt);
}

/**
 * The milliseconds that a `Retry-After` header asks for, in seconds or as a date (RFC 9110 §10.2.3); at most a day.
 * Null when it is absent or malformed.
 */
export function retryAfterOf(header: unknown, now: number): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,9}$/.test(header)) return Math.min(Number(header) * SECOND, MAX_RETRY_AFTER);
  // Date.parse alone accepts more than HTTP dates, for example a bare number.
  const at = /^[A-Z][a-z]{2,8},? /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - now), MAX_RETRY_AFTER);
}
