import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../../fixtures/eventually.ts';
import { startGateway } from '../../fixtures/gateway.ts';
import { member } from '../../fixtures/members.ts';
import { startPlatform } from '../platform.ts';

let platform: Awaited<ReturnType<typeof startPlatform>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let authorization: string;
beforeAll(async () => {
  platform = await startPlatform();
  gateway = await startGateway({
    env: { UPSTREAM_HISTORY: platform.url, UPSTREAM_CRAWL: platform.url, USER_SERVICE_URL: platform.url },
  });
  ({ authorization } = await member(gateway.db, gateway.clock));
});
afterAll(async () => {
  await gateway.stop();
  await platform.stop();
});
// The gateway checks bodies in an interval; the tests let its time pass.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => {
  vi.useRealTimers();
  platform.reset();
});

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A client that sends raw bytes. */
async function client(path: string, head: string) {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  sockets.push(socket.on('error', () => {}));
  await once(socket, 'connect');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  const known = vi.getTimerCount();
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n${head}\r\n\r\n`);
  await eventually(() => vi.getTimerCount() > known);
  return {
    socket,
    answer: () => answer,
    /** Sends bytes, and resolves when the gateway has received them. */
    async send(bytes: string) {
      const { bytesRead } = await connection();
      socket.write(bytes);
      await eventually(() => connections.at(-1)?.bytesRead === bytesRead + bytes.length);
    },
  };
}
const connections: Socket[] = [];
beforeAll(() => void gateway.app.server.on('connection', (socket: Socket) => connections.push(socket)));
const connection = async () => {
  await eventually(() => connections.length > 0);
  return connections.at(-1) as Socket;
};
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

const FORM = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100';
const JSON_BODY = 'Content-Type: application/json\r\nContent-Length: 100';

describe.each([
  ['a form', '/v2/forgot-password', FORM, /\r\n\r\n\{"detail":"The request is malformed"\}$/],
  ['a JSON body', '/api/v1/auth/login', JSON_BODY, /"code":"INVALID_FORMAT"/],
  ['the JSON of respond', '/api/v1/chat-3d/respond', JSON_BODY, /"code":"INVALID_FORMAT"/],
])('%s', (_, path, head, error) => {
  test('is refused after 30 seconds, and the connection ends', async () => {
    const slow = await client(path, head);
    await pass(29);
    expect(slow.answer()).toBe('');
    await pass(1);
    await eventually(() => slow.answer() !== '');
    expect(slow.answer()).toMatch(/^HTTP\/1\.1 400 /);
    expect(slow.answer()).toMatch(error);
    // The client keeps its own side open.
    await eventually(() => connections.at(-1)?.destroyed === true);
  });

  test('gets no more time when it arrives slowly', async () => {
    const slow = await client(path, head);
    for (let second = 0; second < 29; second += 1) {
      await slow.send('a');
      await pass(1);
    }
    expect(slow.answer()).toBe('');
    await pass(1);
    await eventually(() => slow.answer() !== '');
    expect(slow.answer()).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe.each(['/api/v1/history/upload', '/api/v1/crawl/upload-pdf'])('an upload to %s', (path) => {
  const head = `Content-Type: multipart/form-data; boundary=limit\r\nConnection: close\r\nContent-Length: `;
  const form =
    '--limit\r\nContent-Disposition: form-data; name="chatbot_id"\r\n\r\nbot\r\n--limit\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--limit--\r\n';

  test('may take minutes while it makes progress', async () => {
    const slow = await client(path, `${head}${form.length}`);
    for (const byte of form.slice(0, 20)) {
      await slow.send(byte);
      await pass(25);
    }
    expect(slow.answer()).toBe('');
    slow.socket.write(form.slice(20));
    await eventually(() => slow.answer().includes('{"ok":true}'));
    expect(slow.answer()).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('is cut off after 30 seconds of silence, here and at the service', async () => {
    const slow = await client(path, `${head}${form.length}`);
    await slow.send(form.slice(0, 100));
    await pass(5); // the next check sees the bytes
    await pass(29);
    expect(slow.answer()).toBe('');
    await pass(6);
    await eventually(() => slow.answer() !== '');
    expect(slow.answer()).toMatch(/^HTTP\/1\.1 400 /);
    await eventually(() => connections.at(-1)?.destroyed === true);
    await eventually(() => platform.calls.length === 0 || platform.calls[0]?.complete === false);
    expect(platform.calls.filter(({ complete }) => complete)).toEqual([]);
  });

  test('does not time out while the service works on a complete body', async () => {
    let finish = () => {};
    platform.reply = (_, response) => {
      finish = () => void response.end('late');
    };
    const patient = await client(path, `${head}${form.length}`);
    patient.socket.write(form);
    await eventually(() => platform.calls[0]?.complete === true);
    await pass(120);
    finish();
    await eventually(() => patient.answer().endsWith('late') || /\r\nlate\r\n/.test(patient.answer()));
  });
});

test('sets no timer for a call without a body', async () => {
  const { hostname, port } = new URL(gateway.url);
  const before = vi.getTimerCount();
  const socket = connect(Number(port), hostname);
  socket.write(
    `GET /api/v1/history/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${authorization}\r\n\r\n`,
  );
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  expect(vi.getTimerCount()).toBe(before);
});

test('clears the timer when the call ends', async () => {
  const before = vi.getTimerCount();
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /api/v1/history/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${authorization}\r\nContent-Length: 2\r\n\r\nok`,
  );
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  await eventually(() => vi.getTimerCount() === before);
});
