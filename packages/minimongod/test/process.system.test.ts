import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseOptions, USAGE } from '../src/options.ts';
import { exitOf, run, start } from './child-process.ts';
import { type Doc, REAL_MONGODB } from './database.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'minimongod-process-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe.skipIf(REAL_MONGODB)('the command', () => {
  test('stops on SIGTERM and SIGINT, and keeps its data', async () => {
    const file = join(folder, 'graceful.sqlite');
    for (const [round, signal] of (['SIGTERM', 'SIGINT'] as const).entries()) {
      const server = await start(file);
      expect(server.line).toBe(`minimongod listens on ${server.uri}, data in ${file}\n`);
      const client = new MongoClient(server.uri);
      const c = client.db('d').collection<Doc>('c');
      expect(await c.countDocuments()).toBe(round);
      await c.insertOne({ _id: round });
      server.process.kill(signal);
      expect(await exitOf(server.process)).toEqual([0, null]);
      await client.close();
    }
  });

  test('ends with the parent at the other end of its IPC channel', async () => {
    const server = await start(join(folder, 'ipc.sqlite'), { ipc: true });
    server.process.disconnect();
    expect(await exitOf(server.process)).toEqual([0, null]);
  });

  test('reports a port in use in one line', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const result = await run('--port', String(port), '--data', ':memory:');
    expect(result).toEqual({ code: 1, out: '', err: `Port ${port} on 127.0.0.1 is in use.\n` });
    holder.close();
  });

  test('reports a file that it cannot open in one line', async () => {
    const text = join(folder, 'text.sqlite');
    await writeFile(text, 'This is not a database, but a text that is long enough to be read.'.repeat(20));
    const result = await run('--port', '0', '--data', text);
    expect(result).toEqual({ code: 1, out: '', err: `Cannot open ${text}: file is not a database\n` });
  });

  test.skipIf(process.platform === 'win32')(
    'keeps its files to their owner, also those of before',
    async () => {
      const file = join(folder, 'private.sqlite');
      for (const isNew of [true, false]) {
        if (!isNew) await chmod(file, 0o644);
        const server = await start(file);
        const client = new MongoClient(server.uri);
        await client
          .db('d')
          .collection<Doc>('c')
          .insertOne({ _id: String(isNew) });
        const names = (await readdir(folder)).filter((name) => name.startsWith('private.sqlite'));
        expect(names).toContain('private.sqlite-wal');
        for (const name of names) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
        await client.close();
        server.process.kill('SIGKILL');
        await exitOf(server.process);
      }
    },
  );

  test('refuses a file that another server has open', async () => {
    const file = join(folder, 'shared.sqlite');
    const server = await start(file);
    const second = await run('--port', '0', '--data', file);
    expect(second).toEqual({ code: 1, out: '', err: `Cannot open ${file}: database is locked\n` });
    server.process.kill('SIGTERM');
    await exitOf(server.process);
  });

  test('prints its usage for --help', async () => {
    expect(await run('--help')).toEqual({ code: 0, out: `${USAGE}\n`, err: '' });
  });
});

describe('the command line', () => {
  test('listens on 127.0.0.1:27017 by default', () => {
    expect(parseOptions(['--data', 'x.sqlite'])).toEqual({
      data: 'x.sqlite',
      port: 27017,
      host: '127.0.0.1',
    });
  });

  test.each([
    [[], '--data is required'],
    [['--port', '1'], '--data is required'],
    [['--data', 'x', '--port', 'y'], '--port must be a number from 0 to 65535'],
    [['--data', 'x', '--port', '65536'], '--port must be a number from 0 to 65535'],
    [['--frobnicate'], "Unknown option '--frobnicate'"],
  ])('refuses %j', (args, message) => {
    expect(() => parseOptions(args)).toThrow(message);
  });
});
