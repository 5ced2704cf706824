import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addAttempts,
  failsFor,
  healthOf,
  lastDay,
  withoutFailures,
} from '../../../packages/webhooks/delivery/health.ts';
import { COLLECTIONS } from '../../../services/user/database.ts';
import { freshDatabase } from '../../fixtures/database.ts';
import { storedWebhook } from '../stored-webhook.ts';

const HOUR = 3_600_000;
const start = Date.UTC(2026, 0, 15, 9, 30);

let database: Awaited<ReturnType<typeof freshDatabase<typeof COLLECTIONS>>>;
beforeAll(async () => {
  database = await freshDatabase(COLLECTIONS);
});
afterAll(() => database.drop());

let stored = 0;
/** The stored health after batches of attempts, each at a time in Unix milliseconds. */
async function healthAfterBatches(batches: { at: number; results: boolean[] }[]) {
  stored += 1;
  const webhook_id = `webhook-${stored}`;
  const { webhooks } = database.db;
  await webhooks.insertOne(storedWebhook({ webhook_id, owner_id: webhook_id }));
  if (batches.length > 0) {
    const updates = batches.map(({ at, results }) => addAttempts(results, at));
    await webhooks.bulkWrite(
      updates.map((update) => ({ updateOne: { filter: { webhook_id }, update } })),
      { ordered: true },
    );
  }
  const webhook = await webhooks.findOneAndDelete({ webhook_id });
  return healthOf(webhook ?? {});
}

/** Attempts, each so many hours after the one before. */
const healthAfter = (...attempts: [hours: number, delivered: boolean][]) => {
  let at = start;
  return healthAfterBatches(
    attempts.map(([hours, delivered]) => {
      at += hours * HOUR;
      return { at, results: [delivered] };
    }),
  );
};
const failures = (count: number, gap: number) =>
  Array.from({ length: count }, (_, index): [number, boolean] => [index === 0 ? 0 : gap, false]);

test('a failure starts the count, and a success resets it', async () => {
  expect(await healthAfter([0, false], [1, false])).toMatchObject({
    consecutive_failures: 2,
    failing_since: new Date(start),
    last_failure_at: new Date(start + HOUR),
    last_success_at: null,
  });
  expect(await healthAfter([0, false], [1, true])).toMatchObject({
    consecutive_failures: 0,
    failing_since: null,
    last_failure_at: new Date(start),
    last_success_at: new Date(start + HOUR),
  });
});

describe('failures for three days', () => {
  const DAYS = 72 * HOUR;
  test.each([
    ['every six hours', failures(13, 6), true],
    ['every day, as the longest Retry-After asks', failures(4, 24), true],
    ['not for three days yet', failures(12, 6), false],
    ['with a success at the end', [...failures(13, 6), [1, true]] as [number, boolean][], false],
    [
      'with a success in between',
      [...failures(7, 6), [1, true], ...failures(7, 6)] as [number, boolean][],
      false,
    ],
    ['with days in between in which nothing was sent', failures(3, 48), false],
    ['once', failures(1, 0), false],
  ])('%s: %#', async (_what, attempts, expected) => {
    expect(failsFor(await healthAfter(...attempts), DAYS)).toBe(expected);
  });

  test('activating the webhook resets the count', async () => {
    expect(failsFor(withoutFailures(await healthAfter(...failures(13, 6))), DAYS)).toBe(false);
  });
});

test('agrees with a model that remembers every attempt', async () => {
  const batch = fc.tuple(
    fc.integer({ min: 0, max: 40 * 60 }),
    fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 60 }), async (given) => {
      let now = start;
      const batches = given.map(([minutes, results]) => {
        now += minutes * 60_000;
        return { at: now, results };
      });
      const health = await healthAfterBatches(batches);
      const all = batches.flatMap(({ at, results }) => results.map((delivered) => ({ at, delivered })));
      const lastOf = (delivered: boolean) => all.findLast((each) => each.delivered === delivered)?.at ?? null;
      expect(health.last_success_at?.getTime() ?? null).toBe(lastOf(true));
      expect(health.last_failure_at?.getTime() ?? null).toBe(lastOf(false));
      const run = all.slice(all.findLastIndex(({ delivered }) => delivered) + 1);
      expect(health.consecutive_failures).toBe(run.length);
      const began = run.findLastIndex(({ at }, index) => at - (run[index - 1]?.at ?? -Infinity) > 36 * HOUR);
      expect(health.failing_since?.getTime() ?? null).toBe(run[began]?.at ?? null);
      const hour = (at: number) => Math.floor(at / HOUR);
      const recent = all.filter(({ at }) => hour(at) > hour(now) - 24);
      const delivered = recent.filter((each) => each.delivered).length;
      expect(lastDay(health, now)).toEqual({ delivered, failed: recent.length - delivered });
      expect(health.hours.length).toBeLessThanOrEqual(24);
    }),
  );
});

test('attempts are counted for a day', async () => {
  const health = await healthAfter([0, true], [1, false]);
  expect(lastDay(health, start + 2 * HOUR)).toEqual({ delivered: 1, failed: 1 });
  expect(lastDay(health, start + 24 * HOUR)).toEqual({ delivered: 0, failed: 1 });
  expect(lastDay(health, start + 26 * HOUR)).toEqual({ delivered: 0, failed: 0 });
});
