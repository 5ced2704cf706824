import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { createPasswords } from '@gatehouse/shared/identity/passwords';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../fixtures/eventually.ts';
import { postForm, send } from '../fixtures/http.ts';
import { freePorts } from '../fixtures/launcher.ts';
import { JWT_SECRET } from '../fixtures/services.ts';

/** The parts as processes that this test starts, kills and starts again, each on a port that stays its own. */
const SCRIPTS = {
  database: 'packages/minimongod/src/main.ts',
  login: 'services/login/main.ts',
  user: 'services/user/main.ts',
  gateway: 'services/gateway/main.ts',
};
type Part = keyof typeof SCRIPTS;

let folder: string;
let ports: Record<Part, number>;
const parts = new Map<Part, { child: ChildProcess; ended: Promise<number | null> }>();
let output = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-e2e-'));
  const [database = 0, login = 0, user = 0, gateway = 0] = await freePorts(4);
  ports = { database, login, user, gateway };
  await start('database');
  const client = new MongoClient(mongodb());
  await client
    .db()
    .collection('users')
    .insertOne({
      email: 'ada@example.com',
      password: await createPasswords().encode('secret', 'argon2id'),
      verified: true,
      user_id: 'User-100001',
    });
  await client.close();
}, 40_000);
/** What the test before has ended is started again. */
beforeEach(async () => {
  output = '';
  const ended = (['login', 'user', 'gateway'] as const).filter((part) => !parts.has(part));
  await Promise.all(ended.map(start));
}, 40_000);
afterAll(async () => {
  for (const part of ['gateway', 'user', 'login', 'database'] as const) await end(part, 'SIGKILL');
  await rm(folder, { recursive: true, maxRetries: 5 });
});

const mongodb = () => `mongodb://127.0.0.1:${ports.database}/gatehouse`;
const url = (part: Part) => `http://127.0.0.1:${ports[part]}`;

async function start(part: Part) {
  const args =
    part === 'database' ? ['--port', String(ports.database), '--data', join(folder, 'e2e.sqlite')] : [];
  const child = spawn(process.execPath, [SCRIPTS[part], ...args], {
    env: {
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      HOST: '127.0.0.1',
      MONGODB_URI: mongodb(),
      JWT_SECRET,
      CAPTCHA_PROVIDER: 'none',
      GATEWAY_PORT: String(ports.gateway),
      LOGIN_PORT: String(ports.login),
      USER_PORT: String(ports.user),
      LOGIN_SERVICE_URL: url('login'),
      USER_SERVICE_URL: url('user'),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += `${part} ${chunk}`;
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  parts.set(part, { child, ended });
  const ready = new Promise((resolve) => child.once('message', resolve));
  const code = await Promise.race([ready, ended]);
  if (code !== 'ready') throw new Error(`${part} ended (${code}):\n${output}`);
}

/** Sends a signal and waits for the end. @returns the exit code. */
async function end(part: Part, signal: NodeJS.Signals) {
  const running = parts.get(part);
  parts.delete(part);
  running?.child.kill(signal);
  return running?.ended;
}

async function login(at: Part = 'gateway', password = 'secret') {
  const { status, body } = await postForm(`${url(at)}/v2/login`, { email: 'ada@example.com', password });
  return { status, body };
}
const granted = {
  status: 200,
  body: { message: 'Login successful', token: expect.any(String), user_id: 'User-100001' },
};
const unavailable = { status: 503, body: { detail: 'Service unavailable' } };
async function health(part: Part) {
  const { status, body } = await send(`${url(part)}/health`);
  return { status, body };
}
async function within<T>(seconds: number, call: Promise<T>): Promise<T> {
  const began = performance.now();
  const answer = await call;
  expect(performance.now() - began).toBeLessThan(seconds * 1000);
  return answer;
}

describe('the login service is killed', () => {
  test('the gateway answers 503 at once, says so, and needs no restart', { timeout: 40_000 }, async () => {
    expect(await login()).toEqual(granted);
    await end('login', 'SIGKILL');
    expect(await within(2, login())).toEqual(unavailable);
    expect(await health('gateway')).toEqual({
      status: 200,
      body: { status: 'degraded', service: 'gateway', checks: { mongodb: 'up', login: 'down', user: 'up' } },
    });
    const others = await postForm(`${url('gateway')}/v2/verify-otp`, {
      email: 'nobody@example.com',
      otp: '1',
    });
    expect(others).toMatchObject({ status: 404, body: { detail: 'User not found' } });
    await start('login');
    expect(await login()).toEqual(granted);
    expect((await health('gateway')).body.status).toBe('ok');
  });

  test('in the midst of logins: each is answered 200 or 503, in time', { timeout: 40_000 }, async () => {
    const calls = Promise.all(Array.from({ length: 15 }, () => login()));
    await eventually(() => expect(output).toContain('login: success'));
    await end('login', 'SIGKILL');
    const answers = await within(5, calls);
    for (const answer of answers) expect([granted, unavailable]).toContainEqual(answer);
  });
});

describe('the database is killed', () => {
  test('503 within bounds, and with it back the services recover without a restart', {
    timeout: 60_000,
  }, async () => {
    expect(await login()).toEqual(granted);
    await end('database', 'SIGKILL');
    const [atGateway, atLogin, report, live] = await Promise.all([
      within(10, login()),
      within(10, login('login')),
      within(5, health('gateway')),
      within(1, send(`${url('login')}/health/live`)),
    ]);
    expect(atGateway).toEqual(unavailable);
    expect(atLogin).toEqual(unavailable);
    expect(report).toEqual({
      status: 503,
      body: {
        status: 'unavailable',
        service: 'gateway',
        checks: { mongodb: 'down', login: 'up', user: 'up' },
      },
    });
    expect(live.status).toBe(200);

    await start('database');
    await eventually(async () => expect(await login()).toEqual(granted));
    await eventually(async () => {
      for (const part of ['gateway', 'login'] as const) {
        expect((await health(part)).body).toMatchObject({ status: 'ok', checks: { mongodb: 'up' } });
      }
      expect((await health('user')).body).toMatchObject({ checks: { mongodb: 'up' } });
    });
    // What was acknowledged before the kill is there: the first login's event.
    const client = new MongoClient(mongodb());
    const events = client.db().collection('audit_events');
    expect(await events.countDocuments({ outcome: 'success' })).toBeGreaterThanOrEqual(2);
    await client.close();
  });
});

test('a database that hangs at the first question to it, and then goes on, is asked again', {
  timeout: 60_000,
}, async () => {
  await end('login', 'SIGKILL');
  await start('login');
  const database = parts.get('database')?.child;
  database?.kill('SIGSTOP');
  try {
    expect((await send(`${url('login')}/health`)).status).toBe(503);
    const { status } = await postForm(`${url('login')}/v2/login`, {
      email: 'ada@example.com',
      password: 'secret',
    });
    expect(status).toBe(503);
  } finally {
    database?.kill('SIGCONT');
  }
  await eventually(async () => expect((await send(`${url('login')}/health`)).status).toBe(200));
});

describe('SIGTERM', () => {
  /** Starts so many logins, each on a connection that stands already, and waits until the part has read them all. */
  async function inFlight(part: Part, count: number) {
    const agents = Array.from({ length: count }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    const call = (agent: Agent, path: string, form?: Record<string, string>) =>
      new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        request(url(part) + path, { agent, ...(form && { method: 'POST', headers }) }, async (answer) => {
          resolve({ status: answer.statusCode, body: await json(answer) });
        })
          .on('error', reject)
          .end(form && new URLSearchParams(form).toString());
      });
    await Promise.all(agents.map((agent) => call(agent, '/health/live')));
    const person = { email: 'ada@example.com', password: 'secret' };
    const calls = agents.map((agent) => call(agent, '/v2/login', person));
    await send(`${url(part)}/health/live`); // written later: with its answer the calls have been read, too
    return calls;
  }

  test('the login service finishes the logins in flight and takes no more', { timeout: 40_000 }, async () => {
    const calls = await inFlight('login', 60);
    const code = end('login', 'SIGTERM');
    expect(await Promise.all(calls)).toEqual(Array(60).fill(granted));
    expect(await within(10, code)).toBe(0);
    await expect(login('login')).rejects.toThrow('fetch failed');
  });

  test('the gateway finishes the logins in flight and takes no more', { timeout: 40_000 }, async () => {
    const calls = await inFlight('gateway', 20);
    const code = end('gateway', 'SIGTERM');
    expect(await Promise.all(calls)).toEqual(Array(20).fill(granted));
    expect(await within(10, code)).toBe(0);
    await expect(login()).rejects.toThrow('fetch failed');
  });

  test('an idle kept-alive connection keeps no service from ending', { timeout: 40_000 }, async () => {
    expect((await health('user')).body.checks.mongodb).toBe('up');
    expect(await within(5, end('user', 'SIGTERM'))).toBe(0);
  });
});
