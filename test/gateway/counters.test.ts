import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createCounters } from '../../services/gateway/counters.ts';

// The limiter's clock is Date; only that is set, so that real sockets and timers go on.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 15) });
});
afterEach(() => {
  vi.useRealTimers();
});

const window = { points: 3, duration: 60 };
const counter = () => createCounters(undefined)('test', window);
const whole = { limit: 3, remaining: 3, resetMs: 60_000, exceeded: false };

describe('a counter', () => {
  test('spends down to nothing and is then exceeded, until its window ends', async () => {
    const { spend } = counter();
    expect(await spend('a')).toEqual({ ...whole, remaining: 2 });
    vi.advanceTimersByTime(10_000);
    expect(await spend('a')).toEqual({ ...whole, remaining: 1, resetMs: 50_000 });
    expect(await spend('a')).toEqual({ ...whole, remaining: 0, resetMs: 50_000 });
    expect(await spend('a')).toEqual({ ...whole, remaining: 0, resetMs: 50_000, exceeded: true });
    vi.advanceTimersByTime(50_000);
    expect(await spend('a')).toEqual({ ...whole, remaining: 2 });
  });

  test('looks without taking', async () => {
    const { spend, peek } = counter();
    expect(await peek('a')).toEqual(whole);
    expect(await peek('a')).toEqual(whole);
    await spend('a');
    expect(await peek('a')).toEqual({ ...whole, remaining: 2 });
    expect(await peek('a')).toEqual({ ...whole, remaining: 2 });
  });

  test('counts each key, and each name, for itself', async () => {
    const counters = createCounters(undefined);
    const [one, other] = [counters('one', window), counters('other', window)];
    await one.spend('a');
    expect(await one.peek('b')).toEqual(whole);
    expect(await other.peek('a')).toEqual(whole);
  });

  test('lets exactly its points through in a burst', async () => {
    const { spend } = counter();
    const burst = await Promise.all(Array.from({ length: 50 }, () => spend('a')));
    expect(burst.filter(({ exceeded }) => !exceeded)).toHaveLength(3);
  });

  test('gives a use back, and everything back', async () => {
    const { spend, peek, refund, clear } = counter();
    await spend('a');
    await spend('a');
    await refund('a');
    expect((await peek('a')).remaining).toBe(2);
    await clear('a');
    expect(await peek('a')).toEqual(whole);
  });

  test('a refund after the use was cleared or has run out is no credit', async () => {
    const { spend, peek, refund, clear } = counter();
    await spend('a');
    await clear('a');
    await refund('a');
    expect(await peek('a')).toEqual(whole);
    await spend('a');
    vi.advanceTimersByTime(61_000);
    await refund('a');
    const burst = await Promise.all(Array.from({ length: 10 }, () => spend('a')));
    expect(burst.filter(({ exceeded }) => !exceeded)).toHaveLength(3);
  });
});
