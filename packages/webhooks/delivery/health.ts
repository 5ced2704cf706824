import type { Health, Webhook } from '../records.ts';

const HOUR = 3_600_000;
/** Hours of attempts that are counted, the present one included. */
const HOURS = 24;
/**
 * Failures that are further apart are not one outage: nothing was sent in between, although every wait of a retry and
 * every `Retry-After` is shorter. The webhook was paused, its deliveries were canceled, or this service was down.
 */
const MAX_GAP = 36 * HOUR;

const INITIAL_HEALTH: Health = {
  last_success_at: null,
  last_failure_at: null,
  consecutive_failures: 0,
  failing_since: null,
  hours: [],
};

const NO_FAILURES = { consecutive_failures: 0, failing_since: null } as const;
/** Ends the count of failures of a stored webhook. The worker that holds its lease may be counting the rest. */
export const END_FAILURES = { 'health.consecutive_failures': 0, 'health.failing_since': null } as const;

/** The health of a webhook. Older records have none, and a `PATCH` may have stored a part. */
export const healthOf = ({ health }: Pick<Webhook, 'health'>): Health => ({ ...INITIAL_HEALTH, ...health });

/** @param now Unix milliseconds. */
export function afterAttempt(health: Health, delivered: boolean, now: number): Health {
  const at = new Date(now);
  const hours = count(health.hours, delivered, Math.floor(now / HOUR));
  if (delivered) return { ...health, ...NO_FAILURES, hours, last_success_at: at };
  const { last_failure_at, failing_since, consecutive_failures } = health;
  const goesOn = last_failure_at !== null && now - last_failure_at.getTime() <= MAX_GAP;
  return {
    ...health,
    hours,
    last_failure_at: at,
    consecutive_failures: consecutive_failures + 1,
    failing_since: goesOn && failing_since !== null ? failing_since : at,
  };
}

function count(hours: Health['hours'], delivered: boolean, hour: number): Health['hours'] {
  const latest = hours.at(-1);
  const same = latest !== undefined && latest.hour >= hour;
  const present = same ? latest : { hour, delivered: 0, failed: 0 };
  const counted = delivered
    ? { ...present, delivered: present.delivered + 1 }
    : { ...present, failed: present.failed + 1 };
  return [...(same ? hours.slice(0, -1) : hours), counted].filter((each) => each.hour > hour - HOURS);
}

export const withoutFailures = (health: Health): Health => ({ ...health, ...NO_FAILURES });

/** Whether attempts have done nothing but fail for this many milliseconds. */
export const failsFor = ({ failing_since, last_failure_at }: Health, duration: number): boolean =>
  failing_since !== null &&
  last_failure_at !== null &&
  last_failure_at.getTime() - failing_since.getTime() >= duration;

/** The attempts of the last day. @param now Unix milliseconds. */
export function lastDay({ hours }: Health, now: number): { delivered: number; failed: number } {
  const since = Math.floor(now / HOUR) - HOURS;
  const counted = hours.filter(({ hour }) => hour > since);
  return {
    delivered: counted.reduce((sum, { delivered }) => sum + delivered, 0),
    failed: counted.reduce((sum, { failed }) => sum + failed, 0),
  };
}
