import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { memoryCounters } from '../../../services/gateway/policy/counters-memory.ts';
import { testClock } from '../../fixtures/clock.ts';
import { smallCounters } from '../../fixtures/counters.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { gatewayDatabase, startGateway, startHttp, startUpstream } from '../../fixtures/gateway.ts';
import { postForm } from '../../fixtures/http.ts';

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let database: Awaited<ReturnType<typeof gatewayDatabase>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
const clock = testClock();
/** Failures before a refusal: 20 in production. */
const LIMIT = 4;
const counters = smallCounters({ now: clock.now, divisor: 20 / LIMIT });
const start = (options: Parameters<typeof startGateway>[0] = {}) =>
  startGateway({
    database: database.db,
    clock,
    counters,
    ...options,
    env: {
      LOGIN_SERVICE_URL: upstream.url,
      TRUST_PROXY: 'loopback',
      RATE_LIMIT_ANONYMOUS_PER_MINUTE: '100000',
      ...options.env,
    },
  });
beforeAll(async () => {
  [database, upstream] = await Promise.all([gatewayDatabase(), startUpstream()]);
  gateway = await start();
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([upstream.stop(), database.drop()]);
});
beforeEach(() => {
  counters.reset();
  upstream.received.length = 0;
});

/** Sets the login service's response. */
const says = (status: number) => {
  upstream.answer.status = status;
  upstream.answer.body = `{"detail":"the service's ${status}"}`;
};
const passed = (status: number) => ({ status, body: { detail: `the service's ${status}` } });
const throttled = { status: 429, body: { detail: 'Too many requests' } };

const attempt = (email = 'ada@example.com', address = '198.51.100.1', { url } = gateway) =>
  postForm(`${url}/v2/login`, { email, password: 'guess' }, { 'x-forwarded-for': address });
async function login(email?: string, address?: string) {
  const { status, body } = await attempt(email, address);
  return { status, body };
}
async function fail(times: number, email?: string, address?: string) {
  for (let time = 0; time < times; time += 1) expect(await login(email, address)).toStrictEqual(passed(401));
}

describe('failures of one account from one address', () => {
  test.each([401, 404])('returns 429 without calling the service after twenty times %i', async (status) => {
    const front = await start({ counters: memoryCounters(clock.now) });
    says(status);
    for (let time = 0; time < 20; time += 1)
      expect(outcome(await attempt(undefined, undefined, front))).toStrictEqual(passed(status));
    const answer = await attempt(undefined, undefined, front);
    expect(outcome(answer)).toStrictEqual(throttled);
    expect(answer.headers.get('retry-after')).toBe('300');
    expect(upstream.received).toHaveLength(20);
    await front.stop();
  });

  test('Retry-After counts down from the first failure, then as many attempts are allowed again', async () => {
    says(401);
    await fail(1);
    gateway.clock.advance(100.5);
    await fail(LIMIT - 1);
    expect((await attempt()).headers.get('retry-after')).toBe('200');
    gateway.clock.advance(199);
    expect((await attempt()).headers.get('retry-after')).toBe('1');
    gateway.clock.advance(0.5);
    await fail(LIMIT);
    expect(await login()).toStrictEqual(throttled);
  });

  test('refuses the right password too while the budget is spent', async () => {
    says(401);
    await fail(LIMIT);
    says(200);
    expect(await login()).toStrictEqual(throttled);
  });

  test('counts every spelling of an account together', async () => {
    says(401);
    const spellings = ['ada@example.com', 'ADA@EXAMPLE.COM', ' Ada@Example.com ', 'ada@example.com\t'];
    for (const email of spellings) await fail(1, email);
    for (const email of spellings) expect(await login(email)).toStrictEqual(throttled);
  });

  test('counts an account that only looks alike separately', async () => {
    says(401);
    await fail(LIMIT, 'kate@example.com');
    expect(await login('\u212aate@example.com')).toStrictEqual(passed(401));
  });

  test.each<[string, string, string]>([
    ['another account', 'grace@example.com', '198.51.100.1'],
    ['another address', 'ada@example.com', '198.51.100.2'],
    ['an IPv6 address', 'ada@example.com', '2001:db8::1'],
  ])('counts %s separately', async (_, email, address) => {
    says(401);
    await fail(LIMIT);
    await fail(LIMIT, email, address);
    expect(await login(email, address)).toStrictEqual(throttled);
    expect(await login()).toStrictEqual(throttled);
  });

  test('counts an IPv6 /64 as one address, and a mapped IPv4 address as IPv4', async () => {
    says(401);
    await fail(LIMIT / 2, undefined, '2001:db8::1');
    await fail(LIMIT / 2, undefined, '2001:db8::ffff:1');
    expect(await login(undefined, '2001:db8:0:0:abcd::')).toStrictEqual(throttled);
    await fail(1, undefined, '2001:db8:0:1::1');
    await fail(LIMIT);
    expect(await login(undefined, '::ffff:198.51.100.1')).toStrictEqual(throttled);
  });

  test('counts 4 times as many for an IPv6 /56 and 16 times for a /48', async () => {
    says(401);
    const reaching = async (count: number, apart: number) => {
      const addresses = Array.from({ length: count }, (_, index) => (index * apart).toString(16));
      const answers = await Promise.all(addresses.map((group) => login(undefined, `2001:db8:0:${group}::1`)));
      return answers.filter(({ status }) => status === 401).length;
    };
    expect(await reaching(20, 1)).toBe(4 * LIMIT);
    expect(await reaching(60, 256)).toBe((16 - 4) * LIMIT);
    expect(await login(undefined, '2001:db8:1::1')).toStrictEqual(passed(401));
  });

  test('never maps two pairs to the same key', async () => {
    says(401);
    await fail(LIMIT, 'ada@example.com|198.51.100.1', '198.51.100.9');
    expect(await login('ada@example.com')).toStrictEqual(passed(401));
  });

  test('are cleared by a success', async () => {
    says(401);
    await fail(LIMIT - 1);
    says(200);
    expect(await login()).toStrictEqual(passed(200));
    says(401);
    await fail(LIMIT);
    expect(await login()).toStrictEqual(throttled);
  });

  test.each([400, 403, 429, 500, 503])('do not include a %i of the service', async (status) => {
    says(status);
    for (let time = 0; time <= LIMIT; time += 1) expect(await login()).toStrictEqual(passed(status));
    says(401);
    await fail(LIMIT);
    expect(await login()).toStrictEqual(throttled);
  });

  test('do not include a service that does not answer', async () => {
    upstream.answer.headers = { 'content-type': 'text/html' };
    for (let time = 0; time <= LIMIT; time += 1) expect((await login()).status).toBe(503);
    upstream.answer.headers = { 'content-type': 'application/json' };
    says(401);
    await fail(LIMIT);
  });

  test('do not include a form that the gateway refuses', async () => {
    says(401);
    for (let time = 0; time <= LIMIT; time += 1) {
      expect((await postForm(`${gateway.url}/v2/login`, { email: 'ada@example.com' })).status).toBe(400);
    }
    await fail(LIMIT);
  });

  test('do not throttle other operations for the account', async () => {
    says(401);
    await fail(LIMIT);
    const answer = await postForm(`${gateway.url}/v2/forgot-password`, { email: 'ada@example.com' });
    expect(answer.status).not.toBe(429);
  });
});

describe('ten logins at once', () => {
  const burst = () => Promise.all(Array.from({ length: 10 }, () => login()));

  test('with wrong passwords: exactly as many as may fail reach the service', async () => {
    says(401);
    const answers = await burst();
    expect(upstream.received).toHaveLength(LIMIT);
    expect(answers.filter(({ status }) => status === 401)).toStrictEqual(Array(LIMIT).fill(passed(401)));
    expect(answers.filter(({ status }) => status === 429)).toStrictEqual(Array(10 - LIMIT).fill(throttled));
  });

  test.each([403, 503])(
    'answered with %i only after all have arrived: no refused attempt counts as a failure',
    async (status) => {
      const released = Promise.withResolvers<void>();
      let reached = 0;
      let refused = 0;
      const slow = await startHttp(async (_request, response) => {
        reached += 1;
        await released.promise;
        response.writeHead(status, { 'content-type': 'application/json' }).end('{"detail":"held"}');
      });
      const front = await start({ env: { LOGIN_SERVICE_URL: slow.url } });
      const guess = () => postForm(`${front.url}/v2/login`, { email: 'ada@example.com', password: 'x' });
      const calls = Array.from({ length: 10 }, async () => {
        const answer = await guess();
        if (answer.status === 429) {
          refused += 1;
          expect(answer.headers.get('retry-after')).toBe('1');
        }
        return answer.status;
      });
      await eventually(() => expect([reached, refused]).toStrictEqual([LIMIT, 10 - LIMIT]));
      released.resolve();
      const statuses = [...Array(LIMIT).fill(status), ...Array(10 - LIMIT).fill(429)];
      expect((await Promise.all(calls)).toSorted()).toStrictEqual(statuses.toSorted());
      for (let time = 0; time <= LIMIT; time += 1) expect((await guess()).status).toBe(status);
      await front.stop();
      await slow.stop();
    },
  );
});

test('RATE_LIMIT=off does not lift the login throttle', async () => {
  const front = await start({ env: { RATE_LIMIT: 'off' } });
  says(401);
  const statuses: number[] = [];
  for (let time = 0; time <= LIMIT; time += 1) {
    statuses.push((await postForm(`${front.url}/v2/login`, { email: 'a@b', password: 'x' })).status);
  }
  expect(statuses).toStrictEqual([...Array(LIMIT).fill(401), 429]);
  await front.stop();
});
