import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { createPasswords } from '@gatehouse/shared/identity/passwords';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dropDatabase, freshMongodbUri } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { postForm, send } from '../fixtures/http.ts';
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

let folder: string;
let ports: Record<Part, number>;
let mongodb: string;
const url = (part: Part) => `http://127.0.0.1:${ports[part]}`;
const { start, end, signal, isRunning, output } = createProcesses<Part>((part) => ({
  script: SCRIPTS[part],
  args: part === 'database' ? ['--port', String(ports.database), '--data', join(folder, 'e2e.sqlite')] : [],
  env: {
    MONGODB_URI: mongodb,
    JWT_SECRET,
    CAPTCHA_PROVIDER: 'none',
    GATEWAY_PORT: String(ports.gateway),
    LOGIN_PORT: String(ports.login),
    USER_PORT: String(ports.user),
    LOGIN_SERVICE_URL: url('login'),
    USER_SERVICE_URL: url('user'),
  },
}));

const ADA = { email: 'ada@example.com', password: 'secret' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-e2e-'));
  const [database = 0, login = 0, user = 0, gateway = 0] = await freePorts(4);
  ports = { database, login, user, gateway };
  if (standaloneDatabase) {
    mongodb = `mongodb://127.0.0.1:${database}/gatehouse`;
    await start('database');
  } else mongodb = await freshMongodbUri();
  const client = new MongoClient(mongodb);
  await client
    .db()
    .collection('users')
    .insertOne({
      email: ADA.email,
      password: await createPasswords().encode(ADA.password, 'argon2id'),
      verified: true,
      user_id: 'User-100001',
    });
  await client.close();
});
/** Restarts what the previous test ended. */
beforeEach(async () => {
  const ended = (['login', 'user', 'gateway'] as const).filter((part) => !isRunning(part));
  await Promise.all(ended.map(start));
});
afterAll(async () => {
  for (const part of ['gateway', 'user', 'login', 'database'] as const) await end(part);
  if (!standaloneDatabase) await dropDatabase(mongodb);
  await rm(folder, { recursive: true, maxRetries: 5 });
});

async function login(at: Part = 'gateway') {
  const { status, body } = await postForm(`${url(at)}/v2/login`, ADA);
  return { status, body };
}
const loggedIn = {
  status: 200,
  body: { message: 'Login successful', token: expect.any(String), user_id: 'User-100001' },
};
const unavailable = { status: 503, body: { detail: 'Service unavailable' } };
async function health(part: Part) {
  const { status, body } = await send(`${url(part)}/health`);
  return { status, body };
}

describe('when the login service is killed', () => {
  test('the gateway returns 503, reports it, and recovers without a restart', async () => {
    expect(await login()).toEqual(loggedIn);
    await end('login');
    expect(await login()).toEqual(unavailable);
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
    expect(await login()).toEqual(loggedIn);
    expect((await health('gateway')).body.status).toBe('ok');
  });

  test('each login in flight gets 200 or 503', async () => {
    const logged = output().length;
    const calls = Promise.all(Array.from({ length: 15 }, () => login()));
    await eventually(() => expect(output().slice(logged)).toContain('login: success'));
    await end('login');
    for (const answer of await calls) expect([loggedIn, unavailable]).toContainEqual(answer);
  });
});

describe.runIf(standaloneDatabase)('when the database is killed', () => {
  test('the services return 503, stay alive, and recover without a restart', async () => {
    expect(await login()).toEqual(loggedIn);
    await end('database');
    const [atGateway, atLogin, report, live] = await Promise.all([
      login(),
      login('login'),
      health('gateway'),
      send(`${url('login')}/health/live`),
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
    await eventually(async () => expect(await login()).toEqual(loggedIn));
    await eventually(async () => {
      for (const part of ['gateway', 'login'] as const) {
        expect((await health(part)).body).toMatchObject({ status: 'ok', checks: { mongodb: 'up' } });
      }
      expect((await health('user')).body).toMatchObject({ checks: { mongodb: 'up' } });
    });
    // The event of the first login was acknowledged before the kill.
    const client = new MongoClient(mongodb);
    const events = client.db().collection('audit_events');
    expect(await events.countDocuments({ outcome: 'success' })).toBeGreaterThanOrEqual(2);
    await client.close();
  });
});

test.runIf(standaloneDatabase)(
  'the login service recovers from a database that hangs at its first command',
  async () => {
    await end('login');
    await start('login');
    signal('database', 'SIGSTOP');
    try {
      const [report, answer] = await Promise.all([health('login'), login('login')]);
      expect(report.status).toBe(503);
      expect(answer).toStrictEqual(unavailable);
    } finally {
      signal('database', 'SIGCONT');
    }
    await eventually(async () => expect((await health('login')).status).toBe(200));
  },
);

describe('SIGTERM', () => {
  /** Starts logins on open connections and waits until the service has read them all. */
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
    const calls = agents.map((agent) => call(agent, '/v2/login', ADA));
    await send(`${url(part)}/health/live`); // sent last: its response shows that the logins have been read
    return calls;
  }

  test.each(['login', 'gateway'] as const)(
    '%s finishes the logins in flight and accepts no more',
    async (part) => {
      const calls = await inFlight(part, 20);
      const exitCode = end(part, 'SIGTERM');
      expect(await Promise.all(calls)).toEqual(Array(20).fill(loggedIn));
      expect(await exitCode).toBe(0);
      await expect(login(part)).rejects.toThrow('fetch failed');
    },
  );

  test('an idle keep-alive connection does not delay the exit', async () => {
    expect((await health('user')).body.checks.mongodb).toBe('up');
    expect(await end('user', 'SIGTERM')).toBe(0);
  });
});
