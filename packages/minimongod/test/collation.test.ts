import type { Document } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { type Doc, refusal, useDatabase } from './database.ts';

const database = useDatabase();
let next = 0;
const fresh = () => database.db.collection<Doc>(`c${next++}`);
const strength = (level: number) => ({ locale: 'en', strength: level });

describe('equality', () => {
  /** The strength, two strings, and whether they are equal. */
  test.each<[number, string, string, boolean]>([
    [1, 'resume', 'Résumé', true],
    [2, 'resume', 'RESUME', true],
    [2, 'resume', 'résumé', false],
    [2, 'résumé', 'RÉSUMÉ', true],
    [2, 'kelvin', '\u212aelvin', true],
    [2, 'abc', '\uff41\uff42\uff43', true],
    [2, 'a b', 'ab', false],
    [2, 'a-b', 'ab', false],
    [2, 'e\u0301', '\u00e9', true],
    [2, 'a\u00adb', 'ab', true],
    [2, 'ı', 'i', false],
    [3, 'abc', 'ABC', false],
    [3, 'abc', '\uff41bc', false],
    [3, 'e\u0301', '\u00e9', true],
  ])('at strength %i of %s and %s is %s', async (level, one, other, equal) => {
    const collation = strength(level);
    const plain = fresh();
    await plain.insertOne({ s: one });
    expect(await plain.countDocuments({ s: other }, { collation })).toBe(Number(equal));
    expect(await plain.countDocuments({ s: { $in: [other] } }, { collation })).toBe(Number(equal));
    const indexed = fresh();
    await indexed.createIndex({ s: 1 }, { unique: true, collation });
    await indexed.insertOne({ s: one });
    expect(await indexed.countDocuments({ s: other }, { collation })).toBe(Number(equal));
    const code = await indexed.insertOne({ s: other }).then(
      () => undefined,
      (error) => error.code,
    );
    expect(code).toBe(equal ? 11000 : undefined);
  });
});

describe('queries and writes', () => {
  test('uses an index only for queries with its collation', async () => {
    const c = fresh();
    await c.createIndex({ email: 1 }, { unique: true, collation: strength(2) });
    await c.insertMany([{ email: 'A@x' }, { email: 'b@x' }]);
    const stage = async (collation?: Document) => {
      const cursor = c.find({ email: 'a@x' }, collation ? { collation: collation as never } : {});
      const { queryPlanner } = await cursor.explain('queryPlanner');
      return JSON.stringify(queryPlanner.winningPlan).includes('email_1');
    };
    expect(await stage(strength(2))).toBe(true);
    expect(await stage(strength(1))).toBe(false);
    expect(await stage()).toBe(false);
    expect(await c.findOne({ email: 'a@x' })).toBeNull();
    expect(await c.findOne({ email: 'a@x' }, { collation: strength(2) })).toMatchObject({ email: 'A@x' });
  });

  test('does not use a partial index with another collation', async () => {
    const c = fresh();
    await c.createIndex({ n: 1 }, { partialFilterExpression: { type: 'A' } });
    await c.insertMany([
      { n: 1, type: 'A' },
      { n: 1, type: 'a' },
    ]);
    expect(await c.countDocuments({ n: 1, type: 'A' })).toBe(1);
    expect(await c.countDocuments({ n: 1, type: 'A' }, { collation: strength(2) })).toBe(2);
  });

  test('uses an index with another collation for a number', async () => {
    const c = fresh();
    await c.createIndex({ n: 1 }, { collation: strength(2) });
    await c.insertMany([{ n: 1 }, { n: 2 }]);
    const { executionStats } = await c.find({ n: 1 }).explain('executionStats');
    expect(executionStats.totalDocsExamined).toBe(1);
  });

  test('applies to every command', async () => {
    const c = fresh();
    const collation = strength(2);
    await c.insertMany(['b', 'A', 'a', 'B'].map((s, _id) => ({ _id, s })));
    expect((await c.find().sort({ s: 1, _id: 1 }).collation(collation).toArray()).map(({ s }) => s)).toEqual([
      'A',
      'a',
      'b',
      'B',
    ]);
    expect((await c.find().sort({ s: 1 }).toArray()).map(({ s }) => s)).toEqual(['A', 'B', 'a', 'b']);
    expect(await c.distinct('s', {}, { collation })).toHaveLength(2);
    expect(await c.find({ s: { $gt: 'a' } }, { collation }).toArray()).toHaveLength(2);
    expect(await c.updateMany({ s: 'a' }, { $set: { x: 1 } }, { collation })).toMatchObject({
      matchedCount: 2,
    });
    expect(
      await c
        .aggregate([{ $match: { s: 'A' } }, { $group: { _id: '$s', n: { $sum: 1 } } }], { collation })
        .toArray(),
    ).toMatchObject([{ n: 2 }]);
    expect(
      await c.findOneAndUpdate({ s: 'B', x: null }, { $set: { x: 2 } }, { collation, sort: { _id: -1 } }),
    ).toEqual({ _id: 3, s: 'B' });
    expect(await c.deleteMany({ s: 'B' }, { collation })).toMatchObject({ deletedCount: 2 });
  });

  test.each<[Document, number]>([
    [{ strength: 2 }, 40414],
    [{ locale: 'xx' }, 2],
  ])('refuses %j', async (collation, code) => {
    const refused = await refusal(
      fresh()
        .find({}, { collation: collation as never })
        .toArray(),
    );
    expect(refused.code).toBe(code);
  });

  test('treats the locale simple as binary comparison', async () => {
    const c = fresh();
    await c.insertOne({ s: 'A' });
    expect(await c.countDocuments({ s: 'a' }, { collation: { locale: 'simple' } })).toBe(0);
  });
});
