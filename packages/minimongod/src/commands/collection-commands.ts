import { UUID } from 'bson';
import { parseCollation } from '../bson/collation.ts';
import { equalValues } from '../bson/compare.ts';
import { type Doc, encode, integer, isDoc } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { parseFilter, truthy } from '../language/filter.ts';
import { compileFilter } from '../language/match.ts';
import { type Command, collectionName, optionalInteger } from './command.ts';

const create: Command = {
  options: [
    'collation',
    'capped',
    'size',
    'max',
    'validator',
    'viewOn',
    'timeseries',
    'clusteredIndex',
    'pipeline',
    'validationLevel',
    'validationAction',
    'expireAfterSeconds',
    'indexOptionDefaults',
    'storageEngine',
    'autoIndexId',
    'changeStreamPreAndPostImages',
    'encryptedFields',
  ],
  writes: true,
  run(command, { store, db }) {
    const name = collectionName(command, 'create', db);
    for (const option of Object.keys(command)) {
      const changes = create.options.includes(option) && option !== 'collation';
      if (changes && truthy(command[option])) {
        throw new CommandError(115, `create option '${option}' is not supported here`);
      }
    }
    const collation = parseCollation(command.collation);
    const options: Doc = collation ? { collation: collation.spec } : {};
    const existing = store.find(db, name);
    if (existing) {
      if (equalValues(existing.options, options)) return {};
      throw new CommandError(48, `Collection ${db}.${name} already exists.`);
    }
    store.create(db, name, options);
    return {};
  },
};

const drop: Command = {
  options: [],
  writes: true,
  run(command, { store, db }) {
    const name = collectionName(command, 'drop', db);
    const collection = store.find(db, name);
    if (!collection) return {};
    const nIndexesWas = collection.indexes.length;
    store.drop(collection);
    return { nIndexesWas, ns: `${db}.${name}` };
  },
};

const dropDatabase: Command = {
  options: [],
  writes: true,
  run(_command, { store, db }) {
    const collections = store.collections(db);
    for (const collection of collections) store.drop(collection);
    return collections.length > 0 ? { dropped: db } : {};
  },
};

const listCollections: Command = {
  options: ['filter', 'nameOnly', 'cursor', 'authorizedCollections'],
  run(command, { store, cursors, db }) {
    const nameOnly = truthy(command.nameOnly);
    const test = compileFilter(parseFilter(command.filter ?? {}));
    const docs = store
      .collections(db)
      .map(({ name, options, uuid, indexes }): Doc => {
        const base: Doc = { name, type: 'collection' };
        if (nameOnly) return base;
        return {
          ...base,
          options,
          info: { readOnly: false, uuid: new UUID(uuid) },
          idIndex: indexes[0]?.spec,
        };
      })
      .filter(test);
    const size = isDoc(command.cursor)
      ? optionalInteger(command.cursor, 'listCollections', 'batchSize')
      : undefined;
    return cursors.open(`${db}.$cmd.listCollections`, docs.map(encode).values(), size);
  },
};

const listDatabases: Command = {
  options: ['filter', 'nameOnly', 'authorizedDatabases'],
  run(command, { store }) {
    const test = compileFilter(parseFilter(command.filter ?? {}));
    const names = [...new Set(store.collections().map(({ db }) => db))].sort();
    // all databases lie in one file, so that its size is all that is known
    const totalSize = store.bytes();
    const databases = names
      .map((name): Doc => ({ name, sizeOnDisk: integer(totalSize), empty: false }))
      .filter(test);
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
