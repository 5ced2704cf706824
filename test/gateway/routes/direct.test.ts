import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, startHttp, startUpstream } from '../../fixtures/gateway.ts';
import { postForm, send } from '../../fixtures/http.ts';

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({ env: { LOGIN_SERVICE_URL: upstream.url, USER_SERVICE_URL: upstream.url } });
});
afterEach(() => {
  upstream.received.length = 0;
  upstream.answer.status = 200;
  upstream.answer.body = '{"ok":true}';
  upstream.answer.headers = { 'content-type': 'application/json' };
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const forms: Record<string, Record<string, string>> = {
  '/v2/login': { email: 'ada@example.com', password: 'p&=+ %ü\u0000' },
  '/v2/signup': { email: 'ada@example.com', password: 'secret', name: 'Ada 🜁 <b>' },
  '/v2/verify-otp': { email: 'ada@example.com', otp: '012345', token: 'header.claims.signature' },
  '/v2/forgot-password': { email: 'ada@example.com' },
  '/v2/reset-password': { email: 'ada@example.com', otp: '012345', new_password: ' spaces kept ' },
};

describe.each(Object.entries(forms))('POST %s', (path, fields) => {
  test('forwards the fields of the contract, and of the client its address, program and language', async () => {
    const { status, body } = await postForm(
      `${gateway.url}${path}?next=/admin`,
      { ...fields, verified: 'true' },
      {
        authorization: 'Bearer x',
        cookie: 'session=1',
        'user-agent': 'Browser/1',
        'accept-language': 'de',
        forwarded: 'for=6.6.6.6',
        'x-forwarded-for': '6.6.6.6',
        'x-forwarded-host': 'evil.example',
        'x-user-id': 'User-100000',
        'x-internal-role': 'admin',
        'x-request-id': 'from-the-client.1',
      },
    );
    expect({ status, body }).toEqual({ status: 200, body: { ok: true } });
    expect(upstream.received).toEqual([
      {
        method: 'POST',
        url: path,
        form: fields,
        headers: {
          host: new URL(upstream.url).host,
          connection: 'keep-alive',
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': expect.any(String),
          'x-request-id': 'from-the-client.1',
          'x-forwarded-for': '127.0.0.1',
          'x-forwarded-proto': 'http',
          'user-agent': 'Browser/1',
          'accept-language': 'de',
        },
      },
    ]);
  });

  test('forwards a multipart form as the same fields', async () => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    expect((await send(`${gateway.url}${path}`, { method: 'POST', body })).status).toBe(200);
    expect(upstream.received.map(({ form }) => form)).toEqual([fields]);
  });

  test.each([400, 401, 403, 404, 429, 500, 503])(
    'passes on a %i of the service unchanged',
    async (status) => {
      upstream.answer.status = status;
      upstream.answer.body = '{"detail":"what the service says"}';
      upstream.answer.headers = {
        'content-type': 'application/json',
        'retry-after': '7',
        'cache-control': 'no-store',
        'set-cookie': 'a=1',
      };
      const answer = await postForm(`${gateway.url}${path}`, fields);
      expect({ status: answer.status, body: answer.body }).toEqual({
        status,
        body: { detail: 'what the service says' },
      });
      expect(answer.headers.get('retry-after')).toBe('7');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('set-cookie')).toBeNull();
    },
  );

  test.each<[string, number, string, Record<string, string>]>([
    ['something other than JSON', 200, '<html>', { 'content-type': 'text/html' }],
    ['JSON that is not an object', 400, 'null', { 'content-type': 'application/json' }],
    ['broken JSON', 200, '{"token":', { 'content-type': 'application/json' }],
    [
      'a status outside the contract',
      302,
      '{}',
      { 'content-type': 'application/json', location: 'http://evil.example' },
    ],
    ['more than a mebibyte', 200, `"${'x'.repeat(1024 * 1024)}"`, { 'content-type': 'application/json' }],
  ])('returns 503 when the service answers %s', async (_, status, body, headers) => {
    Object.assign(upstream.answer, { status, body, headers });
    const answer = await postForm(`${gateway.url}${path}`, fields);
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 503,
      body: { detail: 'Service unavailable' },
    });
    expect(upstream.received).toHaveLength(1);
  });
});

test.each<[string, Parameters<typeof startHttp>[0]]>([
  ['hangs up at once', (request) => request.socket.destroy()],
  [
    'dies in the middle of a response',
    (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"token":', () => response.socket?.destroy());
    },
  ],
  ['does not speak HTTP', (request) => request.socket.end('SSH-2.0-OpenSSH\r\n')],
])('returns 503 and does not retry when the service %s', async (_, listener) => {
  let calls = 0;
  const broken = await startHttp((request, response) => {
    calls += 1;
    listener(request, response);
  });
  const front = await startGateway({ env: { USER_SERVICE_URL: broken.url } });
  const { status, body } = await postForm(`${front.url}/v2/forgot-password`, { email: 'ada@example.com' });
  expect({ status, body }).toEqual({ status: 503, body: { detail: 'Service unavailable' } });
  expect(calls).toBe(1);
  await front.stop();
  await broken.stop();
});

test('returns 503 when the service is down', async () => {
  const gone = await startHttp(() => {});
  await gone.stop();
  const front = await startGateway({ env: { USER_SERVICE_URL: gone.url } });
  const { status, body } = await postForm(`${front.url}/v2/forgot-password`, { email: 'ada@example.com' });
  expect({ status, body }).toEqual({ status: 503, body: { detail: 'Service unavailable' } });
  await front.stop();
});

test('returns 503 when the service hangs beyond the limit', async () => {
  const hanging = await startHttp(() => {});
  const front = await startGateway({ env: { USER_SERVICE_URL: hanging.url }, limits: { services: 50 } });
  const { status, body } = await postForm(`${front.url}/v2/forgot-password`, { email: 'ada@example.com' });
  expect({ status, body }).toEqual({ status: 503, body: { detail: 'Service unavailable' } });
  await front.stop();
  await hanging.stop();
});

describe('paths', () => {
  /** Sends a raw request line. */
  const rawPost = (target: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(gateway.url);
      const body = 'email=ada%40example.com&password=secret';
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          `POST ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
      });
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });

  test.each([
    '//v2/login',
    '/v2//login',
    '/./v2/login',
    '/v2/./login',
    '/v2/x/../login',
    '/v2/%6cogin',
    '/v2%2flogin',
    '/v2%2Flogin',
    '/%2e/v2/login',
    '/v2/login%00',
    '/v2/login;x',
    '/v2;/login',
    '/v2\\login',
    '/v2/login\\',
    '/v2/Login',
    '/v2/login/',
    'http://127.0.0.1/v2/login',
    '/v2/login/extra',
    '/v2/',
  ])('returns 404 for %s and calls no service', async (target) => {
    expect(await rawPost(target)).toMatch(/^HTTP\/1\.1 404 /);
    expect(upstream.received).toEqual([]);
  });

  test.each(['/V2/login', '/internal/events', '/api/v1/nothing', '/'])(
    'returns 401 before 404: %s',
    async (target) => {
      expect(await rawPost(target)).toMatch(/^HTTP\/1\.1 401 /);
      expect(upstream.received).toEqual([]);
    },
  );

  test.each(['v2/login', '*', '/v2/lo gin', '/v2/login\u0001'])(
    'returns 400 or 404 for %s',
    async (target) => {
      expect(await rawPost(target)).toMatch(/^HTTP\/1\.1 40[04] /);
      expect(upstream.received).toEqual([]);
    },
  );

  test.each(['GET', 'PUT', 'PATCH', 'DELETE'])('returns 404 for %s /v2/login', async (method) => {
    const { status, body } = await send(`${gateway.url}/v2/login`, { method });
    expect({ status, body }).toEqual({ status: 404, body: { detail: 'Not found' } });
  });
});
