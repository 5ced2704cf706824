import { tierOf, UNLIMITED } from '@gatehouse/shared/access/tiers';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { FastifyInstance } from 'fastify';
import type { WithId } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildGateway } from '../../../services/gateway/app.ts';
import { COLLECTIONS } from '../../../services/gateway/database.ts';
import type { Counters } from '../../../services/gateway/policy/counters.ts';
import { memoryCounters } from '../../../services/gateway/policy/counters-memory.ts';
import type { Clock } from '../../fixtures/clock.ts';
import { testClock } from '../../fixtures/clock.ts';
import { freshDatabase } from '../../fixtures/database.ts';
import { rateLimited } from '../../fixtures/envelope.ts';
import { startUpstream } from '../../fixtures/gateway.ts';
import { type Answered, postForm, send } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { listen, testConfig } from '../../fixtures/services.ts';

/** CONTRACT.md §Rate tiers. */
const TABLE: [plan: string | undefined, minute: number, hour: number, day: number][] = [
  [undefined, 60, 1_000, 10_000],
  ['Free', 60, 1_000, 10_000],
  ['Free Trial', 60, 1_000, 10_000],
  ['Starter', 120, 5_000, 50_000],
  ['Professional', 300, 15_000, 200_000],
  ['Business', 600, 30_000, 500_000],
];

describe('the tier of a plan', () => {
  test.each(TABLE)('%s', (plan, minute, hour, day) => {
    expect(tierOf(plan)).toEqual([
      { seconds: 60, limit: minute },
      { seconds: 3_600, limit: hour },
      { seconds: 86_400, limit: day },
    ]);
  });

  test('Enterprise has no windows, and shows the highest 32-bit number', () => {
    expect(tierOf('Enterprise')).toEqual([]);
    expect(UNLIMITED).toBe(2_147_483_647);
  });

  test.each([
    'enterprise',
    'ENTERPRISE',
    ' Enterprise',
    'Platinum',
    '',
    '__proto__',
    'constructor',
    'toString',
  ])('an unknown plan is Free Trial: %j', (plan) => {
    expect(tierOf(plan)).toEqual(tierOf('Free'));
  });
  test.each([null, 5, {}, true])('a plan that is not a string is Free Trial: %j', (plan) => {
    expect(tierOf(plan as unknown as string)).toEqual(tierOf('Free'));
  });
});

describe('a user’s budget', () => {
  let fresh: Awaited<ReturnType<typeof freshDatabase<typeof COLLECTIONS>>>;
  let platform: Awaited<ReturnType<typeof startUpstream>>;
  let clock: Clock;
  const gateways: FastifyInstance[] = [];
  let gateway: string;
  /** The counters of the gateway that was started last. */
  let counters: Counters;
  beforeAll(async () => {
    [fresh, platform] = await Promise.all([freshDatabase(COLLECTIONS), startUpstream()]);
  });
  beforeEach(async () => {
    clock = testClock();
    gateway = await startGateway();
  });
  afterEach(async () => {
    await Promise.all(gateways.splice(0).map((each) => each.close()));
    platform.received.length = 0;
  });
  afterAll(async () => {
    await platform.stop();
    await fresh.drop();
  });

  async function startGateway(env: NodeJS.ProcessEnv = {}): Promise<string> {
    const config = testConfig('gateway', {
      CAPTCHA_PROVIDER: 'none',
      TRUST_PROXY: 'loopback',
      LOGIN_SERVICE_URL: platform.url,
      USER_SERVICE_URL: platform.url,
      UPSTREAM_PAYMENT: platform.url,
      RATE_LIMIT_ANONYMOUS_PER_MINUTE: '5',
      ...env,
    });
    counters = memoryCounters(clock.now);
    const app = await buildGateway({ config, db: fresh.db, now: clock.now, counters });
    gateways.push(app);
    return listen(app);
  }

  const newUser = (subscription_plan?: unknown) => newMember(fresh.db, { subscription_plan });
  /** A new bearer of the user. */
  const bearer = (user: User) => ({
    authorization: bearerOf(user, clock.now(), { lifetime: 3600 }),
  });
  const call = (headers: Record<string, string>, path = '/api/v1/payment/invoices', where = gateway) =>
    send(where + path, { headers });
  const burst = (count: number, headers: Record<string, string>, path?: string) =>
    Promise.all(Array.from({ length: count }, () => call(headers, path)));
  const having = (answers: Answered[], status: number) => answers.filter((each) => each.status === status);
  const budgetIn = ({ headers }: Answered) =>
    ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));
  const tooMany = (retry_after: number, limit: number) => rateLimited(limit, retry_after, clock.now()).body;
  /** Spends a number of calls, a minute's worth each minute, in the gateway's own counters. */
  async function spend(total: number, user: WithId<User>): Promise<void> {
    const windows = tierOf(user.subscription_plan);
    for (let done = 0; done < total; done += 60) {
      clock.advance(60);
      const calls = Array.from({ length: Math.min(60, total - done) }, () =>
        counters.spend(`user:${user._id.toHexString()}`, windows),
      );
      const budgets = await Promise.all(calls);
      expect(budgets.some(({ exceeded }) => exceeded)).toBe(false);
    }
  }

  test.each([
    ['Free', 60],
    ['Starter', 120],
  ])('%s: a burst passes exactly the limit of the minute', async (plan, minute) => {
    const user = await newUser(plan);
    const reset = clock.seconds() + 60;
    const answers = await burst(minute + 10, bearer(user));
    const [passed, refused] = [having(answers, 200), having(answers, 429)];
    expect([passed.length, refused.length]).toEqual([minute, 10]);
    expect(platform.received).toHaveLength(minute);
    expect(passed.map((answer) => budgetIn(answer)[1]).sort((a = 0, b = 0) => a - b)).toEqual(
      Array.from({ length: minute }, (_, left) => left),
    );
    for (const answer of [...passed, ...refused]) {
      expect([budgetIn(answer)[0], budgetIn(answer)[2]]).toEqual([minute, reset]);
    }
    for (const answer of refused) {
      expect(answer.body).toStrictEqual(tooMany(60, minute));
      expect(Object.keys(answer.body.error)).toEqual(['code', 'message', 'retry_after', 'limit', 'reset_at']);
      expect(answer.headers.get('retry-after')).toBe('60');
      expect(budgetIn(answer)[1]).toBe(0);
    }
    clock.advance(59.999);
    const last = await call(bearer(user));
    expect([last.status, last.body]).toEqual([429, tooMany(1, minute)]);
    clock.advance(0.001);
    expect((await call(bearer(user))).status).toBe(200);
  });

  test('reports the hour when it is closer to its limit, and refuses when it is spent', async () => {
    const user = await newUser('Free');
    const began = clock.seconds();
    expect(budgetIn(await call(bearer(user)))).toEqual([60, 59, began + 60]);
    await spend(958, user);
    clock.advance(60);
    // The hour has 40 of 1,000 left, less than the minute's 60.
    expect(budgetIn(await call(bearer(user)))).toEqual([1_000, 40, began + 3_600]);
    const answers = await burst(50, bearer(user));
    expect([having(answers, 200).length, having(answers, 429).length]).toEqual([40, 10]);
    const retry = began + 3_600 - clock.seconds();
    for (const { body } of having(answers, 429)) expect(body).toStrictEqual(tooMany(retry, 1_000));
    // Refused calls are not counted in the minute.
    clock.advance(retry);
    expect(budgetIn(await call(bearer(user)))).toEqual([60, 59, clock.seconds() + 60]);
  });

  test('refuses when the day is spent', async () => {
    const user = await newUser('Free');
    const began = clock.seconds();
    expect((await call(bearer(user))).status).toBe(200);
    for (let hour = 1; hour <= 9; hour += 1) {
      await spend(hour === 1 ? 999 : 1_000, user);
      clock.advance(3_600);
    }
    await spend(999, user);
    clock.advance(60);
    expect(budgetIn(await call(bearer(user)))).toEqual([10_000, 0, began + 86_400]);
    const answer = await call(bearer(user));
    const retry = began + 86_400 - clock.seconds();
    expect([answer.status, answer.body]).toEqual([429, tooMany(retry, 10_000)]);
    clock.advance(retry);
    expect(budgetIn(await call(bearer(user)))).toEqual([60, 59, clock.seconds() + 60]);
  });

  test('never refuses Enterprise, and shows 2147483647', async () => {
    const user = await newUser('Enterprise');
    const answers = await burst(130, bearer(user));
    expect(having(answers, 200)).toHaveLength(130);
    for (const answer of answers) {
      expect(budgetIn(answer)).toStrictEqual([2_147_483_647, 2_147_483_647, clock.seconds() + 60]);
    }
  });

  test('follows a change of plan in the database, up and down', async () => {
    const user = await newUser('Free');
    const change = async (subscription_plan: string) => {
      await fresh.db.users.updateOne({ email: user.email }, { $set: { subscription_plan } });
      clock.advance(1); // PRINCIPAL_CACHE_MS
    };
    const headers = bearer(user);
    expect(having(await burst(70, headers), 200)).toHaveLength(60);
    await change('Starter');
    const [limit, remaining] = budgetIn(await call(headers));
    expect([limit, remaining]).toEqual([120, 59]);
    await change('Enterprise');
    expect(budgetIn(await call(headers))[0]).toBe(2_147_483_647);
    await change('Free');
    const answer = await call(headers);
    expect([answer.status, answer.body]).toEqual([429, tooMany(57, 60)]);
    await fresh.db.users.updateOne({ email: user.email }, { $unset: { subscription_plan: true } });
    clock.advance(57);
    expect(budgetIn(await call(headers))[0]).toBe(60);
  });

  test.each([null, 5, 'enterprise', { $gt: '' }])('is that of Free Trial for the plan %j', async (plan) => {
    expect(budgetIn(await call(bearer(await newUser(plan))))[0]).toBe(60);
  });

  test('ignores forged plan and identity headers', async () => {
    const [user, rich] = [await newUser('Free'), await newUser('Enterprise')];
    const forged = {
      ...bearer(user),
      'x-user-id': String(rich.user_id),
      'x-user-email': rich.email,
      'x-user-plan': 'Enterprise',
      'x-subscription-plan': 'Enterprise',
      'x-ratelimit-limit': '999999',
      'x-internal-role': 'admin',
      cookie: 'plan=Enterprise',
    };
    const answer = await call(forged, '/api/v1/payment/invoices?subscription_plan=Enterprise');
    expect(budgetIn(answer)).toStrictEqual([60, 59, clock.seconds() + 60]);
    expect(platform.received[0]?.headers).toMatchObject({
      'x-user-id': user.user_id,
      'x-user-email': user.email,
      'x-user-plan': 'Free',
    });
    expect(platform.received[0]?.headers).not.toHaveProperty('x-internal-role');
    expect(having(await burst(69, forged), 200)).toHaveLength(59);
  });

  test('covers all tokens and addresses of the user, and no other user', async () => {
    const [ada, grace] = [await newUser(), await newUser()];
    const answers = await Promise.all(
      Array.from({ length: 70 }, (_, host) =>
        call({ ...bearer(ada), 'x-forwarded-for': `198.51.100.${host}` }),
      ),
    );
    expect(having(answers, 200)).toHaveLength(60);
    expect(budgetIn(await call(bearer(grace)))[1]).toBe(59);
  });

  test('is separate from that of the address', async () => {
    const user = await newUser();
    for (const left of [4, 3, 2, 1, 0]) expect(budgetIn(await call({}))[1]).toBe(left);
    expect((await call({})).status).toBe(429);
    expect((await call({ authorization: 'Bearer x' })).status).toBe(429);
    expect(budgetIn(await call(bearer(user)))).toEqual([60, 59, clock.seconds() + 60]);
    expect((await call({})).status).toBe(429);
  });

  test('is 100 a minute under /v2, whatever the plan, apart from the catalogue’s', async () => {
    const forgot = (headers: Record<string, string>) =>
      postForm(`${gateway}/v2/forgot-password`, { email: 'ada@example.com' }, headers);
    for (const plan of [undefined, 'Enterprise']) {
      const headers = bearer(await newUser(plan));
      const answers = await Promise.all(Array.from({ length: 110 }, () => forgot(headers)));
      expect([having(answers, 200).length, having(answers, 429).length]).toEqual([100, 10]);
      for (const answer of having(answers, 429)) {
        expect(answer.body).toStrictEqual({ detail: 'Too many requests' });
        expect(answer.headers.get('retry-after')).toBe('60');
        expect(budgetIn(answer)).toStrictEqual([100, 0, clock.seconds() + 60]);
      }
      expect((await call(headers)).status).toBe(200);
    }
  });

  test('counts calls that fail too', async () => {
    const headers = bearer(await newUser());
    const spent = [
      await call(headers, '/api/v1/nothing'),
      await call(headers, '/api/v1/selection/x'),
      await call({ ...headers, 'api-version': 'v9' }),
      await call(headers, '/api/v1/payment/%2e%2e/x'),
    ];
    expect(spent.map(({ status }) => status)).toEqual([404, 503, 400, 404]);
    expect(spent.map((answer) => budgetIn(answer)[1])).toEqual([59, 58, 57, 56]);
  });

  test('is shown but not enforced with RATE_LIMIT=off', async () => {
    const where = await startGateway({ RATE_LIMIT: 'off' });
    const headers = bearer(await newUser());
    const answers = await Promise.all(Array.from({ length: 70 }, () => call(headers, undefined, where)));
    expect(having(answers, 200)).toHaveLength(70);
    for (const answer of answers) expect(budgetIn(answer)).toStrictEqual([60, 60, clock.seconds() + 60]);
  });
});
