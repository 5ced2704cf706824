import type { Collection, Document } from 'mongodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Doc, useDatabase } from './database.ts';

const database = useDatabase();
const USERS = 20_000;
const collation = { locale: 'en', strength: 2 };
let users: Collection<Doc>;

beforeAll(async () => {
  users = database.db.collection<Doc>('users');
  await users.createIndexes([
    { key: { email: 1 }, unique: true, collation },
    { key: { user_id: 1 }, unique: true, partialFilterExpression: { user_id: { $gt: '' } } },
    { key: { tenant: 1, name: 1 } },
    { key: { tags: 1 } },
    { key: { parent: 1 }, sparse: true },
  ]);
  for (let start = 0; start < USERS; start += 10_000) {
    await users.insertMany(
      Array.from({ length: 10_000 }, (_, i) => {
        const n = start + i;
        return {
          _id: n,
          email: `User${n}@example.com`,
          user_id: n % 100 === 0 ? null : String(n),
          tenant: n < 10_000 ? 'big' : `t${n % 1000}`,
          name: `name ${n % 1000}`,
          ...(n % 1000 === 0 ? { tags: ['rare', `tag${n}`] } : {}),
        };
      }),
      { ordered: false },
    );
  }
});

interface Examined {
  nReturned: number;
  totalKeysExamined: number;
  totalDocsExamined: number;
}

async function examined(cursor: {
  explain(verbosity: 'executionStats'): Promise<Document>;
}): Promise<Examined> {
  const { executionStats } = await cursor.explain('executionStats');
  return executionStats as Examined;
}

describe('among 20,000 users, examines no more than the matches', () => {
  test.each<[string, Document, Document, number]>([
    ['by _id', { _id: 17_777 }, {}, 1],
    ['by e-mail in another case', { email: 'uSER17777@EXAMPLE.com' }, { collation }, 1],
    ['by an unknown e-mail', { email: 'nobody@example.com' }, { collation }, 0],
    ['by user_id through a partial index', { user_id: '17777' }, {}, 1],
    ['by a tag', { tags: 'tag5000' }, {}, 1],
    ['by $in', { _id: { $in: [1, 500, 19_999, 'x'] } }, {}, 3],
    ['by $or of two indexes', { $or: [{ _id: 5 }, { user_id: '6' }] }, {}, 2],
    ['by tenant and name', { tenant: 'big', name: 'name 17' }, {}, 10],
    ['by a range', { _id: { $gte: 10, $lt: 20 } }, {}, 10],
    ['by an index and another field', { _id: 5, name: 'no' }, {}, 0],
  ])('%s', async (_name, filter, options, expected) => {
    const stats = await examined(users.find(filter, options));
    expect(stats.nReturned).toBe(expected);
    expect(stats.totalDocsExamined).toBeLessThanOrEqual(Math.max(expected, 1));
  });

  test('for a sorted page, forward and backward', async () => {
    const page = users.find({ tenant: 'big' }).sort({ name: 1 }).limit(20);
    expect((await examined(page.clone())).totalDocsExamined).toBeLessThanOrEqual(32);
    expect((await page.toArray()).map(({ name }) => name)).toEqual([
      ...Array(10).fill('name 0'),
      ...Array(10).fill('name 1'),
    ]);
    const last = users.find({ tenant: 'big' }).sort({ name: -1 }).limit(10);
    expect((await examined(last.clone())).totalDocsExamined).toBeLessThanOrEqual(32);
    expect((await last.toArray()).map(({ name }) => name)).toEqual(Array(10).fill('name 999'));
  });

  test('for the newest documents by _id', async () => {
    const newest = users.find().sort({ _id: -1 }).limit(3);
    expect((await examined(newest.clone())).totalDocsExamined).toBeLessThanOrEqual(16);
    expect((await newest.toArray()).map(({ _id }) => _id)).toEqual([19_999, 19_998, 19_997]);
  });

  test('for a count, which reads no document', async () => {
    const { executionStats } = await database.db.command({
      explain: { count: 'users', query: { tenant: 'big' } },
      verbosity: 'executionStats',
    });
    expect(executionStats.totalDocsExamined).toBe(0);
    expect(await users.countDocuments({ tenant: 'big' })).toBe(10_000);
    expect(await users.countDocuments({ tenant: 'big', name: 'name 17' })).toBe(10);
  });

  test('for null, which matches missing fields too', async () => {
    await users.updateOne({ _id: 3 }, { $unset: { tenant: '' } });
    await users.updateOne({ _id: 4 }, { $set: { tenant: null } });
    const stats = await examined(users.find({ tenant: null }));
    expect(stats).toMatchObject({ nReturned: 2, totalDocsExamined: 2 });
    await users.updateMany({ _id: { $in: [3, 4] } }, { $set: { tenant: 'big' } });
  });

  test('for an update, a delete and a findAndModify', async () => {
    for (const command of [
      { update: 'users', updates: [{ q: { user_id: '500' }, u: { $set: { x: 1 } } }] },
      { delete: 'users', deletes: [{ q: { user_id: '501' }, limit: 1 }] },
      { findAndModify: 'users', query: { user_id: '502' }, update: { $set: { x: 1 } } },
    ]) {
      const { queryPlanner } = await database.db.command({ explain: command, verbosity: 'queryPlanner' });
      expect(JSON.stringify(queryPlanner.winningPlan)).toContain('IXSCAN');
    }
    expect(await users.countDocuments({ user_id: '501' })).toBe(1);
  });

  test('except without an index, which is a COLLSCAN', async () => {
    const stats = await examined(users.find({ name: 'name 17' }));
    expect(stats).toMatchObject({ nReturned: 20, totalDocsExamined: USERS });
  });
});

test('pushes 200,000 elements at once, also into an indexed array', async () => {
  const lists = database.db.collection<Doc>('lists');
  await lists.createIndex({ indexed: 1 });
  await lists.insertOne({ _id: 1 });
  const numbers = Array.from({ length: 200_000 }, (_, i) => i);
  const push = (fields: Document) => lists.updateOne({ _id: 1 }, { $push: fields } as Document);
  await push({ plain: { $each: numbers } });
  await push({ indexed: { $each: numbers } });
  await push({ indexed: -1 });
  expect(await lists.countDocuments({ indexed: -1 })).toBe(1);
});
