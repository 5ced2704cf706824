import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { UPSTREAM_SETTINGS } from '@gatehouse/shared/contract/prefixes';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startGateway } from '../../fixtures/gateway.ts';
import { member } from '../../fixtures/members.ts';
import { envelope, exchange, refusal, startPlatform } from '../platform.ts';

/** CONTRACT.md §Prefixes, and the setting that holds the URL of what serves each. */
const TABLE: [prefix: string, setting: string][] = [
  ['/api/v1/auth', 'LOGIN_SERVICE_URL'],
  ['/auth', 'LOGIN_SERVICE_URL'],
  ['/api/v1/users', 'USER_SERVICE_URL'],
  ['/api/v1/organizations', 'USER_SERVICE_URL'],
  ['/api/v1/chatbots', 'UPSTREAM_CHATBOTS'],
  ['/api/v1/webhooks', 'USER_SERVICE_URL'],
  ['/api/v1/events', 'USER_SERVICE_URL'],
  ['/api/v1/sso', 'USER_SERVICE_URL'],
  ['/api/v1/selection', 'UPSTREAM_SELECTION'],
  ['/api/v1/crawl', 'UPSTREAM_CRAWL'],
  ['/api/v1/state-3d', 'UPSTREAM_STATE_3D'],
  ['/api/v1/state-text', 'UPSTREAM_STATE_TEXT'],
  ['/api/v1/state-voice', 'UPSTREAM_STATE_VOICE'],
  ['/api/v1/prompts', 'UPSTREAM_PROMPTS'],
  ['/api/v1/maintenance', 'UPSTREAM_MAINTENANCE'],
  ['/api/v1/chat-3d', 'UPSTREAM_CHAT_3D'],
  ['/api/v1/chat-text', 'UPSTREAM_CHAT_TEXT'],
  ['/api/v1/chat-voice', 'UPSTREAM_CHAT_VOICE'],
  ['/api/v1/history', 'UPSTREAM_HISTORY'],
  ['/api/v1/analytics', 'UPSTREAM_ANALYTICS'],
  ['/api/v1/llm', 'UPSTREAM_LLM'],
  ['/api/v1/homepage', 'UPSTREAM_HOMEPAGE'],
  ['/api/v1/physio', 'UPSTREAM_PHYSIO'],
  ['/api/v1/payment', 'UPSTREAM_PAYMENT'],
  ['/api/v1/admin', 'UPSTREAM_ADMIN'],
];
const PLATFORM = TABLE.filter(([, setting]) => setting.startsWith('UPSTREAM_'));

type Started<T extends (...args: never[]) => unknown> = Awaited<ReturnType<T>>;

describe('with every service configured', () => {
  // All URLs lead to one listener; the base path of each tells which one was used.
  let platform: Started<typeof startPlatform>;
  let gateway: Started<typeof startGateway>;
  let ada: Started<typeof member>;
  beforeAll(async () => {
    platform = await startPlatform();
    gateway = await startGateway({
      env: Object.fromEntries(TABLE.map(([, setting]) => [setting, `${platform.url}/${setting}`])),
    });
    ada = await member(gateway.db, gateway.clock);
  });
  afterEach(() => platform.reset());
  afterAll(async () => {
    await gateway.stop();
    await platform.stop();
  });
  const call = (path: string, method = 'GET') =>
    exchange(`${gateway.url}${path}`, { method, headers: { authorization: ada.authorization } });

  describe.each(TABLE)('%s', (prefix, setting) => {
    test.each([
      prefix,
      `${prefix}/`,
      `${prefix}/one`,
      `${prefix}/one/two/three/`,
      `${prefix}/one?a=1&a=2&b=%2F..%2F&c=//x;y`,
      `${prefix}?page=2`,
      `${prefix}/a%20b/~c/@d:e,f`,
      `${prefix}/%C3%BC`,
    ])('%s', async (path) => {
      const { status, body } = await call(path);
      expect({ status, body: body.toString() }).toEqual({ status: 200, body: '{"ok":true}' });
      expect(platform.calls.map(({ method, url }) => ({ method, url }))).toEqual([
        { method: 'GET', url: `/${setting}${path}` },
      ]);
    });

    test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])('%s', async (method) => {
      expect((await call(`${prefix}/things`, method)).status).toBe(200);
      expect(platform.calls.map(({ method, url }) => ({ method, url }))).toEqual([
        { method, url: `/${setting}${prefix}/things` },
      ]);
    });

    test('does not match a longer name', async () => {
      expect(refusal(await call(`${prefix}s-and-more`))).toEqual(
        envelope(404, 'RESOURCE_NOT_FOUND', 'Not found'),
      );
      expect(platform.calls).toEqual([]);
    });

    test('needs a bearer', async () => {
      expect(refusal(await exchange(`${gateway.url}${prefix}/things`))).toEqual(
        envelope(401, 'INVALID_TOKEN', 'No authorization header'),
      );
      expect(platform.calls).toEqual([]);
    });
  });

  test.each(['TRACE', 'OPTIONS', 'PROPFIND', 'SEARCH', 'LOCK', 'PURGE'])(
    'returns 404 for %s',
    async (method) => {
      const { status } = await call('/api/v1/history/1', method);
      expect(status).toBe(404);
      expect(platform.calls).toEqual([]);
    },
  );

  test.each([
    '/api/v1',
    '/api/v1/',
    '/api/v1/unknown',
    '/api/v1/webhook',
    '/api/v2/users/me',
    '/api/v2/history/1',
    '/v1/history/1',
    '/history/1',
    '/users/me',
    '/authentication',
    '/internal/events',
    '/API/V1/history/1',
    '/api/v1/History/1',
    '/LOGIN_SERVICE_URL',
  ])('does not forward %s', async (path) => {
    expect(refusal(await call(path))).toEqual(envelope(404, 'RESOURCE_NOT_FOUND', 'Not found'));
    expect(platform.calls).toEqual([]);
  });

  /** Sends a raw request target, which no client library would. */
  const raw = async (target: string, method = 'GET'): Promise<string> => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      Buffer.from(
        `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${ada.authorization}\r\n\r\n`,
        'latin1',
      ),
    );
    return text(socket);
  };

  /** @fastify/http-proxy and @fastify/reply-from have advisories of each kind; none of these paths may reach them. */
  describe.each<[attack: string, targets: string[]]>([
    [
      'an empty segment',
      [
        '//api/v1/history/1',
        '/api//v1/history/1',
        '/api/v1//history/1',
        '/api/v1/history//1',
        '/api/v1/history//evil.example/1',
        '/api/v1/history/http://evil.example/',
      ],
    ],
    [
      'a dot segment',
      [
        '/api/v1/./history/1',
        '/api/v1/history/./1',
        '/api/v1/history/.',
        '/api/v1/history/..',
        '/api/v1/history/../users/me',
        '/api/v1/history/1/../../admin/x',
        '/api/v1/history/../../../..',
        '/api/v1/history/..x/1',
        '/api/v1/history/x../1',
      ],
    ],
    [
      'an encoded dot',
      [
        '/api/v1/history/%2e%2e/admin/x',
        '/api/v1/history/%2E%2E/admin/x',
        '/api/v1/history/.%2e/admin/x',
        '/api/v1/history/%2e./admin/x',
        '/api/v1/history/%252e%252e/admin/x',
        '/api/v1/%2e/history/1',
      ],
    ],
    [
      'an encoded slash',
      [
        '/api/v1/history%2f1',
        '/api/v1/history/..%2fadmin/x',
        '/api/v1/history/..%2Fadmin/x',
        '/api/v1/history/%2f%2fevil.example/1',
        '/api%2fv1%2fhistory%2f1',
        '/api/v1/history/a%252fb',
      ],
    ],
    [
      'a backslash',
      [
        '/api/v1/history/a\\..\\b',
        '/api\\v1\\history\\1',
        '/api/v1/history/\\evil.example/1',
        '/api/v1/history/a%5cb',
        '/api/v1/history/a%5Cb',
        '/api/v1/history/..%5cadmin/x',
      ],
    ],
    [
      'a path parameter',
      [
        '/api/v1/history/1;x=1',
        '/api/v1/history;x/1',
        '/api/v1/history/..;/admin/x',
        '/api/v1/history/1%3Bx',
      ],
    ],
    [
      'an encoded query or fragment',
      [
        '/api/v1/history/1%3fx',
        '/api/v1/history/1%3F/../../admin/x',
        '/api/v1/history/1%23x',
        '/api/v1/history%3f/1',
        '/api/v1/history%23/../admin/x',
      ],
    ],
    [
      'a needless escape',
      [
        '/api/v1/history/%61',
        '/api/v1/%68istory/1',
        '/api/v1/history/%',
        '/api/v1/history/%zz',
        '/api/v1/history/%ff',
      ],
    ],
    [
      'an encoded control character',
      [
        '/api/v1/history/1%00',
        '/api/v1/history/1%09',
        '/api/v1/history/1%0a',
        '/api/v1/history/1%0d%0aX-User-Id:%20x',
        '/api/v1/history/1%7f',
      ],
    ],
    [
      'an absolute form',
      [
        'http://127.0.0.1/api/v1/history/1',
        'http://api/v1/history/1',
        'https://evil.example/api/v1/history/1',
      ],
    ],
    [
      'another spelling of the prefix',
      [
        '/api/v1/History/1',
        '/API/v1/history/1',
        '/api/v1/historyx/1',
        '/api/v1/history.evil/1',
        '/api/v1/history@evil.example/1',
      ],
    ],
    [
      'a character that no path holds',
      [
        '/api/v1/history/"quoted"',
        '/api/v1/history/<b>',
        '/api/v1/history/{id}',
        '/api/v1/history/a|b',
        '/api/v1/history/1#top',
        '/api/v1/history/#/../../admin/x',
      ],
    ],
  ])('a path with %s', (_, targets) => {
    test.each(targets)('returns 404 for %s, and calls no service', async (target) => {
      expect(await raw(target)).toMatch(/^HTTP\/1\.1 404 /);
      expect(platform.calls).toEqual([]);
    });
  });

  test.each(['/api/v1/history/\u00fc', '/api/v1/history/a b', '/api/v1/history/\u0001'])(
    'returns 400 or 404 for the bytes %j, and calls no service',
    async (target) => {
      expect(await raw(target)).toMatch(/^HTTP\/1\.1 40[04] /);
      expect(platform.calls).toEqual([]);
    },
  );

  // Canonical paths that a URL parser could take for another origin or path.
  test.each([
    '/api/v1/history/@evil.example/1',
    '/api/v1/history/user:secret@evil.example',
    '/api/v1/history/:80@evil.example:81/1',
    '/api/v1/history/http:evil.example',
    '/api/v1/history/1?/../../admin/x',
    '/api/v1/history/1?//evil.example',
    '/api/v1/history/1?http://evil.example/#x',
    '/api/v1/history/1??x?y',
    '/api/v1/history?../admin',
    '/api/v1/history/?%2e%2e%2fadmin',
    '/api/v1/history/1?url=/api/v1/admin/x&prefix=/api/v1/admin',
  ])('forwards %s to its own service, unchanged', async (target) => {
    expect(await raw(target)).toMatch(/^HTTP\/1\.1 200 /);
    expect(platform.calls.map(({ url, headers }) => ({ url, host: headers.host }))).toEqual([
      { url: `/UPSTREAM_HISTORY${target}`, host: new URL(platform.url).host },
    ]);
  });

  test('ignores a Host header and X-Forwarded-Host in the choice of the service', async () => {
    const headers = {
      authorization: ada.authorization,
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
    };
    expect((await exchange(`${gateway.url}/api/v1/history/1`, { headers })).status).toBe(200);
    expect(platform.calls[0]?.headers.host).toBe(new URL(platform.url).host);
  });

  test('forwards a query that is not encoded, byte for byte', async () => {
    expect(await raw('/api/v1/history/1?q="<>|\\^`{}&a[]=1&b=%zz&&=?')).toMatch(/^HTTP\/1\.1 200 /);
    expect(platform.calls.map(({ url }) => url)).toEqual([
      '/UPSTREAM_HISTORY/api/v1/history/1?q="<>|\\^`{}&a[]=1&b=%zz&&=?',
    ]);
  });

  test.each(['/api/v1/history/1?q=\u00fc', '/api/v1/history/1?q=a b', '/api/v1/history/1?q=\u0001'])(
    'returns 400 for an invalid query: %j',
    async (target) => {
      expect(await raw(target)).toMatch(/^HTTP\/1\.1 400 /);
      expect(platform.calls).toEqual([]);
    },
  );

  test('opens no tunnel for CONNECT', async () => {
    expect(await raw('127.0.0.1:80', 'CONNECT').catch(() => '')).not.toMatch(/^HTTP\/1\.1 2/);
    expect(platform.calls).toEqual([]);
  });
});

describe('with no platform service configured', () => {
  let gateway: Started<typeof startGateway>;
  let user: Started<typeof startPlatform>;
  let headers: { authorization: string };
  beforeAll(async () => {
    user = await startPlatform();
    gateway = await startGateway({ env: { USER_SERVICE_URL: user.url } });
    headers = { authorization: (await member(gateway.db, gateway.clock)).authorization };
  });
  afterAll(async () => {
    await gateway.stop();
    await user.stop();
  });

  const OWN = ['/api/v1/chatbots', '/api/v1/admin'];

  test.each(PLATFORM.filter(([prefix]) => !OWN.includes(prefix)))(
    'returns 503 for %s while %s is unset',
    async (prefix) => {
      for (const [method, path] of [
        ['GET', prefix],
        ['POST', `${prefix}/things`],
      ] as const) {
        expect(refusal(await exchange(`${gateway.url}${path}`, { method, headers }))).toEqual(
          envelope(
            503,
            'SERVICE_UNAVAILABLE',
            'Service unavailable',
            `No service is configured for ${prefix}/`,
          ),
        );
      }
    },
  );

  test.each(OWN)('forwards %s to the user service', async (prefix) => {
    user.calls.length = 0;
    expect((await exchange(`${gateway.url}${prefix}?limit=1`, { headers })).status).toBe(200);
    expect(user.calls.map(({ url }) => url)).toEqual([`${prefix}?limit=1`]);
  });

  test('returns 401 before 503', async () => {
    expect((await exchange(`${gateway.url}/api/v1/history/1`)).status).toBe(401);
  });
});

describe('PUBLIC_CALLBACK_PATHS', () => {
  let platform: Started<typeof startPlatform>;
  let gateway: Started<typeof startGateway>;
  beforeAll(async () => {
    platform = await startPlatform();
    gateway = await startGateway({
      env: {
        UPSTREAM_PAYMENT: platform.url,
        UPSTREAM_CRAWL: platform.url,
        PUBLIC_CALLBACK_PATHS: '/api/v1/payment/webhook, /api/v1/crawl/done',
      },
    });
  });
  afterEach(() => platform.reset());
  afterAll(async () => {
    await gateway.stop();
    await platform.stop();
  });

  test.each(['/api/v1/payment/webhook', '/api/v1/crawl/done'])(
    '%s needs no bearer: its body is unchanged and it has no identity headers',
    async (path) => {
      const body = '{ "type" : "invoice.paid",\r\n "amount": 1.0 }';
      const { status } = await exchange(`${gateway.url}${path}?try=1`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'stripe-signature': 't=1,v1=ab',
          'x-user-id': 'User-1',
        },
        body,
      });
      expect(status).toBe(200);
      expect(platform.calls).toEqual([
        {
          method: 'POST',
          url: `${path}?try=1`,
          body: Buffer.from(body),
          complete: true,
          headers: expect.objectContaining({ 'stripe-signature': 't=1,v1=ab' }),
        },
      ]);
      expect(
        Object.keys(platform.calls[0]?.headers ?? {}).filter((name) => name.startsWith('x-user')),
      ).toEqual([]);
    },
  );

  test('an invalid bearer is ignored and forwarded', async () => {
    const headers = { authorization: 'Basic c3RyaXBl' };
    const { status } = await exchange(`${gateway.url}/api/v1/payment/webhook`, { method: 'POST', headers });
    expect(status).toBe(200);
    expect(platform.calls[0]?.headers).toMatchObject(headers);
  });

  test.each([
    '/api/v1/payment',
    '/api/v1/payment/webhook/',
    '/api/v1/payment/webhook/x',
    '/api/v1/payment/webhooks',
    '/api/v1/payment/Webhook',
    '/api/v1/crawl/webhook',
  ])('%s needs a bearer', async (path) => {
    expect((await exchange(`${gateway.url}${path}`, { method: 'POST' })).status).toBe(401);
    expect(platform.calls).toEqual([]);
  });
});

test.each([
  '/api/v1/chat-3d/respond/',
  '/api/v1/crawl/upload-pdf/',
  '/api/v1/crawl/Upload-PDF',
  '/api/v1/chat-3d/RESPOND/?a=b',
])('returns 404 for %s, which is not validated', async (path) => {
  const platform = await startPlatform();
  const gateway = await startGateway({
    env: { UPSTREAM_CHAT_3D: platform.url, UPSTREAM_CRAWL: platform.url },
  });
  const { authorization } = await member(gateway.db, gateway.clock);
  const answer = await exchange(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization },
    body: '{}',
  });
  expect(refusal(answer)).toStrictEqual(envelope(404, 'RESOURCE_NOT_FOUND', 'Not found'));
  expect(platform.calls).toEqual([]);
  await gateway.stop();
  await platform.stop();
});

describe('the settings of the platform services', () => {
  const SETTINGS = PLATFORM.map(([, setting]) => setting).toSorted();
  const file = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  const upstreams = (settings: object) =>
    Object.keys(settings)
      .filter((name) => name.startsWith('UPSTREAM_'))
      .toSorted();

  test('are in the table', () => {
    expect(UPSTREAM_SETTINGS.toSorted()).toEqual(SETTINGS);
  });

  test('are in .env.example', () => {
    expect(upstreams(parseEnv(file('.env.example')))).toEqual(SETTINGS);
  });

  test('are passed to the gateway by docker-compose.yml', () => {
    const { services } = parse(file('docker-compose.yml'), { merge: true });
    expect(upstreams(services.gateway.environment)).toEqual(SETTINGS);
  });
});
