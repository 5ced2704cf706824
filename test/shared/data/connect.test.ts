import { buildIndexes } from '@gatehouse/shared/data/build-indexes';
import { collection, connect, isDuplicateKey } from '@gatehouse/shared/data/connect';
import {
  Collection,
  type CreateIndexesOptions,
  Db,
  type Document,
  type IndexSpecification,
  MongoClient,
  MongoServerError,
} from 'mongodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { dropDatabase, freshMongodbUri } from '../../fixtures/database.ts';
import { withOptions } from '../../fixtures/mongodb.ts';

interface Thing {
  name: string;
  size?: number;
}

let uri: string;
beforeEach(async () => {
  uri = await freshMongodbUri();
});
afterEach(() => dropDatabase(uri));

/** Runs `work` with a plain client, outside the connection under test. */
async function withClient<T>(work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(uri);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
const open = (things = collection<Thing>('things', [{ key: { name: 1 }, unique: true }])) =>
  connect(uri, { things }, { appName: 'test' });
const storeDuplicates = () =>
  withClient((client) =>
    client
      .db()
      .collection('things')
      .insertMany([{ name: 'a' }, { name: 'a' }]),
  );

describe('connect', () => {
  test('builds the indexes of the given collections and nothing else', async () => {
    const db = await connect(
      uri,
      {
        things: collection<Thing>('things', [{ key: { name: 1 }, unique: true }, { key: { size: -1 } }]),
        notes: collection('my_notes', []),
      },
      { appName: 'test' },
    );
    expect(Object.keys(db).toSorted()).toEqual(['close', 'notes', 'ping', 'things']);
    expect(db.notes.collectionName).toBe('my_notes');
    const indexes = await db.things.indexes();
    expect(indexes.map(({ key, unique = false }) => ({ key, unique }))).toEqual([
      { key: { _id: 1 }, unique: false },
      { key: { name: 1 }, unique: true },
      { key: { size: -1 }, unique: false },
    ]);
    const stored = await withClient((client) => client.db().listCollections().toArray());
    expect(stored.map(({ name }) => name)).toEqual(['things']);
    await db.close();
  });

  test('keeps existing indexes and documents', async () => {
    const first = await open();
    await first.things.insertOne({ name: 'a' });
    await first.close();
    const second = await open();
    expect(await second.things.countDocuments()).toBe(1);
    expect(await second.things.indexes()).toHaveLength(2);
    await second.close();
  });

  test('names every index itself', async () => {
    const things = collection<Thing>('things', [
      { key: { name: 1, size: -1 } },
      { key: { size: 1 }, name: 'chosen' },
    ]);
    const db = await connect(uri, { things }, { appName: 'test' });
    const names = (await db.things.indexes()).map(({ name }) => name);
    expect(names).toEqual(['_id_', 'gatehouse_name_size', 'chosen']);
    await db.close();
  });

  describe('an existing index', () => {
    const existing = (key: IndexSpecification, options: CreateIndexesOptions = {}) =>
      withClient((client) => client.db().collection('things').createIndex(key, options));
    const insensitive = { locale: 'en', strength: 2 };

    test.each([{ unique: true }, {}])('with the same field and no collation stays: %j', async (options) => {
      await existing({ name: 1 }, options);
      const db = await open(
        collection<Thing>('things', [{ key: { name: 1 }, unique: true, collation: insensitive }]),
      );
      const names = (await db.things.indexes()).map(({ name }) => name);
      expect(names).toEqual(['_id_', 'name_1', 'gatehouse_name']);
      await db.things.insertOne({ name: 'a' });
      await expect(db.things.insertOne({ name: 'A' })).rejects.toSatisfy((error) =>
        isDuplicateKey(error, 'name'),
      );
      await db.close();
    });

    test.each<CreateIndexesOptions>([
      { unique: true },
      { unique: true, collation: insensitive },
      { unique: true, partialFilterExpression: { name: { $gt: '' } } },
      { expireAfterSeconds: 60 },
    ])('that does the same under another name is used: %j', async (options) => {
      await existing({ name: 1 }, options);
      const db = await open(collection<Thing>('things', [{ key: { name: 1 }, ...options }]));
      expect((await db.things.indexes()).map(({ name }) => name)).toEqual(['_id_', 'name_1']);
      await db.close();
    });

    test('that says false where the required one says nothing is used', async () => {
      await existing({ name: 1 }, { unique: true });
      const indexes = vi.spyOn(Collection.prototype, 'indexes');
      indexes.mockResolvedValue([{ v: 2, key: { name: 1 }, name: 'name_1', unique: true, sparse: false }]);
      try {
        await (await open()).close();
      } finally {
        indexes.mockRestore();
      }
    });

    test('is named, not one that can stay', async () => {
      await existing({ name: 1 }, { unique: true });
      await existing(
        { name: 1 },
        { name: 'old', collation: insensitive, unique: true, expireAfterSeconds: 60 },
      );
      const things = collection<Thing>('things', [
        { key: { name: 1 }, unique: true, collation: insensitive },
      ]);
      await expect(open(things)).rejects.toThrow(/^The index old of the collection things conflicts/);
    });

    test.each<[string, IndexSpecification, CreateIndexesOptions]>([
      ['name_1', { name: 1 }, { unique: true, expireAfterSeconds: 60 }],
      ['gatehouse_name', { name: 1 }, { name: 'gatehouse_name' }],
      ['gatehouse_name', { size: 1 }, { name: 'gatehouse_name' }],
    ])('%s prevents the start when it cannot coexist: %j, %j', async (name, key, options) => {
      await existing(key, options);
      await expect(open()).rejects.toThrow(
        `The index ${name} of the collection things conflicts with one that Gatehouse needs: ` +
          `remove it with db.things.dropIndex("${name}") and start again`,
      );
      await withClient((client) => client.db().collection('things').dropIndex(name));
      await (await open()).close();
    });
  });

  describe.each([
    ['an address without options', {}],
    ['an address with time limits of its own', { wtimeoutMS: '2' }],
    [
      'an address that asks for what is enforced',
      { readConcernLevel: 'majority', w: 'majority', journal: 'true' },
    ],
  ])('%s', (_, options: Record<string, string>) => {
    /** Returns the commands that an operation sends. */
    async function sent(run: (things: Collection<Thing>) => Promise<unknown>): Promise<Document[]> {
      const watched = withOptions(uri, { monitorCommands: 'true', ...options });
      const things = collection<Thing>('things', []);
      const db = await connect(watched, { things }, { appName: 'test', timeout: 4_000 });
      await db.things.insertOne({ name: 'a' });
      const commands: Document[] = [];
      const { client } = db.things as unknown as { client: MongoClient };
      client.on('commandStarted', ({ command }) => commands.push(command));
      await run(db.things);
      const result = [...commands];
      await db.close();
      return result;
    }
    const reads: [string, (things: Collection<Thing>) => Promise<unknown>][] = [
      ['find', (things) => things.find().toArray()],
      ['findOne', (things) => things.findOne({ name: 'a' })],
      ['aggregate', (things) => things.aggregate([{ $match: { name: 'a' } }]).toArray()],
      ['countDocuments', (things) => things.countDocuments()],
      ['estimatedDocumentCount', (things) => things.estimatedDocumentCount()],
      ['distinct', (things) => things.distinct('name')],
    ];
    const writes: [string, (things: Collection<Thing>) => Promise<unknown>][] = [
      ['insertOne', (things) => things.insertOne({ name: 'b' })],
      ['insertMany', (things) => things.insertMany([{ name: 'b' }])],
      ['updateOne', (things) => things.updateOne({ name: 'a' }, { $set: { size: 1 } })],
      ['updateMany', (things) => things.updateMany({ name: 'a' }, { $set: { size: 1 } })],
      ['replaceOne', (things) => things.replaceOne({ name: 'a' }, { name: 'c' }, { upsert: true })],
      ['findOneAndUpdate', (things) => things.findOneAndUpdate({ name: 'a' }, { $set: { size: 2 } })],
      ['findOneAndReplace', (things) => things.findOneAndReplace({ name: 'a' }, { name: 'c' })],
      ['findOneAndDelete', (things) => things.findOneAndDelete({ name: 'a' })],
      ['deleteOne', (things) => things.deleteOne({ name: 'a' })],
      ['deleteMany', (things) => things.deleteMany({})],
      [
        'bulkWrite',
        (things) =>
          things.bulkWrite([
            { insertOne: { document: { name: 'b' } } },
            { updateOne: { filter: { name: 'a' }, update: { $set: { size: 3 } } } },
            { deleteOne: { filter: { name: 'b' } } },
          ]),
      ],
    ];

    test.each(reads)('%s reads what a majority has acknowledged, from the primary', async (_name, run) => {
      const commands = await sent(run);
      expect(commands).not.toEqual([]);
      for (const command of commands) {
        expect(command).toMatchObject({ readConcern: { level: 'majority' } });
        expect(command.$readPreference ?? { mode: 'primary' }).toEqual({ mode: 'primary' });
      }
    });

    test.each(writes)('%s waits until a majority has it in the journal', async (_name, run) => {
      const commands = await sent(run);
      expect(commands).not.toEqual([]);
      for (const command of commands)
        expect(command.writeConcern).toEqual({ w: 'majority', j: true, wtimeout: 4_000 });
    });
  });

  test.each([
    ['readPreference', 'secondary', 'a secondary may not know yet that a session has ended'],
    ['readPreference', 'secondaryPreferred', 'a secondary may not know yet that a session has ended'],
    ['readPreference', 'primaryPreferred', 'a secondary may not know yet that a session has ended'],
    ['readPreference', 'nearest', 'a secondary may not know yet that a session has ended'],
    ['readConcernLevel', 'available', 'services read with majority, which no failover takes back'],
    ['readConcernLevel', 'local', 'services read with majority, which no failover takes back'],
    ['readConcernLevel', 'linearizable', 'services read with majority, which no failover takes back'],
    ['readConcernLevel', 'snapshot', 'services read with majority, which no failover takes back'],
    [
      'w',
      '0',
      'services write with majority, because a failover may take back other writes, such as a logout',
    ],
    [
      'w',
      '1',
      'services write with majority, because a failover may take back other writes, such as a logout',
    ],
    [
      'w',
      '3',
      'services write with majority, because a failover may take back other writes, such as a logout',
    ],
    [
      'w',
      'tag',
      'services write with majority, because a failover may take back other writes, such as a logout',
    ],
    ['journal', 'false', 'a crash may take back a write, such as a logout, that is only in memory'],
    ['retryWrites', 'false', 'a lost connection would leave open whether a write took place'],
    ['retryReads', 'false', 'each election would fail calls that the driver can repeat'],
  ])('refuses %s=%s', async (option, value, why) => {
    const address = withOptions(uri, { [option]: value });
    await expect(connect(address, {}, { appName: 'test' })).rejects.toThrow(
      `MONGODB_URI must not set ${option}=${value}: ${why}`,
    );
  });

  test.each([
    ['readPreference', 'primary'],
    ['readConcernLevel', 'majority'],
    ['w', 'majority'],
    ['journal', 'true'],
    ['retryWrites', 'true'],
    ['retryReads', 'true'],
    ['wtimeoutMS', '0'],
  ])('accepts %s=%s', async (option, value) => {
    await (await connect(withOptions(uri, { [option]: value }), {}, { appName: 'test' })).close();
  });

  test.each<[string, object, string]>([
    [
      'a server older than MongoDB 7',
      { version: '6.0.14', versionArray: [6, 0, 14, 0] },
      'MongoDB 6.0.14 is too old: Gatehouse needs MongoDB 7 or newer',
    ],
    [
      'one of several members',
      { versionArray: [8, 0, 0, 0], hosts: ['one:27017', 'two:27017'] },
      'MONGODB_URI must not set directConnection=true for one of several members: name all of them, and replicaSet',
    ],
  ])('refuses %s', async (_, answer, text) => {
    const command = vi.spyOn(Db.prototype, 'command').mockResolvedValue(answer);
    const address = withOptions(uri, { directConnection: 'true' });
    await expect(connect(address, {}, { appName: 'test' })).rejects.toThrow(text);
    command.mockRestore();
  });

  test('logs that it waits for an index, and gives up in the end', async () => {
    const things = collection<Document>('things', [{ key: { name: 1 } }]);
    const createIndexes = vi
      .spyOn(Collection.prototype, 'createIndexes')
      .mockReturnValue(new Promise<never>(() => {}));
    const lines: string[] = [];
    const log = { warn: (line: string) => void lines.push(line) };
    const waiting =
      'MongoDB is building indexes of things; this waits for every voting member of the replica set';
    await withClient(async (client) => {
      const building = buildIndexes(client.db(), [things], { log, logInterval: 5, limit: 600 });
      await expect(building).rejects.toThrow(`${waiting}. It has not ended for 0.01 minutes`);
    });
    expect(lines[0]).toBe(waiting);
    createIndexes.mockRestore();
  });

  test('explains why a unique index cannot be built', async () => {
    await storeDuplicates();
    const things = collection<Thing>('things', [
      {
        key: { name: 1 },
        unique: true,
        explainDuplicates: async (stored) => `${await stored.countDocuments()} things share a name`,
      },
    ]);
    await expect(open(things)).rejects.toThrow(/^2 things share a name$/);
  });

  test('passes on the error of the server when there is no explanation', async () => {
    await storeDuplicates();
    await expect(open()).rejects.toSatisfy((error) => isDuplicateKey(error));
  });

  test('names an unreachable server without its credentials', async () => {
    const unreachable = 'mongodb://root:hunter2@127.0.0.1:1,127.0.0.1:2/gatehouse?replicaSet=rs';
    const error = await connect(unreachable, {}, { appName: 'test', timeout: 50 }).catch((reason) => reason);
    expect(error.message).toMatch(/^MongoDB at 127\.0\.0\.1:1, 127\.0\.0\.1:2 cannot be reached: /);
    expect(error.message).not.toMatch(/root|hunter2/);
  });

  test.each(['mongodb://', 'mongodb://127.0.0.1/?nonsense=1', 'http://127.0.0.1'])(
    'names the setting for the invalid URI %s',
    async (invalid) => {
      await expect(connect(invalid, {}, { appName: 'test' })).rejects.toThrow(/^MONGODB_URI ./);
    },
  );

  test('ping succeeds while the connection is open and fails after it is closed', async () => {
    const db = await open();
    await expect(db.ping()).resolves.toMatchObject({ ok: 1 });
    await db.close();
    await expect(db.ping()).rejects.toThrow();
  });
});

test('isDuplicateKey tells which field is taken', async () => {
  const db = await open();
  await db.things.insertOne({ name: 'a' });
  const error = await db.things.insertOne({ name: 'a' }).catch((reason: unknown) => reason);
  expect(isDuplicateKey(error)).toBe(true);
  expect(isDuplicateKey(error, 'name')).toBe(true);
  expect(isDuplicateKey(error, 'size')).toBe(false);
  expect(isDuplicateKey(new Error('E11000'))).toBe(false);
  await db.close();
});

describe('isDuplicateKey, when the server sends no keyPattern', () => {
  test.each([
    ['gatehouse_email', 'email', true],
    ['gatehouse_owner_id_slot', 'slot', true],
    ['gatehouse_owner_id_slot', 'owner_id', true],
    ['email_1', 'email', true],
    ['gatehouse_user_id', 'email', false],
    ['gatehouse_emails', 'email', false],
  ])('reads the name of the index: %s, %s: %s', (index, field, expected) => {
    const errmsg = `E11000 duplicate key error collection: test.users index: ${index} dup key: { a: " email " }`;
    expect(isDuplicateKey(new MongoServerError({ code: 11000, errmsg }), field)).toBe(expected);
  });

  test('answers no when the message names no index', () => {
    const error = new MongoServerError({ code: 11000, errmsg: 'E11000 duplicate key error' });
    expect(isDuplicateKey(error, 'email')).toBe(false);
    expect(isDuplicateKey(error)).toBe(true);
  });
});
