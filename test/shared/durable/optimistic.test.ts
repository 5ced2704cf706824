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

test('finds the lowest number that is free', () => {
  expect(lowestFree([0, 1, 3], 5)).toBe(2);
  expect(lowestFree([undefined, 1], 2)).toBe(0);
  expect(lowestFree([1, 0], 2)).toBeUndefined();
});
