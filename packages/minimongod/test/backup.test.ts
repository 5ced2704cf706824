import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type MongoServer, startMongoServer } from '../src/server.ts';
import { backupFile, FileInUse, inspectFile } from '../src/store/backup.ts';
import { type Doc, refusal } from './database.ts';

let folder: string;
let data: string;
let server: MongoServer;
let client: MongoClient;

const start = async (file: string) => {
  server = await startMongoServer({ port: 0, data: file });
  client = await new MongoClient(server.uri).connect();
};
const stop = async () => {
  await client.close();
  await server.close();
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'minimongod-backup-'));
  data = join(folder, 'data.sqlite');
  await start(data);
});
afterEach(async () => {
  await stop();
  await rm(folder, { recursive: true });
});

const backup = async () => (await client.db('admin').command({ backup: 1 })).file as string;

test('a copy under writes has everything that was acknowledged before, and nothing half', async () => {
  const pairs = client.db('shop').collection<Doc>('pairs');
  await pairs.createIndex({ n: 1 });
  const filler = 'x'.repeat(2_000);
  let acknowledged = 0;
  let isOver = false;
  // Both documents of a pair are in one command, which is one transaction.
  const writing = (async () => {
    while (!isOver) {
      await pairs.insertMany([
        { _id: `${acknowledged}a`, n: acknowledged, filler },
        { _id: `${acknowledged}b`, n: acknowledged, filler },
      ]);
      acknowledged += 1;
    }
  })();
  await expect.poll(() => acknowledged).toBeGreaterThan(1_000);
  const before = acknowledged;
  const file = await backup();
  isOver = true;
  await writing;
  expect(file).toBe(`${data}.backup`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { documents, faults } = inspectFile(file);
  expect(faults).toEqual([]);
  const copied = documents['shop.pairs'] ?? 0;
  expect(copied % 2).toBe(0);
  expect(copied).toBeGreaterThanOrEqual(2 * before);

  await stop();
  await start(file);
  const restored = client.db('shop').collection<Doc>('pairs');
  expect(await restored.countDocuments({ n: { $lt: before } })).toBe(2 * before);
  expect(await restored.indexExists('n_1')).toBe(true);
});

test('the next copy replaces one that a kill has left', async () => {
  await writeFile(`${data}.backup`, 'half');
  await client.db('shop').collection<Doc>('orders').insertOne({ _id: 1 });
  expect(inspectFile(await backup())).toEqual({ documents: { 'shop.orders': 1 }, faults: [] });
});

test('one copy at a time', async () => {
  const orders = client.db('shop').collection<Doc>('orders');
  await orders.insertMany(Array.from({ length: 2_000 }, (_, _id) => ({ _id, filler: 'x'.repeat(4_000) })));
  const results = await Promise.allSettled([backup(), backup()]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const refused = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
  expect([refused.reason.code, refused.reason.message]).toEqual([117, 'another backup is running']);
});

test('a server that stops during a copy leaves its own file whole', async () => {
  const orders = client.db('shop').collection<Doc>('orders');
  await orders.insertMany(Array.from({ length: 2_000 }, (_, _id) => ({ _id, filler: 'x'.repeat(4_000) })));
  const copying = backup().catch(() => undefined);
  await server.close();
  await copying;
  await start(data);
  expect(await client.db('shop').collection('orders').countDocuments()).toBe(2_000);
});

test('a database in memory is refused', async () => {
  await stop();
  await start(':memory:');
  expect(await refusal(client.db('admin').command({ backup: 1 }))).toEqual({
    code: 20,
    message: 'a database in memory cannot be backed up',
  });
});

test('the file of a running server is refused, that of a stopped one copied', async () => {
  await client.db('shop').collection<Doc>('orders').insertOne({ _id: 1 });
  const copy = join(folder, 'copy.sqlite');
  await expect(backupFile(data, copy)).rejects.toThrow(FileInUse);
  await stop();
  await backupFile(data, copy);
  expect(inspectFile(copy)).toEqual({ documents: { 'shop.orders': 1 }, faults: [] });
  await start(data);
});

test('a damaged copy is named', async () => {
  const orders = client.db('shop').collection<Doc>('orders');
  await orders.insertMany(Array.from({ length: 500 }, (_, _id) => ({ _id, filler: 'x'.repeat(2_000) })));
  const file = await backup();
  const bytes = await readFile(file);
  // Two pages in the middle; the first ones hold the schema.
  await writeFile(
    file,
    bytes.fill(0, Math.floor(bytes.length / 8192) * 4096, Math.floor(bytes.length / 8192) * 4096 + 8192),
  );
  expect(inspectFile(file).faults).not.toEqual([]);
  await writeFile(file, 'no database');
  expect(inspectFile(file).faults).toEqual(['file is not a database']);
});
