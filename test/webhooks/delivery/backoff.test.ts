import { describe, expect, test } from 'vitest';
import {
  maxWait,
  nextAttempt,
  RETRY_WINDOW,
  retryAfterOf,
} from '../../../packages/webhooks/delivery/backoff.ts';

const HOUR = 3_600_000;
const givesUpAt = RETRY_WINDOW;

test('the longest wait doubles from five seconds up to six hours', () => {
  const waits = Array.from({ length: 15 }, (_, index) => maxWait(index + 1) / 1000);
  expect(waits).toEqual([
    5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 10_240, 20_480, 21_600, 21_600,
  ]);
  expect(maxWait(2_000)).toBe(6 * HOUR);
});

describe('nextAttempt', () => {
  test.each([
    ['waits any part of the longest wait', { failures: 4, now: 1_000, random: 0.5 }, 21_000],
    ['may not wait at all', { failures: 4, now: 1_000, random: 0 }, 1_000],
    ['may wait almost the whole time', { failures: 4, now: 1_000, random: 0.9999 }, 40_996],
    [
      'waits at least as long as Retry-After',
      { failures: 1, now: 1_000, retryAfter: 60_000, random: 0.5 },
      61_000,
    ],
    [
      'does not shorten the wait for a short Retry-After',
      { failures: 10, now: 1_000, retryAfter: 1_000, random: 1 },
      2_561_000,
    ],
    [
      'makes the last attempt at the end of the window',
      { failures: 20, now: givesUpAt - 1, random: 1 },
      givesUpAt,
    ],
    ['never waits beyond the end of the window', { failures: 1, now: 0, retryAfter: 1e12 }, givesUpAt],
    ['gives up after the end of the window', { failures: 20, now: givesUpAt, random: 0 }, null],
  ])('%s', (_what, given, expected) => {
    expect(nextAttempt({ retryAfter: null, givesUpAt, ...given })).toBe(expected);
  });

  test('makes about 37 attempts in three days, the first within seconds, the last at the end', () => {
    const times: number[] = [];
    let now = 0;
    for (let failures = 1; ; failures += 1) {
      times.push(now);
      const next = nextAttempt({ failures, now, givesUpAt, retryAfter: null, random: 0.5 });
      if (next === null) break;
      now = next;
    }
    expect(times).toHaveLength(37);
    expect(times.slice(0, 3)).toEqual([0, 2_500, 7_500]);
    expect(times.at(-1)).toBe(72 * HOUR);
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 15, 9, 30);
  test.each([
    ['120', 120_000],
    ['0', 0],
    ['Thu, 15 Jan 2026 09:31:00 GMT', 60_000],
    ['Thursday, 15-Jan-26 09:31:00 GMT', 60_000],
    ['Thu Jan 15 09:31:00 2026', 60_000],
    ['Thu, 15 Jan 2026 09:29:00 GMT', 0],
    ['999999999', 24 * HOUR],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 24 * HOUR],
    ['Sat, 13 Sep 275760 00:00:00 GMT', 24 * HOUR],
    ['-1', null],
    ['1.5', null],
    ['1e9', null],
    ['99999999999', null],
    ['soon', null],
    ['', null],
    ['2026', 2_026_000],
    ['Infinity', null],
    [undefined, null],
    [['1', '2'], null],
  ])('%j', (header, expected) => {
    expect(retryAfterOf(header, now)).toBe(expected);
  });
});
