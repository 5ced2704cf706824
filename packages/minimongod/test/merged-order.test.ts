import fc from 'fast-check';
import type { Document } from 'mongodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Doc, REAL_MONGODB, useDatabase } from './database.ts';
import { runs } from './property.ts';

const database = useDatabase();
const BOTS = 6000;
const BY_NAME = { dept: 1, name: 1, n: 1 } as const;
const bots = () => database.db.collection<Doc>('bots');

/** More than 1,500 documents, which are not simply read and sorted. All names contain "bot", the last ones "far". */
beforeAll(async () => {
  const docs = Array.from({ length: BOTS }, (_, n) => {
    const first = n % 3 === 0 ? `zz${n % 700}` : `k${(n * 37) % 1000}`;
    const name = `${first} ${n % 600 === 5 ? 'rare ' : n % 3 === 0 ? 'far ' : ''}bot`;
    return {
      _id: n,
      n,
      dept: n % 12 === 0 ? null : n % 13 === 0 ? 'E' : 'D',
      name,
      words: name.split(' '),
      on: n % 10 !== 0,
      members: [{ user: n % 1000 === 7 ? 'u' : `w${n % 100}`, role: 'r' }, { user: 'x' }],
    };
  });
  for (const name of ['plain', 'bots']) await database.db.collection<Doc>(name).insertMany(docs);
  await bots().createIndexes([
    { key: BY_NAME },
    { key: { dept: 1, words: 1 } },
    { key: { 'members.user': 1, n: -1 } },
    { key: { dept: -1, n: -1 } },
  ]);
}, 60_000);

interface Page {
  sort?: Document;
  skip?: number;
  limit?: number;
  hint?: Document;
}

const numbers = async (collection: string, filter: Document, page: Page) =>
  (
    await database.db
      .collection<Doc>(collection)
      .find(filter, { ...(page as Document), projection: { _id: 0, n: 1 } })
      .toArray()
  ).map(({ n }) => Number(n));

const MINE = {
  members: { $elemMatch: { user: 'u', role: { $in: ['r', 's'] } } },
  dept: { $in: [null, 'D'] },
};
const listing = (words?: RegExp) => {
  const search = words ? { words } : {};
  return {
    $or: [
      { dept: { $in: ['D'] }, on: true, $nor: [{ 'members.user': 'u' }], ...search },
      { ...MINE, ...search },
    ],
  };
};

test('returns the same pages with and without indexes', { timeout: 120_000 }, async () => {
  const dept = fc.constantFrom<unknown>('D', 'E', null, { $in: ['D', 'E'] }, { $in: [null, 'D', 'D'] });
  const words = fc.constantFrom<unknown>(/^bot/, /^far/, /^rare/, /^k1/, /^b/, 'bot', {
    $in: ['far', 'rare'],
  });
  const user = fc.constantFrom<unknown>('u', 'x', { $in: ['u', 'w3', 'x'] });
  const branch = fc.record(
    {
      dept,
      words,
      on: fc.boolean(),
      'members.user': user,
      name: fc.constantFrom<unknown>(/^zz/, { $gt: 'k5' }),
    },
    { requiredKeys: [] },
  );
  const filter = fc.oneof(
    branch,
    fc.array(branch, { minLength: 2, maxLength: 3 }).map(($or) => ({ $or })),
  );
  const sort = fc.constantFrom<Document>(
    { name: 1, n: 1 },
    { name: -1, n: -1 },
    { name: 1, n: -1 },
    { n: -1 },
    { n: 1 },
    { dept: 1, name: 1, n: 1 },
    { name: 1, dept: 1, n: 1 },
    { words: 1, n: 1 },
    { 'members.user': 1, n: -1 },
  );
  const page = fc.record({ skip: fc.constantFrom(0, 3, 40, 2000), limit: fc.constantFrom(0, 1, 20, 3000) });
  const pages = fc.array(page, { minLength: 3, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(filter, sort, pages, async (query, order, wanted) => {
      const all = await numbers('plain', query, { sort: order });
      for (const { skip, limit } of wanted) {
        const expected = all.slice(skip, limit ? skip + limit : undefined);
        // Comparing strings is much faster than comparing long arrays.
        const found = await numbers('bots', query, { sort: order, skip, limit });
        expect(found.join()).toBe(expected.join());
      }
      expect(await bots().countDocuments(query)).toBe(all.length);
    }),
    { numRuns: runs(30), seed: 11 },
  );
});

async function examined(filter: Document, page: Page) {
  const { executionStats, queryPlanner } = await bots()
    .find(filter, page as Document)
    .explain('executionStats');
  return { docs: Number(executionStats.totalDocsExamined), plan: JSON.stringify(queryPlanner.winningPlan) };
}

describe('examines little more than a page', () => {
  const sort = { name: 1, n: 1 };

  test.each<[string, Document, Document]>([
    ['for several points before the sort fields', { dept: { $in: [null, 'D'] } }, sort],
    ['for a backward scan', { dept: { $in: [null, 'D', 'E'] } }, { name: -1, n: -1 }],
    ['for an $or whose branches are sorted', { $or: [{ dept: 'D', on: true }, { dept: 'E' }] }, sort],
  ])('%s', async (_name, filter, order) => {
    const page = { sort: order, limit: 20 };
    const { docs, plan } = await examined(filter, page);
    expect(plan).toContain('SORT_MERGE');
    expect(plan).not.toContain('"SORT"');
    expect(docs).toBeLessThanOrEqual(40);
    expect(await numbers('bots', filter, page)).toEqual(await numbers('plain', filter, page));
  });

  test('does not merge ranges that the index returns in order', async () => {
    const { docs, plan } = await examined(
      { dept: { $in: ['D', 'E'] } },
      { sort: { dept: 1, ...sort }, limit: 20, hint: BY_NAME },
    );
    expect(plan).not.toContain('SORT');
    expect(docs).toBe(20);
  });

  // MongoDB may plan the branches of an $or differently, but must return the same page.
  test.each<[string, RegExp | undefined, number]>([
    ['without a search', undefined, 60],
    ['with a search that all match', /^bot/, 60],
    ['with a search that few match', /^rare/, 20],
    ['with a search whose many matches are at the end of the order', /^far/, 4000],
  ])('for a list of visible items %s', async (_name, words, max) => {
    const page = { sort, limit: 20 };
    expect(await numbers('bots', listing(words), page)).toEqual(await numbers('plain', listing(words), page));
    if (!REAL_MONGODB) expect((await examined(listing(words), page)).docs).toBeLessThanOrEqual(max);
  });

  test.each<[string, Document]>([
    ['a prefix in an array', { dept: 'D', words: /^b/ }],
    ['several points and a prefix in an array', { dept: { $in: ['D', 'E'] }, words: /^bot/ }],
    ['several elements of an array', { dept: 'D', words: { $in: ['far', 'bot', 'rare'] } }],
    ['null or a department', { dept: { $in: [null, 'D'] } }],
  ])('counts without reading documents: %s', async (_name, query) => {
    const expected = (await numbers('plain', query, {})).length;
    expect(await bots().countDocuments(query)).toBe(expected);
    if (REAL_MONGODB) return;
    const pipeline = [{ $match: query }, { $group: { _id: 1, n: { $sum: 1 } } }];
    for (const explain of [
      { count: 'bots', query },
      { aggregate: 'bots', pipeline, cursor: {} },
    ]) {
      const { executionStats } = await database.db.command({ explain, verbosity: 'executionStats' });
      expect(executionStats.totalDocsExamined).toBe(0);
    }
  });
});
