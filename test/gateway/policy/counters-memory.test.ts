import { beforeEach, describe, expect, test } from 'vitest';
import { budgetOf, type Counters } from '../../../services/gateway/policy/counters.ts';
import { createCounters } from '../../../services/gateway/policy/counters-fallback.ts';
import { memoryCounters } from '../../../services/gateway/policy/counters-memory.ts';
import { type Clock, testClock } from '../../fixtures/clock.ts';

const MINUTE = { seconds: 60, limit: 3 };
const HOUR = { seconds: 3_600, limit: 5 };
const DAY = { seconds: 86_400, limit: 7 };

let clock: Clock;
let counters: Counters;
beforeEach(() => {
  clock = testClock();
  counters = memoryCounters(clock.now);
});
const take = (windows = [MINUTE], key = 'a') => counters.spend(key, windows);
const spend = async (...use: Parameters<typeof take>) => {
  const { refund: _, ...budget } = await take(...use);
  return budget;
};
const peek = (windows = [MINUTE], key = 'a') => counters.peek(key, windows);
const whole = { limit: 3, remaining: 3, resetMs: 60_000, exceeded: false };

describe('a window', () => {
  test('starts with the first use and ends to the millisecond', async () => {
    clock.advance(17.123);
    expect(await spend()).toEqual({ ...whole, remaining: 2 });
    clock.advance(10);
    expect(await spend()).toEqual({ ...whole, remaining: 1, resetMs: 50_000 });
    expect(await spend()).toEqual({ ...whole, remaining: 0, resetMs: 50_000 });
    clock.advance(49.999);
    expect(await spend()).toEqual({ ...whole, remaining: 0, resetMs: 1, exceeded: true });
    clock.advance(0.001);
    expect(await spend()).toEqual({ ...whole, remaining: 2 });
  });

  test('has its whole budget again exactly at its end, also for peek', async () => {
    await spend();
    clock.advance(59.999);
    expect(await peek()).toEqual({ ...whole, remaining: 2, resetMs: 1 });
    clock.advance(0.001);
    expect(await peek()).toEqual(whole);
  });

  test('is not extended by refused uses', async () => {
    for (let time = 0; time < 3; time += 1) await spend();
    for (let second = 0; second < 59; second += 1) {
      clock.advance(1);
      expect((await spend()).exceeded).toBe(true);
    }
    clock.advance(1);
    expect((await spend()).exceeded).toBe(false);
  });

  test('keeps its count when its limit changes', async () => {
    for (let time = 0; time < 3; time += 1) await spend();
    expect(await spend([{ seconds: 60, limit: 10 }])).toMatchObject({ remaining: 6, exceeded: false });
    expect(await spend([{ seconds: 60, limit: 2 }])).toMatchObject({ remaining: 0, exceeded: true });
  });
});

describe('several windows', () => {
  const all = [MINUTE, HOUR, DAY];

  test('end independently, and the one closest to its limit is reported', async () => {
    for (const remaining of [2, 1, 0]) {
      expect(await spend(all)).toEqual({ limit: 3, remaining, resetMs: 60_000, exceeded: false });
    }
    expect(await spend(all)).toEqual({ limit: 3, remaining: 0, resetMs: 60_000, exceeded: true });
    clock.advance(60);
    expect(await spend(all)).toEqual({ limit: 5, remaining: 1, resetMs: 3_540_000, exceeded: false });
    expect(await spend(all)).toEqual({ limit: 5, remaining: 0, resetMs: 3_540_000, exceeded: false });
    expect(await spend(all)).toEqual({ limit: 5, remaining: 0, resetMs: 3_540_000, exceeded: true });
    clock.advance(3_540);
    expect(await spend(all)).toEqual({ limit: 7, remaining: 1, resetMs: 82_800_000, exceeded: false });
    expect(await spend(all)).toEqual({ limit: 7, remaining: 0, resetMs: 82_800_000, exceeded: false });
    expect(await spend(all)).toEqual({ limit: 7, remaining: 0, resetMs: 82_800_000, exceeded: true });
    clock.advance(82_800);
    expect(await spend(all)).toEqual({ limit: 3, remaining: 2, resetMs: 60_000, exceeded: false });
  });

  test('a refused use is counted in none', async () => {
    for (let time = 0; time < 3; time += 1) await spend(all);
    for (let time = 0; time < 20; time += 1) expect((await spend(all)).exceeded).toBe(true);
    clock.advance(60);
    expect((await spend(all)).remaining).toBe(1);
    expect((await spend(all)).exceeded).toBe(false);
  });

  test('reports the spent window that ends last', async () => {
    const windows = [
      { seconds: 60, limit: 2 },
      { seconds: 3_600, limit: 2 },
    ];
    await spend(windows);
    expect(await spend(windows)).toMatchObject({ remaining: 0, resetMs: 3_600_000 });
    expect(await spend(windows)).toMatchObject({ remaining: 0, resetMs: 3_600_000, exceeded: true });
    clock.advance(60);
    expect(await spend(windows)).toMatchObject({ remaining: 0, resetMs: 3_540_000, exceeded: true });
  });
});

test('budgetOf reports the window that is closest to its limit', () => {
  expect(budgetOf([MINUTE, HOUR], [], false)).toEqual({ ...whole });
  const used = (...uses: number[]) => uses.map((use, index): [number, number] => [use, 1_000 * (index + 1)]);
  expect(budgetOf([MINUTE, HOUR], used(1, 4), false)).toMatchObject({
    limit: 5,
    remaining: 1,
    resetMs: 2_000,
  });
  expect(budgetOf([MINUTE, HOUR], used(3, 4), false)).toMatchObject({
    limit: 3,
    remaining: 0,
    resetMs: 1_000,
  });
  expect(budgetOf([MINUTE], used(9), true)).toMatchObject({ limit: 3, remaining: 0, exceeded: true });
});

describe('a refund', () => {
  test('takes back one use in every window', async () => {
    await spend([MINUTE, HOUR]);
    await (await take([MINUTE, HOUR])).refund();
    expect(await peek([MINUTE, HOUR])).toMatchObject({ limit: 3, remaining: 2 });
    expect(await peek([HOUR])).toMatchObject({ remaining: 4 });
  });

  test('takes back nothing if the use was refused', async () => {
    for (let time = 0; time < 3; time += 1) await spend();
    await (await take()).refund();
    expect(await peek()).toMatchObject({ remaining: 0 });
  });

  test('after the window ended does not credit the next window', async () => {
    const { refund } = await take([MINUTE, HOUR]);
    clock.advance(60);
    expect(await spend([MINUTE, HOUR])).toEqual({ ...whole, remaining: 2 });
    await refund();
    expect(await peek([MINUTE])).toEqual({ ...whole, remaining: 2 });
  });

  test('does not extend the window', async () => {
    const { refund } = await take();
    clock.advance(30);
    await refund();
    expect(await peek()).toEqual({ ...whole, resetMs: 30_000 });
  });
});

test('clear resets one key and no other', async () => {
  await spend([MINUTE, HOUR]);
  await spend([MINUTE, HOUR], 'b');
  await counters.clear('a', [MINUTE, HOUR]);
  await counters.clear('nothing', [MINUTE]);
  expect(await peek()).toEqual(whole);
  expect(await peek([MINUTE], 'b')).toMatchObject({ remaining: 2 });
});

test('counts keys that are names of Object.prototype', async () => {
  for (const key of ['__proto__', 'constructor', 'toString', '']) {
    expect(await spend([MINUTE], key)).toEqual({ ...whole, remaining: 2 });
    expect(await spend([MINUTE], key)).toEqual({ ...whole, remaining: 1 });
  }
});

test('a burst passes exactly the limit', async () => {
  const burst = await Promise.all(Array.from({ length: 1_000 }, () => spend([{ seconds: 60, limit: 300 }])));
  expect(burst.filter(({ exceeded }) => !exceeded)).toHaveLength(300);
});

test('createCounters counts in memory without Redis', async () => {
  counters = createCounters(undefined, clock.now);
  await spend();
  clock.advance(59.999);
  expect(await peek()).toEqual({ ...whole, remaining: 2, resetMs: 1 });
});

describe('the bound on keys', () => {
  test('forgets the least recently used key, and counts refused uses as use', async () => {
    counters = memoryCounters(clock.now, 10);
    for (let time = 0; time < 3; time += 1) await spend([MINUTE], 'busy');
    for (let at = 0; at < 100; at += 1) {
      await spend([MINUTE], `other ${at}`);
      expect(await spend([MINUTE], 'busy')).toMatchObject({ exceeded: true });
    }
    const remembered = await Promise.all(
      Array.from({ length: 100 }, async (_, at) => (await peek([MINUTE], `other ${at}`)).remaining),
    );
    expect(remembered).toEqual([...Array(91).fill(3), ...Array(9).fill(2)]);
  });

  test('is 200,000 by default', async () => {
    for (let at = 0; at < 200_001; at += 1) await spend([MINUTE], `key ${at}`);
    expect(await peek([MINUTE], 'key 0')).toMatchObject({ remaining: 3 });
    expect(await peek([MINUTE], 'key 1')).toMatchObject({ remaining: 2 });
  });
});
