import type { Document } from 'mongodb';
import type { Health, Webhook } from '../records.ts';

const HOUR = 3_600_000;
/** Hours of attempts that are counted, including the current hour. */
const HOURS = 24;
/**
 * Failures that are further apart are not one outage, because retries and `Retry-After` wait less: the webhook was
 * paused, its deliveries were canceled, or this service was down.
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
/** Resets the count of failures of a stored webhook. */
export const END_FAILURES = { 'health.consecutive_failures': 0, 'health.failing_since': null } as const;

/** The health of a webhook. Older records have none, and a `PATCH` may have stored a part. */
export const healthOf = ({ health }: Pick<Webhook, 'health'>): Health => ({ ...INITIAL_HEALTH, ...health });

/**
 * An update that adds attempts to the stored health of a webhook. It needs no earlier read and no precondition.
 * @param results whether each attempt delivered, in order.
 * @param now Unix milliseconds.
 */
export function addAttempts(results: readonly boolean[], now: number): Document[] {
  const at = new Date(now);
  const delivered = results.filter(Boolean).length;
  const failed = results.length - delivered;
  const isOutage = { $gte: ['$health.last_failure_at', new Date(now - MAX_GAP)] };
  const failures = results.length - 1 - results.lastIndexOf(true);
  const since = failures > 0 ? at : null;
  return [
    {
      $set: {
        'health.hours': addToHour(Math.floor(now / HOUR), delivered, failed),
        ...(delivered > 0 && { 'health.last_success_at': at }),
        ...(failed > 0 && { 'health.last_failure_at': at }),
        'health.consecutive_failures':
          delivered > 0 ? failures : { $add: [{ $ifNull: ['$health.consecutive_failures', 0] }, failures] },
        'health.failing_since':
          delivered > 0 ? since : { $cond: [isOutage, { $ifNull: ['$health.failing_since', at] }, at] },
      },
    },
  ];
}

function addToHour(hour: number, delivered: number, failed: number): Document {
  const hoursWhere = (cond: Document) => ({
    $filter: { input: { $ifNull: ['$health.hours', []] }, cond },
  });
  const same = hoursWhere({ $eq: ['$$this.hour', hour] });
  const others = hoursWhere({
    $and: [{ $gt: ['$$this.hour', hour - HOURS] }, { $ne: ['$$this.hour', hour] }],
  });
  const sum = (count: number, of: string) => ({
    $add: [count, { $sum: { $map: { input: same, in: `$$this.${of}` } } }],
  });
  const counted = { hour, delivered: sum(delivered, 'delivered'), failed: sum(failed, 'failed') };
  return { $concatArrays: [others, [counted]] };
}

export const withoutFailures = (health: Health): Health => ({ ...health, ...NO_FAILURES });

/** Whether every attempt has failed for this many milliseconds. */
export const failsFor = ({ failing_since, last_failure_at }: Health, duration: number): boolean =>
  failing_since !== null &&
  last_failure_at !== null &&
  last_failure_at.getTime() - failing_since.getTime() >= duration;

/** The attempts of the last 24 hours. @param now Unix milliseconds. */
export function lastDay({ hours }: Health, now: number): { delivered: number; failed: number } {
  const since = Math.floor(now / HOUR) - HOURS;
  const counted = hours.filter(({ hour }) => hour > since);
  return {
    delivered: counted.reduce((sum, { delivered }) => sum + delivered, 0),
    failed: counted.reduce((sum, { failed }) => sum + failed, 0),
  };
}
