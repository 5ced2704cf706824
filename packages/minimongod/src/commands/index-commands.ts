import { equalValues } from '../bson/compare.ts';
import { shell } from '../bson/shell.ts';
import { type Doc, decode, encode, integer, isDoc } from '../bson/value.ts';
import { CommandError, typeMismatch } from '../errors.ts';
import { buildIndex } from '../store/documents.ts';
import { compareIndexSpecs, type Index, normalizeIndexSpec } from '../store/indexes.ts';
import { type Collection, checkNamespace, type Store } from '../store/store.ts';
import { type Command, collectionName, optionalInteger, requiredArray } from './command.ts';

const MAX_INDEXES = 64;

const createIndexes: Command = {
  options: ['indexes', 'commitQuorum'],
  writes: true,
  run(command, { store, db }) {
    const name = collectionName(command, 'createIndexes', db);
    const given = requiredArray(command, 'createIndexes', 'indexes');
    if (given.length === 0) throw new CommandError(2, 'Must specify at least one index to create');
    const existing = store.find(db, name);
    const specs = given.map((spec) => normalizeIndexSpec(spec, existing?.collation));
    const collection = store.findOrCreate(db, name);
    const numIndexesBefore = collection.indexes.length;
    for (const spec of specs) {
      if (isThere(collection, spec)) continue;
      if (collection.indexes.length >= MAX_INDEXES) {
        throw new CommandError(
          67,
          `add index fails, too many indexes for ${db}.${name} key:${shell(spec.key)}`,
        );
      }
      buildIndex(store, collection, store.addIndex(collection, spec), documents(store, collection));
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

/** Whether the very index exists; one that only resembles it is a conflict. */
function isThere(collection: Collection, spec: Doc): boolean {
  const details = (index: Index) => `Requested index: ${shell(spec)}, existing index: ${shell(index.spec)}`;
  const named = collection.indexes.find((index) => index.name === spec.name);
  if (named) {
    const relation = compareIndexSpecs(spec, named.spec);
    if (relation === 'identical' || (named.name === '_id_' && equalValues(spec.key, named.key))) return true;
    if (relation === 'different') {
      throw new CommandError(
        86,
        `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. ${details(named)}`,
      );
    }
    throw new CommandError(
      85,
      `An equivalent index already exists with the same name but different options. ${details(named)}`,
    );
  }
  for (const index of collection.indexes) {
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

function* documents(store: Store, { id }: Collection): Generator<[number, Doc]> {
  const page = store.statement(`SELECT id, bson FROM doc_${id} WHERE id > ? ORDER BY id LIMIT 500`);
  for (let last = -1; ; ) {
    const rows = page.all(last);
    if (rows.length === 0) return;
    for (const row of rows) {
      last = Number(row.id);
      yield [last, decode(row.bson as Uint8Array)];
    }
  }
}

function existingCollection(store: Store, db: string, name: string, message: string): Collection {
  checkNamespace(db, name);
  const collection = store.find(db, name);
  if (!collection) throw new CommandError(26, message);
  return collection;
}

const listIndexes: Command = {
  options: ['cursor'],
  run(command, { store, cursors, db }) {
    const name = collectionName(command, 'listIndexes', db);
    const collection = existingCollection(store, db, name, `ns does not exist: ${db}.${name}`);
    const size = isDoc(command.cursor)
      ? optionalInteger(command.cursor, 'listIndexes', 'batchSize')
      : undefined;
    const specs = collection.indexes.map(({ spec }) => encode(spec));
    return cursors.open(`${db}.${name}`, specs.values(), size);
  },
};

const dropIndexes: Command = {
  options: ['index'],
  writes: true,
  run(command, { store, db }) {
    const name = collectionName(command, 'dropIndexes', db);
    const collection = existingCollection(store, db, name, `ns not found ${db}.${name}`);
    const nIndexesWas = collection.indexes.length;
    if (command.index === '*') {
      for (const index of collection.indexes.slice(1)) store.removeIndex(collection, index);
      return { nIndexesWas, msg: 'non-_id indexes dropped for collection' };
    }
    for (const wanted of [command.index].flat()) store.removeIndex(collection, indexFor(collection, wanted));
    return { nIndexesWas };
  },
};

function indexFor(collection: Collection, wanted: unknown): Index {
  if (typeof wanted !== 'string' && !isDoc(wanted)) {
    throw typeMismatch("BSON field 'dropIndexes.index' is the wrong type, expected types '[string, object]'");
  }
  const index = collection.indexes.find(({ name, key }) =>
    typeof wanted === 'string' ? name === wanted : equalValues(key, wanted),
  );
  if (!index) {
    const what = typeof wanted === 'string' ? `name [${wanted}]` : `key pattern ${shell(wanted)}`;
    throw new CommandError(
      27,
      typeof wanted === 'string'
        ? `index not found with ${what}`
        : `can't find index with key: ${shell(wanted)}`,
    );
  }
  if (index.name === '_id_') throw new CommandError(72, 'cannot drop _id index');
  return index;
}

/** Only a TTL index's expiry can be changed, which is what collMod is for most of the time. */
const collMod: Command = {
  options: ['index'],
  writes: true,
  run(command, { store, db }) {
    const name = collectionName(command, 'collMod', db);
    const collection = existingCollection(store, db, name, `ns does not exist: ${db}.${name}`);
    if (!isDoc(command.index)) return {};
    const { name: indexName, keyPattern, expireAfterSeconds, ...others } = command.index;
    if (Object.keys(others).length > 0 || expireAfterSeconds === undefined) {
      throw new CommandError(72, 'collMod changes expireAfterSeconds only here');
    }
    const index = indexFor(collection, indexName ?? keyPattern);
    const old = index.expireAfterSeconds;
    store.replaceIndex(collection, index, normalizeIndexSpec({ ...index.spec, expireAfterSeconds }));
    return {
      ...(old === undefined ? {} : { expireAfterSeconds_old: integer(old) }),
      expireAfterSeconds_new: expireAfterSeconds,
    };
  },
};

export const indexCommands: Record<string, Command> = { createIndexes, listIndexes, dropIndexes, collMod };
