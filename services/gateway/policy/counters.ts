import { AppError } from '@gatehouse/shared/http/errors';
import type { Redis } from 'ioredis';
import { memoryCounters } from './counters-memory.ts';
import { redisCounters } from './counters-redis.ts';

/** How many uses a key has within so many seconds, counted from the first of them. */
export interface Window {
  seconds: number;
  limit: number;
}

/** The window of a key that is nearest to the end of its budget. */
export interface Budget {
  limit: number;
  remaining: number;
  /** Milliseconds until the window ends and its budget is whole again. */
  resetMs: number;
  /** Whether this use was refused, and so not counted. */
  exceeded: boolean;
}

/** Counts uses by key. Limits are the caller's, so that a change of plan holds from the next call on. */
export interface Counters {
  /** Takes one use of every window, or none when one of them is spent: one atomic step. */
  spend(key: string, windows: readonly Window[]): Promise<Budget>;
  /** What is left, taking nothing. */
  peek(key: string, windows: readonly Window[]): Promise<Budget>;
  /** Gives one use back. */
  refund(key: string, windows: readonly Window[]): Promise<void>;
  /** Gives everything back. */
  clear(key: string, windows: readonly Window[]): Promise<void>;
}

/** The refusal of a use that was not counted. */
export const exceeded = ({ resetMs, limit }: Budget): AppError =>
  new AppError('rateLimited', { retryAfter: Math.ceil(resetMs / 1000), limit });

/** What a window of a key has seen: uses, and milliseconds until it ends. */
export type Usage = [used: number, resetMs: number];

/** The answer to a use, from what each window has seen of the key afterwards. */
export function budgetOf(windows: readonly Window[], usages: readonly Usage[], exceeded: boolean): Budget {
  const budgets = windows.map(({ limit, seconds }, index) => {
    const [used, resetMs] = usages[index] ?? [0, seconds * 1000];
    return { limit, remaining: Math.max(0, limit - used), resetMs, exceeded };
  });
  // Of two that have as little left, the one that takes longer to be whole again.
  return budgets.reduce((nearest, budget) => {
    const nearer = budget.remaining - nearest.remaining || nearest.resetMs - budget.resetMs;
    return nearer < 0 ? budget : nearest;
  });
}

/** Counters in the memory of this process, or in Redis for several; while Redis is away, in memory again. */
export function createCounters(redis: Redis | undefined, now: () => number): Counters {
  const memory = memoryCounters(now);
  if (!redis) return memory;
  const shared = redisCounters(redis);
  const eitherWay = <T>(use: (counters: Counters) => Promise<T>): Promise<T> =>
    redis.status === 'ready' ? use(shared).catch(() => use(memory)) : use(memory);
  return {
    spend: (key, windows) => eitherWay((counters) => counters.spend(key, windows)),
    peek: (key, windows) => eitherWay((counters) => counters.peek(key, windows)),
    refund: (key, windows) => eitherWay((counters) => counters.refund(key, windows)),
    clear: (key, windows) => eitherWay((counters) => counters.clear(key, windows)),
  };
}
