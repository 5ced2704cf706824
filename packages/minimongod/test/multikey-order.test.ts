import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collection, type Document, MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { startMongoServer } from '../src/server.ts';
import { type Doc, REAL_MONGODB, useDatabase } from './database.ts';

const database = useDatabase();
const KEY = { 'members.user': 1, at: 1 } as const;
const MINE = { 'members.user': 'u' };

async function fill(c: Collection<Doc>) {
  await c.createIndexes([{ key: KEY }]);
  await c.insertMany(
    Array.from({ length: 200 }, (_, i) => ({
      _id: i,
      at: (i * 7) % 200,
      members: [{ user: i % 2 ? 'u' : 'v' }, { user: `w${i % 3}` }, { user: 'x' }],
    })),
  );
}

async function page(c: Collection<Doc>, filter: Document, sort: Document, hint: Document) {
  const cursor = c
    .find(filter)
    .sort(sort as never)
    .hint(hint)
    .limit(3);
  const { executionStats } = await cursor.clone().explain('executionStats');
  return {
    examined: executionStats.totalDocsExamined,
    found: (await cursor.toArray()).map(({ at }) => at),
  };
}

test('a multikey index sorts by a field without arrays', async () => {
  const c = database.db.collection<Doc>('ordered');
  await fill(c);
  expect(await page(c, MINE, { at: 1 }, KEY)).toEqual({ examined: 3, found: [1, 3, 5] });
  expect(await page(c, MINE, { at: -1 }, KEY)).toEqual({ examined: 3, found: [199, 197, 195] });
});

test('a multikey index does not sort by a field that has ever held an array', async () => {
  const c = database.db.collection<Doc>('unordered');
  await fill(c);
  // MongoDB sorts by the least element, which is not the one that the filter matches.
  const byMember = await page(c, MINE, { 'members.user': 1, at: 1 }, KEY);
  expect(byMember).toEqual({ examined: 100, found: [1, 3, 5] });
  await c.updateOne({ at: 5 }, { $set: { members: { user: 'u' }, at: [5, 0] } });
  expect(await page(c, MINE, { at: 1 }, KEY)).toEqual({ examined: 100, found: [[5, 0], 1, 3] });
});

test.skipIf(REAL_MONGODB)('the multikey paths of an index survive a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'minimongod-multikey-'));
  const file = join(folder, 'data.sqlite');
  async function served<T>(work: (c: Collection<Doc>) => Promise<T>): Promise<T> {
    const server = await startMongoServer({ port: 0, data: file });
    const client = new MongoClient(server.uri);
    try {
      return await work(client.db('d').collection<Doc>('c'));
    } finally {
      await client.close();
      await server.close();
    }
  }
  await served(fill);
  expect(await served((c) => page(c, MINE, { at: 1 }, KEY))).toEqual({ examined: 3, found: [1, 3, 5] });
  await served((c) => c.insertOne({ _id: 'new', members: [{ user: 'u' }, { user: 'v' }], at: -1 }));
  expect(await served((c) => page(c, MINE, { at: 1 }, KEY))).toEqual({ examined: 3, found: [-1, 1, 3] });
  await rm(folder, { recursive: true });
});
