import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildGateway } from '../../../services/gateway/app.ts';
import type { Counters } from '../../../services/gateway/policy/counters.ts';
import { createCounters } from '../../../services/gateway/policy/counters-fallback.ts';
import { memoryCounters } from '../../../services/gateway/policy/counters-memory.ts';
import { createRedis, redisCounters } from '../../../services/gateway/policy/counters-redis.ts';
import { rateLimited } from '../../fixtures/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { type Answered, postForm, postJson, send } from '../../fixtures/http.ts';
import { freePorts } from '../../fixtures/launcher.ts';
import { loggedIn } from '../../fixtures/members.ts';
import { listen, type Services, startServices, testConfig } from '../../fixtures/services.ts';

const noRedis = spawnSync('redis-server', ['--version']).error !== undefined;
const why = noRedis ? ' (skipped: redis-server is not installed)' : '';

let folder: string;
let port: number;
let server: ChildProcess | undefined;
const url = () => `redis://127.0.0.1:${port}`;

async function startRedis(): Promise<void> {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
  const started = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  server = started;
  await new Promise<void>((resolve, reject) => {
    started.once('error', reject);
    started.stdout.on('data', (chunk) => {
      if (String(chunk).includes('Ready to accept connections')) resolve();
    });
  });
}
async function killRedis(): Promise<void> {
  const running = server;
  server = undefined;
  if (!running) return;
  const ended = new Promise((resolve) => running.once('exit', resolve));
  running.kill('SIGKILL');
  await ended;
}
beforeAll(async () => {
  if (noRedis) return;
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-redis-'));
  [port = 0] = await freePorts(1);
  await startRedis();
});
afterAll(async () => {
  await killRedis();
  if (folder) await rm(folder, { recursive: true, force: true });
});

async function connectRedis(): Promise<Redis> {
  const redis = await createRedis(url(), 1_000);
  redis.on('error', () => {});
  await redis.connect();
  return redis;
}

const kinds = { memory: async () => memoryCounters(Date.now), redis: async () => redisCounters(client) };
let client: Redis;

describe.each(['memory', 'redis'] as const)('counters in %s', (kind) => {
  describe.skipIf(kind === 'redis' && noRedis)(`behave the same${kind === 'redis' ? why : ''}`, () => {
    const MINUTE = { seconds: 60, limit: 3 };
    const HOUR = { seconds: 3_600, limit: 5 };
    let counters: Counters;
    let key: string;
    beforeAll(async () => {
      if (kind === 'redis') client = await connectRedis();
      counters = await kinds[kind]();
    });
    afterAll(() => {
      if (kind === 'redis') client.disconnect();
    });
    beforeEach(() => {
      key = `user:${randomBytes(6).toString('hex')}`;
    });
    /** Milliseconds until the end; real time passes while a test runs. */
    const within = (span: number) => ({
      asymmetricMatch: (left: unknown) => typeof left === 'number' && left > span / 2 && left <= span,
    });
    const whole = { limit: 3, remaining: 3, resetMs: 60_000, exceeded: false };

    test('spend the budget, then refuse', async () => {
      for (const remaining of [2, 1, 0]) {
        const spent = await counters.spend(key, [MINUTE]);
        expect(spent).toEqual({ ...whole, remaining, resetMs: within(60_000), refund: expect.any(Function) });
      }
      for (let time = 0; time < 3; time += 1) {
        expect(await counters.spend(key, [MINUTE])).toEqual({
          ...whole,
          remaining: 0,
          resetMs: within(60_000),
          exceeded: true,
          refund: expect.any(Function),
        });
      }
    });

    test('peek without counting', async () => {
      expect(await counters.peek(key, [MINUTE])).toEqual({ ...whole, resetMs: within(60_000) });
      await counters.spend(key, [MINUTE]);
      for (let time = 0; time < 3; time += 1) {
        expect(await counters.peek(key, [MINUTE])).toEqual({
          ...whole,
          remaining: 2,
          resetMs: within(60_000),
        });
      }
    });

    test('a window does not end early, and ends', async () => {
      const window = { seconds: 0.1, limit: 1 };
      const before = performance.now();
      expect((await counters.spend(key, [window])).exceeded).toBe(false);
      const after = performance.now();
      let refusedAt = after;
      let sentAt = performance.now();
      while ((await counters.spend(key, [window])).exceeded) {
        refusedAt = sentAt;
        sentAt = performance.now();
      }
      expect(performance.now() - before).toBeGreaterThanOrEqual(99);
      expect(refusedAt - after).toBeLessThanOrEqual(101);
    });

    test('a refused use is counted in no window', async () => {
      const { refund } = await counters.spend(key, [MINUTE, HOUR]);
      for (let time = 0; time < 20; time += 1) await (await counters.spend(key, [MINUTE, HOUR])).refund();
      for (let time = 0; time < 20; time += 1) await counters.spend(key, [MINUTE, HOUR]);
      expect(await counters.peek(key, [MINUTE])).toMatchObject({ remaining: 0 });
      expect(await counters.peek(`${key}`, [MINUTE, HOUR])).toMatchObject({ limit: 3, remaining: 0 });
      await refund();
      expect(await counters.spend(key, [MINUTE, HOUR])).toMatchObject({ remaining: 0, exceeded: false });
    });

    test('the window closest to its limit is reported', async () => {
      const windows = [
        { seconds: 60, limit: 10 },
        { seconds: 3_600, limit: 3 },
        { seconds: 86_400, limit: 100 },
      ];
      expect(await counters.spend(key, windows)).toEqual({
        limit: 3,
        remaining: 2,
        resetMs: within(3_600_000),
        exceeded: false,
        refund: expect.any(Function),
      });
    });

    test('reports the spent window that ends last', async () => {
      const windows = [
        { seconds: 60, limit: 1 },
        { seconds: 3_600, limit: 1 },
      ];
      await counters.spend(key, windows);
      expect(await counters.spend(key, windows)).toMatchObject({
        resetMs: within(3_600_000),
        exceeded: true,
      });
    });

    test('a changed limit applies from the next use on', async () => {
      for (let time = 0; time < 3; time += 1) await counters.spend(key, [MINUTE]);
      expect(await counters.spend(key, [{ ...MINUTE, limit: 10 }])).toMatchObject({ remaining: 6 });
      expect(await counters.spend(key, [{ ...MINUTE, limit: 2 }])).toMatchObject({ exceeded: true });
    });

    test('a burst passes exactly the limit', async () => {
      const windows = [{ seconds: 60, limit: 60 }, HOUR, { seconds: 86_400, limit: 30 }];
      const burst = await Promise.all(Array.from({ length: 70 }, () => counters.spend(key, windows)));
      expect(burst.filter(({ exceeded }) => !exceeded)).toHaveLength(5);
    });

    test('each key has its own count', async () => {
      await counters.spend(key, [MINUTE]);
      for (const other of [`${key}:v2`, `${key}}`, `{${key}`, `${key}é 🜁\n`, `${key}|*`]) {
        expect(await counters.peek(other, [MINUTE])).toEqual({ ...whole, resetMs: within(60_000) });
        await counters.spend(other, [MINUTE]);
      }
      expect(await counters.peek(key, [MINUTE])).toMatchObject({ remaining: 2 });
    });

    test('a refund takes back one use and does not extend the window', async () => {
      await counters.spend(key, [MINUTE]);
      await (await counters.spend(key, [MINUTE])).refund();
      expect(await counters.peek(key, [MINUTE])).toMatchObject({ remaining: 2, resetMs: within(60_000) });
      await counters.clear(key, [MINUTE]);
      const burst = await Promise.all(Array.from({ length: 10 }, () => counters.spend(key, [MINUTE])));
      expect(burst.filter(({ exceeded }) => !exceeded)).toHaveLength(3);
    });

    test('a refund of a window that has ended is no credit in the next', async () => {
      const window = { seconds: 0.05, limit: 3 };
      const { refund } = await counters.spend(key, [window]);
      await eventually(async () => expect((await counters.peek(key, [window])).remaining).toBe(3));
      await refund();
      const long = { ...window, seconds: 60 };
      expect(await counters.spend(key, [long])).toMatchObject({ remaining: 2 });
      expect(await counters.peek(key, [window])).toMatchObject({ remaining: kind === 'memory' ? 2 : 3 });
    });

    test('clear resets one key and no other', async () => {
      await counters.spend(key, [MINUTE, HOUR]);
      await counters.spend(`${key}:v2`, [MINUTE, HOUR]);
      await counters.clear(key, [MINUTE, HOUR]);
      expect(await counters.peek(key, [MINUTE, HOUR])).toEqual({ ...whole, resetMs: within(60_000) });
      expect(await counters.peek(`${key}:v2`, [MINUTE, HOUR])).toMatchObject({ remaining: 2 });
      await counters.clear(`${key}:nothing`, [MINUTE]);
    });
  });
});

describe.skipIf(noRedis)(`Redis keys${why}`, () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = await connectRedis();
  });
  afterAll(() => redis.disconnect());

  test('all expire with their windows, also after refunds', async () => {
    await redis.flushall();
    const counters = redisCounters(redis);
    const windows = [
      { seconds: 60, limit: 2 },
      { seconds: 3_600, limit: 2 },
    ];
    for (let time = 0; time < 5; time += 1) await (await counters.spend('user:1', windows)).refund();
    await counters.peek('user:2', windows);
    const keys = (await redis.keys('*')).sort();
    expect(keys).toEqual(['gatehouse:{user:1}:3600', 'gatehouse:{user:1}:60']);
    for (const key of keys) expect(await redis.pttl(key)).toBeGreaterThan(0);
  });

  test('are not used while Redis is not ready, and used again when it is', async () => {
    const window = [{ seconds: 60, limit: 5 }];
    const away = await createRedis(url(), 1_000);
    const counters = createCounters(away, Date.now);
    const key = `user:${randomBytes(6).toString('hex')}`;
    const inMemory = await counters.spend(key, window);
    expect(inMemory).toMatchObject({ remaining: 4 });
    await away.connect();
    expect(await counters.peek(key, window)).toMatchObject({ remaining: 5 });
    const inRedis = await counters.spend(key, window);
    const stored = () => redis.get(`gatehouse:{${key}}:60`);
    expect(await stored()).toBe('1');
    await inMemory.refund();
    expect(await stored()).toBe('1');
    away.disconnect();
    expect(await counters.spend(key, window)).toMatchObject({ remaining: 4 });
    await inRedis.refund();
    expect(await counters.peek(key, window)).toMatchObject({ remaining: 4 });
  });
});

describe.skipIf(noRedis)(`gateways with one Redis${why}`, { timeout: 60_000 }, () => {
  let services: Services;
  const gateways: FastifyInstance[] = [];
  beforeAll(async () => {
    services = await startServices();
  });
  afterAll(() => services.stop());
  afterEach(() => Promise.all(gateways.splice(0).map((gateway) => gateway.close())));

  async function startGateway(env: NodeJS.ProcessEnv = {}, limits = {}): Promise<string> {
    const config = testConfig('gateway', {
      CAPTCHA_PROVIDER: 'none',
      LOGIN_SERVICE_URL: services.login,
      USER_SERVICE_URL: services.user,
      REDIS_URL: url(),
      TRUST_PROXY: 'loopback',
      ...env,
    });
    const gateway = await buildGateway({ config, db: services.db, now: services.clock.now, limits });
    gateways.push(gateway);
    const address = await listen(gateway);
    await redisIs(address, 'up');
    return address;
  }
  const health = async (gateway: string) => {
    const { status, body } = await send(`${gateway}/health`);
    return { status, body };
  };
  const report = (status: string, redis: string) => ({
    status: 200,
    body: { status, service: 'gateway', checks: { mongodb: 'up', login: 'up', user: 'up', redis } },
  });
  const redisIs = (gateway: string, state: 'up' | 'down') =>
    eventually(async () => expect((await health(gateway)).body.checks.redis).toBe(state));

  /** A user with their own bearer and budget. */
  const newUser = (subscription_plan?: string) => loggedIn(services, { subscription_plan });
  const me = (gateway: string, headers: Record<string, string>) =>
    send(`${gateway}/api/v1/users/me`, { headers });
  const passed = (answers: Answered[]) => answers.filter(({ status }) => status === 200).length;
  const remaining = ({ headers }: Answered) => Number(headers.get('x-ratelimit-remaining'));

  test('share a user’s budget: a burst over both passes exactly the limit', async () => {
    const both = [await startGateway(), await startGateway()] as const;
    const { headers } = await newUser('Starter');
    const answers = await Promise.all(
      Array.from({ length: 130 }, (_, turn) => me(both[turn % 2] as string, headers)),
    );
    expect(passed(answers)).toBe(120);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(10);
    for (const { body, headers: told } of refused) {
      const { retry_after } = body.error;
      expect(body).toStrictEqual(rateLimited(120, retry_after, services.clock.now()).body);
      expect(retry_after).toBeGreaterThan(30);
      expect(retry_after).toBeLessThanOrEqual(60);
      expect(told.get('retry-after')).toBe(String(retry_after));
    }
  });

  test('share the budget of an address and the login throttle', async () => {
    const env = { RATE_LIMIT_ANONYMOUS_PER_MINUTE: '5', CAPTCHA_ON_CATALOGUE_LOGIN: 'never' };
    const both = [await startGateway(env), await startGateway(env)] as const;
    const from = { 'x-forwarded-for': '198.51.100.1' };
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, turn) => me(both[turn % 2] as string, from)),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7);

    const many = { ...env, RATE_LIMIT_ANONYMOUS_PER_MINUTE: '1000' };
    const pair = [await startGateway(many), await startGateway(many)] as const;
    const { email } = await newUser();
    const logIn = (turn: number) =>
      postJson(
        `${pair[turn % 2]}/api/v1/auth/login`,
        { email, password: 'wrong' },
        { 'x-forwarded-for': '198.51.100.2' },
      );
    const failures = await Promise.all(Array.from({ length: 30 }, (_, turn) => logIn(turn)));
    expect(failures.filter(({ status }) => status === 401)).toHaveLength(20);
    expect(failures.filter(({ status }) => status === 429)).toHaveLength(10);
  });

  test('count in memory while Redis is down, report it, and share again when it is back', async () => {
    const both = [await startGateway(), await startGateway()] as const;
    const { headers } = await newUser();
    expect(remaining(await me(both[0], headers))).toBe(59);
    expect(remaining(await me(both[1], headers))).toBe(58);
    for (const gateway of both) expect(await health(gateway)).toEqual(report('ok', 'up'));

    await killRedis();
    // From the first call on each gateway counts for itself.
    for (const gateway of both) {
      const answers = await Promise.all(Array.from({ length: 70 }, () => me(gateway, headers)));
      expect(passed(answers)).toBe(60);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
      await redisIs(gateway, 'down');
      expect(await health(gateway)).toEqual(report('degraded', 'down'));
      expect((await send(`${gateway}/health/ready`)).status).toBe(200);
    }

    await startRedis();
    for (const gateway of both) {
      await redisIs(gateway, 'up');
      expect(await health(gateway)).toEqual(report('ok', 'up'));
    }
    expect(remaining(await me(both[0], headers))).toBe(59);
    expect(remaining(await me(both[1], headers))).toBe(58);
  });

  test('start while Redis is down, and connect later', async () => {
    await killRedis();
    const config = testConfig('gateway', {
      CAPTCHA_PROVIDER: 'none',
      LOGIN_SERVICE_URL: services.login,
      USER_SERVICE_URL: services.user,
      REDIS_URL: url(),
    });
    const gateway = await buildGateway({ config, db: services.db, now: services.clock.now });
    gateways.push(gateway);
    const address = await listen(gateway);
    const { headers } = await newUser();
    expect(remaining(await me(address, headers))).toBe(59);
    expect(await health(address)).toEqual(report('degraded', 'down'));
    await startRedis();
    await redisIs(address, 'up');
    expect(remaining(await me(address, headers))).toBe(59);
  });

  test('share the login throttle of the Direct contract', async () => {
    const env = { RATE_LIMIT_ANONYMOUS_PER_MINUTE: '1000' };
    const both = [await startGateway(env), await startGateway(env)] as const;
    const { email } = await newUser();
    const guess = (turn: number) => postForm(`${both[turn % 2]}/v2/login`, { email, password: 'wrong' });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, turn) => guess(turn)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(30);
    const retryAfter = Number((await guess(0)).headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(150);
    expect(retryAfter).toBeLessThanOrEqual(300);
  });

  test('answer every call while Redis dies', async () => {
    const gateway = await startGateway();
    const { headers } = await newUser('Business');
    const calls = Promise.all(Array.from({ length: 200 }, () => me(gateway, headers)));
    await killRedis();
    expect(passed(await calls)).toBe(200);
    await startRedis();
  });

  test('answer while Redis hangs', async () => {
    const gateway = await startGateway({}, { redis: 200 });
    const { headers } = await newUser();
    expect((await me(gateway, headers)).status).toBe(200);
    server?.kill('SIGSTOP');
    const answers = await Promise.all(Array.from({ length: 5 }, () => me(gateway, headers)));
    const seen = await health(gateway);
    server?.kill('SIGCONT');
    expect(passed(answers)).toBe(5);
    expect(seen).toEqual(report('degraded', 'down'));
    await redisIs(gateway, 'up');
  });
});
