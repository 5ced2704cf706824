import { Redis } from 'ioredis';
import { budgetOf, type Counters, type Usage, type Window } from './counters.ts';

/**
 * Every window of a key is a Redis key that expires with it. KEYS: the windows; ARGV: `spend`, `peek` or `refund`,
 * then limit and milliseconds of each. Answers whether the use was refused, then uses and time left of each.
 */
const SCRIPT = `
local refused = 0
local answer = {0}
for i = 1, #KEYS do
  if ARGV[1] == 'spend' and tonumber(redis.call('GET', KEYS[i]) or 0) >= tonumber(ARGV[2 * i]) then refused = 1 end
end
for i = 1, #KEYS do
  local span = tonumber(ARGV[2 * i + 1])
  if ARGV[1] == 'spend' and refused == 0 then
    if redis.call('INCR', KEYS[i]) == 1 then redis.call('PEXPIRE', KEYS[i], span) end
  elseif ARGV[1] == 'refund' and tonumber(redis.call('GET', KEYS[i]) or 0) > 0 then
    redis.call('DECR', KEYS[i])
  end
  local left = redis.call('PTTL', KEYS[i])
  answer[2 * i] = tonumber(redis.call('GET', KEYS[i]) or 0)
  answer[2 * i + 1] = left > 0 and left or span
end
answer[1] = refused
return answer
`;

type Script = (keys: number, ...args: (string | number)[]) => Promise<[refused: number, ...usages: number[]]>;

/** Counters that several gateways share. A call is one script and so atomic. */
export function redisCounters(redis: Redis): Counters {
  redis.defineCommand('gatehouseCount', { lua: SCRIPT });
  const script = (redis as unknown as { gatehouseCount: Script }).gatehouseCount.bind(redis);
  const names = (key: string, windows: readonly Window[]) =>
    windows.map(({ seconds }) => `gatehouse:{${key}}:${seconds}`);
  const run = async (what: 'spend' | 'peek' | 'refund', key: string, windows: readonly Window[]) => {
    const limits = windows.flatMap(({ limit, seconds }) => [limit, seconds * 1000]);
    const [refused, ...flat] = await script(windows.length, ...names(key, windows), what, ...limits);
    const usages = windows.map((_, index): Usage => [flat[2 * index] ?? 0, flat[2 * index + 1] ?? 0]);
    return budgetOf(windows, usages, refused === 1);
  };
  return {
    spend: (key, windows) => run('spend', key, windows),
    peek: (key, windows) => run('peek', key, windows),
    refund: async (key, windows) => void (await run('refund', key, windows)),
    clear: async (key, windows) => void (await redis.del(...names(key, windows))),
  };
}

export const createRedis = (url: string): Redis =>
  new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: 1_000,
  });
