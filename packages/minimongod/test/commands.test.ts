import { Long } from 'mongodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Doc, REAL_MONGODB, refusal, useDatabase } from './database.ts';

const database = useDatabase();

describe('server commands', () => {
  test('hello describes a writable standalone server', async () => {
    const hello = await database.db.admin().command({ hello: 1 });
    expect(hello).toMatchObject({
      isWritablePrimary: true,
      maxBsonObjectSize: 16_777_216,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
      logicalSessionTimeoutMinutes: 30,
      minWireVersion: 0,
      readOnly: false,
      ok: 1,
    });
    expect(hello.maxWireVersion).toBeGreaterThanOrEqual(21);
    expect(hello.localTime).toBeInstanceOf(Date);
  });

  test('isMaster reports ismaster', async () => {
    expect(await database.db.admin().command({ isMaster: 1 })).toMatchObject({ ismaster: true, ok: 1 });
  });

  test('answers ping, buildInfo and connectionStatus', async () => {
    const admin = database.db.admin();
    expect(await admin.ping()).toMatchObject({ ok: 1 });
    expect((await admin.buildInfo()).versionArray).toHaveLength(4);
    expect((await admin.command({ connectionStatus: 1 })).authInfo).toBeDefined();
  });
});

describe('refuses', () => {
  beforeAll(() => database.db.collection<Doc>('regex').insertOne({ a: 'ab' }));

  test.each([
    ['an unknown command', { frobnicate: 1 }, 59, "no such command: 'frobnicate'"],
    [
      'an unknown option',
      { find: 'c', frobnicate: 1 },
      40415,
      "BSON field 'find.frobnicate' is an unknown field.",
    ],
    [
      'an unknown stage',
      { aggregate: 'c', pipeline: [{ $frob: 1 }], cursor: {} },
      40324,
      "Unrecognized pipeline stage name: '$frob'",
    ],
    [
      'a missing cursor option',
      { aggregate: 'c', pipeline: [] },
      9,
      "The 'cursor' option is required, except for aggregate with the explain argument",
    ],
    [
      'an unknown expression',
      { aggregate: 'c', pipeline: [{ $project: { a: { $frob: 1 } } }], cursor: {} },
      31325,
      undefined,
    ],
    [
      'an unknown expression in $set',
      { aggregate: 'c', pipeline: [{ $set: { a: { $frob: 1 } } }], cursor: {} },
      168,
      undefined,
    ],
    ['an unknown query operator', { find: 'c', filter: { a: { $frob: 1 } } }, 2, 'unknown operator: $frob'],
    [
      'an unknown top-level operator',
      { find: 'c', filter: { $frob: 1 } },
      2,
      "unknown top level operator: $frob. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.",
    ],
    [
      'two fields in a stage',
      { aggregate: 'c', pipeline: [{ $match: {}, $limit: 1 }], cursor: {} },
      40323,
      undefined,
    ],
    ['an empty batch', { insert: 'c', documents: [] }, 16, undefined],
    [
      'a NUL in $regex',
      { find: 'c', filter: { a: { $regex: 'a\0b' } } },
      2,
      'Regular expression cannot contain an embedded null byte',
    ],
    [
      'a NUL in $regexMatch',
      {
        aggregate: 'regex',
        pipeline: [{ $set: { b: { $regexMatch: { input: '$a', regex: 'a\0b' } } } }],
        cursor: {},
      },
      51109,
      undefined,
    ],
    [
      '$skip beyond 64 bits',
      { aggregate: 'c', pipeline: [{ $skip: 2 ** 63 }], cursor: {} },
      5107200,
      undefined,
    ],
    [
      '$limit beyond 64 bits',
      { aggregate: 'c', pipeline: [{ $limit: 2 ** 63 }], cursor: {} },
      5107201,
      undefined,
    ],
    ['an invalid collection name', { insert: 'a$b', documents: [{}] }, 73, undefined],
  ])('%s', async (_name, command, code, message) => {
    const refused = await refusal(database.db.command(command));
    expect(refused.code).toBe(code);
    if (message) expect(refused.message).toBe(message);
  });
});

/** A replica set supports most of these. */
describe.skipIf(REAL_MONGODB)('refuses, as a standalone server', () => {
  test.each([
    ['writeConcern w: 2', { insert: 'c', documents: [{}], writeConcern: { w: 2 } }, 2],
    ['a change stream', { aggregate: 'c', pipeline: [{ $changeStream: {} }], cursor: {} }, 40573],
    ['readConcern snapshot', { find: 'c', readConcern: { level: 'snapshot' } }, 123],
    ['readConcern linearizable', { find: 'c', readConcern: { level: 'linearizable' } }, 123],
    // MongoDB takes the greatest 64-bit integer instead.
    ['skip beyond 64 bits', { find: 'c', skip: 2 ** 63 }, 2],
    ['limit beyond 64 bits', { find: 'c', limit: 2 ** 63 }, 2],
    ['a count that skips beyond 64 bits', { count: 'c', skip: 2 ** 63 }, 2],
  ])('%s', async (_name, command, code) => {
    expect((await refusal(database.db.command(command))).code).toBe(code);
  });

  test('a transaction', async () => {
    const command = { insert: 't', documents: [{ a: 1 }] };
    const transaction = { txnNumber: Long.ONE, startTransaction: true, autocommit: false };
    const session = database.client.startSession();
    const refused = await refusal(database.db.command({ ...command, ...transaction }, { session }));
    expect(refused).toEqual({
      code: 20,
      message: 'Transaction numbers are only allowed on a replica set member or mongos',
    });
    expect(await database.db.collection<Doc>('t').countDocuments()).toBe(0);
    await session.endSession();
  });
});

describe('collections and databases', () => {
  test('creates, lists and drops a collection', async () => {
    await database.db.createCollection('created');
    const [listed] = await database.db.listCollections({ name: 'created' }).toArray();
    expect(listed).toMatchObject({
      name: 'created',
      type: 'collection',
      options: {},
      info: { readOnly: false },
      idIndex: { v: 2, key: { _id: 1 }, name: '_id_' },
    });
    expect(await database.db.listCollections({ name: 'created' }, { nameOnly: true }).toArray()).toEqual([
      { name: 'created', type: 'collection' },
    ]);
    expect(await database.db.collection<Doc>('created').drop()).toBe(true);
    expect(await database.db.listCollections({ name: 'created' }).toArray()).toEqual([]);
  });

  test('refuses to create a collection again with other options', async () => {
    await database.db.createCollection('twice');
    const again = database.db.createCollection('twice', { collation: { locale: 'en', strength: 2 } });
    expect((await refusal(again)).code).toBe(48);
  });

  test('applies the default collation of a collection to queries and indexes', async () => {
    const users = await database.db.createCollection('folded', { collation: { locale: 'en', strength: 2 } });
    await users.insertOne({ _id: 'ABC' as never });
    expect(await users.findOne({ _id: 'abc' as never })).toEqual({ _id: 'ABC' });
    expect((await refusal(users.insertOne({ _id: 'abc' as never }))).code).toBe(11000);
  });

  test('creates a collection with its first document, and drops a database', async () => {
    const other = database.client.db(`${database.db.databaseName}_b`);
    await other.collection('c').insertOne({ a: 1 });
    const { databases } = await database.client.db('admin').admin().listDatabases();
    expect(databases.find(({ name }) => name === other.databaseName)).toMatchObject({ empty: false });
    expect(await other.dropDatabase()).toBe(true);
    const after = await database.client.db('admin').admin().listDatabases({ nameOnly: true });
    expect(after.databases.map(({ name }) => name)).not.toContain(other.databaseName);
  });
});

describe('documents', () => {
  test('keep the field order and every BSON type', async () => {
    const { BSON, Binary, Decimal128, Double, Int32, ObjectId, Timestamp, UUID } = await import('mongodb');
    const c = database.db.collection<Doc>('types');
    const document = {
      _id: new ObjectId(),
      z: new Int32(1),
      y: new Double(1),
      x: Long.fromString('9007199254740993'),
      w: Decimal128.fromString('1.10'),
      v: new Date(0),
      u: new Binary(Buffer.from([1, 2, 3])),
      t: new UUID('00112233-4455-6677-8899-aabbccddeeff'),
      s: new Timestamp({ t: 1, i: 2 }),
      r: /ab+/i,
      q: null,
      p: [1, [2, { deep: true }], 'x'],
      o: { b: 1, a: 2 },
      '1': 'numeric name',
      $dollar: 1,
      'a.b': 2,
      m: new BSON.MinKey(),
      n: -0,
      k: 1e300,
    };
    await c.insertOne(document);
    const raw = await c.findOne({ _id: document._id }, { raw: true });
    expect(Buffer.from(raw as unknown as Uint8Array)).toEqual(Buffer.from(BSON.serialize(document)));
    await c.updateOne({ _id: document._id }, { $set: { added: 1 } });
    const updated = await c.findOne({ _id: document._id }, { raw: true });
    expect(Buffer.from(updated as unknown as Uint8Array)).toEqual(
      Buffer.from(BSON.serialize({ ...document, added: 1 })),
    );
  });

  test('get an _id as their first field', async () => {
    const insert = { insert: 'ids', documents: [{ a: 1 }, { b: 2, _id: 5 }] };
    expect(await database.db.command(insert)).toMatchObject({ n: 2, ok: 1 });
    const docs = await database.db.collection<Doc>('ids').find().toArray();
    expect(docs.map((doc) => Object.keys(doc))).toEqual([
      ['_id', 'a'],
      ['_id', 'b'],
    ]);
  });

  test('must not exceed 16 MB', async () => {
    const { Binary } = await import('mongodb');
    const c = database.db.collection<Doc>('large');
    const size = 16 * 1024 * 1024 - 30;
    await c.insertOne({ _id: 1, bytes: new Binary(Buffer.alloc(size)) });
    const refused = await refusal(c.updateOne({ _id: 1 }, { $set: { t: 'x'.repeat(100) } }));
    expect([10334, 17419, 17420]).toContain(refused.code);
    expect((await c.findOne({ _id: 1 }))?.bytes.length()).toBe(size);
  });

  test('are stored by an unacknowledged write', async () => {
    const c = database.db.collection<Doc>('fire');
    await c.insertOne({ a: 1 }, { writeConcern: { w: 0 } });
    await expect.poll(() => c.countDocuments()).toBe(1);
  });
});
