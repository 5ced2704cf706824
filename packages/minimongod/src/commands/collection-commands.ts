import { UUID } from 'bson';
import { parseCollation } from '../bson/collation.ts';
import { equalValues } from '../bson/compare.ts';
import { type Doc, encode, integer, truthy } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { parseFilter } from '../language/filter.ts';
import { compileFilter } from '../language/match.ts';
import { type Command, collectionName, cursorBatchSize } from './command.ts';

const create: Command = {
  options: 'collation',
  writes: true,
  run(command, { store, db }) {
    const name = collectionName(command, 'create', db);
    const collation = parseCollation(command.collation);
    const options: Doc = collation ? { collation: collation.spec } : {};
    const existing = store.find(db, name);
    if (!existing) store.create(db, name, options);
    else if (!equalValues(existing.options, options)) {
      throw new CommandError(48, `Collection ${db}.${name} already exists.`);
    }
    return {};
  },
};

const drop: Command = {
  writes: true,
  run(command, { store, db }) {
    const name = collectionName(command, 'drop', db);
    const collection = store.find(db, name);
    if (!collection) return {};
    store.drop(collection);
    return { nIndexesWas: collection.indexes.length, ns: `${db}.${name}` };
  },
};

const dropDatabase: Command = {
  writes: true,
  run(_command, { store, db }) {
    const collections = store.collections(db);
    for (const collection of collections) store.drop(collection);
    return collections.length > 0 ? { dropped: db } : {};
  },
};

const listCollections: Command = {
  options: 'filter nameOnly cursor authorizedCollections',
  run(command, { store, cursors, db }) {
    const nameOnly = truthy(command.nameOnly);
    const docs = store
      .collections(db)
      .map(({ name, options, uuid, indexes }): Doc => {
        const info = { readOnly: false, uuid: new UUID(uuid) };
        const details = nameOnly ? {} : { options, info, idIndex: indexes[0]?.spec };
        return { name, type: 'collection', ...details };
      })
      .filter(compileFilter(parseFilter(command.filter ?? {})));
    const batchSize = cursorBatchSize(command, 'listCollections');
    return cursors.open(`${db}.$cmd.listCollections`, docs.map(encode).values(), batchSize);
  },
};

const listDatabases: Command = {
  options: 'filter nameOnly authorizedDatabases',
  run(command, { store }) {
    // All databases are in one file, so its size stands for each of them.
    const totalSize = store.size();
    const databases = [...new Set(store.collections().map(({ db }) => db))]
      .sort()
      .map((name): Doc => ({ name, sizeOnDisk: integer(totalSize), empty: false }))
      .filter(compileFilter(parseFilter(command.filter ?? {})));
    if (truthy(command.nameOnly)) return { databases: databases.map(({ name }) => ({ name })) };
    return { databases, totalSize: integer(totalSize), totalSizeMb: Math.floor(totalSize / 2 ** 20) };
  },
};

export const collectionCommands: Record<string, Command> = {
  create,
  drop,
  dropDatabase,
  listCollections,
  listDatabases,
};
