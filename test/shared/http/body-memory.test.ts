import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadConfig } from '@gatehouse/shared/config';
import { forms } from '@gatehouse/shared/http/forms';
import { createServer } from '@gatehouse/shared/http/server';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../fixtures/eventually.ts';

const MEBIBYTE = 1024 * 1024;
const open: ClientRequest[] = [];
const held: (() => void)[] = [];
let app: Awaited<ReturnType<typeof createServer>>;

beforeAll(async () => {
  // An eighth for each network, which is 2 MiB.
  const env = { JWT_SECRET: 'x', LOG_LEVEL: 'silent', TRUST_PROXY: 'true', BODY_MEMORY_MB: '16' };
  const { config } = loadConfig('login', env);
  app = await createServer({ name: 'login', description: 'A test.', config, checks: {}, isPublished: true });
  app.post('/json', async () => ({ done: true }));
  app.post('/held', async () => {
    await new Promise<void>((resolve) => held.push(resolve));
    return { done: true };
  });
  app.route({
    method: ['GET', 'POST'],
    url: '/raw',
    handler: async (request) => {
      for await (const _ of request.raw);
      await new Promise<void>((resolve) => held.push(resolve));
      return {};
    },
  });
  app.post('/refused', {
    onRequest: async () => {
      throw new Error('refused');
    },
    handler: async () => ({}),
  });
  await app.register(async (scope) => {
    await scope.register(forms, { maxBody: MEBIBYTE });
    scope.post('/v2/form', async () => ({ done: true }));
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());
afterEach(() => {
  for (const each of open.splice(0)) each.destroy();
  for (const resolve of held.splice(0)) resolve();
});

function begin(path: string, type: string, headers = {}, method = 'POST') {
  const { port } = app.server.address() as AddressInfo;
  const sent = request({ port, path, method, headers: { 'content-type': type, ...headers } });
  sent.on('error', () => {});
  open.push(sent);
  return sent;
}

async function answerOf(sent: ClientRequest) {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body = JSON.parse((await response.toArray()).join(''));
  return { status: response.statusCode, retryAfter: response.headers['retry-after'], body };
}

const post = (path: string, type: string, text: string, headers = {}) => {
  const sent = begin(path, type, headers);
  sent.end(text);
  return answerOf(sent);
};
const JSON_BODY = JSON.stringify({ text: 'x'.repeat(1_000_000) });
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=x';
const MULTIPART_BODY = `--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n${'x'.repeat(1_000_000)}\r\n--x--\r\n`;

test('counts the body of a HEAD request that a handler reads', async () => {
  const head = () => {
    const sent = begin('/raw', 'text/plain', { 'content-length': JSON_BODY.length }, 'HEAD');
    sent.end(JSON_BODY);
    return sent;
  };
  head();
  head();
  await eventually(() => held.length === 2);
  const [response] = (await once(head(), 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(503);
});

test('refuses what exceeds the bound with 503, and nothing once the calls are answered', async () => {
  const calls = [post('/held', 'application/json', JSON_BODY), post('/held', 'application/json', JSON_BODY)];
  await eventually(() => held.length === 2);
  const refused = await post('/json', 'application/json', JSON_BODY);
  expect(refused).toMatchObject({
    status: 503,
    retryAfter: '1',
    body: { error: { code: 'SERVICE_UNAVAILABLE' } },
  });
  for (const [type, body] of [
    [FORM, `a=${'x'.repeat(1_000_000)}`],
    [MULTIPART, MULTIPART_BODY],
  ] as const) {
    expect(await post('/v2/form', type, body)).toStrictEqual({
      status: 503,
      retryAfter: '1',
      body: { detail: 'Service unavailable' },
    });
  }
  for (const resolve of held.splice(0)) resolve();
  for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
  expect((await post('/json', 'application/json', JSON_BODY)).status).toBe(200);
  expect((await post('/v2/form', MULTIPART, MULTIPART_BODY)).status).toBe(200);
});

test.each([
  { what: 'a network', max: 2, address: () => '192.0.2.1', other: '192.0.2.2' },
  { what: 'a /48', max: 8, address: (call: number) => `2001:db8:0:${call}00::1`, other: '2001:db8:1::1' },
  { what: 'all networks', max: 16, address: (call: number) => `192.0.2.${call}`, other: undefined },
])('bounds what $what can have held', async ({ max, address, other }) => {
  const from = (path: string, ip: string) =>
    post(path, 'application/json', JSON_BODY, { 'x-forwarded-for': ip });
  const calls = Array.from({ length: max }, (_, call) => from('/held', address(call)));
  await eventually(() => held.length === max);
  expect((await from('/json', address(max))).status).toBe(503);
  if (other) expect((await from('/json', other)).status).toBe(200);
  for (const resolve of held.splice(0)) resolve();
  for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
  expect((await from('/json', address(max))).status).toBe(200);
});

test('frees what clients leave behind', async () => {
  const refused = new Set<ClientRequest>();
  const hold = () => {
    const sent = begin('/json', 'application/json', { 'content-length': 1_010_000 });
    sent.on('response', () => refused.add(sent));
    sent.write('x'.repeat(1_000_000));
    return sent;
  };
  let slow = [hold(), hold()];
  await eventually(async () => {
    // The previous call may have held the memory when one of them came.
    slow = slow.map((sent) => (refused.has(sent) ? hold() : sent));
    return (await post('/json', 'application/json', JSON_BODY)).status === 503;
  });
  for (const sent of slow) sent.destroy();
  await eventually(async () => (await post('/json', 'application/json', JSON_BODY)).status === 200);
});

test('counts what small chunks take', async () => {
  const sent = begin('/json', 'application/json');
  const answer = answerOf(sent);
  for (let chunk = 0; chunk < 20_000; chunk += 1) sent.write(' ');
  expect((await answer).status).toBe(503);
});

test('does not hold the body of a refused call or of an unknown path', async () => {
  for (let call = 0; call < 4; call += 1) {
    expect((await post('/refused', 'application/json', JSON_BODY)).status).toBe(500);
    const unknown = begin('/nothing', 'application/json', { 'content-length': MEBIBYTE });
    unknown.flushHeaders();
    expect((await answerOf(unknown)).status).toBe(404);
  }
  expect((await post('/json', 'application/json', JSON_BODY)).status).toBe(200);
});
