import fc from 'fast-check';
import { type Document, Long } from 'mongodb';
import { beforeAll, expect, test } from 'vitest';
import { type Doc, useDatabase } from './database.ts';
import { runs } from './property.ts';

const database = useDatabase();

const scalar = fc.constantFrom<unknown>(
  null,
  0,
  1,
  2,
  2.5,
  Long.fromNumber(2),
  'a',
  'b',
  'B',
  true,
  new Date(1),
);
const nested = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.record({ x: scalar, y: scalar }, { requiredKeys: [] }),
  fc.array(fc.record({ x: scalar, y: scalar }, { requiredKeys: [] }), { maxLength: 3 }),
);
// At most one array, because a compound index refuses parallel arrays.
const document = fc.record({ a: nested, b: scalar, c: scalar }, { requiredKeys: [] });

const bound = fc.constantFrom<unknown>(0, 1, 2, 'a', 'b', true, null);
const condition = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }).map(($in) => ({ $in })),
  bound.map(($gt) => ({ $gt })),
  bound.map(($lte) => ({ $lte })),
  fc.tuple(bound, bound).map(([$gte, $lt]) => ({ $gte, $lt })),
  fc.boolean().map(($exists) => ({ $exists })),
  scalar.map(($ne) => ({ $ne })),
  fc.array(scalar, { maxLength: 2 }),
);
const fields = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'a.x', 'a.y', 'a.0'), condition, {
  maxKeys: 3,
  noNullPrototype: true,
});
const filter = fc.oneof(
  fields,
  fc.tuple(fields, fields).map(($or) => ({ $or })),
  fc.tuple(fields, fields).map(($and) => ({ $and })),
  fc
    .record({ x: condition, y: condition }, { requiredKeys: [] })
    .map(($elemMatch) => ({ a: { $elemMatch } })),
);
const sort = fc.constantFrom<Document>(
  {},
  { a: 1 },
  { b: -1 },
  { b: 1, c: -1 },
  { c: 1, b: 1 },
  { 'a.x': 1 },
);
const collation = fc.constantFrom(undefined, { locale: 'en', strength: 2 });

beforeAll(async () => {
  const docs = fc.sample(document, { numRuns: 300, seed: 42 }).map((doc, _id) => ({ _id, ...doc }));
  const plain = database.db.collection<Doc>('plain');
  const indexed = database.db.collection<Doc>('indexed');
  await plain.insertMany(docs);
  await indexed.createIndexes([
    { key: { a: 1 } },
    { key: { b: 1, c: -1 } },
    { key: { c: -1, a: 1 } },
    { key: { 'a.x': 1, 'a.y': 1 } },
    { key: { 'a.0': -1 } },
    { key: { b: -1 }, sparse: true, name: 'sparse' },
    { key: { c: 1 }, partialFilterExpression: { c: { $gt: 1 } }, name: 'partial' },
    { key: { b: 1 }, collation: { locale: 'en', strength: 2 }, name: 'folded' },
  ]);
  await indexed.insertMany(docs);
});

test('finds the same documents with and without indexes', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(filter, sort, collation, async (query, order, folding) => {
      const options = folding ? { collation: folding } : {};
      const [expected, found] = await Promise.all(
        ['plain', 'indexed'].map((name) =>
          database.db
            .collection<Doc>(name)
            .find(query, { ...options, projection: { _id: 1 } })
            .sort({ ...order, _id: 1 })
            .toArray(),
        ),
      );
      const ids = (docs: Doc[] = []) => docs.map(({ _id }) => _id).join();
      expect(ids(found)).toBe(ids(expected));
      const count = await database.db.collection<Doc>('indexed').countDocuments(query, options);
      expect(count).toBe(expected?.length);
      const part = { ...options, skip: 1, limit: 3 };
      const counted = await database.db.collection<Doc>('indexed').countDocuments(query, part);
      expect(counted).toBe(Math.min(Math.max((expected?.length ?? 0) - 1, 0), 3));
    }),
    { numRuns: runs(300), seed: 7 },
  );
});

test('updates and deletes the same documents, and keeps the indexes consistent', {
  timeout: 60_000,
}, async () => {
  const change = fc.constantFrom<Document>(
    { $set: { b: 'b' } },
    { $unset: { a: '' } },
    { $push: { list: 1 } },
    { $set: { 'c.z': 1 } },
    { $set: { c: 2 } },
    { $rename: { b: 'c' } },
  );
  await fc.assert(
    fc.asyncProperty(fields, change, fc.boolean(), async (query, update, remove) => {
      for (const name of ['plain', 'indexed']) {
        const c = database.db.collection<Doc>(name);
        const picked = { $and: [query, { _id: { $gte: 200 } }] };
        const first = { sort: { _id: 1 } } as const;
        if (remove) await c.findOneAndDelete(picked, first);
        else await c.findOneAndUpdate(picked, update, first).catch(() => undefined);
      }
    }),
    { numRuns: runs(100), seed: 3 },
  );
  const all = (name: string, hint: Document) =>
    database.db.collection<Doc>(name).find().hint(hint).sort({ _id: 1 }).toArray();
  const expected = await all('plain', { $natural: 1 });
  for (const hint of [{ $natural: 1 }, { _id: 1 }, { a: 1 }, { b: 1, c: -1 }, { 'a.0': -1 }]) {
    expect(await all('indexed', hint)).toEqual(expected);
  }
});
