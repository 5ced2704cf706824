import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exitOf, start } from './child-process.ts';
import { type Doc, REAL_MONGODB } from './database.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'minimongod-crash-'));
});
afterAll(() => rm(folder, { recursive: true }));

const WRITERS = 8;

test.skipIf(REAL_MONGODB)('loses no acknowledged write when it is killed under load', async () => {
  const file = join(folder, 'crash.sqlite');
  const inserted = new Set<string>();
  let counted = 0;
  let attempted = 0;
  for (let round = 0; round < 3; round++) {
    const server = await start(file);
    const client = new MongoClient(server.uri, { retryWrites: false });
    const docs = client.db('crash').collection<Doc>('docs');
    const counter = client.db('crash').collection<Doc>('counter');
    if (round === 0) {
      await docs.createIndex({ key: 1 }, { unique: true });
      await counter.insertOne({ _id: 1, n: 0 });
    }
    // The kill comes at an arbitrary moment among the writes of all writers.
    const enough = inserted.size + 100 + Math.floor(Math.random() * 100);
    let killed = false;
    const write = async (writer: number) => {
      for (let i = 0; !killed; i++) {
        const key = `${round}-${writer}-${i}`;
        await docs.insertOne({ key, text: 'x'.repeat(300) });
        inserted.add(key);
        attempted++;
        await counter.updateOne({ _id: 1 }, { $inc: { n: 1 } });
        counted++;
        if (inserted.size < enough || killed) continue;
        killed = true;
        server.process.kill('SIGKILL');
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
    const ended = Promise.allSettled(writers);
    expect(await exitOf(server.process)).toEqual([null, 'SIGKILL']);
    // Ends the writers that wait for a server.
    await client.close();
    await ended;
  }

  const server = await start(file);
  const client = new MongoClient(server.uri);
  const docs = client.db('crash').collection<Doc>('docs');
  const stored = new Set((await docs.find().toArray()).map(({ key }) => key as string));
  expect([...inserted].filter((key) => !stored.has(key))).toEqual([]);
  // The index holds the same documents as the collection.
  expect(await docs.countDocuments({ key: { $gte: '' } })).toBe(stored.size);
  const counter = await client.db('crash').collection<Doc>('counter').findOne({ _id: 1 });
  expect(counter?.n).toBeGreaterThanOrEqual(counted);
  expect(counter?.n).toBeLessThanOrEqual(attempted);
  await client.close();
  server.process.kill('SIGTERM');
  expect(await exitOf(server.process)).toEqual([0, null]);
});
