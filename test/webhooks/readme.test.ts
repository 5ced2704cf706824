import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../fixtures/eventually.ts';
import { freePorts } from '../fixtures/launcher.ts';

/** Runs the receiver that the README shows as a separate process. */
let receiver: ReturnType<typeof spawn>;
let url: string;
let output = '';
beforeAll(async () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(readme) ?? [];
  const [port] = await freePorts(1);
  url = `http://127.0.0.1:${port}`;
  const listening = code.replace('.listen(3000)', `.listen(${port}, '127.0.0.1', () => console.log('up'))`);
  receiver = spawn(process.execPath, ['--input-type=module', '--eval', listening], {
    env: { WEBHOOK_SECRET: 'keep-it-to-yourself', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  receiver.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  await once(receiver.stdout as NodeJS.ReadableStream, 'data');
});
afterAll(() => void receiver.kill());

const body = '{"event":"webhook.test","timestamp":"2026-01-15T09:30:00.000Z","data":{}}';
const sign = (text: string) =>
  `sha256=${createHmac('sha256', 'keep-it-to-yourself').update(text).digest('hex')}`;
const post = async (headers: Record<string, string>) =>
  (await fetch(url, { method: 'POST', headers: { 'webhook-id': 'evt_1', ...headers }, body })).status;

test('accepts signed requests and nothing else', async () => {
  expect(await post({ 'x-service-signature': sign(body) })).toBe(204);
  await eventually(() => expect(output).toMatch(/evt_1 \{\s+event: 'webhook.test'/));
  expect(await post({})).toBe(401);
  expect(await post({ 'x-service-signature': sign(`${body} `) })).toBe(401);
  expect(await post({ 'x-service-signature': 'sha256=\u00ff' })).toBe(401);
  // A request that breaks off does not stop the receiver.
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.end('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nabc').resume();
  await once(socket, 'close');
  expect(await post({ 'x-service-signature': sign(body) })).toBe(204);
});
