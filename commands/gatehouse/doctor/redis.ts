import { clockFinding } from '@gatehouse/shared/checks/clock';
import { type Finding, ok, warn } from '@gatehouse/shared/checks/finding';
import type { Config } from '@gatehouse/shared/config';
import { Redis } from 'ioredis';

const TIMEOUT = 5_000;

/** Whether the gateways can share their counters, and agree with their clock. @param now returns Unix milliseconds. */
export async function checkRedis(
  { REDIS_URL }: Config<'gateway'>,
  now: () => number = Date.now,
): Promise<Finding[]> {
  if (REDIS_URL === undefined)
    return [ok('Redis', 'not used: each gateway counts for itself, which is right for one gateway')];
  const redis = new Redis(REDIS_URL, {
    lazyConnect: true,
    connectTimeout: TIMEOUT,
    retryStrategy: () => null,
  });
  // Without a listener, the client writes errors to the console.
  redis.on('error', () => {});
  try {
    await redis.connect();
    const asked = now();
    const [seconds, microseconds] = await redis.time();
    const said = Number(seconds) * 1_000 + Number(microseconds) / 1_000;
    return [ok('Redis', 'answers'), clockFinding('Redis clock', { asked, answered: now(), said })];
  } catch (error) {
    const advice = 'check REDIS_URL and that Redis runs; until then each gateway counts limits for itself';
    return [warn('Redis', `does not answer: ${(error as Error).message}`, advice)];
  } finally {
    redis.disconnect();
  }
}
