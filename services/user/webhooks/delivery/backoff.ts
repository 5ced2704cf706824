/** How long is waited between attempts: full jitter, exponential, over three days. */

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** Counted from the first attempt that failed. */
export const RETRY_WINDOW = 72 * HOUR;
const FIRST = 5 * SECOND;
const LONGEST = 6 * HOUR;
/** What a receiver may ask for at most, since all that goes to it waits for so long. */
const LONGEST_ASKED = 24 * HOUR;

/**
 * The longest wait after so many failed attempts: 5 s, 10 s, 20 s … 6 h. Full jitter takes any part of it, so that
 * receivers that come back are not met by everybody at once
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 */
export const longestWait = (failures: number): number => Math.min(LONGEST, FIRST * 2 ** (failures - 1));

/**
 * When to try again; null when the time is up. The last attempt is at the very end of the window.
 * Everything in milliseconds.
 * @param asked what the receiver asked for by `Retry-After`.
 */
export function nextAttempt({
  failures,
  now,
  givesUpAt,
  asked,
  random = Math.random(),
}: {
  failures: number;
  now: number;
  givesUpAt: number;
  asked: number | null;
  random?: number;
}): number | null {
  if (now >= givesUpAt) return null;
  const wait = Math.max(Math.ceil(random * longestWait(failures)), asked ?? 0);
  return Math.min(now + wait, givesUpAt);
}

/** The milliseconds that a header `Retry-After` asks for, in seconds or as a date (RFC 9110 §10.2.3); a day at most. */
export function retryAfter(header: unknown, now: number): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,9}$/.test(header)) return Math.min(Number(header) * SECOND, LONGEST_ASKED);
  // Date.parse takes more than HTTP's dates for a date, a bare number for one.
  const at = /^[A-Z][a-z]{2,8},? /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - now), LONGEST_ASKED);
}
