import { setImmediate } from 'node:timers/promises';
import { optimistic } from '@gatehouse/shared/durable/optimistic';
import { lowestFree } from '@gatehouse/shared/durable/slot';
import { expect, test } from 'vitest';

test('decides again until a write wins', async () => {
  let attempts = 0;
  const result = await optimistic(async () => {
    attempts += 1;
    return attempts === 3 ? 'won' : undefined;
  });
  expect([result, attempts]).toStrictEqual(['won', 3]);
});

test('gives up when every attempt loses', async () => {
  await expect(optimistic(async () => undefined)).rejects.toMatchObject({ reason: 'unavailable' });
});

test('calls that void each other’s marks get out of step', async () => {
  let mark = '';
  const call = (name: string) =>
    optimistic(async () => {
      mark = name;
      await setImmediate();
      return mark === name || undefined;
    });
  expect(await Promise.all([call('a'), call('b')])).toStrictEqual([true, true]);
});

test('finds the lowest number that is free', () => {
  expect(lowestFree([0, 1, 3], 5)).toBe(2);
  expect(lowestFree([undefined, 1], 2)).toBe(0);
  expect(lowestFree([1, 0], 2)).toBeUndefined();
});
