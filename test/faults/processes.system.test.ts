import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect as connectTo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createPasswords } from '@gatehouse/shared/identity/passwords';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../fixtures/eventually.ts';
import { postForm, send, sendJson } from '../fixtures/http.ts';
import { freePorts } from '../fixtures/launcher.ts';
import { standaloneDatabase } from '../fixtures/mongodb.ts';
import { createProcesses } from '../fixtures/processes.ts';
import { JWT_SECRET } from '../fixtures/services.ts';

const SCRIPTS = {
  database: 'packages/minimongod/src/main.ts',
  login: 'services/login/main.ts',
  user: 'services/user/main.ts',
  gateway: 'services/gateway/main.ts',
};
type Part = keyof typeof SCRIPTS;
const SERVICES = ['login', 'user', 'gateway'] as const;

let folder: string;
let ports: Record<Part, number>;
const url = (part: Part) => `http://127.0.0.1:${ports[part]}`;
const mongodb = () => `mongodb://127.0.0.1:${ports.database}/gatehouse`;
const { start, end, signal, isRunning, output, stopReading } = createProcesses<Part>((part) => ({
  script: SCRIPTS[part],
  args:
    part === 'database'
      ? ['--port', String(ports.database), '--data', join(folder, 'disk', 'db.sqlite')]
      : [],
  env: {
    ...(part === 'database' ? {} : { NODE_OPTIONS: `--import=${CLOCK}` }),
    MONGODB_URI: mongodb(),
    JWT_SECRET,
    CAPTCHA_PROVIDER: 'none',
    RATE_LIMIT: 'off',
    BODY_MEMORY_MB: '2',
    GATEWAY_PORT: String(ports.gateway),
    LOGIN_PORT: String(ports.login),
    USER_PORT: String(ports.user),
    LOGIN_SERVICE_URL: url('login'),
    USER_SERVICE_URL: url('user'),
  },
}));
const CLOCK = pathToFileURL('test/fixtures/jumping-clock.ts').href;

const ADA = { email: 'ada@example.com', password: 'secret' };
const PLENTY = 64 * 1024 * 1024;
/** Only root can mount a small disk. */
const canMount = process.getuid?.() === 0 && tryMount();
function tryMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'true']);
    return true;
  } catch {
    return false;
  }
}
let isMounted = false;

describe.runIf(standaloneDatabase)('real processes', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-faults-'));
    await mkdir(join(folder, 'disk'));
    if (canMount) {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${PLENTY}`, 'tmpfs', join(folder, 'disk')]);
      isMounted = true;
    }
    const [database = 0, login = 0, user = 0, gateway = 0] = await freePorts(4);
    ports = { database, login, user, gateway };
    await start('database');
    const client = new MongoClient(mongodb());
    await client
      .db()
      .collection('users')
      .insertOne({
        email: ADA.email,
        password: await createPasswords().encode(ADA.password, 'argon2id'),
        name: 'Ada',
        verified: true,
        user_id: 'User-100001',
      });
    await client.close();
  });
  beforeEach(async () => {
    await Promise.all(SERVICES.filter((part) => !isRunning(part)).map(start));
  });
  afterAll(async () => {
    for (const part of ['gateway', 'user', 'login', 'database'] as const) await end(part);
    if (isMounted) execFileSync('umount', [join(folder, 'disk')]);
    await rm(folder, { recursive: true, maxRetries: 5 });
  });

  const logIn = async () => (await postForm(`${url('gateway')}/v2/login`, ADA)).body.token as string;
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const rename = (token: string, name: string) =>
    sendJson('PATCH', `${url('gateway')}/api/v1/users/me`, { name }, bearer(token));
  const profile = (token: string) => send(`${url('gateway')}/api/v1/users/me`, { headers: bearer(token) });

  test('a service whose log nobody reads goes on, and stops with 0', async () => {
    const token = await logIn();
    for (const part of SERVICES) stopReading(part);
    for (let i = 0; i < 5; i += 1) {
      expect((await rename(token, `Ada ${i}`)).status).toBe(200);
      expect(await logIn()).toEqual(expect.any(String));
    }
    for (const part of SERVICES) expect(await end(part, 'SIGTERM'), part).toBe(0);
  });

  test('a clock that jumps an hour ahead, back and an hour behind', async () => {
    const first = await logIn();
    for (const [offset, old] of [
      ['3600000', 401],
      ['0', 200],
      ['-3600000', 200],
    ] as const) {
      for (const part of SERVICES) signal(part, 'SIGWINCH');
      await eventually(() => {
        const told = output()
          .split('\n')
          .filter((line) => line.endsWith(`clock ${offset}`));
        return expect(told.length).toBe(SERVICES.length);
      });
      expect((await profile(first)).status, offset).toBe(old);
      const token = await logIn();
      expect((await rename(token, 'Ada')).status, offset).toBe(200);
      expect((await profile(token)).status, offset).toBe(200);
    }
    for (const part of SERVICES) await end(part, 'SIGTERM');
  });

  test('500 idle connections take no place of a call, and end with the process', async () => {
    const idle = await Promise.all(
      Array.from(
        { length: 500 },
        () =>
          new Promise<Socket>((resolve, reject) => {
            const socket = connectTo(ports.gateway, '127.0.0.1', () => resolve(socket)).on('error', reject);
          }),
      ),
    );
    expect(await logIn()).toEqual(expect.any(String));
    const closed = idle.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of idle) socket.on('error', () => {}).resume();
    expect(await end('gateway', 'SIGTERM')).toBe(0);
    await Promise.all(closed);
  });

  test('uploads that are cut off leave no memory taken', async () => {
    const token = await logIn();
    // Together 20 times what bodies may take.
    const abort = () =>
      new Promise<void>((resolve) => {
        const socket = connectTo(ports.gateway, '127.0.0.1', () => {
          const head = `PATCH /api/v1/users/me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n`;
          socket.write(`${head}content-type: application/json\r\ncontent-length: 500000\r\n\r\n`);
          socket.write('x'.repeat(400_000), () => socket.destroy());
        });
        socket.on('error', () => {}).once('close', () => resolve());
      });
    for (let i = 0; i < 10; i += 1) await Promise.all(Array.from({ length: 10 }, abort));
    await eventually(async () => expect((await rename(token, 'Ada')).status).toBe(200));
  });

  test('finishes 200 calls in flight after SIGTERM', async () => {
    const token = await logIn();
    const agents = Array.from({ length: 200 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    const call = (agent: Agent, path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        request(url('gateway') + path, { agent, headers: bearer(token) }, (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode));
        })
          .on('error', reject)
          .end();
      });
    await Promise.all(agents.map((agent) => call(agent, '/health/live')));
    signal('user', 'SIGSTOP');
    const calls = agents.map((agent) => call(agent, '/api/v1/users/me'));
    // Sent last: its answer shows that the others have been read.
    await send(`${url('gateway')}/health/live`);
    const code = end('gateway', 'SIGTERM');
    signal('user', 'SIGCONT');
    expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
    expect(await code).toBe(0);
    for (const agent of agents) agent.destroy();
  });

  test('what is acknowledged survives a database that is frozen and killed under load', async () => {
    const token = await logIn();
    const acknowledged: string[] = [];
    const statuses = new Set<number>();
    let isOver = false;
    const client = async (id: number) => {
      for (let i = 0; !isOver; i += 1) {
        const json = { name: `Chatbot ${id} ${i}`, type: 'text', avatar_id: 'a', language: 'en' };
        const { status, body } = await sendJson(
          'POST',
          `${url('user')}/api/v1/chatbots/create`,
          json,
          bearer(token),
        );
        statuses.add(status);
        if (status === 201) acknowledged.push(body.chatbot_id);
      }
    };
    const clients = Promise.all([1, 2, 3, 4].map(client));
    const more = async (count: number) => {
      const before = acknowledged.length;
      await eventually(() => acknowledged.length >= before + count);
    };
    await more(10);
    signal('database', 'SIGSTOP');
    await send(`${url('user')}/health/ready`);
    signal('database', 'SIGCONT');
    await more(10);
    await end('database');
    await eventually(() => statuses.has(503));
    await start('database');
    await more(10);
    isOver = true;
    await clients;
    expect([...statuses].toSorted()).toEqual([201, 503]);
    const database = new MongoClient(mongodb());
    const stored = await database.db().collection('chatbots').distinct('chatbot_id');
    await database.close();
    expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([]);
  });

  test.runIf(canMount)(
    'a full disk of the database is 503 for what writes, until there is room',
    async () => {
      const token = await logIn();
      const filler = join(folder, 'disk', 'filler');
      const { bavail, bsize } = await statfs(join(folder, 'disk'));
      await writeFile(filler, Buffer.alloc(bavail * bsize));
      const statuses = new Set<number>();
      for (let i = 0; !statuses.has(503) && i < 500; i += 1) {
        const { status, body } = await rename(token, `Ada ${i}`);
        statuses.add(status);
        if (status !== 200) expect(body.error.message).toBe('Service unavailable');
      }
      expect(statuses).toContain(503);
      expect((await profile(token)).status).toBe(200);
      await rm(filler);
      await eventually(async () => expect((await rename(token, 'Ada')).status).toBe(200));
    },
  );
});
