import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

export interface Budget {
  limit: number;
  remaining: number;
  /** Milliseconds until the window ends and the budget is whole again. */
  resetMs: number;
  exceeded: boolean;
}

/** Counts uses of a key within a window that begins with the first of them. */
interface Counter {
  /** Takes one use; a call that finds the budget spent counts as well, until it is refunded. */
  spend(key: string): Promise<Budget>;
  /** What is left, taking nothing. */
  peek(key: string): Promise<Budget>;
  /** Gives one use back, if there is one: what was cleared or has run out meanwhile is no credit. */
  refund(key: string): Promise<void>;
  /** Gives the whole budget back. */
  clear(key: string): Promise<void>;
}

export type Counters = (name: string, window: { points: number; duration: number }) => Counter;

/** Counters in the memory of this process, or in Redis for several; while Redis is away, in memory again. */
export function createCounters(redis: Redis | undefined): Counters {
  return (name, { points, duration }) => {
    const window = { keyPrefix: `gatehouse:${name}`, points, duration };
    const memory = new RateLimiterMemory(window);
    const limiter = redis
      ? new RateLimiterRedis({ ...window, storeClient: redis, insuranceLimiter: memory })
      : memory;
    const budget = (used: RateLimiterRes | null): Budget => ({
      limit: points,
      remaining: used ? Math.max(0, used.remainingPoints) : points,
      resetMs: used ? used.msBeforeNext : duration * 1000,
      exceeded: false,
    });
    return {
      async spend(key) {
        try {
          return budget(await limiter.consume(key));
        } catch (refused) {
          if (refused instanceof RateLimiterRes) return { ...budget(refused), exceeded: true };
          throw refused;
        }
      },
      peek: async (key) => budget(await limiter.get(key)),
      async refund(key) {
        const { consumedPoints } = await limiter.reward(key);
        if (consumedPoints < 0) await limiter.delete(key);
      },
      clear: async (key) => void (await limiter.delete(key)),
    };
  };
}

/** A connection that fails fast instead of queueing while Redis is away; `connect()` it. */
export const createRedis = (url: string): Redis =>
  new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: 1_000,
  });
