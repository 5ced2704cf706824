import { orderedUuid } from '@gatehouse/shared/identity/audit';
import { expect, test } from 'vitest';

test('each UUIDv7 sorts after the one before, more than 4,096 of them in a millisecond too', () => {
  const ids = Array.from({ length: 20_000 }, orderedUuid);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('begins with the time', () => {
  const before = Date.now();
  const time = Number.parseInt(orderedUuid().replace('-', '').slice(0, 12), 16);
  expect(time).toBeGreaterThanOrEqual(before);
});
