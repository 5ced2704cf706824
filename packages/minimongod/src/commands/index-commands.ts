import { equalValues } from '../bson/compare.ts';
import { toShell } from '../bson/to-shell.ts';
import { type Doc, encode, isDoc } from '../bson/value.ts';
import { badValue, CommandError, typeMismatch } from '../errors.ts';
import { buildIndex } from '../store/documents.ts';
import type { Index } from '../store/index-keys.ts';
import { compareIndexSpecs, normalizeIndexSpec } from '../store/index-spec.ts';
import { type Collection, checkNamespace, type Store } from '../store/store.ts';
import { type Command, collectionName, cursorBatchSize, requiredArray } from './command.ts';

/** https://www.mongodb.com/docs/manual/reference/limits/#indexes */
const MAX_INDEXES = 64;

const createIndexes: Command = {
  options: 'indexes commitQuorum',
  writes: true,
  run(command, { store, db }) {
    const name = collectionName(command, 'createIndexes', db);
    const given = requiredArray(command, 'createIndexes', 'indexes');
    if (given.length === 0) throw badValue('Must specify at least one index to create');
    const existing = store.find(db, name);
    const specs = given.map((spec) => normalizeIndexSpec(spec, existing?.collation));
    const collection = store.findOrCreate(db, name);
    const numIndexesBefore = collection.indexes.length;
    for (const spec of specs) {
      if (indexExists(collection, spec)) continue;
      if (collection.indexes.length >= MAX_INDEXES) {
        throw new CommandError(
          67,
          `add index fails, too many indexes for ${db}.${name} key:${toShell(spec.key)}`,
        );
      }
      buildIndex(store, collection, store.addIndex(collection, spec));
    }
    const numIndexesAfter = collection.indexes.length;
    return {
      numIndexesBefore,
      numIndexesAfter,
      createdCollectionAutomatically: !existing,
      ...(numIndexesAfter === numIndexesBefore ? { note: 'all indexes already exist' } : {}),
    };
  },
};

/** Whether an identical index exists. @throws if a similar one is in conflict with it. */
function indexExists({ indexes }: Collection, spec: Doc): boolean {
  const details = (index: Index) =>
    `Requested index: ${toShell(spec)}, existing index: ${toShell(index.spec)}`;
  const namesake = indexes.find(({ name }) => name === spec.name);
  if (namesake) {
    const relation = compareIndexSpecs(spec, namesake.spec);
    if (relation === 'identical') return true;
    if (namesake.name === '_id_' && equalValues(spec.key, namesake.key)) return true;
    if (relation === 'different') {
      throw new CommandError(
        86,
        `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. ${details(namesake)}`,
      );
    }
    throw new CommandError(
      85,
      `An equivalent index already exists with the same name but different options. ${details(namesake)}`,
    );
  }
  for (const index of indexes) {
    const relation = compareIndexSpecs(spec, index.spec);
    if (relation === 'identical') {
      throw new CommandError(85, `Index already exists with a different name: ${index.name}`);
    }
    if (relation === 'equivalent') {
      throw new CommandError(
        85,
        `An equivalent index already exists with a different name and options. ${details(index)}`,
      );
    }
  }
  return false;
}

const listIndexes: Command = {
  options: 'cursor',
  run(command, { store, cursors, db }) {
    const name = collectionName(command, 'listIndexes', db);
    const collection = existingCollection(store, db, name, `ns does not exist: ${db}.${name}`);
    const specs = collection.indexes.map(({ spec }) => encode(spec));
    return cursors.open(`${db}.${name}`, specs.values(), cursorBatchSize(command, 'listIndexes'));
  },
};

const dropIndexes: Command = {
  options: 'index',
  writes: true,
  run(command, { store, db }) {
    const name = collectionName(command, 'dropIndexes', db);
    const collection = existingCollection(store, db, name, `ns not found ${db}.${name}`);
    const nIndexesWas = collection.indexes.length;
    if (command.index === '*') {
      for (const index of collection.indexes.slice(1)) store.removeIndex(collection, index);
      return { nIndexesWas, msg: 'non-_id indexes dropped for collection' };
    }
    for (const wanted of [command.index].flat()) store.removeIndex(collection, findIndex(collection, wanted));
    return { nIndexesWas };
  },
};

function existingCollection(store: Store, db: string, name: string, message: string): Collection {
  checkNamespace(db, name);
  const collection = store.find(db, name);
  if (!collection) throw new CommandError(26, message);
  return collection;
}

/** Finds an index to drop, by its name or its key pattern. */
function findIndex({ indexes }: Collection, wanted: unknown): Index {
  const byName = typeof wanted === 'string';
  if (!byName && !isDoc(wanted)) {
    throw typeMismatch("BSON field 'dropIndexes.index' is the wrong type, expected types '[string, object]'");
  }
  const index = indexes.find(({ name, key }) => (byName ? name === wanted : equalValues(key, wanted)));
  if (!index) {
    throw new CommandError(
      27,
      byName ? `index not found with name [${wanted}]` : `can't find index with key: ${toShell(wanted)}`,
    );
  }
  if (index.name === '_id_') throw new CommandError(72, 'cannot drop _id index');
  return index;
}

export const indexCommands: Record<string, Command> = { createIndexes, listIndexes, dropIndexes };
