import { expect, test } from 'vitest';
import { memoryCounters } from '../../../services/gateway/policy/counters-memory.ts';
import { reserve } from '../../../services/gateway/policy/reservation.ts';
import { testClock } from '../../fixtures/clock.ts';

const windows = [{ seconds: 60, limit: 5 }];
const narrow = { key: 'narrow', windows: [{ seconds: 60, limit: 1 }] };
const wide = { key: 'wide', windows };

test('a reservation that is refused is taken back once, also when it is settled', async () => {
  const counters = memoryCounters(testClock().now);
  for (const { key, windows: limits } of [narrow, wide]) await counters.spend(key, limits);
  const { exceeded, settle } = await reserve(counters, [narrow, wide]);
  expect(exceeded).toBe(true);
  await settle(false);
  expect(await counters.peek('wide', windows)).toMatchObject({ remaining: 4 });
});

test('a reservation whose window has ended gives no credit to the next', async () => {
  const clock = testClock();
  const counters = memoryCounters(clock.now);
  const { settle } = await reserve(counters, [wide]);
  clock.advance(60);
  await reserve(counters, [wide]);
  await settle(false);
  expect(await counters.peek('wide', windows)).toMatchObject({ remaining: 4 });
});
