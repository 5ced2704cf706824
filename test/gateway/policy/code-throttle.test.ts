import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Counters } from '../../../services/gateway/policy/counters.ts';
import { memoryCounters } from '../../../services/gateway/policy/counters-memory.ts';
import { testClock } from '../../fixtures/clock.ts';
import { smallCounters } from '../../fixtures/counters.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { gatewayDatabase, startGateway, startHttp, startUpstream } from '../../fixtures/gateway.ts';
import { postForm } from '../../fixtures/http.ts';
import { member } from '../../fixtures/members.ts';

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let database: Awaited<ReturnType<typeof gatewayDatabase>>;
const clock = testClock();
/** Wrong codes before a refusal: 30 in production. */
const LIMIT = 6;
const counters = smallCounters({ now: clock.now, divisor: 30 / LIMIT });
const start = (env: NodeJS.ProcessEnv = {}, counted: Counters = counters) =>
  startGateway({
    database: database.db,
    clock,
    counters: counted,
    env: {
      USER_SERVICE_URL: upstream.url,
      TRUST_PROXY: 'loopback',
      RATE_LIMIT_ANONYMOUS_PER_MINUTE: '100000',
      ...env,
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

/** Sets the user service's response. */
const says = (status: number, detail: string) => {
  upstream.answer.status = status;
  upstream.answer.body = JSON.stringify({ detail });
};
const wrong = () => says(400, 'Invalid OTP');
const throttled = { status: 429, body: { detail: 'Too many requests' } };

const PATHS = ['/v2/verify-otp', '/v2/reset-password'];
let accounts = 0;
/** Tries a code for an account of its own. */
function guess({
  path = '/v2/verify-otp',
  address = '198.51.100.1',
  headers = {},
  url = gateway.url,
}: {
  path?: string;
  address?: string;
  headers?: Record<string, string>;
  url?: string;
} = {}) {
  accounts += 1;
  const form = { email: `person${accounts}@example.com`, otp: '048213', new_password: 'new' };
  return postForm(`${url}${path}`, form, { 'x-forwarded-for': address, ...headers });
}
async function statusesOf(times: number, options?: Parameters<typeof guess>[0]) {
  const statuses: number[] = [];
  for (let time = 0; time < times; time += 1) statuses.push((await guess(options)).status);
  return statuses;
}
const times = (count: number, status: number) => Array<number>(count).fill(status);

describe('wrong codes from one network', () => {
  test.each(PATHS)('return 429 at %s after thirty, without a call of the service', async (path) => {
    const front = await start({}, memoryCounters(clock.now));
    const { url } = front;
    wrong();
    expect(await statusesOf(30, { path, url })).toEqual(times(30, 400));
    const answer = await guess({ path, url });
    expect(outcome(answer)).toStrictEqual(throttled);
    expect(answer.headers.get('retry-after')).toBe('900');
    expect(upstream.received).toHaveLength(30);
    await front.stop();
  });

  test('share one budget at both operations, for every account', async () => {
    wrong();
    await statusesOf(LIMIT - 2);
    says(400, 'Invalid or expired OTP');
    await statusesOf(2, { path: '/v2/reset-password' });
    for (const path of PATHS) expect(await guess({ path })).toMatchObject(throttled);
    expect(upstream.received).toHaveLength(LIMIT);
  });

  test('are counted with and without bearers', async () => {
    wrong();
    await statusesOf(LIMIT / 3);
    for (let count = 0; count < 2; count += 1) {
      const { authorization } = await member(gateway.db, gateway.clock);
      await statusesOf(LIMIT / 3, { headers: { authorization } });
    }
    const { authorization } = await member(gateway.db, gateway.clock);
    expect(await guess({ headers: { authorization } })).toMatchObject(throttled);
  });

  test('are counted for an IPv4 address or an IPv6 /64', async () => {
    wrong();
    await statusesOf(LIMIT);
    expect((await guess({ address: '198.51.100.2' })).status).toBe(400);
    await statusesOf(LIMIT, { address: '2001:db8::1' });
    expect(await guess({ address: '2001:db8::ffff:1' })).toMatchObject(throttled);
    expect((await guess({ address: '2001:db8:0:1::1' })).status).toBe(400);
  });

  test('are limited to 4 times as many for an IPv6 /56 and 16 times for a /48', async () => {
    wrong();
    const burst = async (addresses: string[]) => {
      const answers = await Promise.all(addresses.map((address) => guess({ address })));
      return answers.filter(({ status }) => status === 400).length;
    };
    const networks = (count: number, apart: number) =>
      Array.from({ length: count }, (_, index) => `2001:db8:0:${(index * apart).toString(16)}::1`);
    expect(await burst(networks(40, 1))).toBe(4 * LIMIT);
    expect((await guess({ address: '2001:db8:0:100::1' })).status).toBe(400);
    // The networks above have spent a part of the budget of the /48.
    expect(await burst(networks(80, 256).slice(2))).toBe(16 * LIMIT - 4 * LIMIT - 1);
    expect(await guess({ address: '2001:db8:0:ffff::1' })).toMatchObject(throttled);
    expect((await guess({ address: '2001:db8:1::1' })).status).toBe(400);
  });

  test('in flight: a refusal says to retry in a second, until they have failed', async () => {
    const released = Promise.withResolvers<void>();
    let reached = 0;
    const slow = await startHttp(async (_request, response) => {
      reached += 1;
      await released.promise;
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"detail":"Invalid OTP"}');
    });
    const front = await start({ USER_SERVICE_URL: slow.url });
    const calls = Array.from({ length: LIMIT }, () => guess({ url: front.url }));
    await eventually(() => expect(reached).toBe(LIMIT));
    const { headers, ...answer } = await guess({ url: front.url });
    expect(answer).toStrictEqual(throttled);
    expect(headers.get('retry-after')).toBe('1');
    released.resolve();
    await Promise.all(calls);
    expect((await guess({ url: front.url })).headers.get('retry-after')).toBe('900');
    await front.stop();
    await slow.stop();
  });

  test('in a burst: exactly as many as may fail reach the service', async () => {
    wrong();
    const answers = await Promise.all(Array.from({ length: 16 }, () => guess()));
    expect(upstream.received).toHaveLength(LIMIT);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      ...times(LIMIT, 400),
      ...times(16 - LIMIT, 429),
    ]);
  });

  test('are forgotten after fifteen minutes', async () => {
    wrong();
    await statusesOf(1);
    gateway.clock.advance(899);
    await statusesOf(LIMIT - 1);
    expect((await guess()).headers.get('retry-after')).toBe('1');
    gateway.clock.advance(1);
    expect(await statusesOf(LIMIT + 1)).toEqual([...times(LIMIT, 400), 429]);
  });

  test('are counted with RATE_LIMIT=off', async () => {
    wrong();
    const front = await start({ RATE_LIMIT: 'off' });
    expect(await statusesOf(LIMIT + 1, { url: front.url })).toEqual([...times(LIMIT, 400), 429]);
    await front.stop();
  });

  test.each([
    [200, 'ok'],
    [400, 'OTP expired'],
    [404, 'User not found'],
    [429, 'Too many requests'],
    [503, 'Service unavailable'],
  ])('do not include an answer %i %s', async (status, detail) => {
    says(status, detail);
    expect(await statusesOf(LIMIT + 1)).toEqual(times(LIMIT + 1, status));
    wrong();
    expect(await statusesOf(LIMIT + 1)).toEqual([...times(LIMIT, 400), 429]);
  });

  test('do not include a service that does not answer', async () => {
    upstream.answer.headers = { 'content-type': 'text/html' };
    expect(await statusesOf(LIMIT + 1)).toEqual(times(LIMIT + 1, 503));
    upstream.answer.headers = { 'content-type': 'application/json' };
  });

  test('do not stop signups and requests for a code', async () => {
    wrong();
    await statusesOf(LIMIT);
    expect((await guess({ path: '/v2/forgot-password' })).status).toBe(400);
    expect(upstream.received).toHaveLength(LIMIT + 1);
  });
});
