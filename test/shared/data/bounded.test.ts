import { batched } from '@gatehouse/shared/data/batched';
import { bounded } from '@gatehouse/shared/data/bounded';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const never = () => new Promise<never>(() => {});

test('a call that never ends fails as unavailable', async () => {
  const call = expect(bounded(never())).rejects.toMatchObject({ reason: 'unavailable' });
  vi.advanceTimersByTime(20_000);
  await call;
});

test('a batch that never ends does not hold up the next one', async () => {
  const batches: number[][] = [];
  const call = batched(
    async (items: number[]) => {
      batches.push(items);
      return batches.length === 1 ? never() : items;
    },
    { maxItems: 2 },
  );
  const [one, two, three] = [call(1), call(2), call(3)];
  const failed = Promise.all([one, two].map((result) => expect(result).rejects.toThrow()));
  // Real time: `batched` collects the calls of one turn of the event loop.
  await new Promise(setImmediate);
  expect(batches).toEqual([[1, 2]]);
  vi.advanceTimersByTime(20_000);
  await failed;
  expect(await three).toBe(3);
  expect(batches).toEqual([[1, 2], [3]]);
});
