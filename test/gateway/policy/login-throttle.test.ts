import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../fixtures/eventually.ts';
import { gatewayDatabase, startGateway, startHttp, startUpstream } from '../../fixtures/gateway.ts';
import { postForm } from '../../fixtures/http.ts';

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let database: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  database = await gatewayDatabase();
});
afterAll(() => database.drop());
/** Each test has a gateway with new counters. */
beforeEach(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    database: database.db,
    env: {
      LOGIN_SERVICE_URL: upstream.url,
      TRUST_PROXY: 'loopback',
      RATE_LIMIT_ANONYMOUS_PER_MINUTE: '100000',
    },
  });
});
afterEach(async () => {
  await gateway.stop();
  await upstream.stop();
});

/** Sets the login service's response. */
const says = (status: number) => {
  upstream.answer.status = status;
  upstream.answer.body = `{"detail":"the service's ${status}"}`;
};
const passed = (status: number) => ({ status, body: { detail: `the service's ${status}` } });
const throttled = { status: 429, body: { detail: 'Too many requests' } };

const attempt = (email = 'ada@example.com', address = '198.51.100.1') =>
  postForm(`${gateway.url}/v2/login`, { email, password: 'guess' }, { 'x-forwarded-for': address });
async function login(email?: string, address?: string) {
  const { status, body } = await attempt(email, address);
  return { status, body };
}
async function fail(times: number, email?: string, address?: string) {
  for (let time = 0; time < times; time += 1) expect(await login(email, address)).toEqual(passed(401));
}

describe('failures of one account from one address', () => {
  test.each([401, 404])('returns 429 without calling the service after twenty times %i', async (status) => {
    says(status);
    for (let time = 0; time < 20; time += 1) expect(await login()).toEqual(passed(status));
    const { headers, ...answer } = await attempt();
    expect(answer).toEqual(throttled);
    expect(headers.get('retry-after')).toBe('300');
    expect(upstream.received).toHaveLength(20);
  });

  test('Retry-After counts down from the first failure, then twenty attempts are allowed again', async () => {
    says(401);
    await fail(1);
    gateway.clock.advance(100.5);
    await fail(19);
    expect((await attempt()).headers.get('retry-after')).toBe('200');
    gateway.clock.advance(199);
    expect((await attempt()).headers.get('retry-after')).toBe('1');
    gateway.clock.advance(0.5);
    await fail(20);
    expect(await login()).toEqual(throttled);
  });

  test('refuses the right password too while the budget is spent', async () => {
    says(401);
    await fail(20);
    says(200);
    expect(await login()).toEqual(throttled);
  });

  test('counts every spelling of an account together', async () => {
    says(401);
    const spellings = ['ada@example.com', 'ADA@EXAMPLE.COM', ' Ada@Example.com ', 'ada@example.com\t'];
    for (let time = 0; time < 5; time += 1) for (const email of spellings) await fail(1, email);
    for (const email of spellings) expect(await login(email)).toEqual(throttled);
  });

  test('counts an account that only looks alike separately', async () => {
    says(401);
    await fail(20, 'kate@example.com');
    expect(await login('\u212aate@example.com')).toEqual(passed(401));
  });

  test.each<[string, string, string]>([
    ['another account', 'grace@example.com', '198.51.100.1'],
    ['another address', 'ada@example.com', '198.51.100.2'],
    ['an IPv6 address', 'ada@example.com', '2001:db8::1'],
  ])('counts %s separately', async (_, email, address) => {
    says(401);
    await fail(20);
    await fail(20, email, address);
    expect(await login(email, address)).toEqual(throttled);
    expect(await login()).toEqual(throttled);
  });

  test('counts an IPv6 /64 as one address, and a mapped IPv4 address as IPv4', async () => {
    says(401);
    await fail(10, undefined, '2001:db8::1');
    await fail(10, undefined, '2001:db8::ffff:1');
    expect(await login(undefined, '2001:db8:0:0:abcd::')).toEqual(throttled);
    await fail(1, undefined, '2001:db8:0:1::1');
    await fail(20);
    expect(await login(undefined, '::ffff:198.51.100.1')).toEqual(throttled);
  });

  test('counts 4 times as many for an IPv6 /56 and 16 times for a /48', async () => {
    says(401);
    const reaching = async (count: number, apart: number) => {
      const addresses = Array.from({ length: count }, (_, index) => (index * apart).toString(16));
      const answers = await Promise.all(addresses.map((group) => login(undefined, `2001:db8:0:${group}::1`)));
      return answers.filter(({ status }) => status === 401).length;
    };
    expect(await reaching(100, 1)).toBe(80);
    expect(await reaching(256, 256)).toBe(320 - 80);
    expect(await login(undefined, '2001:db8:1::1')).toEqual(passed(401));
  });

  test('never maps two pairs to the same key', async () => {
    says(401);
    await fail(20, 'ada@example.com|198.51.100.1', '198.51.100.9');
    expect(await login('ada@example.com')).toEqual(passed(401));
  });

  test('are cleared by a success', async () => {
    says(401);
    await fail(19);
    says(200);
    expect(await login()).toEqual(passed(200));
    says(401);
    await fail(20);
    expect(await login()).toEqual(throttled);
  });

  test.each([400, 403, 429, 500, 503])('do not include a %i of the service', async (status) => {
    says(status);
    for (let time = 0; time < 25; time += 1) expect(await login()).toEqual(passed(status));
    says(401);
    await fail(20);
    expect(await login()).toEqual(throttled);
  });

  test('do not include a service that does not answer', async () => {
    upstream.answer.headers = { 'content-type': 'text/html' };
    for (let time = 0; time < 25; time += 1) expect((await login()).status).toBe(503);
    upstream.answer.headers = { 'content-type': 'application/json' };
    says(401);
    await fail(20);
  });

  test('do not include a form that the gateway refuses', async () => {
    says(401);
    for (let time = 0; time < 25; time += 1) {
      expect((await postForm(`${gateway.url}/v2/login`, { email: 'ada@example.com' })).status).toBe(400);
    }
    await fail(20);
  });

  test('do not throttle other operations for the account', async () => {
    says(401);
    await fail(20);
    const answer = await postForm(`${gateway.url}/v2/forgot-password`, { email: 'ada@example.com' });
    expect(answer.status).not.toBe(429);
  });
});

describe('fifty logins at once', () => {
  const burst = () => Promise.all(Array.from({ length: 50 }, () => login()));

  test('with wrong passwords: exactly twenty reach the service', async () => {
    says(401);
    const answers = await burst();
    expect(upstream.received).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 401)).toEqual(Array(20).fill(passed(401)));
    expect(answers.filter(({ status }) => status === 429)).toEqual(Array(30).fill(throttled));
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
      const front = await startGateway({ env: { LOGIN_SERVICE_URL: slow.url } });
      const guess = () => postForm(`${front.url}/v2/login`, { email: 'ada@example.com', password: 'x' });
      const calls = Array.from({ length: 50 }, async () => {
        const answer = await guess();
        if (answer.status === 429) {
          refused += 1;
          expect(answer.headers.get('retry-after')).toBe('1');
        }
        return answer.status;
      });
      await eventually(() => expect([reached, refused]).toEqual([20, 30]));
      released.resolve();
      const statuses = [...Array(20).fill(status), ...Array(30).fill(429)];
      expect((await Promise.all(calls)).toSorted()).toEqual(statuses.toSorted());
      for (let time = 0; time < 25; time += 1) expect((await guess()).status).toBe(status);
      await front.stop();
      await slow.stop();
    },
  );
});

test('RATE_LIMIT=off does not lift the login throttle', async () => {
  const front = await startGateway({ env: { LOGIN_SERVICE_URL: upstream.url, RATE_LIMIT: 'off' } });
  says(401);
  const statuses: number[] = [];
  for (let time = 0; time < 21; time += 1) {
    statuses.push((await postForm(`${front.url}/v2/login`, { email: 'a@b', password: 'x' })).status);
  }
  expect(statuses).toEqual([...Array(20).fill(401), 429]);
  await front.stop();
});
