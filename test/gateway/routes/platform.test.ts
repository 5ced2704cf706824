import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer as createTcp, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createUpstream } from '../../../services/gateway/proxy/upstreams.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { startGateway, startHttp } from '../../fixtures/gateway.ts';
import { member } from '../../fixtures/members.ts';
import { envelope, exchange, refusal, startPlatform } from '../platform.ts';

const timers: { tick(ms: number): void } = createRequire(import.meta.url)('undici/lib/util/timers.js');
/** Moves undici's clock, which it exports for tests; the first tick starts timers that are new. */
const pass = (ms: number) => {
  timers.tick(0);
  timers.tick(ms);
};

type Started<T extends (...args: never[]) => unknown> = Awaited<ReturnType<T>>;

let platform: Started<typeof startPlatform>;
let gateway: Started<typeof startGateway>;
let ada: Started<typeof member>;
beforeAll(async () => {
  platform = await startPlatform();
  gateway = await startGateway({ env: { UPSTREAM_HISTORY: platform.url } });
  ada = await member(gateway.db, gateway.clock);
});
afterEach(() => platform.reset());
afterAll(async () => {
  await gateway.stop();
  await platform.stop();
});

const PATH = '/api/v1/history/1';
const call = (init: Parameters<typeof exchange>[1] = {}, path = PATH, front = gateway.url) =>
  exchange(`${front}${path}`, { ...init, headers: { authorization: ada.authorization, ...init.headers } });
const unavailable = envelope(503, 'SERVICE_UNAVAILABLE', 'Service unavailable');

/** A TCP server, which need not speak HTTP. */
async function startTcp(onSocket: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createTcp((socket) => {
    sockets.add(
      socket
        .on('error', () => {})
        .once('close', () => sockets.delete(socket))
        .resume(),
    );
    onSocket(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    sockets,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('the request at the service', () => {
  test('has the caller’s identity, and the client’s headers without those that it may not set', async () => {
    const { status } = await call({
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/html, */*;q=0.1',
        'accept-encoding': 'gzip, br',
        cookie: 'a=1; b=2',
        'if-none-match': '"v1"',
        range: 'bytes=0-1',
        'user-agent': 'test',
        'x-trace': 'kept',
        'x-request-id': 'the-clients.1',
        // forged
        'x-user-id': 'User-999999',
        'x-user-email': 'root@example.com',
        'x-user-plan': 'Enterprise',
        'x-user-role': 'Owner',
        'x-internal-key': 'x',
        forwarded: 'for=6.6.6.6',
        'x-forwarded-for': '6.6.6.6',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-port': '443',
        'x-real-ip': '6.6.6.6',
        // hop-by-hop
        connection: 'close, X-Secret-Hop',
        'x-secret-hop': '1',
        'keep-alive': 'timeout=5',
        'proxy-authorization': 'Basic eDp5',
        'proxy-connection': 'keep-alive',
        te: 'trailers',
      },
      body: '{}',
    });
    expect(status).toBe(200);
    expect(platform.calls).toEqual([
      {
        method: 'POST',
        url: PATH,
        body: Buffer.from('{}'),
        complete: true,
        headers: {
          host: new URL(platform.url).host,
          connection: 'keep-alive',
          'content-length': '2',
          authorization: ada.authorization,
          'content-type': 'application/json',
          accept: 'text/html, */*;q=0.1',
          'accept-encoding': 'gzip, br',
          cookie: 'a=1; b=2',
          'if-none-match': '"v1"',
          range: 'bytes=0-1',
          'user-agent': 'test',
          'x-trace': 'kept',
          'x-request-id': 'the-clients.1',
          'x-user-id': ada.user_id,
          'x-user-email': ada.email,
          'x-user-plan': 'Enterprise',
          'x-forwarded-for': '127.0.0.1',
          'x-forwarded-proto': 'http',
          'x-forwarded-host': new URL(gateway.url).host,
        },
      },
    ]);
  });

  test.each([
    'X-Original-URL',
    'X_Original_URI',
    'X-Original-Method',
    'X-Rewrite-URL',
    'X-Override-URL',
    'X-HTTP-Method-Override',
    'x_http_method_override',
    'X-HTTP-Method',
    'X-Method-Override',
    'X-Method',
    'X-HTTP-Host-Override',
    'X-Host',
    'X-Envoy-Original-Path',
  ])('does not have %s, which would change path, method or host', async (name) => {
    await call({ headers: { [name]: 'DELETE', 'x-methodology': 'kept' } });
    expect(platform.calls[0]?.headers).toHaveProperty('x-methodology', 'kept');
    expect(platform.calls[0]?.headers).not.toHaveProperty(name.toLowerCase());
  });

  test.each([
    'X_User_Id',
    'x_user-email',
    'X-User_Plan',
    'x_internal_key',
    'X_Forwarded_For',
    'X_Real_IP',
    'X_Request_ID',
  ])('has no %s, which some servers read as a name with hyphens', async (name) => {
    await call({ headers: { [name]: 'forged' } });
    expect(Object.values(platform.calls[0]?.headers ?? {})).not.toContain('forged');
  });

  test.each([
    'Content-Length',
    'content-length, content-type',
    'transfer-encoding',
    'X-User-Id, Authorization',
  ])('keeps its body and its identity when Connection names %s', async (named) => {
    await call({
      method: 'POST',
      headers: { connection: `keep-alive, ${named}`, 'content-length': '5' },
      body: 'hello',
    });
    expect(platform.calls[0]).toMatchObject({
      body: Buffer.from('hello'),
      headers: { 'x-user-id': ada.user_id },
    });
  });

  test('has the request ID that the gateway made when the client’s is invalid', async () => {
    const { headers } = await call({ headers: { 'x-request-id': 'no spaces' } });
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(platform.calls[0]?.headers['x-request-id']).toBe(headers['x-request-id']);
  });

  test('has the plan Free for a user without a plan', async () => {
    const free = await member(gateway.db, gateway.clock);
    await gateway.db.users.updateOne({ email: free.email }, { $unset: { subscription_plan: true } });
    await call({ headers: { authorization: free.authorization } });
    expect(platform.calls[0]?.headers).toMatchObject({ 'x-user-id': free.user_id, 'x-user-plan': 'Free' });
  });

  test('has the UTF-8 bytes of an email or plan that is not ASCII', async () => {
    const old = await member(gateway.db, gateway.clock, {
      email: 'łukasz@example.com',
      subscription_plan: 'Größe\r\nX-Evil: 1',
    });
    expect((await call({ headers: { authorization: old.authorization } })).status).toBe(200);
    const headers = platform.calls[0]?.headers ?? {};
    expect(Buffer.from(String(headers['x-user-email']), 'latin1').toString()).toBe('łukasz@example.com');
    expect(Buffer.from(String(headers['x-user-plan']), 'latin1').toString()).toBe('Größe  X-Evil: 1');
    expect(headers['x-evil']).toBeUndefined();
  });

  const BODIES: [string, Buffer, Record<string, string>][] = [
    ['none', Buffer.alloc(0), { 'content-length': '0' }],
    ['text', Buffer.from('{ "a" : 1,\r\n"ü": "🜁" }'), { 'content-type': 'application/json' }],
    ['invalid JSON', Buffer.from('{"a":'), { 'content-type': 'application/json' }],
    ['deeply nested JSON', Buffer.from('['.repeat(100_000)), { 'content-type': 'application/json' }],
    [
      'every byte',
      Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
      { 'content-type': 'image/png' },
    ],
    ['gzip', gzipSync('hello '.repeat(1000)), { 'content-type': 'text/plain', 'content-encoding': 'gzip' }],
    ['no content type', Buffer.from('x'), {}],
    ['an unknown content type', Buffer.from('x'), { 'content-type': 'application/vnd.x+cbor; v="1"' }],
    ['a form', Buffer.from('a=1&a=2'), { 'content-type': 'application/x-www-form-urlencoded' }],
    ['chunks', Buffer.from('in chunks'), { 'transfer-encoding': 'chunked' }],
    ['three mebibytes', randomBytes(3 * 1024 * 1024), { 'content-type': 'application/octet-stream' }],
  ];
  describe.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s', (method) => {
    test.each(BODIES)('has a body of %s', async (_, body, headers) => {
      expect((await call({ method, headers, body })).status).toBe(200);
      expect(platform.calls).toHaveLength(1);
      expect(platform.calls[0]?.body.equals(body)).toBe(true);
      expect(platform.calls[0]?.headers['content-type']).toBe(headers['content-type']);
      expect(platform.calls[0]?.headers['content-encoding']).toBe(headers['content-encoding']);
      expect(platform.calls[0]?.headers['content-length']).toBe(
        body.length === 0 && method === 'DELETE' ? undefined : String(body.length),
      );
    });
  });

  test('has the body of a GET, if there is one', async () => {
    await call();
    expect(platform.calls[0]?.headers).not.toHaveProperty('content-length');
    expect(platform.calls[0]?.headers).not.toHaveProperty('transfer-encoding');
    await call({ headers: { 'content-length': '3' }, body: 'abc' });
    expect(platform.calls[1]?.body.toString()).toBe('abc');
  });
});

describe('the response at the client', () => {
  const answering = (
    status: number,
    headers: Record<string, string | string[]>,
    body: string | Buffer = '',
  ) => {
    platform.reply = (_, response) => void response.writeHead(status, headers).end(body);
  };

  test('has the service’s headers, except those that the gateway sets', async () => {
    answering(
      201,
      {
        'content-type': 'application/vnd.api+json',
        'set-cookie': ['a=1; HttpOnly', 'b=2'],
        etag: 'W/"v1"',
        location: '/api/v1/history/2',
        'cache-control': 'private, max-age=5',
        'content-disposition': 'attachment; filename="\u00fc.pdf"',
        'www-authenticate': 'Bearer',
        'retry-after': '7',
        'x-custom': 'kept',
        link: '</api/v1/history?page=2>; rel="next"',
        // hop-by-hop
        connection: 'close, X-Hop',
        'x-hop': '1',
        'keep-alive': 'timeout=9',
        'proxy-authenticate': 'Basic',
        trailer: 'x-checksum',
        upgrade: 'h2c',
        // set by the gateway
        'x-request-id': 'forged',
        'x-ratelimit-limit': '9',
        'x-ratelimit-remaining': '9',
        'x-ratelimit-reset': '9',
        'access-control-allow-origin': 'https://evil.example',
        'access-control-allow-credentials': 'true',
        'api-version': 'v9',
        deprecation: '@1',
        sunset: 'never',
      },
      '{}',
    );
    const { status, headers, body } = await call();
    expect({ status, body: body.toString() }).toEqual({ status: 201, body: '{}' });
    expect(headers).toEqual({
      'content-type': 'application/vnd.api+json',
      'set-cookie': ['a=1; HttpOnly', 'b=2'],
      etag: 'W/"v1"',
      location: '/api/v1/history/2',
      'cache-control': 'private, max-age=5',
      'content-disposition': 'attachment; filename="\u00fc.pdf"',
      'www-authenticate': 'Bearer',
      'retry-after': '7',
      'x-custom': 'kept',
      link: '</api/v1/history?page=2>; rel="next"',
      'transfer-encoding': 'chunked',
      connection: expect.any(String),
      date: expect.any(String),
      vary: expect.any(String),
      'api-version': 'v1',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-ratelimit-limit': expect.stringMatching(/^\d+$/),
      'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
      'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
      'x-content-type-options': 'nosniff',
    });
  });

  test('is not cached, unless the service says so', async () => {
    expect((await call()).headers['cache-control']).toBe('no-store');
    answering(200, { 'cache-control': 'private, max-age=5' }, '{}');
    expect((await call()).headers['cache-control']).toBe('private, max-age=5');
    expect((await exchange(`${gateway.url}${PATH}`)).headers['cache-control']).toBeUndefined();
  });

  test('has the Vary of the service and that of the gateway', async () => {
    answering(200, { vary: 'Accept-Encoding' }, 'x');
    const { headers } = await call({ headers: { origin: 'https://app.example' } });
    expect(headers['access-control-allow-origin']).toBe('https://app.example');
    expect(String(headers.vary).toLowerCase().split(/,\s*/).toSorted()).toEqual([
      'accept-encoding',
      'origin',
    ]);
  });

  test.each([
    ['streamed', {}],
    ['small', { 'content-type': 'text/plain', 'content-length': '1' }],
  ])('has the same bytes in a header that is UTF-8, before a %s body', async (_, headers) => {
    const title = Buffer.from('Łódź 🜁').toString('latin1');
    answering(200, { ...headers, 'x-title': title }, Buffer.from('x'));
    expect((await call()).headers['x-title']).toBe(title);
  });

  const zipped = gzipSync('compressed '.repeat(1000));
  const BODIES: [string, number, Record<string, string>, Buffer][] = [
    ['gzip', 200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' }, zipped],
    ['every byte', 200, { 'content-type': 'application/octet-stream' }, Buffer.from([...Array(256).keys()])],
    ['a part', 206, { 'content-range': 'bytes 0-3/10', 'accept-ranges': 'bytes' }, Buffer.from('part')],
    ['no content type', 200, {}, Buffer.from('plain')],
    ['an invalid content type', 200, { 'content-type': 'pdf' }, Buffer.from('%PDF')],
    ['broken JSON', 200, { 'content-type': 'application/json' }, Buffer.from('{"a":')],
    ['nothing', 200, { 'content-length': '0' }, Buffer.alloc(0)],
    ['a mebibyte and more', 200, { 'content-type': 'application/octet-stream' }, randomBytes(1_500_000)],
  ];
  test.each(BODIES)('has a body of %s, byte for byte', async (_, status, headers, body) => {
    answering(status, { ...headers, 'content-length': String(body.length) }, body);
    const answer = await call();
    expect(answer.status).toBe(status);
    expect(answer.body.equals(body)).toBe(true);
    expect(answer.headers).toMatchObject({ ...headers, 'content-length': String(body.length) });
    expect(answer.headers['content-type']).toBe(headers['content-type']);
  });

  test.each([
    200, 201, 202, 204, 205, 206, 300, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404, 405, 409, 410,
    412, 413, 415, 418, 422, 429, 451, 500, 501, 502, 503, 504, 599,
  ])('has the status %i of the service, and no redirect is followed', async (status) => {
    const empty = status === 204 || status === 304 || status === 205;
    answering(status, { location: `${platform.url}/elsewhere`, etag: '"v"' }, empty ? '' : 'own words');
    const answer = await call();
    expect({ status: answer.status, body: answer.body.toString() }).toEqual({
      status,
      body: empty ? '' : 'own words',
    });
    expect(answer.headers).toMatchObject({ location: `${platform.url}/elsewhere`, etag: '"v"' });
    expect(platform.calls).toHaveLength(1);
  });

  test('has the headers of the service, content-length included, and no body for HEAD', async () => {
    answering(200, { 'content-type': 'application/pdf', 'content-length': '12345', etag: '"v1"' });
    const { status, headers, body } = await call({ method: 'HEAD' });
    expect({ status, body: body.length }).toEqual({ status: 200, body: 0 });
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': '12345',
      etag: '"v1"',
    });
    expect(platform.calls.map(({ method }) => method)).toEqual(['HEAD']);
  });

  test('keeps the content-length of a 304', async () => {
    answering(304, { etag: '"v1"', 'content-length': '10' });
    const { headers, body } = await call();
    expect({ etag: headers.etag, length: headers['content-length'], body: body.length }).toEqual({
      etag: '"v1"',
      length: '10',
      body: 0,
    });
  });

  test('is the final one; interim responses are dropped', async () => {
    platform.reply = (_, response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: '</x.css>; rel=preload' });
      response.end('final');
    };
    expect((await call()).body.toString()).toBe('final');
  });
});

describe('streaming', () => {
  test('sends the first bytes before the service has sent the last', async () => {
    let finish = () => {};
    platform.reply = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      finish = () => void response.end('data: 2\n\n');
    };
    const headers = { authorization: ada.authorization };
    const outgoing = httpRequest(`${gateway.url}${PATH}`, { headers, agent: false }).end();
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    const chunks: string[] = [];
    for await (const chunk of answer) {
      chunks.push(String(chunk));
      if (chunks.length === 1) finish();
    }
    expect(chunks).toEqual(['data: 1\n\n', 'data: 2\n\n']);
  });

  /** A service whose responses never end, behind a gateway of its own. */
  async function endlessResponses(limits: { idle?: number } = {}) {
    const responses: ServerResponse[] = [];
    let written = 0;
    const endless = await startHttp((_, response) => {
      responses.push(response);
      const chunk = Buffer.alloc(64 * 1024);
      const push = () => {
        do written += chunk.length;
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', push).on('error', () => {});
      push();
    });
    const front = await startGateway({ env: { UPSTREAM_HISTORY: endless.url }, limits });
    const { authorization } = await member(front.db, front.clock);
    const connections: Socket[] = [];
    front.app.server.on('connection', (socket) => connections.push(socket));
    const clients: Socket[] = [];
    return {
      url: front.url,
      responses,
      written: () => written,
      /** Sends a call and reads nothing. @returns the client and the gateway's end of its connection. */
      async call() {
        const client = connect(Number(new URL(front.url).port), '127.0.0.1').pause();
        clients.push(client.on('error', () => {}));
        client.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`);
        await eventually(() => connections.length === clients.length);
        return { client, connection: connections.at(-1) as Socket };
      },
      async stop() {
        for (const client of clients) client.destroy();
        await front.stop();
        await endless.stop();
      },
    };
  }

  test('disconnects a client that does not read, and cancels its call', async () => {
    const { responses, call, stop } = await endlessResponses({ idle: 50 });
    // On a busy machine the gateway may disconnect a client before it has read the call.
    while (responses.length === 0) {
      const { connection } = await call();
      await eventually(() => connection.destroyed);
    }
    await eventually(() => responses.every(({ destroyed }) => destroyed));
    await stop();
  });

  test('gives a client that reads a stream as long as any other', async () => {
    const { call, stop } = await endlessResponses({ idle: 600_000 });
    const { client, connection } = await call();
    await once(client.resume(), 'data');
    expect(connection.timeout).toBe(600_000);
    await stop();
  });

  test('sends a response that arrives before the whole body was read, and closes the connection', async () => {
    const early = await startHttp((_, response) => void response.writeHead(400).end('too much'));
    const front = await startGateway({ env: { UPSTREAM_HISTORY: early.url } });
    const { authorization } = await member(front.db, front.clock);
    const outgoing = httpRequest(`${front.url}${PATH}`, {
      method: 'POST',
      headers: { authorization, 'content-length': 1_000_000 },
    });
    outgoing.on('error', () => {}).write('a beginning');
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect([answer.statusCode, answer.headers.connection]).toEqual([400, 'close']);
    outgoing.destroy();
    await front.stop();
    await early.stop();
  });

  /** Whether a sender has stopped: it writes nothing more while twenty other calls go through the gateway. */
  async function stalls(front: string, written: () => number) {
    await eventually(() => written() > 0);
    for (let before = -1, quiet = 0; quiet < 20; quiet += 1) {
      if (written() !== before) quiet = 0;
      before = written();
      expect(written()).toBeLessThan(64 * 1024 * 1024); // more than any kernel buffers
      await exchange(`${front}/health/live`);
    }
  }

  test('slows a service down while the client does not read', async () => {
    const { url, written, call, stop } = await endlessResponses();
    await call();
    await stalls(url, written);
    await stop();
  });

  test('slows a client down while the service does not read', async () => {
    const stuck = await startHttp((incoming) => void incoming.pause());
    const front = await startGateway({ env: { UPSTREAM_HISTORY: stuck.url } });
    const { authorization } = await member(front.db, front.clock);
    const outgoing = httpRequest(`${front.url}${PATH}`, { method: 'POST', headers: { authorization } });
    const chunk = Buffer.alloc(64 * 1024);
    let sent = 0;
    const push = () => {
      do sent += chunk.length;
      while (outgoing.write(chunk));
    };
    outgoing.on('error', () => {}).on('drain', push);
    push();
    await stalls(front.url, () => sent);
    outgoing.destroy();
    await stuck.stop();
    await front.stop();
  });

  test.each([
    ['before the response', false],
    ['during the response', true],
  ])('cancels the call when the client disconnects %s', async (_, answering) => {
    const seen = { arrived: false, gone: false };
    const slow = await startHttp((_request, response) => {
      seen.arrived = true;
      response.once('close', () => {
        seen.gone = true;
      });
      if (answering) response.write('beginning');
    });
    const front = await startGateway({ env: { UPSTREAM_HISTORY: slow.url } });
    const { authorization } = await member(front.db, front.clock);
    const outgoing = httpRequest(`${front.url}${PATH}`, { headers: { authorization }, agent: false });
    outgoing.on('error', () => {}).end();
    if (answering) await once(outgoing, 'response');
    else await eventually(() => seen.arrived);
    outgoing.destroy();
    await eventually(() => seen.gone);
    await front.stop();
    await slow.stop();
  });

  test('cuts off an upload when the client disconnects', async () => {
    const outgoing = httpRequest(`${gateway.url}${PATH}`, {
      method: 'POST',
      headers: { authorization: ada.authorization, 'content-length': 1000 },
    });
    outgoing.on('error', () => {}).write('a beginning');
    await eventually(() => platform.calls.length === 1);
    outgoing.destroy();
    await eventually(() => platform.calls[0]?.body.length === 11);
    expect(platform.calls[0]?.complete).toBe(false);
  });
});

describe('a service that fails', () => {
  /** A gateway in front of a listener, and a call through it. */
  async function through(url: string, init: Parameters<typeof exchange>[1] = {}) {
    const front = await startGateway({ env: { UPSTREAM_HISTORY: url }, database: gateway.db });
    const { authorization } = await member(front.db, front.clock);
    const headers = { authorization, ...init.headers };
    return {
      front,
      call: (more: Parameters<typeof exchange>[1] = {}) =>
        exchange(`${front.url}${PATH}`, { ...init, ...more, headers }),
    };
  }

  test('returns 503 when nothing listens', async () => {
    const gone = await startHttp(() => {});
    await gone.stop();
    const { front, call } = await through(gone.url);
    expect(refusal(await call())).toEqual(unavailable);
    expect(refusal(await call({ method: 'POST', body: 'x' }))).toEqual(unavailable);
    await front.stop();
  });

  test.each<[string, string | null]>([
    ['hangs up', null],
    ['speaks another protocol', 'SSH-2.0-OpenSSH\r\n'],
    ['sends an invalid status', 'HTTP/1.1 999 Strange\r\nContent-Length: 0\r\n\r\n'],
    ['sends a status with four digits', 'HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n'],
    ['sends a status below 100', 'HTTP/1.1 099 Early\r\nContent-Length: 0\r\n\r\n'],
    [
      'switches protocols without a request',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    ],
    ['sends two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'sends a length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['sends an invalid length', 'HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n'],
    ['folds its headers', 'HTTP/1.1 200 OK\r\nX-A: 1\r\n X-B: 2\r\nContent-Length: 0\r\n\r\n'],
    [
      'sends a control character in a header',
      'HTTP/1.1 200 OK\r\nX-A: a\u0001b\r\nContent-Length: 0\r\n\r\n',
    ],
    ['sends endless headers', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(200_000)}\r\n\r\n`],
    ['ends in its headers', 'HTTP/1.1 200 OK\r\nContent-'],
    [
      'ends in a small response',
      'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nhalf',
    ],
    [
      'begins with an invalid chunk',
      'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: br\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ],
    ['ends after its headers', 'HTTP/1.1 200 OK\r\nETag: "1"\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ])('returns 503 and does not retry when the service %s', async (_, response) => {
    let calls = 0;
    const server = await startTcp((socket) => {
      socket.once('data', () => {
        calls += 1;
        if (response === null) socket.destroy();
        else socket.end(response, 'latin1');
      });
    });
    const { front, call } = await through(server.url, { method: 'POST', body: 'pay' });
    expect(refusal(await call())).toEqual(unavailable);
    expect(calls).toBe(1);
    await front.stop();
    await server.stop();
  });

  test.each([
    [
      'with a length',
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"half":',
    ],
    [
      'in chunks',
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{"half":\r\n',
    ],
    ['with an invalid chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{"half":\r\nzz\r\n'],
  ])('cuts the client’s connection when the service dies in a response %s', async (_, response) => {
    const dying = await startTcp((socket) => {
      socket.once('data', () => {
        socket.end(response); // destroy() could overtake the bytes
      });
    });
    const { front, call } = await through(dying.url);
    await expect(call()).rejects.toThrow(/aborted|hang up|reset/i);
    await front.stop();
    await dying.stop();
  });

  test('ignores bytes beyond the content-length', async () => {
    const server = await startTcp((socket) => {
      socket.on('data', () => {
        socket.write(
          'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged',
        );
      });
    });
    const { front, call } = await through(server.url);
    const answers = await Promise.all([call(), call(), call()]);
    for (const { status, body } of answers) {
      if (status === 200) expect(body.toString()).toBe('ok');
      else expect(status).toBe(503);
    }
    expect(answers[0]?.body.toString()).not.toBe('forged');
    await front.stop();
    await server.stop();
  });

  test('does not retry a call when its kept connection breaks', async () => {
    const methods: string[] = [];
    const keeping = await startTcp((socket) => {
      let served = 0;
      socket.on('data', (chunk) => {
        methods.push(String(chunk).split(' ', 1)[0] as string);
        served += 1;
        if (served === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
        else socket.destroy(); // the call may have run
      });
    });
    const { front, call } = await through(keeping.url);
    expect((await call()).status).toBe(200);
    expect(refusal(await call({ method: 'POST', headers: { 'content-length': '0' } }))).toEqual(unavailable);
    expect(methods).toEqual(['GET', 'POST']);
    await front.stop();
    await keeping.stop();
  });

  test('replaces a kept connection that the service has closed', async () => {
    const connections: Socket[] = [];
    const closing = await startHttp((_, response) => void response.end('ok'));
    closing.server.on('connection', (socket) => connections.push(socket));
    const { front, call } = await through(closing.url);
    for (let round = 1; round <= 5; round += 1) {
      expect((await call({ method: 'POST', body: 'x' })).status).toBe(200);
      const connection = connections.at(-1) as Socket;
      const closed = once(connection, 'close'); // once the gateway has closed its side too
      connection.end();
      await closed;
      expect(connections).toHaveLength(round);
    }
    await front.stop();
    await closing.stop();
  });

  describe('createUpstream', () => {
    const incoming = {
      method: 'GET',
      url: '/x',
      headers: {},
      id: '1',
      ip: '::1',
      protocol: 'http',
      host: 'x',
    } as unknown as FastifyRequest;

    const TIMEOUT = 30_000;

    test.each([
      ['says nothing', ''],
      ['says half a header', 'HTTP/1.1 200 OK\r\nContent'],
    ])('abandons a service that %s, and frees the connection', async (_, bytes) => {
      let arrive = () => {};
      const arrived = new Promise<void>((resolve) => {
        arrive = resolve;
      });
      const hanging = await startTcp((socket) => {
        socket.once('data', () => socket.write(bytes, () => arrive()));
      });
      const upstream = createUpstream(hanging.url, TIMEOUT);
      let settled = false;
      const response = upstream.forward(incoming).finally(() => {
        settled = true;
      });
      response.catch(() => {});
      await arrived;
      pass(TIMEOUT - 2_000);
      await turn();
      expect(settled).toBe(false);
      pass(4_000);
      await expect(response).rejects.toMatchObject({ reason: 'unavailable', status: 503 });
      await eventually(() => hanging.sockets.size === 0);
      await upstream.close();
      await hanging.stop();
    });

    test('cuts off a response that stalls', async () => {
      const stuck = await startTcp((socket) => {
        socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nbeginning'));
      });
      const upstream = createUpstream(stuck.url, TIMEOUT);
      const { body } = await upstream.forward(incoming);
      const chunks = (body as Readable).iterator();
      expect(String((await chunks.next()).value)).toBe('beginning');
      const rest = chunks.next();
      rest.catch(() => {});
      pass(TIMEOUT + 2_000);
      await expect(rest).rejects.toThrow();
      await eventually(() => stuck.sockets.size === 0);
      await upstream.close();
      await stuck.stop();
    });

    test('lets a response take any time while it flows', async () => {
      let send = (_: string) => {};
      const slow = await startHttp((_, response) => {
        response.flushHeaders();
        send = (text) => void (text === '' ? response.end() : response.write(text));
      });
      const upstream = createUpstream(slow.url, TIMEOUT);
      const { body } = await upstream.forward(incoming);
      const chunks = (body as Readable).iterator();
      for (const text of ['one', 'two', 'three', 'four', 'five']) {
        pass(TIMEOUT - 5_000);
        send(text);
        expect(String((await chunks.next()).value)).toBe(text);
      }
      send('');
      expect((await chunks.next()).done).toBe(true);
      await upstream.close();
      await slow.stop();
    });
  });
});

describe('concurrent calls', () => {
  test('get their own responses: forty calls of several people', async () => {
    platform.reply = ({ headers, body }, response) => {
      setImmediate(() => response.end(`${headers['x-user-id']} ${body}`));
    };
    const people = await Promise.all(Array.from({ length: 8 }, () => member(gateway.db, gateway.clock)));
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const person = people[index % people.length] as (typeof people)[number];
        const answer = await call({
          method: 'POST',
          headers: { authorization: person.authorization },
          body: `call ${index}`,
        });
        return { body: answer.body.toString(), expected: `${person.user_id} call ${index}` };
      }),
    );
    for (const { body, expected } of answers) expect(body).toBe(expected);
  });

  test('get a large response and a small one intact', async () => {
    const large = randomBytes(4 * 1024 * 1024);
    platform.reply = ({ url }, response) => void response.end(url?.endsWith('large') ? large : 'small');
    const [first, second] = await Promise.all([
      call({}, '/api/v1/history/large'),
      call({}, '/api/v1/history/small'),
    ]);
    const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(hash(first.body)).toBe(hash(large));
    expect(second.body.toString()).toBe('small');
  });
});

test.each(['/api/v1/history/1', '/api/v1/users/me'])(
  'answers a call while two hundred slow bodies arrive at %s',
  async (path) => {
    const front = await startGateway({
      env: { UPSTREAM_HISTORY: platform.url, USER_SERVICE_URL: platform.url },
    });
    const { authorization } = await member(front.db, front.clock);
    const { hostname, port } = new URL(front.url);
    const sockets = Array.from({ length: 200 }, () => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          `PATCH ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Length: 1000\r\n\r\n{`,
        ),
      );
      return socket.on('error', () => {});
    });
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const answer = await exchange(`${front.url}${path}`, { headers: { authorization } });
    expect(answer.status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await front.stop();
  },
);
