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
/** Launches and waits until all is up. */
async function startUp(options?: Parameters<typeof start>[0]) {
  const launched = await start(options);
  if (!(await launched.up)) throw new Error(`it did not come up:\n${launched.output()}`);
  return launched;
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((launched) => launched.stop()));
});

/** Every process there is: its id, its parent's, and its command line; a zombie is none. */
const processes = (): { pid: number; parent: number; command: string }[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null && !match[3]?.startsWith('Z'))
    .map((match) => ({ pid: Number(match?.[1]), parent: Number(match?.[2]), command: match?.[4] ?? '' }));
/** The launcher's children by name. */
const childrenOf = (launcher: number): Record<string, number> =>
  Object.fromEntries(
    processes()
      .filter(({ parent }) => parent === launcher)
      .map(({ pid, command }) => [/(\w+)(?:\/src)?\/main\.ts/.exec(command)?.[1] ?? command, pid]),
  );
const gone = (pids: number[]) =>
  eventually(() => {
    const left = processes().filter(({ pid }) => pids.includes(pid));
    expect(left).toEqual([]);
  });

const signUp = (user: string, email: string) =>
  postForm(`${user}/v2/signup`, { email, password: 'secret', name: 'Ada' });

test('it brings up three services, a database and a mailbox; what was made is there after a restart; killed, it leaves nobody', {
  timeout: 40_000,
}, async () => {
  const folder = join(scratch, 'a folder with blanks');
  const first = await startUp({ folder });
  const children = childrenOf(first.pid);
  expect(Object.keys(children).sort()).toEqual(['gateway', 'login', 'mailbox', 'minimongod', 'user']);

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
  expect(printed).toContain(`${first.mongodb} (kept in ${folder})`);
  expect(printed).toMatch(/Try: {2}curl /);
  expect(printed).not.toMatch(/ error | fatal | at .*\.ts:\d/);

  const signedUp = await signUp(first.gateway, 'Ada@example.com');
  expect(signedUp.status).toBe(200);
  expect((await send(`${first.mailbox}/api/v1/message/latest`)).body.To).toEqual([
    { Name: '', Address: 'Ada@example.com' },
  ]);
  const secrets = readFileSync(join(folder, 'secrets.json'), 'utf8');
  for (const secret of Object.values(JSON.parse(secrets))) expect(first.output()).not.toContain(secret);

  expect(await first.stop()).toBe(0); // SIGINT
  await gone(Object.values(children));

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
  // When it is killed, its children end.
  const again = Object.values(childrenOf(second.pid));
  expect(again).toHaveLength(5);
  second.kill('SIGKILL');
  expect(await second.ended).toBeNull();
  await gone(again);
});

test('when it is killed while it starts, its children end as well', { timeout: 40_000 }, async () => {
  const launched = await start();
  const children = await eventually(() => {
    const found = Object.values(childrenOf(launched.pid));
    expect(found).toHaveLength(5);
    return found;
  });
  launched.kill('SIGKILL');
  expect(await launched.up).toBe(false);
  await gone(children);
});

test.each(['login', 'minimongod'])(
  'when %s dies it stops the others and says so',
  { timeout: 40_000 },
  async (name) => {
    const launched = await startUp({ env: { JWT_SECRET: 'short' } });
    // A secret that production would refuse is a warning here, from each service that signs or verifies.
    await eventually(() =>
      expect(launched.output().match(/warn JWT_SECRET is shorter than 32 bytes/g)).toHaveLength(3),
    );
    const children = childrenOf(launched.pid);
    process.kill(children[name] as number, 'SIGKILL');
    expect(await launched.ended).toBe(1);
    expect(launched.output()).toMatch(/(login|database) ended \(exit code null\); stopping the others/);
    await gone(Object.values(children));
  },
);

test('signals that come twice, or while it starts, are taken as one', { timeout: 40_000 }, async () => {
  const launched = await start();
  await eventually(() => expect(Object.keys(childrenOf(launched.pid)).length).toBeGreaterThan(0));
  const children = Object.values(childrenOf(launched.pid));
  launched.kill('SIGINT');
  launched.kill('SIGTERM');
  expect(await launched.ended).toBe(0);
  await gone(children);
});

describe('what it refuses, in one line and with exit code 1', () => {
  /** A port of this machine that another server has. */
  async function takenPort(): Promise<{ port: number; server: Server }> {
    const server = createServer((socket) => {
      socket.on('error', () => {}); // whoever dialled hangs up as he likes
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
  ])('%j', async (env, line) => {
    const launched = await start({ env });
    expect(await launched.ended).toBe(1);
    expect(launched.output()).toBe(line);
  });

  test('a setting that only a service reads: the service says it', { timeout: 40_000 }, async () => {
    const launched = await start({ env: { RATE_LIMIT: 'maybe' } });
    expect(await launched.ended).toBe(1);
    expect(launched.output()).toContain('gateway  │ gateway: RATE_LIMIT must be one of on, off\n');
    expect(launched.output()).toContain('gateway ended (exit code 1); stopping the others\n');
    expect(launched.output()).not.toMatch(/^\s+at /m);
  });

  test('a port that is taken', { timeout: 40_000 }, async () => {
    const { port, server } = await takenPort();
    const launched = await start({ env: { GATEWAY_PORT: String(port) } });
    expect(await launched.ended).toBe(1);
    const lines = launched.output().split('\n');
    expect(lines.filter((line) => line.includes('EADDRINUSE'))).toEqual([
      `gateway  │ gateway: cannot listen on HOST 127.0.0.1, port ${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
    ]);
    expect(launched.output()).toContain('gateway ended (exit code 1); stopping the others\n');
    expect(launched.output()).not.toMatch(/^\s+at |Gatehouse is up/m);
    server.close();
  });

  test('the database’s port, taken by something else', { timeout: 40_000 }, async () => {
    const { port, server } = await takenPort();
    const launched = await start({ env: { STANDALONE_MONGO_PORT: String(port) } });
    expect(await launched.ended).toBe(1);
    expect(launched.output()).toBe(
      `start: port ${port} is taken, and not by a MongoDB; set STANDALONE_MONGO_PORT or MONGODB_URI\n`,
    );
    server.close();
  });

  test('a data folder that cannot be made', async () => {
    const file = join(scratch, 'a file');
    await writeFile(file, '');
    const launched = await start({ folder: join(file, 'data') });
    expect(await launched.ended).toBe(1);
    expect(launched.output()).toMatch(/^start: ENOTDIR.*\n$/);
  });
});

describe('what is there already', () => {
  test('a database and a mail server that are named: none is started', { timeout: 40_000 }, async () => {
    const uri = await freshMongodbUri();
    const launched = await startUp({ env: { MONGODB_URI: uri, SMTP_URL: 'smtp://127.0.0.1:1' } });
    const children = childrenOf(launched.pid);
    expect(Object.keys(children).sort()).toEqual(['gateway', 'login', 'user']);
    expect(launched.output()).not.toContain('mailbox');
    expect(launched.output()).toMatch(new RegExp(`^ {2}database {2}${new URL(uri).host}$`, 'm'));
    // Nobody listens there; the account is stored before its code is mailed.
    expect((await signUp(launched.user, 'ada@example.com')).status).toBe(503);
    const client = new MongoClient(uri);
    expect(await client.db().collection('users').countDocuments()).toBe(1);
    await client.close();
    expect(existsSync(join(launched.data, 'gatehouse.sqlite'))).toBe(false);
    launched.kill('SIGTERM');
    expect(await launched.ended).toBe(0);
    await gone(Object.values(children));
    await dropDatabase(uri);
  });

  test('a database on the usual port: it is used', { timeout: 40_000 }, async () => {
    const server = await startMongoServer({ port: 0, data: ':memory:' });
    const launched = await startUp({ env: { STANDALONE_MONGO_PORT: new URL(server.uri).port } });
    expect(Object.keys(childrenOf(launched.pid)).sort()).toEqual(['gateway', 'login', 'mailbox', 'user']);
    expect(existsSync(join(launched.data, 'gatehouse.sqlite'))).toBe(false);
    expect((await signUp(launched.user, 'ada@example.com')).status).toBe(200);
    expect(await launched.stop()).toBe(0);
    await server.close();
  });
});

test('--help says what it does and does nothing', () => {
  const printed = execFileSync(process.execPath, ['packages/standalone/src/start.ts', '--help'], {
    encoding: 'utf8',
    env: { GATEWAY_PORT: 'abc' },
  });
  expect(printed).toMatch(/^Starts Gatehouse: /);
  expect(printed).toContain('npm start');
});

describe('startChild', () => {
  const script = async (folder: string, text: string) => {
    const path = join(scratch, folder);
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'main.mjs'), text);
    return pathToFileURL(join(path, 'main.mjs'));
  };

  test('starts what lies in a folder with blanks, and ends it', async () => {
    const url = await script('My Projects (ü)', "process.send('ready'); setInterval(() => {}, 1000);");
    const child = startChild('child', url, [], process.env);
    await child.ready;
    await child.stop();
    expect(await child.ended).toBeNull();
  });

  test('tells of one that ends before it is ready', async () => {
    const child = startChild('child', await script('early', 'process.exit(3)'), [], process.env);
    await expect(child.ready).rejects.toThrow('child ended (exit code 3)');
    expect(await child.ended).toBe(3);
    await child.stop();
  });
});
