import { expect, test } from 'vitest';
import { afterAttempt, INITIAL_STATE, maySend } from '../../../packages/webhooks/delivery/receiver-state.ts';

const now = 1_000_000;
const failed = { status: 500, retryAfter: null };
const delivered = { status: 200, retryAfter: null };
const after = (...statuses: (number | null)[]) =>
  statuses.reduce(
    (state, status) => afterAttempt(state, { status, retryAfter: null }, now, 0.5),
    INITIAL_STATE,
  );

test('doubles concurrency with each success, up to sixteen', () => {
  const concurrency = [0, 1, 2, 3, 4, 5].map((count) => after(...Array(count).fill(200)).concurrency);
  expect(concurrency).toEqual([1, 2, 4, 8, 16, 16]);
});

test('drops concurrency to one on any failure', () => {
  for (const status of [null, 301, 400, 500]) expect(after(200, 200, status).concurrency).toBe(1);
});

test('pauses after five consecutive failures, for up to 30 seconds', () => {
  expect(after(500, 500, 500, 500).pausedUntil).toBeNull();
  expect(after(500, 500, 500, 500, 200, 500).pausedUntil).toBeNull();
  expect(after(500, 500, 500, null, 500).pausedUntil).toBe(now + 15_000);
  expect(afterAttempt(after(500, 500, 500, 500), failed, now, 1).pausedUntil).toBe(now + 30_000);
});

test('honors Retry-After from the first failure, and keeps the latest of several', () => {
  const held = afterAttempt(INITIAL_STATE, { status: 429, retryAfter: 120_000 }, now);
  expect(held.pausedUntil).toBe(now + 120_000);
  const later = afterAttempt(held, { status: 503, retryAfter: 60_000 }, now + 1_000);
  expect(later.pausedUntil).toBe(now + 120_000);
  expect(afterAttempt(held, delivered, now).pausedUntil).toBe(now + 120_000);
});

test('remembers a 410 whatever attempts in flight return', () => {
  expect(after(410).gone).toBe(true);
  expect(after(410, 200, 500).gone).toBe(true);
  expect(after(404, 500).gone).toBe(false);
});

test('allows attempts up to the concurrency, and none while paused or gone', () => {
  expect(maySend(after(200), 1)).toBe(true);
  expect(maySend(after(200), 2)).toBe(false);
  expect(maySend(afterAttempt(INITIAL_STATE, { status: 503, retryAfter: 1 }, now), 0)).toBe(false);
  expect(maySend(after(410), 0)).toBe(false);
});
