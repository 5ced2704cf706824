import { isDeepStrictEqual } from 'node:util';
import {
  type CollationOptions,
  type Collection,
  type CreateIndexesOptions,
  type Db,
  type Document,
  type Filter,
  type IndexDescriptionInfo,
  type IndexDirection,
  MongoClient,
  type MongoClientOptions,
  MongoNetworkError,
  MongoServerError,
  type WithId,
} from 'mongodb';

/** An index of a collection, in the terms of the driver's `createIndexes`. */
interface Index<Stored extends Document> extends CreateIndexesOptions {
  key: Record<string, IndexDirection>;
  /** Defaults to `gatehouse_` and the fields. */
  name?: string;
  /** Returns one line for the operator on why a unique index cannot be built. */
  explainDuplicates?: (stored: Collection<Stored>) => Promise<string>;
}

interface CollectionDefinition<Stored extends Document> {
  name: string;
  indexes: readonly Index<Stored>[];
}

/** Defines a collection: its name, the type of its documents and its indexes. */
export const collection = <Stored extends Document>(
  name: string,
  indexes: readonly Index<Stored>[],
): CollectionDefinition<Stored> => ({ name, indexes });

// biome-ignore lint/suspicious/noExplicitAny: each collection stores documents of its own type.
export type Definitions = Record<string, CollectionDefinition<any>>;

export type Collections<D extends Definitions> = {
  [Name in keyof D]: D[Name] extends CollectionDefinition<infer Stored> ? Collection<Stored> : never;
};

/** An open database with the given collections. */
export type Connection<D extends Definitions> = Collections<D> & {
  /** Rejects when the database does not answer. */
  ping(): Promise<unknown>;
  close(): Promise<void>;
};

/**
 * Matches any non-empty string. Partial indexes use it because MongoDB does not match `$type` to equality. A `$lookup`
 * by a field with a partial index needs it in its pipeline: without one, MongoDB ignores the index and reads everything.
 */
export const ANY_STRING = { $gt: '' };

/**
 * Opens the database that `uri` names and builds the indexes of the given collections.
 * @throws when the server cannot be reached within `timeout` milliseconds or a unique index cannot be built.
 */
export async function connect<D extends Definitions>(
  uri: string,
  definitions: D,
  { appName, timeout = 5_000 }: { appName: string; timeout?: number },
): Promise<Connection<D>> {
  const options = {
    appName: `gatehouse-${appName}`,
    serverSelectionTimeoutMS: timeout,
    connectTimeoutMS: timeout,
  };
  // Building an index can take long, so its client has no socket timeout.
  const builder = createClient(uri, options);
  try {
    await builder.connect().catch((cause) => {
      const hosts = builder.options.hosts.join(', ');
      throw new Error(`MongoDB at ${hosts} cannot be reached: ${cause.message}`, { cause });
    });
    await createIndexes(builder.db(), Object.values(definitions));
  } finally {
    await builder.close();
  }
  const client = new MongoClient(uri, {
    ...options,
    socketTimeoutMS: 8_000,
    waitQueueTimeoutMS: timeout,
    ignoreUndefined: true,
    // A failover must not undo a write that was acknowledged, such as a logout or a removed role.
    writeConcern: { w: 'majority', j: true, wtimeoutMS: timeout },
  });
  // Connect now: a client whose first connection fails at its first query never recovers.
  await client.connect();
  const db = client.db();
  const collections = Object.fromEntries(
    Object.entries(definitions).map(([key, { name }]) => [key, db.collection(name)]),
  ) as Collections<D>;
  for (const stored of Object.values(collections)) databases.set(stored, db);
  return { ...collections, ping: () => db.command({ ping: 1 }), close: () => client.close() };
}

/** The database of each collection. */
const databases = new WeakMap<object, Db>();

/** A collection, whatever it stores. */
type Source = Pick<Collection, 'aggregate' | 'collectionName' | 'readPreference'>;

/** Reads one document like the driver's `findOne`; see `readBatch`. */
export async function readOne<Stored extends Document>(
  stored: Collection<Stored>,
  filter: Filter<Stored>,
  { collation }: { collation?: CollationOptions } = {},
): Promise<WithId<Stored> | null> {
  const { collectionName: find } = stored;
  const command = { find, filter, limit: 1, singleBatch: true, ...(collation && { collation }) };
  const batch = await readBatch<WithId<Stored>>(stored, command);
  return batch ? (batch[0] ?? null) : stored.findOne(filter, { ...(collation && { collation }) });
}

/** Reads at most `limit` documents like the driver's `find`; see `readBatch`. */
export async function readFew<Stored extends Document>(
  stored: Collection<Stored>,
  filter: Filter<Stored>,
  limit: number,
): Promise<WithId<Stored>[]> {
  // One more than the limit, or MongoDB keeps a cursor open for a batch that is full.
  const command = { find: stored.collectionName, filter, limit, batchSize: limit + 1 };
  const batch = await readBatch<WithId<Stored>>(stored, command);
  return batch ?? stored.find(filter).limit(limit).toArray();
}

/** Runs a pipeline that has few results, like the driver's `aggregate`; see `readBatch`. */
export async function readPipeline<Result extends Document>(
  stored: Source,
  pipeline: Document[],
): Promise<Result[]> {
  const { collectionName: aggregate } = stored;
  const batch = await readBatch<Result>(stored, { aggregate, pipeline, cursor: {} });
  return batch ?? stored.aggregate<Result>(pipeline).toArray();
}

/**
 * Runs a reading command without the driver's cursor, which costs a sixth of a bearer check.
 * @returns undefined when the results do not fit in one batch, or the command failed. Then the driver's own method must
 *   take over: it retries what a broken connection or a failover interrupted.
 */
async function readBatch<Result>(stored: Source, command: Document): Promise<Result[] | undefined> {
  const { readPreference } = stored;
  try {
    const result = await databases
      .get(stored)
      ?.command(command, { ...(readPreference && { readPreference }) });
    return Number(result?.cursor.id) === 0 ? result?.cursor.firstBatch : undefined;
  } catch (error) {
    if (error instanceof MongoNetworkError || error instanceof MongoServerError) return undefined;
    throw error;
  }
}

function createClient(uri: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(uri, options);
  } catch (cause) {
    throw new Error(`MONGODB_URI ${(cause as Error).message}`, { cause });
  }
}

async function createIndexes(db: Db, definitions: CollectionDefinition<Document>[]): Promise<void> {
  await Promise.all(
    definitions.map(async ({ name, indexes }) => {
      if (indexes.length === 0) return;
      const stored = db.collection(name);
      try {
        await stored.createIndexes(indexes.map(specification));
      } catch (error) {
        if (!isDuplicateKey(error) && !isIndexConflict(error)) throw error;
        // One by one: an older application may have built some of them, and the error names the one that fails.
        await Promise.all(indexes.map((index) => createIndex(stored, index)));
      }
    }),
  );
}

/** The name that the driver would derive, such as `email_1`, may belong to an index of an older application. */
const defaultName = (key: Index<Document>['key']) => `gatehouse_${Object.keys(key).join('_')}`;

function specification({ explainDuplicates: _, ...index }: Index<Document>) {
  return { ...index, name: index.name ?? defaultName(index.key) };
}

async function createIndex(stored: Collection, index: Index<Document>): Promise<void> {
  const { explainDuplicates } = index;
  const { name } = specification(index);
  try {
    await stored.createIndexes([specification(index)]);
  } catch (error) {
    if (isDuplicateKey(error) && explainDuplicates) throw new Error(await explainDuplicates(stored));
    if (!isIndexConflict(error)) throw error;
    const existing = await stored.indexes();
    if (existing.some((other) => isEquivalent(other, index))) return;
    const conflict =
      existing.find((other) => other.name === name) ??
      existing.find((other) => hasSameKey(other, index) && hasSameCollation(other, index)) ??
      existing.find((other) => hasSameKey(other, index));
    if (!conflict) throw error;
    const { collectionName } = stored;
    throw new Error(
      `The index ${conflict.name} of the collection ${collectionName} conflicts with one that Gatehouse needs: ` +
        `remove it with db.${collectionName}.dropIndex(${JSON.stringify(conflict.name)}) and start again`,
    );
  }
}

/** IndexOptionsConflict and IndexKeySpecsConflict. */
const isIndexConflict = (error: unknown): boolean =>
  error instanceof MongoServerError && (error.code === 85 || error.code === 86);

const hasSameKey = (existing: IndexDescriptionInfo, required: Index<Document>): boolean =>
  isDeepStrictEqual(Object.entries(existing.key), Object.entries(required.key));

/** The server completes the collation of an existing index with its defaults. */
const hasSameCollation = (existing: IndexDescriptionInfo, required: Index<Document>): boolean =>
  Boolean(existing.collation) === Boolean(required.collation) &&
  isDeepStrictEqual({ ...existing.collation, ...required.collation }, { ...existing.collation });

/** The options that change what an index does, apart from its collation. Older indexes may have an explicit false. */
const FLAGS = ['unique', 'sparse', 'hidden'] as const;
const VALUES = ['partialFilterExpression', 'expireAfterSeconds'] as const;

/** Returns whether an existing index does what the required one does. Its name does not matter. */
const isEquivalent = (existing: IndexDescriptionInfo, required: Index<Document>): boolean =>
  hasSameKey(existing, required) &&
  hasSameCollation(existing, required) &&
  FLAGS.every((option) => Boolean(existing[option]) === Boolean(required[option])) &&
  VALUES.every((option) => isDeepStrictEqual(existing[option], required[option]));

/**
 * Returns whether a write failed because the value of `field`, by default of any unique field, is taken.
 * Some servers send no `keyPattern`; the name of the index contains its fields.
 */
export function isDuplicateKey(error: unknown, field?: string): boolean {
  if (!(error instanceof MongoServerError) || error.code !== 11000) return false;
  if (field === undefined) return true;
  if (error.keyPattern) return field in error.keyPattern;
  const [, index = ''] = /\bindex: (\S+)/.exec(error.message) ?? [];
  return `_${index}_`.includes(`_${field}_`);
}
