import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { errorEnvelope } from '../../fixtures/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { startGateway, startUpstream } from '../../fixtures/gateway.ts';
import { postForm, send } from '../../fixtures/http.ts';
import { member } from '../../fixtures/members.ts';

type Gateway = Awaited<ReturnType<typeof startGateway>>;

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let gateway: Gateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({ env: { LOGIN_SERVICE_URL: upstream.url, LOG_LEVEL: 'info' } });
});
afterEach(() => {
  upstream.received.length = 0;
  upstream.answer.status = 200;
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const login = (headers: Record<string, string> = {}, { url } = gateway) =>
  postForm(`${url}/v2/login`, { email: 'ada@example.com', password: 'secret' }, headers);

const UUIDV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('X-Request-ID', () => {
  test.each(['a', 'A-z_0.9', '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21', 'x'.repeat(128)])(
    'keeps %.40s: echoes, forwards and logs it',
    async (id) => {
      const { headers } = await login({ 'x-request-id': id });
      expect(headers.get('x-request-id')).toBe(id);
      expect(upstream.received.map((call) => call.headers['x-request-id'])).toEqual([id]);
      const logged = gateway.logged.map((line) => JSON.parse(line)).filter(({ reqId }) => reqId === id);
      expect(logged).toMatchObject([
        { msg: 'request completed', method: 'POST', path: '/v2/login', status: 200 },
      ]);
    },
  );

  test('is logged with the user', async () => {
    const { user_id, authorization } = await member(gateway.db, gateway.clock);
    const headers = { authorization, 'x-request-id': 'by-a-user' };
    await send(`${gateway.url}/auth/refresh`, { method: 'POST', headers });
    const logged = gateway.logged
      .map((line) => JSON.parse(line))
      .filter(({ reqId }) => reqId === 'by-a-user');
    expect(logged).toMatchObject([{ msg: 'request completed', path: '/auth/refresh', user_id }]);
  });

  test.each(['', 'a b', 'a,b', 'ä', 'a/b', 'a"b', '<script>', 'x'.repeat(129)])(
    'replaces %.40j',
    async (id) => {
      const { headers } = await login({ 'x-request-id': id });
      const own = headers.get('x-request-id');
      expect(own).toMatch(UUIDV7);
      expect(upstream.received.map((call) => call.headers['x-request-id'])).toEqual([own]);
    },
  );

  test('is replaced when it is given twice', async () => {
    const answer = await raw(
      'POST /v2/login HTTP/1.1\r\nHost: x\r\nX-Request-ID: a\r\nX-Request-ID: b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
    );
    expect(/\r\nx-request-id: (.*)\r\n/i.exec(answer)?.[1]).toMatch(UUIDV7);
  });

  test('is unique on every response, errors and health included', async () => {
    const answers = await Promise.all(
      ['/v2/nothing', '/nothing', '/health', '/health/live', '/docs', '/openapi.json', '/%2e'].map((path) =>
        send(`${gateway.url}${path}`),
      ),
    );
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    expect(ids).toEqual(ids.map(() => expect.stringMatching(UUIDV7)));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('is in the error envelope', async () => {
    const { status, body } = await send(`${gateway.url}/nothing`, {
      headers: { 'x-request-id': 'client-1' },
    });
    expect({ status, body }).toEqual({
      status: 401,
      body: {
        error: {
          code: 'INVALID_TOKEN',
          message: 'No authorization header',
          details: 'No authorization header',
          timestamp: new Date(gateway.clock.now()).toISOString(),
          request_id: 'client-1',
        },
      },
    });
  });
});

/** Sends raw bytes, and reads until the connection ends. */
const raw = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });

describe('TRUST_PROXY', () => {
  const CLAIMED = {
    'x-forwarded-for': '6.6.6.6, 198.51.100.7',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'evil.example',
    forwarded: 'for=6.6.6.6',
    'x-real-ip': '6.6.6.6',
  };
  const seen = async (front: Gateway) => {
    await login(CLAIMED, front);
    const { host, ...headers } = upstream.received[0]?.headers ?? {};
    return headers;
  };
  const forwarded = (address: string, protocol: string) => ({
    connection: 'keep-alive',
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': expect.any(String),
    'x-request-id': expect.stringMatching(UUIDV7),
    'x-forwarded-for': address,
    'x-forwarded-proto': protocol,
    'user-agent': expect.any(String),
    'accept-language': '*',
  });

  test.each<[string | undefined, string, string]>([
    [undefined, '127.0.0.1', 'http'],
    ['', '127.0.0.1', 'http'],
    ['10.0.0.0/8', '127.0.0.1', 'http'],
    ['loopback', '198.51.100.7', 'https'],
    ['127.0.0.1', '198.51.100.7', 'https'],
    ['loopback, 198.51.100.0/24', '6.6.6.6', 'https'],
    ['true', '6.6.6.6', 'https'],
  ])('%j: the client is %s, by %s', async (TRUST_PROXY, address, protocol) => {
    const front = await startGateway({ env: { LOGIN_SERVICE_URL: upstream.url, TRUST_PROXY } });
    expect(await seen(front)).toEqual(forwarded(address, protocol));
    await front.stop();
  });
});

describe('CORS', () => {
  const preflight = (path: string, headers: Record<string, string>, { url } = gateway) =>
    send(`${url}${path}`, { method: 'OPTIONS', headers });
  const ASK = {
    origin: 'https://app.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers':
      'authorization, content-type, x-request-id, idempotency-key, x-anything',
  };

  test.each(['/v2/login', '/v2/signup', '/v2/nothing', '/health', '/captcha/challenge'])(
    'a preflight of %s allows every origin, method and header, with credentials',
    async (path) => {
      const { status, headers, body } = await preflight(path, ASK);
      expect({ status, body }).toEqual({ status: 204, body: '' });
      expect(headers.get('access-control-allow-origin')).toBe('https://app.example');
      expect(headers.get('access-control-allow-credentials')).toBe('true');
      expect(headers.get('access-control-allow-methods')).toBe(
        'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
      );
      expect(headers.get('access-control-allow-headers')).toBe(ASK['access-control-request-headers']);
      expect(headers.get('access-control-max-age')).toBe('600');
      expect(headers.get('vary')).toMatch(/Origin/);
    },
  );

  test.each<[string, string, RequestInit]>([
    ['200', '/health', {}],
    ['400', '/v2/login', { method: 'POST' }],
    ['404', '/v2/nothing', {}],
    ['401', '/nothing', {}],
    ['404', '/v2/%2e', {}],
  ])('every origin can read a %s (%s)', async (status, path, init) => {
    const answer = await send(`${gateway.url}${path}`, {
      ...init,
      headers: { origin: 'https://app.example' },
    });
    expect(String(answer.status)).toBe(status);
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
    const exposed = answer.headers.get('access-control-expose-headers')?.split(', ');
    expect(exposed).toEqual([
      'Date',
      'X-Request-ID',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'Retry-After',
      'API-Version',
      'Deprecation',
      'Sunset',
      'Link',
    ]);
  });

  test.each([401, 403, 429, 503])('every origin can read a %i of a service', async (status) => {
    upstream.answer.status = status;
    const answer = await login({ origin: 'https://app.example' });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example');
  });

  test('CORS_ORIGINS restricts the origins', async () => {
    const front = await startGateway({ env: { CORS_ORIGINS: 'https://app.example, https://admin.example' } });
    for (const origin of ['https://app.example', 'https://admin.example']) {
      const { headers } = await preflight('/v2/login', { ...ASK, origin }, front);
      expect(headers.get('access-control-allow-origin')).toBe(origin);
    }
    for (const origin of [
      'https://evil.example',
      'https://app.example.evil.example',
      'http://app.example',
      'null',
    ]) {
      const { status, headers } = await preflight('/v2/login', { ...ASK, origin }, front);
      expect(status).toBe(204);
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
    await front.stop();
  });

  test.each<[string, Record<string, string>]>([
    ['without an origin', { 'access-control-request-method': 'POST' }],
    ['without a method', { origin: 'https://app.example' }],
    ['with neither', {}],
  ])('an OPTIONS %s is not a preflight: 404', async (_, headers) => {
    const { status, body } = await preflight('/v2/login', headers);
    expect({ status, body }).toEqual({ status: 404, body: { detail: 'Not found' } });
  });
});

// By default such a request reaches neither a route nor a hook.
test.each(['/v2/%', '/v2/%ff', '/%zz'])(
  '%s, which cannot be decoded, gets the usual headers',
  async (path) => {
    const { status, headers, body } = await send(`${gateway.url}${path}`, {
      headers: { origin: 'https://app.example', 'x-request-id': 'client-1' },
    });
    expect([400, 404]).toContain(status);
    expect(Object.keys(body)).toStrictEqual([path.startsWith('/v2/') ? 'detail' : 'error']);
    expect(headers.get('x-request-id')).toBe('client-1');
    expect(headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(headers.get('x-ratelimit-limit')).toBe('300');
  },
);

test('responses do not name the server software', async () => {
  for (const path of ['/health', '/v2/login', '/nothing']) {
    const { headers } = await send(`${gateway.url}${path}`);
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('server')).toBeNull();
  }
});

test('answers bytes that are not HTTP with 400 in the envelope, and closes the connection', async () => {
  const answer = await raw('GET / SPDY/9\r\n\r\n');
  const [head, body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(head).toMatch(/\r\nConnection: close/i);
  expect(JSON.parse(body)).toStrictEqual({
    error: {
      code: 'INVALID_FORMAT',
      message: 'The request is malformed',
      details: 'The request is malformed',
      timestamp: expect.any(String),
      request_id: expect.stringMatching(UUIDV7),
    },
  });
});

test.each([
  'http://gatehouse.example/v2/login',
  'http://gatehouse.example//v2/login',
  'http:///v2/login',
  'http://user:pass@gatehouse.example/v2/login',
  'http://?/v2/login',
  'http://a?b/v2/login',
  'http://a#b/v2/login',
  'https://gatehouse.example/v2/login#fragment',
  '/%76%32/login',
  '/v2/%6cogin',
  '/v2/login#fragment',
  '/v2/login%2f',
])(
  'answers the spelling %s with 404 or 400 in the shape of a contract, and calls no service',
  async (target) => {
    const answer = await raw(
      `POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    );
    const [head, body = ''] = answer.split('\r\n\r\n');
    const notFound = [{ detail: 'Not found' }, errorEnvelope('RESOURCE_NOT_FOUND', 'Not found')];
    const malformed = [
      { detail: 'The request is malformed' },
      errorEnvelope('INVALID_FORMAT', 'The request is malformed'),
    ];
    expect(/^HTTP\/1\.1 404 /.test(head ?? '') ? notFound : malformed).toContainEqual(JSON.parse(body));
    expect(upstream.received).toEqual([]);
  },
);

test('logs no password, CAPTCHA token, bearer or query', async () => {
  const gone = await startUpstream();
  await gone.stop();
  const front = await startGateway({
    env: { LOGIN_SERVICE_URL: upstream.url, UPSTREAM_PAYMENT: gone.url, LOG_LEVEL: 'trace' },
  });
  const { authorization } = await member(front.db, front.clock);
  const failed = await send(`${front.url}/api/v1/payment/x?token=in-the-query`, {
    headers: { authorization },
  });
  expect(failed.status).toBe(503);
  upstream.answer.body = '{"token":"a-token-of-the-service"}';
  await postForm(
    `${front.url}/v2/login?token=in-the-query`,
    { email: 'ada@example.com', password: 'a-password', recaptcha_token: 'a-captcha' },
    { authorization: 'Bearer a-bearer', cookie: 'a-cookie' },
  );
  upstream.answer.headers = { 'content-type': 'text/html' };
  await postForm(`${front.url}/v2/login`, { email: 'ada@example.com', password: 'a-password' });
  await front.stop();
  expect(front.logged.length).toBeGreaterThan(1);
  expect(front.logged.join('')).not.toMatch(/in-the-query|a-password|a-captcha|a-bearer|a-cookie|a-token/);
});

test('does not log the password of a Redis that refuses the login', async () => {
  const redis = createServer((socket) => {
    socket.on('error', () => {}).on('data', () => socket.write('-ERR max number of clients reached\r\n'));
  }).listen(0, '127.0.0.1');
  await once(redis, 'listening');
  const { port } = redis.address() as AddressInfo;
  const front = await startGateway({
    env: { REDIS_URL: `redis://:a-password@127.0.0.1:${port}`, LOG_LEVEL: 'trace' },
  });
  const warning = await eventually(
    () => front.logged.find((line) => line.includes('Redis is unavailable')) ?? false,
  );
  expect(warning).toContain('max number of clients reached');
  await front.stop();
  redis.close();
  expect(front.logged.join('')).not.toContain('a-password');
});
