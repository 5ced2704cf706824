import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COLLECTIONS } from '../../../services/gateway/database.ts';
import { testClock } from '../../fixtures/clock.ts';
import { freshDatabase } from '../../fixtures/database.ts';
import { freePorts } from '../../fixtures/launcher.ts';
import { member } from '../../fixtures/members.ts';
import { JWT_SECRET } from '../../fixtures/services.ts';

const MEBIBYTE = 1024 * 1024;
const SIZE = 48 * MEBIBYTE;
/** How much memory a transfer may add. */
const BOUND = 30 * MEBIBYTE;

const MULTIPART = 'multipart/form-data; boundary=limit';
const HEAD = Buffer.from(
  '--limit\r\nContent-Disposition: form-data; name="chatbot_id"\r\n\r\nbot\r\n--limit\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n',
);
const TAIL = Buffer.from('\r\n--limit--\r\n');

/** Generates `size` bytes without a repeating pattern, between a head and a tail. */
async function* bytes(size: number, head = Buffer.alloc(0), tail = Buffer.alloc(0)) {
  yield head;
  const chunk = Buffer.alloc(64 * 1024, 'The quick brown fox jumps over the lazy dog. \r\n--limi');
  for (let made = 0; made < size; made += chunk.length) {
    const next = Buffer.from(chunk);
    next.writeDoubleLE(made);
    yield next;
  }
  yield tail;
}

let gateway: ChildProcess;
let url: string;
let sink: Server;
let stop: () => Promise<void>;
let authorization: string;
/** The gateway's peak memory after the warm-up. */
let usual: number;
/** The last upload that the service received, and how it reads one. */
const taken = { size: 0, hash: '', complete: false };
let take = async (incoming: IncomingMessage) => {
  const hash = createHash('sha256');
  Object.assign(taken, { size: 0, hash: '', complete: false });
  for await (const chunk of incoming) {
    hash.update(chunk);
    taken.size += chunk.length;
  }
  Object.assign(taken, { hash: hash.digest('hex'), complete: incoming.complete });
};

// Reads memory from /proc.
describe.skipIf(!existsSync('/proc/self/status'))('a gateway in its own process', () => {
  beforeAll(async () => {
    sink = createServer(async (incoming, response) => {
      if (incoming.method === 'GET') {
        response.writeHead(200, { 'content-type': 'application/octet-stream' });
        await pipeline(Readable.from(bytes(SIZE)), response).catch(() => {});
        return;
      }
      await take(incoming).catch(() => {});
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"stored":true}');
    }).listen(0, '127.0.0.1');
    await once(sink, 'listening');
    const platform = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`;

    const { db, uri, drop } = await freshDatabase(COLLECTIONS);
    const [port] = await freePorts(1);
    url = `http://127.0.0.1:${port}`;
    gateway = fork('services/gateway/main.ts', {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        HOST: '127.0.0.1',
        GATEWAY_PORT: String(port),
        MONGODB_URI: uri,
        JWT_SECRET,
        CAPTCHA_PROVIDER: 'none',
        LOG_LEVEL: 'silent',
        UPSTREAM_CRAWL: platform,
        UPSTREAM_HISTORY: platform,
      },
      // A small young generation soon frees what has passed through: the peak shows what is kept.
      execArgv: ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=1'],
      stdio: 'ignore',
    });
    const ended = once(gateway, 'exit');
    const [ready] = await Promise.race([once(gateway, 'message'), ended]);
    expect(ready).toBe('ready');
    ({ authorization } = await member(db, testClock()));
    stop = async () => {
      gateway.kill('SIGKILL');
      await ended;
      sink.closeAllConnections();
      await new Promise((resolve) => sink.close(resolve));
      await drop();
    };
    // Warm-up: compiles the code and grows the heap to its usual size.
    await upload('/api/v1/crawl/upload-pdf', { 'content-type': MULTIPART }, 40 * MEBIBYTE);
    await upload('/api/v1/history/x', { 'idempotency-key': 'warm' }, 40 * MEBIBYTE);
    usual = await peak();
  });
  afterAll(() => stop());

  /** The gateway's peak memory in bytes. */
  async function peak(): Promise<number> {
    const status = await readFile(`/proc/${gateway.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  }
  /** How much a transfer adds to the peak. */
  async function growth(transfer: () => Promise<unknown>): Promise<number> {
    await transfer();
    return (await peak()) - usual;
  }

  /** @returns the response, and the hash of what was sent. */
  async function upload(path: string, headers: Record<string, string>, size = SIZE) {
    const hash = createHash('sha256');
    const isForm = headers['content-type'] === MULTIPART;
    const [head, tail] = isForm ? [HEAD, TAIL] : [Buffer.alloc(0), Buffer.alloc(0)];
    const outgoing = request(`${url}${path}`, {
      method: 'POST',
      headers: { authorization, 'content-length': head.length + size + tail.length, ...headers },
    });
    const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
    const source = Readable.from(bytes(size, head, tail));
    source.on('data', (chunk) => hash.update(chunk));
    await pipeline(source, outgoing);
    const [answer] = await answered;
    const body = (await answer.toArray()).join('');
    return { status: answer.statusCode, body, sent: hash.digest('hex') };
  }

  test.each<[string, string, Record<string, string>]>([
    ['a form', '/api/v1/crawl/upload-pdf', { 'content-type': MULTIPART }],
    [
      'a form with an Idempotency-Key',
      '/api/v1/crawl/upload-pdf',
      { 'content-type': MULTIPART, 'idempotency-key': 'a-form' },
    ],
    ['bytes', '/api/v1/history/x', { 'content-type': 'application/octet-stream' }],
    ['bytes with an Idempotency-Key', '/api/v1/history/x', { 'idempotency-key': 'bytes' }],
  ])(
    'streams 48 MB of %s at %s with less than 30 MB of memory',
    { timeout: 60_000 },
    async (_, path, headers) => {
      let answer = { status: 0, body: '', sent: '' } as Awaited<ReturnType<typeof upload>>;
      const grown = await growth(async () => {
        answer = await upload(path, headers);
      });
      expect(answer).toStrictEqual({ status: 201, body: '{"stored":true}', sent: taken.hash });
      expect(taken).toMatchObject({
        complete: true,
        size: SIZE + (path.includes('crawl') ? HEAD.length + TAIL.length : 0),
      });
      expect(grown).toBeLessThan(BOUND);
    },
  );

  test('streams an upload to a service that reads slowly', { timeout: 60_000 }, async () => {
    const quickly = take;
    take = async (incoming) => {
      let size = 0;
      let rests = 0;
      for await (const chunk of incoming) {
        size += chunk.length;
        // A pause every few mebibytes: without backpressure, the upload piles up at the gateway.
        if (size / (4 * MEBIBYTE) > rests) {
          rests += 1;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
      taken.size = size;
    };
    const grown = await growth(() => upload('/api/v1/crawl/upload-pdf', { 'content-type': MULTIPART }));
    take = quickly;
    expect(taken.size).toBe(SIZE + HEAD.length + TAIL.length);
    expect(grown).toBeLessThan(BOUND);
  });

  test('streams a response of 48 MB to a client that reads slowly', { timeout: 60_000 }, async () => {
    let size = 0;
    const grown = await growth(async () => {
      const outgoing = request(`${url}/api/v1/history/export`, { headers: { authorization } }).end();
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
      for await (const chunk of answer) {
        size += chunk.length;
        if (size % (8 * MEBIBYTE) < 64 * 1024) await new Promise((resolve) => setTimeout(resolve, 5));
      }
    });
    expect(size).toBe(SIZE);
    expect(grown).toBeLessThan(BOUND);
  });
});
