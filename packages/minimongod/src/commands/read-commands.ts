import type { Collation } from '../bson/collation.ts';
import { mapKey } from '../bson/key.ts';
import { EMPTY_ARRAY, extractValues } from '../bson/paths.ts';
import { asInteger, type Doc, encode, integer, isDoc, truthy } from '../bson/value.ts';
import { CommandError, failedToParse, typeMismatch } from '../errors.ts';
import { aggregate } from '../plan/aggregate.ts';
import { countQuery, prepareQuery, type QueryRequest, runFind, runQuery } from '../plan/query.ts';
import type { StoredDocument } from '../plan/sorted-read.ts';
import type { Collection } from '../store/store.ts';
import {
  type Command,
  collectionName,
  cursorBatchSize,
  cursorId,
  hintOf,
  optionalInteger,
  requiredArray,
  scopeOf,
} from './command.ts';

const find: Command = {
  options:
    'filter sort projection hint skip limit batchSize singleBatch collation allowDiskUse noCursorTimeout allowPartialResults',
  run(command, { store, cursors, db, now }) {
    const name = collectionName(command, 'find', db);
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

export function findRequest(command: Doc, collection: Collection | undefined, now: Date): QueryRequest {
  return {
    filter: command.filter,
    sort: command.sort,
    skip: optionalInteger(command, 'find', 'skip') ?? 0,
    limit: optionalInteger(command, 'find', 'limit') ?? 0,
    projection: command.projection,
    hint: hintOf(command.hint, collection),
    scope: scopeOf(command, collection, now),
  };
}

const getMore: Command = {
  options: 'collection batchSize',
  run(command, { cursors, db }) {
    const batchSize = optionalInteger(command, 'getMore', 'batchSize') || undefined;
    const namespace = `${db}.${collectionName(command, 'collection', db)}`;
    return cursors.getMore(cursorId(command.getMore), namespace, batchSize);
  },
};

const killCursors: Command = {
  options: 'cursors',
  run(command, { cursors, db }) {
    const ids = requiredArray(command, 'killCursors', 'cursors').map(cursorId);
    const { killed, notFound } = cursors.kill(ids, `${db}.${collectionName(command, 'killCursors', db)}`);
    return { cursorsKilled: killed, cursorsNotFound: notFound, cursorsAlive: [], cursorsUnknown: [] };
  },
};

const count: Command = {
  options: 'query limit skip hint collation fields',
  run(command, { store, db, now }) {
    const collection = store.find(db, collectionName(command, 'count', db));
    const query = prepareQuery(store, collection, {
      filter: command.query,
      skip: optionalInteger(command, 'count', 'skip') ?? 0,
      limit: Math.abs(asInteger(command.limit) ?? 0),
      hint: hintOf(command.hint, collection),
      scope: scopeOf(command, collection, now),
    });
    return { n: integer(collection ? countQuery(store, collection, query) : 0) };
  },
};

const distinct: Command = {
  options: 'key query collation hint',
  run(command, { store, db, now }) {
    const collection = store.find(db, collectionName(command, 'distinct', db));
    if (typeof command.key !== 'string') {
      throw typeMismatch("BSON field 'distinct.key' is the wrong type, expected type 'string'");
    }
    const scope = scopeOf(command, collection, now);
    const hint = hintOf(command.hint, collection);
    const query = prepareQuery(store, collection, { filter: command.query, hint, scope });
    const entries = collection ? runQuery(store, collection, query) : [];
    return { values: distinctValues(entries, command.key.split('.'), scope.collation) };
  },
};

function distinctValues(
  entries: Iterable<StoredDocument>,
  path: string[],
  collation: Collation | undefined,
): unknown[] {
  const values = new Map<string, unknown>();
  for (const entry of entries) {
    for (const value of extractValues(entry.doc(), path)) {
      if (value === undefined || value === EMPTY_ARRAY) continue;
      const key = mapKey(value, collation);
      if (!values.has(key)) values.set(key, value);
    }
  }
  return [...values.values()];
}

const aggregateCommand: Command = {
  options: 'pipeline cursor allowDiskUse hint collation bypassDocumentValidation',
  run(command, { store, cursors, db, now }) {
    if (asInteger(command.aggregate) === 1) {
      throw new CommandError(73, '{aggregate: 1} is not supported: a collection is required');
    }
    const name = collectionName(command, 'aggregate', db);
    const pipeline = requiredArray(command, 'aggregate', 'pipeline');
    if (!isDoc(command.cursor)) {
      throw failedToParse("The 'cursor' option is required, except for aggregate with the explain argument");
    }
    const collection = store.find(db, name);
    const scope = scopeOf(command, collection, now);
    const hint = hintOf(command.hint, collection);
    const docs = aggregate({ store, db, scope, hint }, collection, pipeline);
    return cursors.open(`${db}.${name}`, encodeAll(docs), cursorBatchSize(command, 'aggregate'));
  },
};

function* encodeAll(docs: Iterable<Doc>): Generator<Uint8Array> {
  for (const doc of docs) yield encode(doc);
}

export const readCommands: Record<string, Command> = {
  find,
  getMore,
  killCursors,
  count,
  distinct,
  aggregate: aggregateCommand,
};
