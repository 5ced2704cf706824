import { Decimal128, type Document } from 'mongodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Doc, REAL_MONGODB, useDatabase } from './database.ts';

const database = useDatabase();

beforeAll(() => database.db.collection<Doc>('c').insertOne({ _id: 1, n: 1, list: [1, 2] }));

/** What MongoDB supports and this server does not: refused with MongoDB's code, and without an effect. */
describe.skipIf(REAL_MONGODB)('refuses', () => {
  test.each<[string, Document, number, string]>([
    ['mapReduce', { mapReduce: 'c' }, 59, 'CommandNotFound'],
    ['collMod', { collMod: 'c' }, 59, 'CommandNotFound'],
    ['serverStatus', { serverStatus: 1 }, 59, 'CommandNotFound'],
    ['a capped collection', { create: 'd', capped: true, size: 1000 }, 40415, 'IDLUnknownField'],
    ['a view', { create: 'd', viewOn: 'c', pipeline: [] }, 40415, 'IDLUnknownField'],
    ['a validator', { create: 'd', validator: {} }, 40415, 'IDLUnknownField'],
    ['a tailable cursor', { find: 'c', tailable: true }, 40415, 'IDLUnknownField'],
    ['let', { find: 'c', let: { a: 1 } }, 40415, 'IDLUnknownField'],
    ['aggregate without a collection', { aggregate: 1, pipeline: [], cursor: {} }, 73, 'InvalidNamespace'],
  ])('%s', async (_name, command, code, codeName) => {
    await expect(database.db.command(command)).rejects.toMatchObject({ code, codeName });
  });

  test.each<[Document, number]>([
    [{ $where: 'true' }, 2],
    [{ $text: { $search: 'x' } }, 2],
    [{ $jsonSchema: {} }, 2],
    [{ n: { $bitsAllSet: 1 } }, 2],
    [{ n: { $near: [0, 0] } }, 2],
    [{ n: { $regex: 'a b', $options: 'x' } }, 51108],
  ])('the filter %j', async (filter, code) => {
    await expect(database.db.command({ find: 'c', filter })).rejects.toMatchObject({ code });
  });

  test.each<[Document, number]>([
    [{ list: { $slice: 1 } }, 16020],
    [{ list: { $elemMatch: { $gt: 1 } } }, 31325],
    [{ 'list.$': 1 }, 2],
    [{ score: { $meta: 'textScore' } }, 31325],
  ])('the projection %j', async (projection, code) => {
    await expect(database.db.command({ find: 'c', projection })).rejects.toMatchObject({ code });
  });

  test.each<[Document, number]>([
    [{ $bit: { n: { and: 1 } } }, 9],
    [{ $currentDate: { at: true } }, 9],
    [{ $set: { 'list.$': 1 } }, 52],
    [{ $set: { 'list.$[]': 1 } }, 52],
    [{ $set: { 'list.$[x]': 1 } }, 52],
    [{ $inc: { n: Decimal128.fromString('1.5') } }, 115],
  ])('the update %j', async (update, code) => {
    const updates = [{ q: { _id: 1, list: 1 }, u: update }];
    const { writeErrors } = await database.db.command({ update: 'c', updates });
    expect(writeErrors).toMatchObject([{ index: 0, code }]);
    expect(await database.db.collection<Doc>('c').findOne()).toEqual({ _id: 1, n: 1, list: [1, 2] });
  });

  test('arrayFilters', async () => {
    const update = database.db
      .collection<Doc>('c')
      .updateOne({}, { $set: { 'list.$[x]': 1 } }, { arrayFilters: [{ x: 1 }] });
    await expect(update).rejects.toMatchObject({ code: 40415 });
  });

  test.each<[Document, number]>([
    [{ $bucket: { groupBy: '$n', boundaries: [0, 1] } }, 40324],
    [{ $facet: { a: [] } }, 40324],
    [{ $setWindowFields: { output: {} } }, 40324],
    [{ $graphLookup: {} }, 40324],
    [{ $sample: { size: 1 } }, 40324],
    [{ $out: 'd' }, 40324],
    [{ $merge: 'd' }, 40324],
    [{ $changeStream: {} }, 40573],
    [{ $lookup: { from: 'c', as: 'x', let: {}, pipeline: [] } }, 9],
    [{ $group: { _id: null, x: { $stdDevPop: '$n' } } }, 15952],
    [{ $group: { _id: null, x: { $accumulator: {} } } }, 15952],
    [{ $set: { x: { $function: {} } } }, 168],
    [{ $set: { x: { $dateAdd: {} } } }, 168],
    [{ $set: { x: { $add: ['$n', Decimal128.fromString('1')] } } }, 115],
    [{ $set: { x: '$$unknown' } }, 17276],
  ])('the stage %j', async (stage, code) => {
    const command = { aggregate: 'c', pipeline: [stage], cursor: {} };
    await expect(database.db.command(command)).rejects.toMatchObject({ code });
  });

  test.each<Document>([
    { $lookup: { from: 'c', as: 'x', pipeline: [{ $sample: { size: 1 } }] } },
    { $unionWith: { coll: 'c', pipeline: [{ $sample: { size: 1 } }] } },
  ])('the nested stage of %j, though the collection is empty', async (stage) => {
    const command = { aggregate: 'nowhere', pipeline: [stage], cursor: {} };
    await expect(database.db.command(command)).rejects.toMatchObject({ code: 40324 });
  });

  test.each<[Document, number]>([
    [{ key: { a: 'text' } }, 67],
    [{ key: { a: '2dsphere' } }, 67],
    [{ key: { a: 'hashed' } }, 67],
    [{ key: { '$**': 1 } }, 67],
    [{ key: { a: 1 }, hidden: true }, 197],
    [{ key: { a: 1 }, collation: { locale: 'de' } }, 2],
    [{ key: { a: 1 }, collation: { locale: 'en', numericOrdering: true } }, 115],
  ])('the index %j', async (index, code) => {
    const command = { createIndexes: 'c', indexes: [{ name: 'i', ...index }] };
    await expect(database.db.command(command)).rejects.toMatchObject({ code });
  });
});
