import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { loadConfig } from '@gatehouse/shared/config';
import { createServer } from '@gatehouse/shared/http/server';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../fixtures/eventually.ts';

const calls: { id: string; answer: () => void }[] = [];
const sockets: Socket[] = [];
let app: Awaited<ReturnType<typeof createServer>>;

beforeAll(async () => {
  const { config } = loadConfig('login', { JWT_SECRET: 'x', LOG_LEVEL: 'silent' });
  app = await createServer({ name: 'login', description: 'A test.', config, checks: {} });
  app.get<{ Params: { id: string } }>('/held/:id', async ({ params: { id } }) => {
    await new Promise<void>((answer) => calls.push({ id, answer }));
    return { id };
  });
  app.post<{ Params: { id: string }; Body: { text: string } }>('/echo/:id', async ({ params, body }) => ({
    id: params.id,
    size: body.text.length,
  }));
  app.get('/last', async (_request, reply) => reply.header('connection', 'close').send({ id: 'last' }));
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const { answer } of calls.splice(0)) answer();
});

/** Opens a connection and collects the ids that it answers with. */
async function open() {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  const received = { text: '' };
  socket.on('data', (chunk) => {
    received.text += chunk;
  });
  await once(socket, 'connect');
  const ids = () => [...received.text.matchAll(/"id":"(\w+)"/g)].map(([, id]) => id);
  return { socket, ids };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index));
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const post = (id: string, text: string) => {
  const body = JSON.stringify({ text });
  return `POST /echo/${id} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

test('handles 16 of 300 pipelined requests at a time and answers all of them in order', async () => {
  const { socket, ids } = await open();
  socket.write(
    numbers(300)
      .map((id) => get(`/held/${id}`))
      .join(''),
  );
  let most = 0;
  while (ids().length < 300) {
    await eventually(() => calls.length > 0 || ids().length === 300);
    most = Math.max(most, calls.length);
    // The newest call first: responses are ready in another order than requested.
    for (const { answer } of calls.splice(0).toReversed()) answer();
  }
  expect(most).toBe(16);
  expect(ids()).toEqual(numbers(300));
});

test('handles bodies that arrive behind the limit', async () => {
  const { socket, ids } = await open();
  const text = 'x'.repeat(100_000);
  socket.write(
    numbers(16)
      .map((id) => get(`/held/${id}`))
      .join(''),
  );
  socket.write(
    numbers(20)
      .map((id) => post(`b${id}`, text))
      .join(''),
  );
  await eventually(() => calls.length === 16);
  // Another connection is still served.
  const other = await open();
  other.socket.write(post('other', text));
  await eventually(() => other.ids().length === 1);
  expect(ids()).toEqual([]);
  for (const { answer } of calls.splice(0)) answer();
  await eventually(() => ids().length === 36);
  expect(ids()).toEqual([...numbers(16), ...numbers(20).map((id) => `b${id}`)]);
});

test('handles nothing that waits behind the last response of a connection', async () => {
  const { socket, ids } = await open();
  socket.write(
    get('/last') +
      numbers(40)
        .map((id) => get(`/held/${id}`))
        .join(''),
  );
  await once(socket, 'close');
  expect(ids()).toEqual(['last']);
  expect(calls).toHaveLength(15);
});

test('handles nothing that waits on a connection that is gone', async () => {
  const accepted = once(app.server, 'connection');
  const { socket } = await open();
  const [end] = await accepted;
  socket.write(
    numbers(40)
      .map((id) => get(`/held/${id}`))
      .join(''),
  );
  await eventually(() => calls.length === 16);
  end.destroy();
  await once(end, 'close');
  for (const { answer } of calls) answer();
  const other = await open();
  other.socket.write(post('other', ''));
  await eventually(() => other.ids().length === 1);
  expect(calls).toHaveLength(16);
});

test('closes a connection on which more than a thousand requests wait', async () => {
  const { socket, ids } = await open();
  socket.on('error', () => {});
  socket.write('GET /held/1 HTTP/1.1\nHost:x\n\n'.replaceAll('\n', '\r\n').repeat(1_800));
  await once(socket, 'close');
  expect(ids()).toEqual([]);
  expect(calls.length).toBe(16);
});

test('closes a connection on which a request would be the 4,001st to wait, and no other', async () => {
  const ends: Socket[] = [];
  app.server.on('connection', (end) => ends.push(end));
  const held = (count: number) => 'GET /held/1 HTTP/1.1\nHost:x\n\n'.replaceAll('\n', '\r\n').repeat(count);
  const full = await Promise.all(numbers(4).map(() => open()));
  for (const { socket } of full) socket.write(held(1_016));
  await eventually(() => calls.length === 64);
  const refused = await open();
  refused.socket.on('error', () => {}).write(held(17));
  await once(refused.socket, 'close');
  const other = await open();
  other.socket.write(post('other', ''));
  await eventually(() => other.ids().length === 1);
  expect(full.map(({ socket }) => socket.closed)).toEqual([false, false, false, false]);

  for (const end of ends.splice(0, 4)) end.destroy();
  await Promise.all(full.map(({ socket }) => socket.closed || once(socket, 'close')));
  for (const { answer } of calls.splice(0)) answer();
  const again = await open();
  again.socket.write(held(17));
  await eventually(() => calls.length === 16);
  for (const { answer } of calls.splice(0)) answer();
  await eventually(() => calls.length === 1);
});
