import { type AddressInfo, connect } from 'node:net';
import { loadConfig } from '@gatehouse/shared/config';
import { AppError } from '@gatehouse/shared/http/errors';
import { createServer, type ServerOptions, TIMEOUTS } from '@gatehouse/shared/http/server';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { eventually } from '../../fixtures/eventually.ts';
import { send } from '../../fixtures/http.ts';

const NOW = Date.UTC(2026, 0, 15, 9, 30);
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Builds a server with a few routes and collects its log. */
async function build({ env = {}, ...options }: { env?: NodeJS.ProcessEnv } & Partial<ServerOptions> = {}) {
  const logged: Record<string, unknown>[] = [];
  const { config } = loadConfig('login', { JWT_SECRET: 'x', LOG_LEVEL: 'info', ...env });
  const app = await createServer({
    name: 'login',
    description: 'A test.',
    config,
    checks: {},
    now: () => NOW,
    logStream: { write: (line) => void logged.push(JSON.parse(line)) },
    ...options,
  });
  const broken = async () => {
    throw new Error('inner text of /srv/secret.ts');
  };
  app.get('/v2/broken', broken);
  app.get('/broken', broken);
  app.get('/limited', async () => {
    throw new AppError('rateLimited', { retryAfter: 30, limit: 60 });
  });
  app.get('/v2/away', async () => {
    throw new AppError('unavailable', { cause: new Error('inner text of the database') });
  });
  app.get('/id', async (request) => ({ id: request.id }));
  app.get('/address', async (request) => ({ address: request.ip }));
  app.post('/v2/form', async () => ({ done: true }));
  app.put(
    '/things/:id',
    {
      schema: {
        operationId: 'putThingsId',
        security: [],
        summary: 'Replace a thing',
        params: z.object({ id: z.string() }),
        body: z.object({ name: z.string({ error: 'is required' }) }),
        response: { 200: z.object({ name: z.string() }).meta({ description: 'The thing' }) },
      },
    },
    async (request) => request.body,
  );
  app.get('/half', (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'text/plain', 'content-length': 100 });
    reply.raw.write('half');
  });
  return { app, logged };
}
type App = Awaited<ReturnType<typeof build>>['app'];

const envelope = (code: string, message: string, requestId: unknown) => ({
  error: { code, message, details: message, timestamp: '2026-01-15T09:30:00.000Z', request_id: requestId },
});
const NOT_FOUND = { detail: 'Not found' };
const MALFORMED = { detail: 'The request is malformed' };
const INTERNAL = { detail: 'Internal server error' };

let app: App;
let logged: Record<string, unknown>[];
let port: number;
beforeAll(async () => {
  ({ app, logged } = await build());
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as AddressInfo).port;
});
afterAll(() => app.close());
afterEach(() => {
  logged.length = 0;
});

/** Writes bytes and reads until the server has sent a whole response or closed the connection. */
function exchange(bytes: string, { then = '', to = port } = {}) {
  return new Promise<{
    text: string;
    status: number;
    headers: Record<string, string>;
    body: string;
    closed: boolean;
  }>((resolve, reject) => {
    let text = '';
    const finish = (closed: boolean) => {
      const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
      const [line = '', ...fields] = head.split('\r\n');
      const headers = Object.fromEntries(
        fields.map((field) => [
          field.split(': ', 1)[0]?.toLowerCase(),
          field.split(': ').slice(1).join(': '),
        ]),
      );
      const length = Number(headers['content-length'] ?? Number.NaN);
      if (closed || (/keep-alive/.test(headers.connection ?? '') && body.length >= length)) {
        resolve({ text, status: Number(line.split(' ')[1]), headers, body, closed });
        socket.destroy();
      }
    };
    const socket = connect(to, '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (then) socket.write(then);
      then = '';
      finish(false);
    });
    socket.on('error', reject);
    socket.on('close', () => finish(true));
  });
}

test.each(['/health', '/health/live', '/docs', '/openapi.json', '/metrics', '/id'])(
  'returns 404 for the absolute form of %s',
  async (path) => {
    const { status, body } = await exchange(
      `GET http://x${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect([status, JSON.parse(body).error.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
  },
);

test('does not limit the time of a start', async () => {
  const { app } = await build();
  expect(app.initialConfig.pluginTimeout).toBe(0);
});

describe('request ids', () => {
  test.each(['a', 'request-1', 'A.b_C-9', '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21', 'x'.repeat(128)])(
    'keeps and echoes %s',
    async (id) => {
      const answer = await app.inject({ url: '/id', headers: { 'x-request-id': id } });
      expect(answer.json()).toEqual({ id });
      expect(answer.headers['x-request-id']).toBe(id);
    },
  );

  test.each(['', ' ', 'a b', 'a/b', 'a,b', 'a:b', '{"a":1}', '<script>', 'é', '%0a', 'x'.repeat(129)])(
    'replaces %j with a UUIDv7',
    async (id) => {
      const answer = await app.inject({ url: '/id', headers: { 'x-request-id': id } });
      expect(answer.json()).toEqual({ id: expect.stringMatching(UUID_V7) });
      expect(answer.headers['x-request-id']).toBe(answer.json().id);
    },
  );

  test('makes a new one when there are two or none', async () => {
    const twice = await exchange(
      'GET /id HTTP/1.1\r\nhost: test\r\nx-request-id: a\r\nx-request-id: b\r\n\r\n',
    );
    expect(twice.headers['x-request-id']).toMatch(UUID_V7);
    const [one, two] = [await app.inject('/id'), await app.inject('/id')];
    expect(one.json().id).toMatch(UUID_V7);
    expect(one.json().id).not.toBe(two.json().id);
  });

  test('are in the header, body and log of a failure', async () => {
    const answer = await app.inject({ url: '/broken', headers: { 'x-request-id': 'request-1' } });
    expect(answer.headers['x-request-id']).toBe('request-1');
    expect(answer.json().error.request_id).toBe('request-1');
    expect(logged.map(({ reqId }) => reqId)).toEqual(['request-1', 'request-1']);
  });
});

describe('failures have the shape of their contract', () => {
  const ID = { 'x-request-id': 'request-1' };
  const missing = envelope('RESOURCE_NOT_FOUND', 'Not found', 'request-1');

  test.each<[string, string, number, object]>([
    ['GET', '/nothing', 404, missing],
    ['GET', '/', 404, missing],
    ['GET', '/v22', 404, missing],
    ['GET', '/api/v2/users', 404, missing],
    ['GET', '/v2', 404, NOT_FOUND],
    ['GET', '/v2/', 404, NOT_FOUND],
    ['GET', '/v2/nothing?a=b', 404, NOT_FOUND],
    ['POST', '/v2/form/', 404, NOT_FOUND],
    ['POST', '/v2//form', 404, NOT_FOUND],
    // CONTRACT.md §Statuses: 405 is 404.
    ['GET', '/v2/form', 404, NOT_FOUND],
    ['PUT', '/v2/form', 404, NOT_FOUND],
    ['DELETE', '/v2/form', 404, NOT_FOUND],
    ['OPTIONS', '/v2/form', 404, NOT_FOUND],
    ['OPTIONS', '/nothing', 404, missing],
    ['POST', '/health', 404, missing],
    ['DELETE', '/health/live', 404, missing],
    ['GET', '/things/1', 404, missing],
    ['GET', '/%zz', 404, envelope('RESOURCE_NOT_FOUND', 'Not found', 'request-1')],
    ['GET', '/api/v1/nothing?q=%zz', 404, envelope('RESOURCE_NOT_FOUND', 'Not found', 'request-1')],
    ['GET', '/v2/%zz', 404, { detail: 'Not found' }],
    ['POST', '/v2/%', 404, { detail: 'Not found' }],
    ['GET', '/v2/%C3%28', 404, { detail: 'Not found' }],
    ['GET', '/broken', 500, envelope('INTERNAL_ERROR', 'Internal server error', 'request-1')],
    ['GET', '/v2/broken', 500, INTERNAL],
    ['GET', '/v2/away', 503, { detail: 'Service unavailable' }],
    [
      'GET',
      '/limited',
      429,
      {
        error: {
          code: 'RATE_LIMIT_EXCEEDED',
          message: 'Too many requests',
          retry_after: 30,
          limit: 60,
          reset_at: '2026-01-15T09:30:30.000Z',
        },
      },
    ],
  ])('%s %s: %i', async (method, url, status, body) => {
    const answer = await app.inject({ method: method as 'GET', url, headers: ID });
    expect(answer.statusCode).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(answer.body)).toStrictEqual(body);
    expect(answer.headers['x-request-id']).toBe('request-1');
  });

  test('HEAD gets only the status', async () => {
    const answer = await app.inject({ method: 'HEAD', url: '/v2/nothing' });
    expect({ status: answer.statusCode, body: answer.body }).toEqual({ status: 404, body: '' });
  });

  test('Retry-After is sent only when it is known', async () => {
    expect((await app.inject('/limited')).headers['retry-after']).toBe('30');
    expect((await app.inject('/v2/away')).headers).not.toHaveProperty('retry-after');
  });

  test('a body that violates its schema gets details', async () => {
    const answer = await app.inject({ method: 'PUT', url: '/things/1', payload: {}, headers: ID });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toStrictEqual({
      error: {
        code: 'MISSING_FIELD',
        message: 'A required field is missing',
        details: 'name is required',
        timestamp: '2026-01-15T09:30:00.000Z',
        request_id: 'request-1',
      },
    });
  });

  test.each(['/broken', '/v2/broken', '/v2/away'])('%s hides the cause, which is logged', async (url) => {
    const answer = await app.inject({ url, headers: ID });
    expect(answer.body).not.toContain('inner');
    expect(JSON.stringify(answer.headers)).not.toContain('inner');
    expect(logged[0]).toMatchObject({
      level: 50,
      reqId: 'request-1',
      err: { type: 'Error', message: expect.stringMatching(/^inner text/), stack: expect.any(String) },
    });
  });

  test('accepts the absolute form of a path', async () => {
    const direct = await exchange('GET http://test/v2/nothing HTTP/1.1\r\nhost: test\r\n\r\n');
    expect([direct.status, JSON.parse(direct.body)]).toEqual([404, NOT_FOUND]);
  });
});

describe('malformed HTTP', () => {
  test.each<[string, string]>([
    ['garbage', 'garbage\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['an unknown method', 'FOO / HTTP/1.1\r\nhost: test\r\n\r\n'],
    ['an unknown version', 'GET / HTTP/9.9\r\nhost: test\r\n\r\n'],
    ['a space in the path', 'GET /a b HTTP/1.1\r\nhost: test\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nhost: test\r\nbroken\r\n\r\n'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nhost : test\r\n\r\n'],
    ['NUL in a header', 'GET / HTTP/1.1\r\nhost: test\r\nx: a\0b\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: test\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ['a length that is not a number', 'POST / HTTP/1.1\r\nhost: test\r\ncontent-length: x\r\n\r\nab'],
    ['a negative length', 'POST / HTTP/1.1\r\nhost: test\r\ncontent-length: -1\r\n\r\nab'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nhost: test\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['headers of 20 KB', `GET / HTTP/1.1\r\nhost: test\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['no host', 'GET /health/live HTTP/1.1\r\n\r\n'],
    [
      'an unknown expectation',
      'GET /health/live HTTP/1.1\r\nhost: test\r\nexpect: tea\r\nconnection: close\r\n\r\n',
    ],
  ])('%s: 400 in JSON, and the connection is closed', async (_what, bytes) => {
    const { status, headers, body, closed } = await exchange(bytes);
    expect({ status, closed }).toEqual({ status: 400, closed: true });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers['x-request-id']).toMatch(UUID_V7);
    expect(JSON.parse(body)).toStrictEqual({
      error: {
        code: 'INVALID_FORMAT',
        message: 'The request is malformed',
        details: 'The request is malformed',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        request_id: headers['x-request-id'],
      },
    });
  });

  test('in the middle of a response cuts the response off', async () => {
    const { text, closed } = await exchange('GET /half HTTP/1.1\r\nhost: test\r\n\r\n', {
      then: 'garbage\r\n\r\n',
    });
    expect(closed).toBe(true);
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\nhalf$/s);
  });

  test('behind a pending request closes the connection: no response is taken for another', async () => {
    const { text, closed } = await exchange('GET /health HTTP/1.1\r\nhost: test\r\n\r\ngarbage\r\n\r\n');
    expect({ text, closed }).toEqual({ text: '', closed: true });
  });

  test('an unknown expectation behind a pending request is answered in order', async () => {
    const { text } = await exchange(
      'GET /health HTTP/1.1\r\nhost: test\r\n\r\nPOST /v2/login HTTP/1.1\r\nhost: test\r\nexpect: tea\r\ncontent-length: 0\r\nconnection: close\r\n\r\n',
    );
    expect(text).toMatch(/^HTTP\/1\.1 \d+ /);
    expect((await exchange('GET /health/live HTTP/1.1\r\nhost: test\r\n\r\n')).status).toBe(200);
  });

  test.each([
    ['/v2/login', { detail: 'The request is malformed' }],
    ['/api/v1/auth/login', { error: expect.objectContaining({ code: 'INVALID_FORMAT' }) }],
  ])('on a reused connection gets the error shape of its own path: %s', async (path, body) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write('GET /health/live HTTP/1.1\r\nhost: test\r\n\r\n');
    await eventually(() => expect(text).toContain('{"status":"ok"}'));
    text = '';
    socket.write(`POST ${path} HTTP/1.1\r\nhost: test\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab`);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toEqual(body);
  });

  test('survives a client that resets its connection', async () => {
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write('GET /id HT', () => socket.resetAndDestroy()),
      );
      socket.on('close', () => resolve());
    });
    expect((await exchange('GET /health/live HTTP/1.1\r\nhost: test\r\n\r\n')).status).toBe(200);
  });
});

describe('connections', () => {
  test('timeouts', () => {
    const { headersTimeout, requestTimeout, timeout } = app.server;
    expect(TIMEOUTS).toEqual({ headers: 15_000, request: 30_000, idle: 120_000, healthCheck: 2_000 });
    expect({ headersTimeout, requestTimeout, timeout }).toEqual({
      headersTimeout: 15_000,
      requestTimeout: 30_000,
      timeout: 120_000,
    });
  });

  test.each<[string, ServerOptions['timeouts'], string]>([
    ['headers', { headers: 50 }, 'GET /id HTTP/1.1\r\nhost: te'],
    [
      'a body',
      { headers: 50, request: 50 },
      'PUT /things/1 HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
    ],
  ])('%s that do not arrive in time: 400, and the connection is closed', async (_what, timeouts, bytes) => {
    const slow = await build({ env: { LOG_LEVEL: 'silent' }, timeouts: { ...timeouts } });
    await slow.app.listen({ host: '127.0.0.1', port: 0 });
    const usual = port;
    port = (slow.app.server.address() as AddressInfo).port;
    try {
      const { status, headers, body, closed } = await exchange(bytes);
      expect({ status, closed }).toEqual({ status: 400, closed: true });
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(JSON.parse(body).error.code).toBe('INVALID_FORMAT');
    } finally {
      port = usual;
      await slow.app.close();
    }
  });

  test('a client that does not read its response is disconnected', async () => {
    const { app: sending } = await build({ env: { LOG_LEVEL: 'silent' }, timeouts: { idle: 50 } });
    sending.get('/large', async () => Buffer.alloc(64 * 1024 * 1024)); // more than the kernel buffers
    await sending.listen({ host: '127.0.0.1', port: 0 });
    const disconnected = new Promise((resolve) => {
      sending.server.once('connection', (socket) => socket.once('close', resolve));
    });
    const client = connect((sending.server.address() as AddressInfo).port, '127.0.0.1').pause();
    client.on('error', () => {}).write('GET /large HTTP/1.1\r\nhost: test\r\n\r\n');
    await disconnected;
    client.destroy();
    await sending.close();
  });

  test.each<[string, string, number, object]>([
    ['for an unknown path', 'POST /v2/nothing', 404, NOT_FOUND],
    ['of an unsupported type', 'POST /v2/form', 400, MALFORMED],
  ])('a body %s is not read to its end, and the connection is closed', async (_what, line, status, body) => {
    const answer = await exchange(
      `${line} HTTP/1.1\r\nhost: test\r\ncontent-type: application/x-tea\r\ncontent-length: 1000000000\r\n\r\nabc`,
    );
    expect([answer.status, JSON.parse(answer.body), answer.closed]).toEqual([status, body, true]);
    expect(answer.headers.connection).toBe('close');
  });

  test('a failure without a body leaves the connection open', async () => {
    const answer = await exchange('GET /v2/nothing HTTP/1.1\r\nhost: test\r\n\r\n');
    expect([answer.status, answer.closed]).toEqual([404, false]);
  });

  test.each<[string, NodeJS.ProcessEnv, string]>([
    ['is ignored by default', {}, '127.0.0.1'],
    ['is trusted from any proxy', { TRUST_PROXY: 'true' }, '203.0.113.7'],
    ['is trusted from a listed proxy', { TRUST_PROXY: 'loopback, 10.0.0.0/8' }, '203.0.113.7'],
    ['is ignored from another proxy', { TRUST_PROXY: '10.0.0.0/8' }, '127.0.0.1'],
  ])('X-Forwarded-For %s: %o', async (_what, env, address) => {
    const { app: proxied } = await build({ env: { LOG_LEVEL: 'silent', ...env } });
    const answer = await proxied.inject({ url: '/address', headers: { 'x-forwarded-for': '203.0.113.7' } });
    expect(answer.json()).toEqual({ address });
    await proxied.close();
  });
});

describe('CORS', () => {
  const crossOrigin = (headers: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(headers).filter(([name]) => name.startsWith('access-control-') || name === 'vary'),
    );
  const EXPOSED =
    'Date, X-Request-ID, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, API-Version, Deprecation, Sunset, Link';
  const simple = {
    vary: 'Origin',
    'access-control-allow-origin': 'https://shop.example',
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': EXPOSED,
  };

  test.each(['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'HEAD'])(
    'a preflight for %s with any header',
    async (method) => {
      const answer = await app.inject({
        method: 'OPTIONS',
        url: '/v2/form',
        headers: {
          origin: 'https://shop.example',
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization, x-anything',
        },
      });
      expect({ status: answer.statusCode, body: answer.body }).toEqual({ status: 204, body: '' });
      expect(crossOrigin(answer.headers)).toEqual({
        ...simple,
        vary: 'Origin, Access-Control-Request-Headers',
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
        'access-control-allow-headers': 'authorization, x-anything',
        'access-control-max-age': '600',
      });
    },
  );

  test.each(['/id', '/nothing', '/v2/broken', '/health/live'])('%s from another origin', async (url) => {
    const answer = await app.inject({ url, headers: { origin: 'https://shop.example' } });
    expect(crossOrigin(answer.headers)).toEqual(simple);
  });

  test.each(['http://localhost:3000', 'null', 'https://a.b.c:8443'])(
    'the origin %s is reflected',
    async (origin) => {
      const answer = await app.inject({ url: '/id', headers: { origin } });
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
    },
  );

  test('CORS_ORIGINS limits the origins', async () => {
    const env = { CORS_ORIGINS: 'https://shop.example, https://www.shop.example' };
    const { app: limited } = await build({ env });
    const allowed = async (origin: string) =>
      (await limited.inject({ url: '/id', headers: { origin } })).headers['access-control-allow-origin'];
    expect(await allowed('https://shop.example')).toBe('https://shop.example');
    expect(await allowed('https://www.shop.example')).toBe('https://www.shop.example');
    for (const origin of [
      'https://evil.example',
      'http://shop.example',
      'https://shop.example:8443',
      'https://shop.example.evil.example',
      'https://evil.shop.example',
      'null',
    ]) {
      expect(await allowed(origin)).toBeUndefined();
    }
    const preflight = await limited.inject({
      method: 'OPTIONS',
      url: '/v2/form',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers).not.toHaveProperty('access-control-allow-origin');
    await limited.close();
  });
});

describe('health', () => {
  const up = async () => 'pong';
  const down = () => Promise.reject(new Error('inner text'));
  const throws = () => {
    throw new Error('inner text');
  };
  const hangs = () => new Promise(() => {});

  test.each<[string, ServerOptions['checks'], number, object]>([
    ['no checks', {}, 200, { status: 'ok', checks: {} }],
    [
      'all up',
      { mongodb: { needed: true, check: up }, smtp: { needed: false, check: up } },
      200,
      { status: 'ok', checks: { mongodb: 'up', smtp: 'up' } },
    ],
    [
      'an optional dependency is down',
      { mongodb: { needed: true, check: up }, smtp: { needed: false, check: down } },
      200,
      { status: 'degraded', checks: { mongodb: 'up', smtp: 'down' } },
    ],
    [
      'a needed dependency is down',
      { mongodb: { needed: true, check: down }, smtp: { needed: false, check: up } },
      503,
      { status: 'unavailable', checks: { mongodb: 'down', smtp: 'up' } },
    ],
    [
      'all down',
      { mongodb: { needed: true, check: down }, smtp: { needed: false, check: down } },
      503,
      { status: 'unavailable', checks: { mongodb: 'down', smtp: 'down' } },
    ],
    [
      'a check throws',
      { mongodb: { needed: true, check: up }, redis: { needed: false, check: throws } },
      200,
      { status: 'degraded', checks: { mongodb: 'up', redis: 'down' } },
    ],
  ])('%s', async (_what, checks, status, report) => {
    const { app: checked } = await build({ checks });
    for (const url of ['/health', '/health/ready']) {
      const answer = await checked.inject(url);
      expect({ status: answer.statusCode, body: answer.json() }).toStrictEqual({
        status,
        body: { service: 'login', ...report },
      });
    }
    const live = await checked.inject('/health/live');
    expect({ status: live.statusCode, body: live.json() }).toStrictEqual({
      status: 200,
      body: { status: 'ok' },
    });
    await checked.close();
  });

  test('a check that does not settle in time is down', async () => {
    const { app: checked } = await build({
      checks: { mongodb: { needed: true, check: hangs }, smtp: { needed: false, check: up } },
      timeouts: { healthCheck: 1 },
    });
    const { statusCode, body } = await checked.inject('/health');
    expect({ status: statusCode, body: JSON.parse(body) }).toStrictEqual({
      status: 503,
      body: { status: 'unavailable', service: 'login', checks: { mongodb: 'down', smtp: 'up' } },
    });
    expect((await checked.inject('/health/live')).json()).toEqual({ status: 'ok' });
    await checked.close();
  });

  test('concurrent calls share one check of each dependency', async () => {
    const checks: (() => void)[] = [];
    const check = () => new Promise<void>((resolve) => checks.push(resolve));
    const { app: checked } = await build({
      checks: { mongodb: { needed: true, check } },
      timeouts: { healthCheck: 60_000 },
    });
    const calls = ['/health', '/health/ready', '/health'].map((url) => checked.inject(url));
    // A later call is done, so all of these are waiting.
    await checked.inject('/health/live');
    await eventually(() => checks.length > 0);
    checks[0]?.();
    expect((await Promise.all(calls)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    expect(checks).toHaveLength(1);
    const next = checked.inject('/health');
    await eventually(() => checks.length > 1);
    checks[1]?.();
    expect((await next).statusCode).toBe(200);
    await checked.close();
  });

  test('logs no requests for health, metrics and documents', async () => {
    for (const url of [
      '/health',
      '/health/live',
      '/health/ready',
      '/metrics',
      '/docs',
      '/redoc',
      '/openapi.json',
    ]) {
      expect((await app.inject(url)).statusCode).toBe(200);
    }
    expect(logged).toEqual([]);
  });

  test('/metrics counts responses by route, not by path', async () => {
    const { app } = await build();
    await app.inject({ method: 'PUT', url: '/things/secret-id', payload: { name: 'a' } });
    await app.inject('/nothing/secret-id');
    const answer = await app.inject('/metrics');
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(answer.body).toMatch(
      /^http_request_duration_seconds_count\{method="PUT",route="\/things\/:id",status="200"\} 1$/m,
    );
    expect(answer.body).toMatch(
      /^http_request_duration_seconds_count\{method="GET",route="none",status="404"\} \d+$/m,
    );
    expect(answer.body).toMatch(/^process_cpu_seconds_total \d/m);
    expect(answer.body).not.toContain('secret-id');
    await app.close();
  });

  test('serves /metrics only on METRICS_PORT when it is set', async () => {
    const { app } = await build({ env: { HOST: '127.0.0.1', METRICS_PORT: '0' } });
    expect((await app.inject('/metrics')).statusCode).toBe(404);
    const address = (app.metricsListener as FastifyInstance).server.address() as AddressInfo;
    const own = `http://127.0.0.1:${address.port}`;
    const metrics = await send(`${own}/metrics`);
    expect([metrics.status, metrics.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    expect(metrics.body).toMatch(
      /^http_request_duration_seconds_count\{method="GET",route="none",status="404"\} 1$/m,
    );
    const other = await send(`${own}/id`);
    expect([other.status, other.body.error.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    const absolute = await exchange('GET http://x/metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', {
      to: address.port,
    });
    expect(absolute.status).toBe(404);
    // The body never comes: an unknown path is refused before it is read.
    const waiting = await exchange(
      'POST /nope HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 9\r\nConnection: close\r\n\r\n',
      { to: address.port },
    );
    expect(waiting.status).toBe(404);
    await app.close();
    await expect(send(`${own}/metrics`)).rejects.toThrow('fetch failed');
  });

  test('does not start when METRICS_PORT is taken', async () => {
    const { app } = await build({ env: { HOST: '127.0.0.1', METRICS_PORT: String(port) } });
    await expect(app.ready()).rejects.toThrow(`cannot listen on HOST 127.0.0.1, METRICS_PORT ${port}: `);
    await app.close();
  });

  test('serves no /metrics on a port that clients reach', async () => {
    const { app } = await build({ isPublished: true });
    expect((await app.inject('/metrics')).statusCode).toBe(404);
    await app.close();
  });
});

describe('logs', () => {
  test('one line per request, without the query', async () => {
    const headers = { 'x-request-id': 'request-1', authorization: 'Bearer hunter2' };
    await app.inject({ url: '/id?token=hunter2', headers });
    const [{ ms } = {}] = logged;
    expect(Number(ms) * 10).toBeCloseTo(Math.round(Number(ms) * 10), 6);
    expect(logged).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        service: 'login',
        reqId: 'request-1',
        method: 'GET',
        path: '/id',
        status: 200,
        ms: expect.any(Number),
        msg: 'request completed',
      },
    ]);
  });

  test.each(['password', 'new_password', 'otp', 'token', 'recaptcha_token', 'authorization'])(
    '%s is redacted',
    (name) => {
      app.log.info(
        { [name]: 'hunter2', body: { [name]: 'hunter2' }, req: { headers: { [name]: 'hunter2' } } },
        'oops',
      );
      expect(JSON.stringify(logged)).not.toContain('hunter2');
      expect(logged[0]).toMatchObject({ [name]: '[Redacted]', body: { [name]: '[Redacted]' } });
    },
  );

  test('respects LOG_LEVEL', async () => {
    const quiet = await build({ env: { LOG_LEVEL: 'error' } });
    await quiet.app.inject('/id');
    await quiet.app.inject('/broken');
    expect(quiet.logged.map(({ level }) => level)).toEqual([50]);
    await quiet.app.close();
  });
});

describe('documents', () => {
  test.each<[string, string]>([
    ['/docs', 'text/html; charset=utf-8'],
    ['/redoc', 'text/html; charset=utf-8'],
    ['/openapi.json', 'application/json; charset=utf-8'],
    ['/redoc/redoc.standalone.js', 'text/javascript; charset=utf-8'],
  ])('%s', async (url, contentType) => {
    const answer = await app.inject(url);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, contentType]);
  });

  test.each(['/docs', '/redoc'])('%s/ leads to the page', async (page) => {
    const { statusCode, headers } = await app.inject(`${page}/`);
    expect([statusCode, headers.location]).toEqual([302, page]);
  });

  describe.each(['/docs', '/redoc'])('%s loads nothing from another origin', (page) => {
    test('everything that it links to is served here', async () => {
      const { body } = await app.inject(page);
      const named = [...body.matchAll(/\b(?:src|href|spec-url)\s*=\s*["']([^"']*)["']/g)].map(
        ([, url]) => url,
      );
      expect(named.length).toBeGreaterThan(1);
      for (const url of named) {
        if (url?.startsWith('data:')) continue;
        expect(url).toMatch(/^\/(?!\/)/);
        expect((await app.inject(url as string)).statusCode).toBe(200);
      }
      expect(body).not.toMatch(/<style|<script>|\bon[a-z]+=|https?:/);
    });

    test('its scripts and styles name no other origin', async () => {
      const { body } = await app.inject(page);
      const assets = [...body.matchAll(/"([^"]+\.(?:js|css))"/g)].map(([, url]) => url as string);
      expect(assets.length).toBeGreaterThan(0);
      for (const asset of assets) {
        const text = (await app.inject(asset)).body;
        const elsewhere =
          /\bsrc["']?\s*[=:,]\s*["'`]?(?:https?:)?\/\/|url\(["']?(?:https?:)?\/\/|@import|importScripts\(["']http|\/\/cdn\./;
        expect(elsewhere.exec(text)?.[0]).toBeUndefined();
      }
    });

    test('its policy allows no other host and does not upgrade to HTTPS', async () => {
      const policy = String((await app.inject(page)).headers['content-security-policy']);
      const directives = policy
        .split(';')
        .map((directive) => directive.trim())
        .filter(Boolean);
      expect(directives).toContain("default-src 'self'");
      expect(directives).not.toContain('upgrade-insecure-requests');
      for (const source of directives.flatMap((directive) => directive.split(/\s+/).slice(1))) {
        expect(source).toMatch(/^(?:'[a-z0-9+/=-]+'|data:|blob:)$/i);
      }
    });
  });

  test.each(['/docs', '/redoc'])('%s sends no referrer and shares no window', async (page) => {
    expect((await app.inject(page)).headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
  });

  test.each(['/docs', '/redoc', '/openapi.json', '/docs/swagger-ui.css', '/docs/start.js', '/metrics'])(
    '%s is not sent again to a client that has it',
    async (url) => {
      const { headers, rawPayload } = await app.inject(url);
      expect(headers).toMatchObject({
        etag: expect.stringMatching(/^"[\w-]{22}"$/),
        'cache-control': 'no-cache',
      });
      for (const known of [`"other", W/${headers.etag}`, '*']) {
        const again = await app.inject({ url, headers: { 'if-none-match': known } });
        expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', headers.etag]);
      }
      const head = await app.inject({ url, method: 'HEAD' });
      expect([head.statusCode, head.body, head.headers['content-length'], head.headers.etag]).toEqual([
        200,
        '',
        String(rawPayload.length),
        headers.etag,
      ]);
    },
  );

  test('/openapi.json is built once for some seconds', async () => {
    let [at, builds] = [NOW, 0];
    const server = await build({
      now: () => at,
      document: async () => {
        builds += 1;
        return { build: builds };
      },
    });
    await server.app.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect((server.app.server.address() as AddressInfo).port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    const get = (method: string) => `${method} /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n`;
    socket.write(get('GET').repeat(300) + get('HEAD').repeat(300));
    await eventually(() => text.split('HTTP/1.1 200 OK').length === 601);
    expect(text.split('{"build":1}')).toHaveLength(301);
    at += 4_999;
    expect((await server.app.inject('/openapi.json')).json()).toEqual({ build: 1 });
    at += 1;
    expect((await server.app.inject('/openapi.json')).json()).toEqual({ build: 2 });
    expect(builds).toBe(2);
    socket.destroy();
    await server.app.close();
  });

  test('/openapi.json describes the routes with their own schemas', async () => {
    const document = (await app.inject('/openapi.json')).json();
    const { openapi, info, servers } = document;
    expect({ openapi, info, servers }).toEqual({
      openapi: '3.1.0',
      info: {
        title: 'Gatehouse login',
        description: 'A test.',
        version: '0.1.0',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
    });
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/health', '/health/live', '/health/ready', '/things/{id}']),
    );
    for (const hidden of ['/docs', '/redoc', '/openapi.json', '/metrics', '*']) {
      expect(document.paths).not.toHaveProperty([hidden]);
    }
    expect(document.paths['/things/{id}'].put).toEqual({
      operationId: 'putThingsId',
      security: [],
      summary: 'Replace a thing',
      parameters: [{ in: 'path', name: 'id', required: true, schema: { type: 'string' } }],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: expect.objectContaining({
              type: 'object',
              properties: { name: { type: 'string' } },
              required: ['name'],
            }),
          },
        },
      },
      responses: {
        200: {
          description: 'The thing',
          content: {
            'application/json': {
              schema: expect.objectContaining({
                type: 'object',
                properties: { name: { type: 'string' } },
                required: ['name'],
              }),
            },
          },
        },
      },
    });
  });

  interface Operation {
    parameters?: { in: string; name: string; required: boolean }[];
    responses: Record<string, { description: string }>;
  }
  test('/openapi.json is valid for each operation', async () => {
    const document = (await app.inject('/openapi.json')).json();
    for (const [path, operations] of Object.entries<Record<string, Operation>>(document.paths)) {
      expect(path).toMatch(/^\//);
      for (const [method, operation] of Object.entries(operations)) {
        expect(['get', 'put', 'post', 'delete', 'patch', 'head', 'options']).toContain(method);
        const templated = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
        const { parameters = [] } = operation;
        expect(
          parameters
            .filter((parameter) => parameter.in === 'path' && parameter.required)
            .map(({ name }) => name),
        ).toEqual(templated);
        const responses = Object.entries(operation.responses);
        expect(responses.length).toBeGreaterThan(0);
        for (const [status, { description }] of responses) {
          expect(status).toMatch(/^[1-5]\d\d$|^default$/);
          expect(typeof description).toBe('string');
        }
      }
    }
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, reference]) => reference,
    );
    for (const reference of references) {
      const found = (reference as string)
        .replace(/^#\//, '')
        .split('/')
        .reduce((at, key) => at?.[key], document);
      expect(found).toBeDefined();
    }
  });
});
