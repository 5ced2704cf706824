import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildGateway } from '../../../services/gateway/app.ts';
import { leaseKey } from '../../../services/gateway/proxy/idempotency-lease.ts';
import { takeStorage } from '../../../services/gateway/proxy/idempotency-storage.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { startGateway, startHttp } from '../../fixtures/gateway.ts';
import { member } from '../../fixtures/members.ts';
import { JWT_SECRET, listen, testConfig } from '../../fixtures/services.ts';
import { envelope, exchange, refusal, startPlatform } from '../platform.ts';

type Started<T extends (...args: never[]) => unknown> = Awaited<ReturnType<T>>;

let platform: Started<typeof startPlatform>;
let gateway: Started<typeof startGateway>;
let ada: Started<typeof member>;
beforeAll(async () => {
  platform = await startPlatform();
  gateway = await startGateway({
    env: {
      UPSTREAM_PAYMENT: platform.url,
      UPSTREAM_HISTORY: platform.url,
      LOGIN_SERVICE_URL: platform.url,
      USER_SERVICE_URL: platform.url,
    },
  });
  ada = await member(gateway.db, gateway.clock);
});
afterEach(() => platform.reset());
afterAll(async () => {
  await gateway.stop();
  await platform.stop();
});

let keys = 0;
/** A new key. */
const fresh = () => {
  keys += 1;
  return `key-${keys}`;
};
const PATH = '/api/v1/payment/charge';
interface Init {
  path?: string;
  method?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
  front?: string;
}
const charge = (
  key: string,
  { path = PATH, method = 'POST', body = '{"amount":1}', headers = {}, front = gateway.url }: Init = {},
) =>
  exchange(`${front}${path}`, {
    method,
    headers: {
      authorization: ada.authorization,
      'content-type': 'application/json',
      'idempotency-key': key,
      ...headers,
    },
    body,
  });
/** The service counts the calls that it runs. */
const counting = (status = 201, headers: Record<string, string> = {}) => {
  let count = 0;
  platform.reply = (_, response) => {
    count += 1;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(`{"charge":${count}}`);
  };
};

const otherBody = envelope(
  409,
  'DUPLICATE_RESOURCE',
  'Resource already exists',
  'This Idempotency-Key was used with a different body',
);
const inProgress = envelope(
  409,
  'DUPLICATE_RESOURCE',
  'Resource already exists',
  'A request with this Idempotency-Key is in progress',
);

describe('a repeated call', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s gets the first response', async (method) => {
    counting();
    const key = fresh();
    const first = await charge(key, { method });
    const second = await charge(key, { method });
    expect(first.status).toBe(201);
    expect(first.body.toString()).toBe('{"charge":1}');
    expect({ status: second.status, body: second.body }).toEqual({ status: first.status, body: first.body });
    expect(platform.calls).toHaveLength(1);
    expect(platform.calls[0]?.headers['idempotency-key']).toBe(key);
  });

  test.each<[string, number, Record<string, string>, Buffer]>([
    [
      'gzip',
      200,
      { 'content-encoding': 'gzip', 'content-type': 'application/json' },
      gzipSync('{"ok":true}'),
    ],
    ['every byte', 201, { 'content-type': 'application/octet-stream' }, Buffer.from([...Array(256).keys()])],
    [
      'other headers',
      200,
      { etag: '"v1"', location: '/api/v1/payment/1', 'x-custom': 'ü' },
      Buffer.from('x'),
    ],
    ['nothing', 204, {}, Buffer.alloc(0)],
    ['a redirect', 303, { location: '/api/v1/payment/1' }, Buffer.alloc(0)],
    ['a mebibyte', 200, { 'content-type': 'application/octet-stream' }, Buffer.alloc(1024 * 1024, 0xc3)],
  ])('repeats %s, byte for byte', async (_, status, headers, body) => {
    platform.reply = (_call, response) => void response.writeHead(status, headers).end(body);
    const key = fresh();
    const answers = [await charge(key), await charge(key)];
    for (const answer of answers) {
      expect(answer.status).toBe(status);
      expect(answer.body.equals(body)).toBe(true);
      expect(answer.headers).toMatchObject(headers);
    }
    expect(platform.calls).toHaveLength(1);
  });

  test.each([400, 401, 403, 404, 409, 422])('repeats an error: %i', async (status) => {
    counting(status);
    const key = fresh();
    await charge(key);
    expect(String((await charge(key)).body)).toBe('{"charge":1}');
    expect(platform.calls).toHaveLength(1);
  });

  test('does not repeat a 429', async () => {
    counting(429);
    const key = fresh();
    await charge(key);
    expect(String((await charge(key)).body)).toBe('{"charge":2}');
  });

  test('repeats a response with the request ID, budget and version of the second call', async () => {
    counting();
    const key = fresh();
    await charge(key, { headers: { 'x-request-id': 'first' } });
    const { headers } = await charge(key, { headers: { 'x-request-id': 'second' } });
    expect(headers).toMatchObject({ 'x-request-id': 'second', 'api-version': 'v1' });
    expect(headers['x-ratelimit-limit']).toBeDefined();
  });

  test('repeats a response at another gateway on the same database', async () => {
    counting();
    const app = await buildGateway({
      config: testConfig('gateway', { CAPTCHA_PROVIDER: 'none', UPSTREAM_PAYMENT: platform.url }),
      db: gateway.db,
      now: gateway.clock.now,
    });
    const front = await listen(app);
    const key = fresh();
    const first = await charge(key);
    const second = await charge(key, { front });
    expect(second.body).toStrictEqual(first.body);
    expect(platform.calls).toHaveLength(1);
    await app.close();
  });

  test('repeats the response to a call without a body', async () => {
    counting();
    const key = fresh();
    const call = () =>
      exchange(`${gateway.url}${PATH}`, {
        method: 'POST',
        headers: { authorization: ada.authorization, 'idempotency-key': key, 'content-length': '0' },
      });
    await call();
    expect(String((await call()).body)).toBe('{"charge":1}');
    expect(platform.calls).toHaveLength(1);
  });

  test('repeats the response to a chunked upload that is larger than any buffer', async () => {
    counting();
    const key = fresh();
    const body = Buffer.alloc(5_000_000, 'x');
    const init = { body, headers: { 'transfer-encoding': 'chunked', 'content-type': 'application/pdf' } };
    await charge(key, init);
    expect(String((await charge(key, init)).body)).toBe('{"charge":1}');
    body[4_999_999] = 0;
    expect(refusal(await charge(key, init))).toEqual(otherBody);
    expect(platform.calls).toHaveLength(1);
    expect(platform.calls[0]?.body.length).toBe(5_000_000);
  });
});

describe('another call', () => {
  test('with another body, content type or query gets 409, and is not made', async () => {
    counting();
    const key = fresh();
    await charge(key);
    expect(refusal(await charge(key, { body: '{"amount":2}' }))).toEqual(otherBody);
    expect(refusal(await charge(key, { body: '' }))).toEqual(otherBody);
    expect(refusal(await charge(key, { headers: { 'content-type': 'text/plain' } }))).toEqual(otherBody);
    expect(refusal(await charge(key, { path: `${PATH}?amount=2` }))).toEqual(otherBody);
    expect(platform.calls).toHaveLength(1);
  });

  test('with another user, path, method or key is made', async () => {
    counting();
    const key = fresh();
    const bob = await member(gateway.db, gateway.clock);
    const bodies = [
      await charge(key),
      await charge(key, { headers: { authorization: bob.authorization } }),
      await charge(key, { path: `${PATH}/2` }),
      await charge(key, { path: '/api/v1/history/charge' }),
      await charge(key, { method: 'PUT' }),
      await charge(key.toUpperCase()),
    ].map(({ body }) => String(body));
    expect(bodies).toEqual([1, 2, 3, 4, 5, 6].map((count) => `{"charge":${count}}`));
  });

  test('from another session of the user is the same call', async () => {
    counting();
    const key = fresh();
    await charge(key);
    const { createTokens } = await import('@gatehouse/shared/identity/tokens');
    const token = createTokens(testConfig('gateway')).session(ada, gateway.clock.now());
    expect(String((await charge(key, { headers: { authorization: `Bearer ${token}` } })).body)).toBe(
      '{"charge":1}',
    );
  });

  test('that is a GET ignores the key', async () => {
    counting(200);
    const key = fresh();
    const get = (spelled = key) =>
      exchange(`${gateway.url}${PATH}`, {
        headers: { authorization: ada.authorization, 'idempotency-key': spelled },
      });
    expect([String((await get()).body), String((await get()).body)]).toEqual([
      '{"charge":1}',
      '{"charge":2}',
    ]);
    expect((await get('no good key')).status).toBe(200);
  });

  test('one of twenty calls at once is made, and the others get its response or 409', async () => {
    counting();
    const key = fresh();
    const answers = await Promise.all(Array.from({ length: 20 }, () => charge(key)));
    for (const answer of answers) {
      if (answer.status === 201) expect(String(answer.body)).toBe('{"charge":1}');
      else expect(refusal(answer)).toStrictEqual(inProgress);
    }
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
    expect(platform.calls).toHaveLength(1);
  });

  test('gets 409 while the first is in progress, whatever the body', async () => {
    let finish = () => {};
    platform.reply = (_, response) => {
      finish = () => void response.end('done');
    };
    const key = fresh();
    const first = charge(key);
    await eventually(() => platform.calls[0]?.complete === true);
    expect(refusal(await charge(key))).toEqual(inProgress);
    expect(refusal(await charge(key, { body: 'other' }))).toEqual(inProgress);
    finish();
    expect(String((await first).body)).toBe('done');
    expect(platform.calls).toHaveLength(1);
  });
});

describe('a failed call', () => {
  test.each([500, 502, 503, 504])('does not store a %i', async (status) => {
    counting(status);
    const key = fresh();
    expect((await charge(key)).status).toBe(status);
    counting();
    expect((await charge(key)).status).toBe(201);
    expect(platform.calls).toHaveLength(2);
  });

  test('does not store the failure of a service', async () => {
    const key = fresh();
    platform.reply = (_, response) => void response.socket?.destroy();
    expect(refusal(await charge(key))).toEqual(envelope(503, 'SERVICE_UNAVAILABLE', 'Service unavailable'));
    counting();
    expect((await charge(key)).status).toBe(201);
  });

  test('does not store a response that breaks off', async () => {
    const key = fresh();
    platform.reply = (_, response) => {
      response
        .writeHead(200, { 'content-length': '1000000' })
        .write('half', () => response.socket?.destroy());
    };
    expect((await charge(key)).status).toBe(503);
    counting();
    expect((await charge(key)).status).toBe(201);
  });

  test('does not store the response to an upload that breaks off', async () => {
    const key = fresh();
    const outgoing = request(`${gateway.url}${PATH}`, {
      method: 'POST',
      headers: { authorization: ada.authorization, 'idempotency-key': key, 'content-length': 1_000 },
    });
    outgoing.on('error', () => {}).write('half');
    await eventually(() => platform.calls.length === 1);
    outgoing.destroy();
    await eventually(() => platform.calls[0]?.body.length === 4);
    expect(platform.calls[0]?.complete).toBe(false);
    counting();
    await expect.poll(async () => (await charge(key)).status).toBe(201);
  });

  test('makes no call for an upload that breaks off before it', async () => {
    const key = fresh();
    const { idempotencyKeys } = gateway.db;
    const insertOne = idempotencyKeys.insertOne.bind(idempotencyKeys) as (row: unknown) => Promise<unknown>;
    const disconnected = Promise.withResolvers<void>();
    const spy = vi.spyOn(idempotencyKeys, 'insertOne').mockImplementationOnce((async (row: unknown) => {
      await disconnected.promise;
      return insertOne(row);
    }) as never);
    const outgoing = request(`${gateway.url}${PATH}`, {
      method: 'POST',
      headers: { authorization: ada.authorization, 'idempotency-key': key, 'content-length': 1_000 },
    });
    outgoing.on('error', () => {}).write('half');
    await eventually(() => spy.mock.calls.length === 1);
    outgoing.destroy();
    for (let call = 0; call < 10; call += 1) await exchange(`${gateway.url}/health/live`);
    disconnected.resolve();
    spy.mockRestore();
    counting();
    await expect.poll(async () => (await charge(key)).status).toBe(201);
  });

  test.each(['no-store', 'private, No-Store, max-age=0'])(
    'a response with Cache-Control: %s, which may hold a token',
    async (cacheControl) => {
      counting(200, { 'cache-control': cacheControl });
      const before = await gateway.db.idempotencyKeys.countDocuments();
      for (const path of ['/api/v1/auth/refresh', '/auth/refresh', PATH]) {
        const key = fresh();
        const bodies = [await charge(key, { path }), await charge(key, { path })].map(({ body }) =>
          String(body),
        );
        expect(bodies[1]).not.toBe(bodies[0]);
      }
      expect(platform.calls).toHaveLength(6);
      // Nothing of these responses is stored.
      expect(await gateway.db.idempotencyKeys.countDocuments()).toBe(before);
    },
  );

  test('a response of a mebibyte is stored', async () => {
    platform.reply = (_, response) => void response.end(Buffer.alloc(1024 * 1024, 'x'));
    const key = fresh();
    expect((await charge(key)).body).toHaveLength(1024 * 1024);
    expect((await charge(key)).body).toHaveLength(1024 * 1024);
    expect(platform.calls).toHaveLength(1);
  });

  test('a response that is too large is sent whole, and the call is not made twice', async () => {
    const large = Buffer.alloc(1024 * 1024 + 1, 'x');
    platform.reply = (_, response) => void response.end(large);
    const key = fresh();
    const { status, body } = await charge(key);
    expect(status).toBe(200);
    expect(body.equals(large)).toBe(true);
    expect(refusal(await charge(key))).toEqual(
      envelope(
        409,
        'DUPLICATE_RESOURCE',
        'Resource already exists',
        'This request has been made and was answered with 200; its response could not be kept',
      ),
    );
    gateway.clock.advance(3600);
    expect((await charge(key, { headers: { authorization: (await again()).authorization } })).status).toBe(
      409,
    );
    expect(platform.calls).toHaveLength(1);
  });
});

describe('the storage of an account', () => {
  const MEBIBYTE = 1024 * 1024;
  const take = (account: string, bytes: number, hours = 0) =>
    takeStorage(gateway.db, account, bytes, gateway.clock.now() + hours * 3_600_000);

  test('holds 16 MiB in 24 hours, whichever calls use it', async () => {
    const taken = await Promise.all(Array.from({ length: 20 }, () => take('one', MEBIBYTE)));
    expect(taken.filter(Boolean)).toHaveLength(16);
    expect(await take('one', 1)).toBe(false);
    expect(await take('other', MEBIBYTE)).toBe(true);
    expect(await take('one', 1, 23)).toBe(false);
    const again = await Promise.all(Array.from({ length: 20 }, () => take('one', MEBIBYTE, 24)));
    expect(again.filter(Boolean)).toHaveLength(16);
  });

  test('is not needed by a response that is not stored: the call is made once', async () => {
    const bob = await member(gateway.db, gateway.clock);
    const [user] = await gateway.db.users.find({ email: bob.email }).toArray();
    await take(user?._id.toHexString() ?? '', 16 * MEBIBYTE);
    const key = fresh();
    const headers = { authorization: bob.authorization };
    expect((await charge(key, { headers })).status).toBe(200);
    expect((await charge(key, { headers })).status).toBe(409);
    expect(platform.calls).toHaveLength(1);
  });

  test('is not needed when it cannot be counted', async () => {
    const lost = vi
      .spyOn(gateway.db.idempotencyStorage, 'updateOne')
      .mockRejectedValueOnce(new Error('lost'));
    const key = fresh();
    expect((await charge(key)).status).toBe(200);
    expect(lost).toHaveBeenCalledOnce();
    lost.mockRestore();
    gateway.clock.advance(121);
    expect((await charge(key)).status).toBe(409);
    expect(platform.calls).toHaveLength(1);
  });
});

/** The same user with a new token. */
async function again() {
  const { createTokens } = await import('@gatehouse/shared/identity/tokens');
  ada.authorization = `Bearer ${createTokens(testConfig('gateway')).session(ada, gateway.clock.now())}`;
  return ada;
}

test('a client that disconnects gets the response when it retries', async () => {
  let finish = () => {};
  platform.reply = (_, response) => {
    finish = () => void response.writeHead(201).end('charged');
  };
  let disconnected = false;
  gateway.app.server.once('connection', (socket) => {
    socket.once('close', () => {
      disconnected = true;
    });
  });
  const key = fresh();
  const outgoing = request(`${gateway.url}${PATH}`, {
    agent: false,
    method: 'POST',
    headers: { authorization: ada.authorization, 'idempotency-key': key, 'content-type': 'application/json' },
  });
  outgoing.on('error', () => {}).end('{"amount":1}');
  await eventually(() => platform.calls[0]?.complete === true);
  outgoing.destroy();
  await eventually(() => disconnected);
  finish();
  await expect
    .poll(async () => {
      const { status, body } = await charge(key);
      return status === 201 && String(body);
    })
    .toBe('charged');
  expect(platform.calls).toHaveLength(1);
});

describe('leases and expiry', () => {
  test('a key whose gateway died is free after two minutes, for one of twenty calls', async () => {
    counting();
    const key = fresh();
    let accepted = 0;
    const silent = await startHttp(() => {
      accepted += 1;
    });
    // A gateway that dies with its call: the lease is neither renewed nor ended.
    const app = await buildGateway({
      config: testConfig('gateway', { CAPTCHA_PROVIDER: 'none', UPSTREAM_PAYMENT: silent.url }),
      db: { ...gateway.db, idempotencyKeys: frozen(gateway.db.idempotencyKeys) },
      now: gateway.clock.now,
    });
    const front = await listen(app);
    const lost = charge(key, { front }).catch(() => undefined);
    await eventually(() => accepted === 1);
    app.server.closeAllConnections();
    await silent.stop();
    await lost;
    await app.close();

    expect(refusal(await charge(key))).toEqual(inProgress);
    gateway.clock.advance(119);
    expect(refusal(await charge(key))).toEqual(inProgress);
    gateway.clock.advance(1);
    const answers = await Promise.all(Array.from({ length: 20 }, () => charge(key)));
    expect(answers.some(({ status }) => status === 201)).toBe(true);
    expect(platform.calls).toHaveLength(1);
    expect(String((await charge(key)).body)).toBe('{"charge":1}');
  });

  /** A collection that leases keys, and ignores every later write. */
  function frozen<T extends object>(collection: T): T {
    return new Proxy(collection, {
      get(target, name) {
        if (name === 'deleteOne' || name === 'updateOne')
          return async () => ({ matchedCount: 0, modifiedCount: 0 });
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  test('a response that arrives after its key was taken over is not stored', async () => {
    const finish: (() => void)[] = [];
    platform.reply = (_, response) => {
      const count = finish.length + 1;
      finish.push(() => void response.writeHead(201).end(`{"charge":${count}}`));
    };
    const key = fresh();
    const first = charge(key);
    await eventually(() => finish.length === 1);
    gateway.clock.advance(120);
    const second = charge(key);
    await eventually(() => finish.length === 2);
    finish[1]?.();
    expect(String((await second).body)).toBe('{"charge":2}');
    finish[0]?.();
    expect(String((await first).body)).toBe('{"charge":1}');
    expect(String((await charge(key)).body)).toBe('{"charge":2}');
  });

  test('a response is kept for 24 hours, as its TTL field says', async () => {
    counting();
    const key = fresh();
    const began = gateway.clock.now();
    await charge(key);
    const stored = await gateway.db.idempotencyKeys.find().sort({ expires_at: -1 }).limit(1).toArray();
    expect(stored[0]?.expires_at).toEqual(new Date(began + 24 * 3_600_000));
    gateway.clock.advance(24 * 3600 - 1);
    await again();
    expect(String((await charge(key)).body)).toBe('{"charge":1}');
    gateway.clock.advance(1);
    await again();
    // Also before the database has deleted it.
    expect(String((await charge(key)).body)).toBe('{"charge":2}');
    expect(String((await charge(key)).body)).toBe('{"charge":2}');
  });

  test('a TTL index deletes expired keys', async () => {
    const indexes = await gateway.db.idempotencyKeys.indexes();
    expect(indexes).toContainEqual(
      expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }),
    );
  });
});

describe('the key', () => {
  test.each(['a', '~!@#$%^&*()_+{}|:"<>?', 'x'.repeat(255), '__proto__', '$where', '0', 'null'])(
    'can be %j',
    async (key) => {
      counting();
      await charge(key, { path: `${PATH}/${keys++}` });
      const path = `${PATH}/named-${keys}`;
      await charge(key, { path });
      expect(String((await charge(key, { path })).body)).toBe('{"charge":2}');
    },
  );

  test.each(['', ' ', 'a b', 'x'.repeat(256), 'ü', 'a\tb', 'a, b'])(
    'cannot be %j: 400, and no service is called',
    async (key) => {
      expect(refusal(await charge(key))).toEqual(
        envelope(
          400,
          'INVALID_FORMAT',
          'The request is malformed',
          'Idempotency-Key must be 1 to 255 visible characters',
        ),
      );
      expect(platform.calls).toEqual([]);
    },
  );

  test('is not stored in plain text, nor is the body', async () => {
    const key = 'a-key-that-is-looked-for';
    await charge(key, { body: '{"card":"4242424242424242"}' });
    const text = JSON.stringify(await gateway.db.idempotencyKeys.find().toArray());
    expect(text).not.toContain(key);
    expect(text).not.toContain('4242424242424242');
  });

  test('does not replace a bearer: 401', async () => {
    expect((await charge(fresh(), { headers: { authorization: '' } })).status).toBe(401);
    expect(platform.calls).toEqual([]);
  });

  test('is ignored by a public callback path', async () => {
    counting();
    const key = fresh();
    const path = '/api/v1/payment/webhook';
    const call = () => charge(key, { path, headers: { authorization: '' } });
    expect([String((await call()).body), String((await call()).body)]).toEqual([
      '{"charge":1}',
      '{"charge":2}',
    ]);
  });

  test('is ignored by the Direct contract', async () => {
    counting(200);
    const body = 'email=ada%40example.com';
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const key = fresh();
    const call = () => charge(key, { path: '/v2/forgot-password', body, headers });
    expect([String((await call()).body), String((await call()).body)]).toEqual([
      '{"charge":1}',
      '{"charge":2}',
    ]);
  });
});

test('stores a response that arrives before the request body has ended', async () => {
  let answered = () => {};
  let calls = 0;
  const early = await startHttp((incoming, response) => {
    if (incoming.method === 'POST') calls += 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"early":true}', () => answered());
    incoming.resume();
  });
  const front = await startGateway({ env: { UPSTREAM_HISTORY: early.url } });
  const { authorization } = await member(front.db, front.clock);
  const url = `${front.url}/api/v1/history/1`;
  const whole = 'x'.repeat(1000);
  const init = {
    method: 'POST',
    headers: {
      authorization,
      'content-type': 'text/plain',
      'content-length': '1000',
      'idempotency-key': 'early',
    },
  };
  const upload = request(url, { ...init, agent: false });
  const response = once(upload, 'response');
  await new Promise<void>((resolve) => {
    answered = resolve;
    upload.write(whole.slice(0, 10));
  });
  // A later call has its response, so the gateway has the first one too.
  expect((await exchange(url, { headers: { authorization } })).status).toBe(200);
  upload.end(whole.slice(10));
  const [first] = (await response) as [IncomingMessage];
  expect(first.resume().statusCode).toBe(200);
  const again = await exchange(url, { ...init, body: whole });
  const other = await exchange(url, { ...init, body: 'y'.repeat(1000) });
  expect([again.status, other.status, calls]).toEqual([200, 409, 1]);
  await front.stop();
  await early.stop();
});

test('replays a response that was stored before JWT_SECRET was rotated', async () => {
  const rotated = await buildGateway({
    config: testConfig('gateway', {
      CAPTCHA_PROVIDER: 'none',
      UPSTREAM_PAYMENT: platform.url,
      JWT_SECRET: 'the secret after the rotation, 32 bytes and more',
      JWT_SECRET_PREVIOUS: JWT_SECRET,
    }),
    db: gateway.db,
    now: gateway.clock.now,
  });
  counting();
  const [key, front] = [fresh(), await listen(rotated)];
  const first = await charge(key);
  const replayed = await charge(key, { front });
  expect([replayed.status, String(replayed.body)]).toEqual([first.status, '{"charge":1}']);
  expect(refusal(await charge(key, { front, body: '{"amount":2}' }))).toEqual(otherBody);
  await rotated.close();
});

test('a renewal whose acknowledgement is lost keeps the lease', async () => {
  const key = fresh();
  let renewed = 0;
  const { idempotencyKeys } = gateway.db;
  const lossy = new Proxy(idempotencyKeys, {
    get(target, name) {
      if (name !== 'updateOne') return Reflect.get(target, name).bind(target);
      return async (...args: Parameters<typeof target.updateOne>) => {
        await target.updateOne(...args);
        renewed += 1;
        throw new Error('the connection broke');
      };
    },
  });
  const db = { ...gateway.db, idempotencyKeys: lossy };
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const lease = (await leaseKey(db, key, gateway.clock.now)) ?? expect.fail('the key is free');
    gateway.clock.advance(30);
    vi.advanceTimersByTime(30_000);
    await lease.stopRenewal();
    expect(renewed).toBe(1);
    expect(await idempotencyKeys.findOne(lease.held)).toMatchObject({
      _id: key,
      leased_until: new Date(gateway.clock.now() + 120_000),
    });
  } finally {
    vi.useRealTimers();
  }
});

test.each(['/auth/logout', '/api/v1/auth/logout', '/auth/refresh'])(
  '%s runs every time, whatever the key',
  async (path) => {
    counting(200);
    const key = fresh();
    for (let time = 0; time < 2; time += 1) await charge(key, { path, body: '' });
    expect(platform.calls).toHaveLength(2);
  },
);
