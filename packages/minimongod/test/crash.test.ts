import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Doc, REAL_MONGODB } from './database.ts';
import { exit, start } from './process.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-crash-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe.skipIf(REAL_MONGODB)('the process', () => {
  test('kill -9 under load: every acknowledged write is there afterwards', async () => {
    const file = join(folder, 'crash.sqlite');
    const acknowledged = { inserted: new Set<string>(), counted: 0 };
    let attempted = 0;
    for (let round = 0; round < 4; round++) {
      const server = await start(file);
      const client = new MongoClient(server.uri, { serverSelectionTimeoutMS: 2000, retryWrites: false });
      const db = client.db('crash');
      if (round === 0) {
        await db.collection<Doc>('docs').createIndex({ key: 1 }, { unique: true });
        await db.collection<Doc>('counter').insertOne({ _id: 1, n: 0 });
      }
      let killed = false;
      const writers = Array.from({ length: 8 }, async (_, writer) => {
        for (let i = 0; !killed; i++) {
          const key = `${round}-${writer}-${i}`;
          try {
            await db.collection<Doc>('docs').insertOne({ key, text: 'x'.repeat(300) });
            acknowledged.inserted.add(key);
            attempted++;
            await db.collection<Doc>('counter').updateOne({ _id: 1 }, { $inc: { n: 1 } });
            acknowledged.counted++;
          } catch {
            return;
          }
        }
      });
      await new Promise((resolve) => setTimeout(resolve, 150 + Math.random() * 250));
      server.process.kill('SIGKILL');
      killed = true;
      await Promise.all(writers);
      await client.close();
      expect(await exit(server.process)).toEqual([null, 'SIGKILL']);
    }
    const server = await start(file);
    const client = new MongoClient(server.uri);
    const docs = client.db('crash').collection<Doc>('docs');
    const stored = new Set((await docs.find().toArray()).map(({ key }) => key as string));
    expect(acknowledged.inserted.size).toBeGreaterThan(100);
    expect([...acknowledged.inserted].filter((key) => !stored.has(key))).toEqual([]);
    // the index holds the same as the collection
    expect(await docs.countDocuments({ key: { $gte: '' } })).toBe(stored.size);
    const counter = await client.db('crash').collection<Doc>('counter').findOne({ _id: 1 });
    expect(counter?.n).toBeGreaterThanOrEqual(acknowledged.counted);
    expect(counter?.n).toBeLessThanOrEqual(attempted);
    await client.close();
    server.process.kill('SIGTERM');
    expect(await exit(server.process)).toEqual([0, null]);
  });
});
