import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startChild } from '@gatehouse/standalone/child';
import { startMongoServer } from 'minimongod';
import { MongoClient } from 'mongodb';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { dropDatabase, freshMongodbUri } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { postForm, send } from '../fixtures/http.ts';
import { launch } from '../fixtures/launcher.ts';
import { membersOf } from '../fixtures/mongodb.ts';

type Launched = Awaited<ReturnType<typeof launch>>;

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'gatehouse-launcher-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

const running: Launched[] = [];
async function start(options?: Parameters<typeof launch>[0]) {
  const launched = await launch(options);
  running.push(launched);
  return launched;
}
/** Launches and waits until everything is up. */
async function startUp(options?: Parameters<typeof start>[0]) {
  const launched = await start(options);
  await launched.up;
  return launched;
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((launched) => launched.stop()));
});

/** Lists the processes of this machine, without zombies. */
const processes = (): { pid: number; parent: number; command: string }[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null && !match[3]?.startsWith('Z'))
    .map((match) => ({ pid: Number(match?.[1]), parent: Number(match?.[2]), command: match?.[4] ?? '' }));
/** Returns the launcher's children by name. */
const childrenOf = (launcher: number): Record<string, number> =>
  Object.fromEntries(
    processes()
      .filter(({ parent }) => parent === launcher)
      .map(({ pid, command }) => [/(\w+)(?:\/src)?\/main\.ts/.exec(command)?.[1] ?? command, pid]),
  );
const POLL = 100; // milliseconds: `ps` is expensive
const allEnded = (pids: number[]) =>
  eventually(() => expect(processes().filter(({ pid }) => pids.includes(pid))).toEqual([]), POLL);

const databases: string[] = [];
/** Settings that name an empty database and no reachable mail server: only the services start. */
async function configured() {
  const uri = await freshMongodbUri();
  databases.push(uri);
  return { MONGODB_URI: uri, SMTP_URL: 'smtp://127.0.0.1:1' };
}
afterEach(async () => {
  await Promise.all(databases.splice(0).map(dropDatabase));
});

const signUp = (user: string, email: string) =>
  postForm(`${user}/v2/signup`, { email, password: 'secret', name: 'Ada' });

test('starts the services, a database and a mailbox, keeps data across a restart, and stops when the database dies', async () => {
  const folder = join(scratch, 'a folder with spaces');
  const first = await startUp({ folder });
  const children = childrenOf(first.pid);
  expect(Object.keys(children).sort()).toEqual(['gateway', 'login', 'minimongod', 'user']);

  const health = async (url: string) => {
    const { status, body } = await send(`${url}/health`);
    return { status, body };
  };
  const ok = (service: string, checks: object) => ({ status: 200, body: { status: 'ok', service, checks } });
  expect(await health(first.gateway)).toEqual(ok('gateway', { mongodb: 'up', login: 'up', user: 'up' }));
  expect(await health(first.login)).toEqual(ok('login', { mongodb: 'up' }));
  expect(await health(first.user)).toEqual(ok('user', { mongodb: 'up', smtp: 'up' }));

  const printed = first.output();
  for (const url of [first.gateway, first.login, first.user, first.mailbox]) {
    expect(printed).toContain(url.replace('127.0.0.1', 'localhost'));
  }
  expect(printed).toContain(`${first.mongodb} (stored in ${folder})`);
  expect(printed).toMatch(/Try: {2}curl /);
  expect(printed).not.toMatch(/ ERROR: | FATAL: | at .*\.ts:\d/);

  const signedUp = await signUp(first.gateway, 'Ada@example.com');
  expect(signedUp.status).toBe(200);
  // Enough for a test suite that signs up hundreds of accounts.
  expect(signedUp.headers.get('x-ratelimit-limit')).toBe('10000');
  expect((await send(`${first.mailbox}/api/v1/message/latest`)).body.To).toEqual([
    { Name: '', Address: 'Ada@example.com' },
  ]);
  const secrets = readFileSync(join(folder, 'secrets.json'), 'utf8');
  for (const secret of Object.values(JSON.parse(secrets))) expect(first.output()).not.toContain(secret);

  first.kill('SIGTERM');
  expect(await first.ended).toBe(0);
  await allEnded(Object.values(children));

  const second = await startUp({ folder });
  const client = new MongoClient(second.mongodb);
  expect(await client.db().collection('users').findOne()).toMatchObject({ email: 'Ada@example.com' });
  await client.close();
  expect(
    await postForm(`${second.login}/v2/login`, { email: 'ada@example.com', password: 'secret' }),
  ).toMatchObject({
    status: 403,
    body: { detail: 'Account not verified' },
  });
  expect(readFileSync(join(folder, 'secrets.json'), 'utf8')).toBe(secrets);
  const restarted = childrenOf(second.pid);
  expect(Object.keys(restarted)).toHaveLength(4);
  process.kill(restarted.minimongod as number, 'SIGKILL');
  expect(await second.ended).toBe(1);
  expect(second.output()).toContain('database ended (exit code null); stopping the others\n');
  await allEnded(Object.values(restarted));
});

test('leaves no process when it is killed during startup', async () => {
  const launched = await start();
  const children = await eventually(() => {
    const found = Object.values(childrenOf(launched.pid));
    expect(found).toHaveLength(4);
    return found;
  }, POLL);
  launched.kill('SIGKILL');
  await expect(launched.up).rejects.toThrow('it did not come up');
  await allEnded(children);
});

test('stops once when two signals arrive during startup', async () => {
  const launched = await start();
  const children = await eventually(() => {
    const found = Object.values(childrenOf(launched.pid));
    expect(found).not.toEqual([]);
    return found;
  }, POLL);
  launched.kill('SIGINT');
  launched.kill('SIGTERM');
  expect(await launched.ended).toBe(0);
  await allEnded(children);
});

test('ends after Ctrl-C when nothing that it started ends by itself', async () => {
  const launched = await startUp();
  const children = Object.values(childrenOf(launched.pid));
  expect(children.length).toBeGreaterThanOrEqual(4);
  for (const pid of children) process.kill(pid, 'SIGSTOP');
  launched.kill('SIGINT');
  // Without its own deadlines it would wait for them for good.
  expect(await launched.ended).toBe(0);
  await allEnded(children);
}, 60_000);

test('--practice starts providers that people can log in at', async () => {
  const launched = await startUp({ env: await configured(), args: ['--practice'] });
  expect(launched.output()).toContain(`practice  ${launched.practice}/social `);
  expect((await send(`${launched.practice}/social`)).body).toContain('<h2>google</h2>');
  const { providers } = (await send(`${launched.gateway}/api/v1/auth/ways`)).body;
  expect(providers.map(({ label }: { label: string }) => label)).toEqual([
    'Google',
    'Apple',
    'Microsoft',
    'GitHub',
    'GitLab',
  ]);
  const headers = { accept: 'application/json' };
  const begun = await send(`${launched.gateway}/social/google/login`, { headers });
  expect(begun.body.redirect_url).toMatch(`${launched.practice}/google/`);
  expect(await launched.stop()).toBe(0);
});

test('--seed adds people and prints who signs in, and can be given again', async () => {
  const folder = join(scratch, 'seeded');
  for (const _ of ['first', 'again']) {
    const launched = await startUp({ folder, args: ['--practice', '--seed', 'packages/testing/seed.yaml'] });
    await eventually(
      () =>
        expect(launched.output()).toMatch(
          /ada@example\.com +correct-horse\n[\s\S]*organization Analytical Engines: /,
        ),
      POLL,
    );
    expect(await launched.stop()).toBe(0);
  }
});

describe('exits with code 1 and one line for', () => {
  /** Starts another server on a local port. */
  async function takenPort(): Promise<{ port: number; server: Server }> {
    const server = createServer((socket) => {
      socket.on('error', () => {}); // the client may disconnect at any time
      socket.end('220 not a database\r\n');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return { port: (server.address() as { port: number }).port, server };
  }

  test.each<[NodeJS.ProcessEnv, string]>([
    [{ GATEWAY_PORT: 'abc' }, 'start: GATEWAY_PORT must be a port number, 0 to 65535\n'],
    [
      { MONGODB_URI: 'localhost' },
      'start: MONGODB_URI must be a URL that begins with mongodb:// or mongodb+srv://\n',
    ],
    [
      { NODE_ENV: 'production' },
      'start: MONGODB_URI is required in production\nstart: SMTP_URL is required in production\n',
    ],
    [
      { NODE_ENV: 'production', MONGODB_URI: 'mongodb://127.0.0.1/gatehouse' },
      'start: SMTP_URL is required in production\n',
    ],
  ])('the invalid setting %j', async (env, line) => {
    const launched = await start({ env });
    expect(await launched.ended).toBe(1);
    expect(launched.output()).toBe(line);
  });

  test('practice providers in production', async () => {
    const env = { ...(await configured()), NODE_ENV: 'production' };
    const launched = await start({ env, args: ['--practice'] });
    expect(await launched.ended).toBe(1);
    expect(launched.output()).toBe('start: --practice is refused in production\n');
  });

  test('a seed in production', async () => {
    const env = { ...(await configured()), NODE_ENV: 'production' };
    const launched = await start({ env, args: ['--seed', 'packages/testing/seed.yaml'] });
    expect(await launched.ended).toBe(1);
    expect(launched.output()).toBe('start: --seed is refused in production\n');
  });

  test('an invalid setting that only a service reads', async () => {
    const launched = await start({ env: { ...(await configured()), RATE_LIMIT: 'maybe' } });
    expect(await launched.ended).toBe(1);
    expect(launched.output()).toContain('gateway  │ gateway: RATE_LIMIT must be one of on, off\n');
    expect(launched.output()).toContain('gateway ended (exit code 1); stopping the others\n');
    expect(launched.output()).not.toMatch(/^\s+at /m);
  });

  test('the mailbox’s port in use', async () => {
    const { port, server } = await takenPort();
    const { MONGODB_URI } = await configured();
    const launched = await start({ env: { MONGODB_URI, STANDALONE_SMTP_PORT: String(port) } });
    expect(await launched.ended).toBe(1);
    const lines = launched.output().split('\n');
    expect(lines).toContain(`mailbox: listen EADDRINUSE: address already in use 127.0.0.1:${port}`);
    expect(lines).toContain('mailbox ended (exit code 1); stopping the others');
    server.close();
  });

  test('a port in use', async () => {
    const { port, server } = await takenPort();
    const launched = await start({ env: { ...(await configured()), GATEWAY_PORT: String(port) } });
    expect(await launched.ended).toBe(1);
    const lines = launched.output().split('\n');
    expect(lines.filter((line) => line.includes('EADDRINUSE'))).toEqual([
      `gateway  │ gateway: cannot listen on HOST 127.0.0.1, port ${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
    ]);
    expect(launched.output()).toContain('gateway ended (exit code 1); stopping the others\n');
    expect(launched.output()).not.toMatch(/^\s+at |Gatehouse is up/m);
    server.close();
  });

  test('another server on the database’s port', async () => {
    const { port, server } = await takenPort();
    const launched = await start({ env: { STANDALONE_MONGO_PORT: String(port) } });
    expect(await launched.ended).toBe(1);
    expect(launched.output()).toBe(
      `start: port ${port} is in use, but not by MongoDB; set STANDALONE_MONGO_PORT or MONGODB_URI\n`,
    );
    server.close();
  });

  test('a data folder that cannot be created', async () => {
    const file = join(scratch, 'a file');
    await writeFile(file, '');
    const launched = await start({ folder: join(file, 'data') });
    expect(await launched.ended).toBe(1);
    expect(launched.output()).toMatch(/^start: ENOTDIR.*\n$/);
  });
});

test('starts neither a database nor a mailbox when both are configured, and stops the others when a service dies', async () => {
  const env = await configured();
  const uri = env.MONGODB_URI;
  const launched = await startUp({ env: { ...env, JWT_SECRET: 'short' } });
  const children = childrenOf(launched.pid);
  expect(Object.keys(children).sort()).toEqual(['gateway', 'login', 'user']);
  expect(launched.output()).not.toContain('mailbox');
  expect(launched.output().split('\n')).toContain(`  database  ${membersOf(uri)}`);
  // No mail server listens; the account is stored before its code is mailed.
  expect((await signUp(launched.user, 'ada@example.com')).status).toBe(503);
  const client = new MongoClient(uri);
  expect(await client.db().collection('users').countDocuments()).toBe(1);
  await client.close();
  expect(existsSync(join(launched.data, 'gatehouse.sqlite'))).toBe(false);

  // Production rejects this secret; here each service that signs or verifies logs a warning.
  await eventually(() =>
    expect(launched.output().match(/WARN: JWT_SECRET is shorter than 32 bytes/g)).toHaveLength(3),
  );
  process.kill(children.login as number, 'SIGKILL');
  expect(await launched.ended).toBe(1);
  expect(launched.output()).toContain('login ended (exit code null); stopping the others\n');
  await allEnded(Object.values(children));
});

test('uses a MongoDB that already listens on the database’s port, and leaves no process when killed', async () => {
  const server = await startMongoServer({ port: 0, data: ':memory:' });
  const launched = await startUp({ env: { STANDALONE_MONGO_PORT: new URL(server.uri).port } });
  const children = childrenOf(launched.pid);
  expect(Object.keys(children).sort()).toEqual(['gateway', 'login', 'user']);
  expect(existsSync(join(launched.data, 'gatehouse.sqlite'))).toBe(false);
  expect((await signUp(launched.user, 'ada@example.com')).status).toBe(200);
  launched.kill('SIGKILL');
  expect(await launched.ended).toBeNull();
  await allEnded(Object.values(children));
  await server.close();
});

describe('--help', () => {
  const help = (data: string) =>
    execFileSync(process.execPath, ['packages/standalone/src/launcher.ts', '--help'], {
      encoding: 'utf8',
      env: { GATEWAY_PORT: 'abc', DATA_DIR: data },
    });

  test('prints the usage and starts nothing', () => {
    const data = join(scratch, 'never-created');
    const printed = help(data);
    expect(printed).toMatch(/^Starts Gatehouse: /);
    expect(printed).toContain('npm start');
    expect(existsSync(data)).toBe(false);
  });
});

describe('startChild', () => {
  const script = async (folder: string, text: string) => {
    const path = join(scratch, folder);
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'main.mjs'), text);
    return pathToFileURL(join(path, 'main.mjs'));
  };

  test('starts a script in a folder with spaces and stops it', async () => {
    const url = await script('My Projects (ü)', "process.send('ready'); setInterval(() => {}, 1000);");
    const child = startChild('child', url, [], process.env);
    await child.ready;
    await child.stop();
    expect(await child.ended).toBeNull();
  });

  test('rejects when the process exits before it is ready', async () => {
    const child = startChild('child', await script('early', 'process.exit(3)'), [], process.env);
    await expect(child.ready).rejects.toThrow('child ended (exit code 3)');
    expect(await child.ended).toBe(3);
    await child.stop();
  });

  test('kills a process that ignores SIGTERM', async () => {
    const text = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.send('ready');";
    const child = startChild('child', await script('stubborn', text), [], process.env, 10);
    await child.ready;
    await child.stop();
    expect(await child.ended).toBeNull();
  });
});
