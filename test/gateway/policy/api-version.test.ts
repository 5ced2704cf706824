import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { buildGateway } from '../../../services/gateway/app.ts';
import { COLLECTIONS } from '../../../services/gateway/database.ts';
import { DEPRECATIONS, type Deprecation } from '../../../services/gateway/policy/api-version.ts';
import { testClock } from '../../fixtures/clock.ts';
import { freshDatabase } from '../../fixtures/database.ts';
import { member } from '../../fixtures/members.ts';
import { listen, testConfig } from '../../fixtures/services.ts';
import { envelope, exchange, refusal, startPlatform } from '../platform.ts';

const deprecations: Deprecation[] = [
  {
    path: '/api/v1/history/old',
    since: new Date('2026-01-15T00:00:00Z'),
    sunset: new Date('2026-08-01T12:30:00Z'),
    link: 'https://example.com/moving',
  },
];
const deprecated = {
  deprecation: '@1768435200',
  sunset: 'Sat, 01 Aug 2026 12:30:00 GMT',
  link: '<https://example.com/moving>; rel="deprecation"',
};

let platform: Awaited<ReturnType<typeof startPlatform>>;
let url: string;
let authorization: string;
let stop: () => Promise<void>;
beforeAll(async () => {
  platform = await startPlatform();
  const clock = testClock();
  const { db, drop } = await freshDatabase(COLLECTIONS);
  const config = testConfig('gateway', {
    CAPTCHA_PROVIDER: 'none',
    UPSTREAM_HISTORY: platform.url,
    USER_SERVICE_URL: platform.url,
  });
  const app = await buildGateway({ config, db, deprecations, now: clock.now });
  url = await listen(app);
  ({ authorization } = await member(db, clock));
  stop = async () => {
    await app.close();
    await drop();
    await platform.stop();
  };
});
afterEach(() => platform.reset());
afterAll(() => stop());

const call = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  exchange(`${url}${path}`, { method, headers: { authorization, ...headers } });

describe('API-Version', () => {
  test.each(['v1', 'v2'])('%s is accepted, answered with v1, and forwarded', async (version) => {
    const { status, headers } = await call('/api/v1/history/1', { 'api-version': version });
    expect({ status, version: headers['api-version'] }).toEqual({ status: 200, version: 'v1' });
    expect(platform.calls[0]?.headers['api-version']).toBe(version);
  });

  test('defaults to v1', async () => {
    expect((await call('/api/v1/history/1')).headers['api-version']).toBe('v1');
  });

  test.each(['v3', 'v0', 'V1', '1', 'v1.0', 'v1, v2', '', 'latest', '__proto__', '2026-01-15'])(
    'returns 400 for %j and calls no service',
    async (version) => {
      const answer = await call('/api/v1/history/1', { 'api-version': version });
      expect(refusal(answer)).toStrictEqual(
        envelope(400, 'INVALID_FORMAT', 'The request is malformed', 'API-Version must be v1 or v2'),
      );
      expect(answer.headers['api-version']).toBe('v1');
      expect(platform.calls).toEqual([]);
    },
  );

  test('returns 401 first', async () => {
    expect((await call('/api/v1/history/1', { authorization: '', 'api-version': 'v9' })).status).toBe(401);
  });

  test.each<[string, number, string, Record<string, string>]>([
    ['no bearer', 401, '/api/v1/history/1', { authorization: '' }],
    ['an unknown path', 404, '/api/v1/nothing', {}],
    ['a path that is not canonical', 404, '/api/v1//history', {}],
    ['a prefix without a service', 503, '/api/v1/llm/x', {}],
    ['health', 200, '/health/live', {}],
  ])('is v1 on every catalogue response: %s', async (_, status, path, headers) => {
    const answer = await call(path, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers['api-version']).toBe('v1');
  });

  test('is not used by the Direct contract', async () => {
    const { headers, status } = await call('/v2/nothing', { 'api-version': 'v9' });
    expect(status).toBe(404);
    expect(headers).not.toHaveProperty('api-version');
  });
});

describe('a deprecated path', () => {
  test('has Deprecation, Sunset and Link on its responses', async () => {
    const { status, headers } = await call('/api/v1/history/old?x=1');
    expect(status).toBe(200);
    expect(headers).toMatchObject(deprecated);
  });

  test('has them on errors too', async () => {
    expect((await call('/api/v1/history/old', { authorization: '' })).headers).toMatchObject(deprecated);
    expect((await call('/api/v1/history/old', { 'api-version': 'v9' })).headers).toMatchObject(deprecated);
  });

  test('keeps the Link of the service, but not its Sunset', async () => {
    platform.reply = (_, response) => {
      const sent = { link: '</a>; rel="next"', sunset: 'tomorrow', deprecation: '@0' };
      response.writeHead(200, sent).end();
    };
    expect((await call('/api/v1/history/old')).headers).toMatchObject({
      ...deprecated,
      link: `</a>; rel="next", ${deprecated.link}`,
    });
  });

  test.each(['/api/v1/history/older', '/api/v1/history/old/1', '/api/v1/history', '/api/v1/history/Old'])(
    'is another path than %s',
    async (path) => {
      const { headers } = await call(path);
      for (const name of Object.keys(deprecated)) expect(headers).not.toHaveProperty(name);
    },
  );
});

test('every deprecation gives at least six months of notice', () => {
  for (const { since, sunset } of [...DEPRECATIONS, ...deprecations]) {
    const earliest = new Date(since);
    earliest.setUTCMonth(earliest.getUTCMonth() + 6);
    expect(sunset.getTime()).toBeGreaterThanOrEqual(earliest.getTime());
  }
});
