import { isDeepStrictEqual } from 'node:util';
import {
  type Collection,
  type CreateIndexesOptions,
  type Db,
  type Document,
  type IndexDescriptionInfo,
  type IndexDirection,
  MongoServerError,
} from 'mongodb';
import { withTimeout } from '../with-timeout.ts';

/** An index of a collection, in the terms of the driver's `createIndexes`. */
export interface Index<Stored extends Document> extends CreateIndexesOptions {
  key: Record<string, IndexDirection>;
  /** Defaults to `gatehouse_` and the fields. */
  name?: string;
  /** Returns one line for the operator on why a unique index cannot be built. */
  explainDuplicates?: (stored: Collection<Stored>) => Promise<string>;
}

export interface CollectionDefinition<Stored extends Document> {
  name: string;
  indexes: readonly Index<Stored>[];
}

export interface BuildOptions {
  log: { warn(text: string): void };
  /** Milliseconds between two log lines about a build that has not ended. */
  logInterval?: number;
  /** Milliseconds after which the start is given up. The server continues, and the next start joins its build. */
  limit?: number;
}

const LOG_INTERVAL = 10_000;
const LIMIT = 1_800_000;

/**
 * Builds the indexes that are missing. On a replica set a build ends only when every voting member that holds data has
 * built the index too, so a member that is down holds it up.
 */
export async function buildIndexes(
  db: Db,
  definitions: CollectionDefinition<Document>[],
  { log, logInterval = LOG_INTERVAL, limit = LIMIT }: BuildOptions,
): Promise<void> {
  const pending = new Set<string>();
  const builds = definitions.map(async (definition) => {
    pending.add(definition.name);
    await createIndexes(db, definition);
    pending.delete(definition.name);
  });
  const waiting = () =>
    `MongoDB is building indexes of ${[...pending].join(', ')}; this waits for every voting member of the replica set`;
  const timer = setInterval(() => log.warn(waiting()), logInterval);
  const expired = () =>
    new Error(
      `${waiting()}. It has not ended for ${limit / 60_000} minutes: see that all members are up, and start again`,
    );
  await withTimeout(Promise.all(builds), limit, expired).finally(() => clearInterval(timer));
}

/**
 * Compares the indexes of a database with those that a start would build, as `collection: name`. It builds none.
 * @returns those that are missing, and those that no service of ours has built.
 */
export async function compareIndexes(
  db: Db,
  definitions: readonly { name: string; indexes: readonly Omit<Index<Document>, 'explainDuplicates'>[] }[],
): Promise<{ missing: string[]; extra: string[] }> {
  const compared = definitions.map(async ({ name, indexes }) => {
    const existing = await db
      .collection(name)
      .indexes()
      .catch((error: unknown) => {
        if (hasCode(error, NAMESPACE_NOT_FOUND)) return [];
        throw error;
      });
    return {
      missing: indexes
        .filter((index) => !existing.some((other) => isEquivalent(other, index)))
        .map((index) => `${name}: ${specification(index).name}`),
      extra: existing
        .filter((other) => other.name !== '_id_' && !indexes.some((index) => isEquivalent(other, index)))
        .map((other) => `${name}: ${other.name}`),
    };
  });
  const found = await Promise.all(compared);
  return { missing: found.flatMap(({ missing }) => missing), extra: found.flatMap(({ extra }) => extra) };
}

const NAMESPACE_NOT_FOUND = 26;

async function createIndexes(db: Db, { name, indexes }: CollectionDefinition<Document>): Promise<void> {
  if (indexes.length === 0) return;
  const stored = db.collection(name);
  try {
    await stored.createIndexes(indexes.map(specification));
  } catch (error) {
    if (!isDuplicateKey(error) && !isIndexConflict(error)) throw error;
    // One by one: an older application may have built some of them, and the error names the one that fails.
    await Promise.all(indexes.map((index) => createIndex(stored, index)));
  }
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

const hasCode = (error: unknown, ...codes: unknown[]): boolean =>
  error instanceof MongoServerError && codes.includes(error.code);

const isDuplicateKey = (error: unknown): boolean => hasCode(error, 11000);

/** IndexOptionsConflict and IndexKeySpecsConflict. */
const isIndexConflict = (error: unknown): boolean => hasCode(error, 85, 86);

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
