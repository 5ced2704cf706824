import {
  type Collection,
  type Document,
  MongoClient,
  type MongoClientOptions,
  MongoServerError,
  ReadConcern,
} from 'mongodb';
import { channels } from '../tracing/channels.ts';
import { type BuildOptions, buildIndexes, type CollectionDefinition, type Index } from './build-indexes.ts';
import { checkOptions, checkServer } from './check-server.ts';

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
export type DatabaseConnection<D extends Definitions> = Collections<D> & {
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
 * @param log receives a line while indexes are being built, by default standard error.
 * @throws when the server cannot be reached within `timeout` milliseconds, is too old or a unique index cannot be built.
 */
export async function connect<D extends Definitions>(
  uri: string,
  definitions: D,
  {
    appName,
    timeout = 5_000,
    log = console,
  }: { appName: string; timeout?: number; log?: BuildOptions['log'] },
): Promise<DatabaseConnection<D>> {
  const options = {
    appName: `gatehouse-${appName}`,
    serverSelectionTimeoutMS: timeout,
    connectTimeoutMS: timeout,
  };
  // Building an index can take long, so its client has no socket timeout.
  const builder = createClient(uri, options);
  checkOptions(builder);
  try {
    await builder.connect().catch((cause) => {
      const hosts = builder.options.hosts.join(', ');
      throw new Error(`MongoDB at ${hosts} cannot be reached: ${cause.message}`, { cause });
    });
    await checkServer(builder.db(), builder);
    await buildIndexes(builder.db(), Object.values(definitions), { log });
  } finally {
    await builder.close();
  }
  const client = new MongoClient(uri, {
    ...options,
    socketTimeoutMS: 8_000,
    waitQueueTimeoutMS: timeout,
    ignoreUndefined: true,
    ...(channels.database.hasSubscribers && { monitorCommands: true }),
  });
  channels.database.publish(client);
  // Connect now: a client whose first connection fails at its first query never recovers.
  await client.connect();
  // Options of a client would be merged with those of the address.
  const db = client.db(undefined, {
    readPreference: 'primary',
    // A failover must not undo what was read, such as a role by which access was granted…
    readConcern: new ReadConcern('majority'),
    // …nor a write that was acknowledged, such as a logout.
    writeConcern: { w: 'majority', j: true, wtimeoutMS: timeout },
  });
  const collections = Object.fromEntries(
    Object.entries(definitions).map(([key, { name }]) => [key, db.collection(name)]),
  ) as Collections<D>;
  return { ...collections, ping: () => db.command({ ping: 1 }), close: () => client.close() };
}

function createClient(uri: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(uri, options);
  } catch (cause) {
    throw new Error(`MONGODB_URI ${(cause as Error).message}`, { cause });
  }
}

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
