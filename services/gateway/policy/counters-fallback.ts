import type { Redis } from 'ioredis';
import type { Counters } from './counters.ts';
import { memoryCounters } from './counters-memory.ts';
import { redisCounters } from './counters-redis.ts';

/** Counters in Redis, and in memory while Redis is down or not configured. */
export function createCounters(redis: Redis | undefined, now: () => number): Counters {
  const memory = memoryCounters(now);
  if (!redis) return memory;
  const shared = redisCounters(redis);
  const withFallback = <T>(use: (counters: Counters) => Promise<T>): Promise<T> =>
    redis.status === 'ready' ? use(shared).catch(() => use(memory)) : use(memory);
  return {
    async spend(key, windows) {
      const spent = await withFallback((counters) => counters.spend(key, windows));
      // What Redis has counted stays counted if it is down now.
      return { ...spent, refund: () => spent.refund().catch(() => {}) };
    },
    peek: (key, windows) => withFallback((counters) => counters.peek(key, windows)),
    clear: (key, windows) => withFallback((counters) => counters.clear(key, windows)),
  };
}
