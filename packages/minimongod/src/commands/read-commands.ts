import type { Collation } from '../bson/collation.ts';
import { encodeKey } from '../bson/key.ts';
import { EMPTY_ARRAY, extractKeys, leafValue } from '../bson/path.ts';
import { asInteger, type Doc, encode, integer, isDoc } from '../bson/value.ts';
import { badValue, CommandError, failedToParse } from '../errors.ts';
import { truthy } from '../language/filter.ts';
import { aggregate } from '../plan/aggregate.ts';
import { countQuery, prepareQuery, runDocs, runFind } from '../plan/query.ts';
import {
  asLong,
  type Command,
  collationOf,
  collectionName,
  evaluateOf,
  hintOf,
  optionalInteger,
  requiredArray,
  scopeOf,
} from './command.ts';
import { explain } from './explain.ts';
import { findRequest } from './find-request.ts';

const find: Command = {
  options: [
    'filter',
    'sort',
    'projection',
    'hint',
    'skip',
    'limit',
    'batchSize',
    'singleBatch',
    'collation',
    'let',
    'allowDiskUse',
    'noCursorTimeout',
    'allowPartialResults',
    'tailable',
    'awaitData',
    'returnKey',
    'showRecordId',
    'min',
    'max',
    'oplogReplay',
  ],
  run(command, { store, cursors, db, now }) {
    const name = collectionName(command, 'find', db);
    if (truthy(command.tailable)) {
      throw badValue('error processing query: tailable cursor requested on non capped collection');
    }
    for (const option of ['returnKey', 'showRecordId', 'min', 'max']) {
      if (truthy(command[option])) throw badValue(`find option '${option}' is not supported here`);
    }
    const collection = store.find(db, name);
    const query = prepareQuery(store, collection, findRequest(command, collection, now));
    return cursors.open(
      `${db}.${name}`,
      runFind(store, collection, query),
      optionalInteger(command, 'find', 'batchSize'),
      truthy(command.singleBatch),
    );
  },
};

const getMore: Command = {
  options: ['collection', 'batchSize'],
  run(command, { cursors, db }) {
    const size = optionalInteger(command, 'getMore', 'batchSize');
    return cursors.getMore(
      asLong(command.getMore),
      `${db}.${collectionName(command, 'collection', db)}`,
      size || undefined,
    );
  },
};

const killCursors: Command = {
  options: ['cursors'],
  run(command, { cursors, db }) {
    const ids = requiredArray(command, 'killCursors', 'cursors').map(asLong);
    const { killed, notFound } = cursors.kill(ids, `${db}.${collectionName(command, 'killCursors', db)}`);
    return { cursorsKilled: killed, cursorsNotFound: notFound, cursorsAlive: [], cursorsUnknown: [] };
  },
};

const count: Command = {
  options: ['query', 'limit', 'skip', 'hint', 'collation', 'fields'],
  run(command, { store, db, now }) {
    const collection = store.find(db, collectionName(command, 'count', db));
    const query = prepareQuery(store, collection, {
      filter: command.query ?? {},
      skip: optionalInteger(command, 'count', 'skip') ?? 0,
      limit: Math.abs(asInteger(command.limit ?? 0) ?? 0),
      collation: collationOf(command, collection),
      hint: hintOf(command.hint, collection),
      evaluate: evaluateOf(command, collection, now),
    });
    return { n: integer(collection ? countQuery(store, collection, query) : 0) };
  },
};

const distinct: Command = {
  options: ['key', 'query', 'collation', 'hint'],
  run(command, { store, db, now }) {
    const collection = store.find(db, collectionName(command, 'distinct', db));
    if (typeof command.key !== 'string') {
      throw new CommandError(14, "BSON field 'distinct.key' is the wrong type, expected type 'string'");
    }
    const collation = collationOf(command, collection);
    const query = prepareQuery(store, collection, {
      filter: command.query ?? {},
      collation,
      hint: hintOf(command.hint, collection),
      evaluate: evaluateOf(command, collection, now),
    });
    const docs = collection ? runDocs(store, collection, query) : [];
    return { values: distinctValues(docs, command.key.split('.'), collation) };
  },
};

function distinctValues(docs: Iterable<Doc>, path: string[], collation: Collation | undefined): unknown[] {
  const values = new Map<string, unknown>();
  for (const doc of docs) {
    for (const [key] of extractKeys(doc, [path]).keys) {
      const value = leafValue(key);
      if (value === undefined || value === EMPTY_ARRAY) continue;
      const id = encodeKey([value], [], collation).toString('latin1');
      if (!values.has(id)) values.set(id, value);
    }
  }
  return [...values.values()];
}

const aggregateCommand: Command = {
  options: [
    'pipeline',
    'cursor',
    'explain',
    'allowDiskUse',
    'hint',
    'let',
    'collation',
    'bypassDocumentValidation',
  ],
  run(command, { store, cursors, db, now }) {
    const target = command.aggregate;
    const onCollection = typeof target === 'string';
    if (!onCollection && asInteger(target) !== 1) {
      throw failedToParse(
        "Invalid command format: the 'aggregate' field must specify a collection name or 1",
      );
    }
    const pipeline = requiredArray(command, 'aggregate', 'pipeline');
    if (!isDoc(command.cursor)) {
      throw failedToParse("The 'cursor' option is required, except for aggregate with the explain argument");
    }
    const name = onCollection ? collectionName(command, 'aggregate', db) : '$cmd.aggregate';
    const collection = onCollection ? store.find(db, name) : undefined;
    const docs = aggregate(
      { store, db, scope: scopeOf(command, collection, now), hint: hintOf(command.hint, collection) },
      collection,
      pipeline,
      onCollection,
    );
    return cursors.open(
      `${db}.${name}`,
      encoded(docs),
      optionalInteger(command.cursor, 'aggregate', 'batchSize'),
    );
  },
};

function* encoded(docs: Iterable<Doc>): Generator<Uint8Array> {
  for (const doc of docs) yield encode(doc);
}

export const readCommands: Record<string, Command> = {
  find,
  getMore,
  killCursors,
  count,
  distinct,
  aggregate: aggregateCommand,
  explain,
};
