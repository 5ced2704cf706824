import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startMongoServer } from 'minimongod';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../fixtures/eventually.ts';
import { postForm, send } from '../fixtures/http.ts';
import { launch } from '../fixtures/launcher.ts';
import { runGatehouse } from './run-gatehouse.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-backup-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

test('a backup under traffic, restored into a new folder, has everything that was acknowledged before', async () => {
  const system = await launch({ env: { MAILS_PER_NETWORK_PER_HOUR: '1000' } });
  const backup = join(folder, 'backup');
  const people: string[] = [];
  let isOver = false;
  try {
    await system.up;
    // Nobody is verified before the backup: codes are restored too.
    const signUp = async (email: string) => {
      const { status } = await postForm(`${system.gateway}/v2/signup`, {
        email,
        password: 'correct-horse',
        name: 'Ada',
      });
      if (status === 200) people.push(email);
    };
    await signUp('ada@example.com');
    const mail = await (await fetch(`${system.mailbox}/api/v1/message/latest`)).text();
    const otp = /code is (\d{6})/.exec(mail)?.[1] ?? '';
    let next = 0;
    const traffic = [1, 2, 3].map(async () => {
      while (!isOver) await signUp(`person-${next++}@example.com`);
    });
    await eventually(() => people.length > 5);
    const acknowledged = [...people];
    const env = { DATA_DIR: system.data, STANDALONE_MONGO_PORT: new URL(system.mongodb).port };
    const made = await runGatehouse(['backup', backup, '--json'], env);
    isOver = true;
    await Promise.all(traffic);
    expect({ code: made.code, result: JSON.parse(made.stdout) }).toMatchObject({
      code: 0,
      result: { folder: backup, copied: 'online', secrets: true },
    });
    const running = await runGatehouse(['restore', backup, '--force'], env);
    expect({ code: running.code, stderr: running.stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining('is in use by a running database'),
    });
    await system.stop();

    const fresh = join(folder, 'fresh');
    expect((await runGatehouse(['restore', backup], { DATA_DIR: fresh })).code).toBe(0);
    const restored = await launch({ folder: fresh });
    try {
      await restored.up;
      const client = await new MongoClient(restored.mongodb).connect();
      const emails = await client.db().collection('users').distinct('email');
      await client.close();
      expect(emails).toEqual(expect.arrayContaining(acknowledged));
      const verified = await postForm(`${restored.gateway}/v2/verify-otp`, { email: 'ada@example.com', otp });
      expect(verified.status).toBe(200);
      expect((await send(`${restored.gateway}/health/ready`)).status).toBe(200);
    } finally {
      await restored.stop();
    }
  } finally {
    isOver = true;
    await system.stop();
  }
});

test('a backup is private, complete or not there, and replaces nothing unasked', async () => {
  const data = join(folder, 'data');
  const fresh = join(folder, 'fresh');
  const backup = join(folder, 'backup');
  const gatehouse = async (args: string[], DATA_DIR: string) => {
    const { code, stderr } = await runGatehouse(args, { DATA_DIR });
    return [code, stderr.split('\n').findLast((line) => line.startsWith('gatehouse: ')) ?? ''];
  };
  const done = [0, ''];
  const refused = (code: number, message: string) => [code, expect.stringContaining(message)];
  const usage = 'gatehouse: see npx gatehouse --help';

  expect(await gatehouse(['backup', backup], data)).toEqual(refused(2, usage));
  await promisify(execFile)('mkdir', ['-p', data]);
  const server = await startMongoServer({ port: 0, data: join(data, 'gatehouse.sqlite') });
  const client = await new MongoClient(server.uri).connect();
  await client
    .db('gatehouse')
    .collection('users')
    .insertMany([{ email: 'ada@example.com' }, { email: 'grace@example.com' }]);
  await client.close();
  await server.close();
  await writeFile(join(data, 'secrets.json'), '{}\n');

  expect(await gatehouse(['backup', backup], data)).toEqual(done);
  expect((await readdir(backup)).sort()).toEqual([
    'SHA256SUMS',
    'backup.json',
    'gatehouse.sqlite',
    'secrets.json',
  ]);
  expect((await stat(backup)).mode & 0o777).toBe(0o700);
  expect(JSON.parse(await readFile(join(backup, 'backup.json'), 'utf8')).documents).toEqual({
    'gatehouse.users': 2,
  });
  await promisify(execFile)('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: backup });
  expect(await gatehouse(['backup', backup], data)).toEqual(refused(2, usage));
  expect(await gatehouse(['backup', backup, '--force', '--without-secrets'], data)).toEqual(done);
  expect((await readdir(folder)).sort()).toEqual(['backup', 'data']);

  expect(await gatehouse(['restore', backup], fresh)).toEqual(done);
  expect(await readdir(fresh)).toEqual(['gatehouse.sqlite']);
  expect(await gatehouse(['restore', backup], fresh)).toEqual(refused(2, usage));
  expect(await gatehouse(['restore', backup, '--force'], fresh)).toEqual(done);
  await writeFile(join(backup, 'backup.json'), '{}');
  const before = await readFile(join(fresh, 'gatehouse.sqlite'));
  expect(await gatehouse(['restore', backup, '--force'], fresh)).toEqual(
    refused(3, 'backup.json is not what was backed up: its checksum differs'),
  );
  expect(await readFile(join(fresh, 'gatehouse.sqlite'))).toEqual(before);
  expect(await gatehouse(['restore', data], fresh)).toEqual(refused(3, 'is no backup: it has no SHA256SUMS'));
  expect(await readdir(fresh)).toEqual(['gatehouse.sqlite']);
});
