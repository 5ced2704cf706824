import { type Document, ObjectId } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { type Doc, useDatabase } from './database.ts';

const database = useDatabase();
let next = 0;
const fresh = () => database.db.collection<Doc>(`c${next++}`);

async function duplicate(promise: Promise<unknown>) {
  const error = (await promise.then(
    () => {
      throw new Error('The promise was not rejected.');
    },
    (reason: unknown) => reason,
  )) as Document;
  const { code, codeName, keyPattern, keyValue, errmsg, message } = error;
  return { code, codeName, keyPattern, keyValue, text: errmsg ?? message };
}

describe('E11000', () => {
  test('reports an insert', async () => {
    const c = fresh();
    await c.createIndex({ email: 1 }, { unique: true });
    await c.insertOne({ email: 'a@b.c' });
    expect(await duplicate(c.insertOne({ email: 'a@b.c' }))).toMatchObject({
      code: 11000,
      keyPattern: { email: 1 },
      keyValue: { email: 'a@b.c' },
      text: `E11000 duplicate key error collection: ${c.namespace} index: email_1 dup key: { email: "a@b.c" }`,
    });
    expect(await c.countDocuments()).toBe(1);
  });

  test('reports an update and a findAndModify', async () => {
    const c = fresh();
    await c.createIndex({ n: 1 }, { unique: true });
    await c.insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ]);
    const expected = {
      code: 11000,
      keyPattern: { n: 1 },
      keyValue: { n: 1 },
      text: `E11000 duplicate key error collection: ${c.namespace} index: n_1 dup key: { n: 1 }`,
    };
    expect(await duplicate(c.updateOne({ _id: 2 }, { $set: { n: 1 } }))).toMatchObject(expected);
    const found = await duplicate(c.findOneAndUpdate({ _id: 2 }, { $set: { n: 1 } }));
    expect(found).toMatchObject({
      code: 11000,
      codeName: 'DuplicateKey',
      keyPattern: { n: 1 },
      keyValue: { n: 1 },
    });
    expect(await c.findOne({ _id: 2 })).toEqual({ _id: 2, n: 2 });
  });

  test('reports an upsert', async () => {
    const c = fresh();
    await c.createIndex({ n: 1 }, { unique: true });
    await c.insertOne({ _id: 1, n: 1 });
    expect(await duplicate(c.updateOne({ _id: 2 }, { $set: { n: 1 } }, { upsert: true }))).toMatchObject({
      code: 11000,
    });
    expect(await c.countDocuments()).toBe(1);
  });

  test.each<[string, Document, string]>([
    [
      'an ObjectId',
      { _id: new ObjectId('0123456789abcdef01234567') },
      `{ _id: ObjectId('0123456789abcdef01234567') }`,
    ],
    ['a number', { _id: 5 }, '{ _id: 5 }'],
    ['a document', { _id: { a: 1, b: 'x' } }, '{ _id: { a: 1, b: "x" } }'],
  ])('prints an _id that is %s', async (_name, document, shown) => {
    const c = fresh();
    await c.insertOne(document as never);
    expect(await duplicate(c.insertOne(document as never))).toMatchObject({
      code: 11000,
      keyPattern: { _id: 1 },
      keyValue: document,
      text: `E11000 duplicate key error collection: ${c.namespace} index: _id_ dup key: ${shown}`,
    });
  });

  test('treats equal numbers of different types as one key, and null as missing', async () => {
    const { Decimal128, Double, Long } = await import('mongodb');
    const c = fresh();
    await c.insertOne({ _id: 5 });
    for (const same of [new Double(5), Long.fromNumber(5), Decimal128.fromString('5.00')]) {
      expect((await duplicate(c.insertOne({ _id: same }))).code).toBe(11000);
    }
    const nulls = fresh();
    await nulls.createIndex({ a: 1 }, { unique: true });
    await nulls.insertOne({});
    expect(await duplicate(nulls.insertOne({ a: null }))).toMatchObject({ keyValue: { a: null } });
  });

  test('names the first violated index: _id, then the oldest', async () => {
    const c = fresh();
    await c.createIndex({ b: 1 }, { unique: true });
    await c.createIndex({ a: 1 }, { unique: true });
    await c.insertOne({ _id: 1, a: 1, b: 1 });
    expect((await duplicate(c.insertOne({ _id: 1, a: 1, b: 1 }))).keyPattern).toEqual({ _id: 1 });
    expect((await duplicate(c.insertOne({ _id: 2, a: 1, b: 1 }))).keyPattern).toEqual({ b: 1 });
    expect((await duplicate(c.insertOne({ _id: 2, a: 1, b: 2 }))).keyPattern).toEqual({ a: 1 });
  });

  test('reports compound keys and elements of arrays', async () => {
    const c = fresh();
    await c.createIndex({ a: 1, t: 1 }, { unique: true });
    await c.insertOne({ a: 1, t: ['x', 'y'] });
    await c.insertOne({ a: 2, t: ['x'] });
    expect(await duplicate(c.insertOne({ a: 1, t: ['z', 'y'] }))).toMatchObject({
      keyPattern: { a: 1, t: 1 },
      keyValue: { a: 1, t: 'y' },
    });
  });

  test('refuses a unique index on a collection with duplicates', async () => {
    const c = fresh();
    await c.insertMany([{ a: 1 }, { a: 1 }]);
    const refused = await duplicate(c.createIndex({ a: 1 }, { unique: true }));
    expect(refused).toMatchObject({
      code: 11000,
      codeName: 'DuplicateKey',
      keyPattern: { a: 1 },
      keyValue: { a: 1 },
    });
    expect(await c.indexes()).toHaveLength(1);
    await c.insertOne({ a: 1 });
    expect(await c.countDocuments({ a: 1 })).toBe(3);
  });
});
