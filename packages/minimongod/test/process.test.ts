import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Doc, REAL_MONGODB } from './database.ts';
import { exit, run, start } from './process.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-crash-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe.skipIf(REAL_MONGODB).concurrent('the process', () => {
  test('SIGTERM and SIGINT stop it gracefully; what was written is there again', async () => {
    const file = join(folder, 'graceful.sqlite');
    for (const [round, signal] of (['SIGTERM', 'SIGINT'] as const).entries()) {
      const server = await start(file);
      expect(server.line).toBe(`minimongod listens on ${server.uri}, data in ${file}\n`);
      const client = new MongoClient(server.uri);
      const c = client.db('d').collection<Doc>('c');
      expect(await c.countDocuments()).toBe(round);
      await c.insertOne({ _id: round });
      server.process.kill(signal);
      expect(await exit(server.process)).toEqual([0, null]);
      await client.close();
    }
  });

  test('it ends with the parent that it has an IPC channel to', async () => {
    const server = await start(join(folder, 'ipc.sqlite'), { ipc: true });
    server.process.disconnect();
    expect(await exit(server.process)).toEqual([0, null]);
  });

  test('a busy port: one line, exit code 1', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => holder.once('listening', resolve));
    const { port } = holder.address() as { port: number };
    const result = await run('--port', String(port), '--data', ':memory:');
    expect(result).toEqual({ code: 1, out: '', err: `Port ${port} on 127.0.0.1 is in use.\n` });
    holder.close();
  });

  test('a file that cannot be opened, or is none of ours: one line, exit code 1', async () => {
    const missing = await run('--port', '0', '--data', join(folder, 'no', 'such', 'folder.sqlite'));
    expect(missing.code).toBe(1);
    expect(missing.err).toMatch(/^Cannot open .*folder\.sqlite: unable to open database file\n$/);
    const text = join(folder, 'text.sqlite');
    await writeFile(
      text,
      'this is not a database, but a text that is long enough to be looked at'.repeat(20),
    );
    const wrong = await run('--port', '0', '--data', text);
    expect(wrong.code).toBe(1);
    expect(wrong.err).toMatch(/^Cannot open .*text\.sqlite: file is not a database\n$/);
  });

  test('a second server on the same file is refused', async () => {
    const file = join(folder, 'shared.sqlite');
    const server = await start(file);
    const second = await run('--port', '0', '--data', file);
    expect(second.code).toBe(1);
    expect(second.err).toBe(`Cannot open ${file}: database is locked\n`);
    server.process.kill('SIGTERM');
    await exit(server.process);
  });

  test('--help, and options that make no sense', async () => {
    const help = await run('--help');
    expect(help.code).toBe(0);
    expect(help.out).toMatch(/^Usage: minimongod --data FILE/);
    expect((await run('--port', '1')).code).toBe(1);
    expect((await run('--data', ':memory:', '--port', 'x')).code).toBe(1);
    expect((await run('--frobnicate')).code).toBe(1);
  });
});
