import { asInteger, type Doc, integer, isDoc } from '../bson/value.ts';
import { CommandError, failedToParse, typeMismatch, writeError } from '../errors.ts';
import { truthy } from '../language/filter.ts';
import { deleteDocuments, emptyCollection, type UpdateOutcome, updateDocuments } from '../plan/write.ts';
import { insertDocument } from '../store/documents.ts';
import {
  type Command,
  type CommandContext,
  collationOf,
  collectionName,
  evaluateOf,
  hintOf,
  requiredArray,
} from './command.ts';
import { findAndModify } from './find-and-modify.ts';

const MAX_BATCH = 100_000;

/** Runs the statements of a multi-write one by one; an ordered one ends at the first that fails. */
function runBatch(command: Doc, statements: unknown[], run: (statement: Doc, index: number) => void): Doc[] {
  if (statements.length === 0 || statements.length > MAX_BATCH) {
    throw new CommandError(
      16,
      `Write batch sizes must be between 1 and ${MAX_BATCH}. Got ${statements.length} operations.`,
    );
  }
  const ordered = command.ordered === undefined || truthy(command.ordered);
  const errors: Doc[] = [];
  for (const [index, statement] of statements.entries()) {
    if (!isDoc(statement)) throw typeMismatch('a write statement must be an object');
    try {
      run(statement, index);
    } catch (error) {
      // what is not the client's doing ends the command, and its transaction with it
      if (!(error instanceof CommandError) && (error as Error).name !== 'Error') throw error;
      if ((error as { code?: unknown }).code === 'ERR_SQLITE_ERROR') throw error;
      errors.push(writeError(index, error));
      if (ordered) break;
    }
  }
  return errors;
}

function result(fields: Doc, errors: Doc[]): Doc {
  return errors.length > 0 ? { ...fields, writeErrors: errors } : fields;
}

const insert: Command = {
  options: ['documents', 'ordered', 'bypassDocumentValidation'],
  writes: true,
  run(command, { store, db }) {
    const name = collectionName(command, 'insert', db);
    const documents = requiredArray(command, 'insert', 'documents');
    const collection = store.findOrCreate(db, name);
    let n = 0;
    const errors = runBatch(command, documents, (document) => {
      insertDocument(store, collection, document);
      n++;
    });
    return result({ n }, errors);
  },
};

const UPDATE_FIELDS = new Set([
  'q',
  'u',
  'c',
  'multi',
  'upsert',
  'collation',
  'arrayFilters',
  'hint',
  'sort',
]);
const DELETE_FIELDS = new Set(['q', 'limit', 'collation', 'hint']);

function checkFields(statement: Doc, known: Set<string>, path: string, required: string[]): void {
  for (const field of Object.keys(statement)) {
    if (!known.has(field))
      throw new CommandError(40415, `BSON field '${path}.${field}' is an unknown field.`);
  }
  for (const field of required) {
    if (statement[field] === undefined) {
      throw new CommandError(40414, `BSON field '${path}.${field}' is missing but a required field`);
    }
  }
}

const update: Command = {
  options: ['updates', 'ordered', 'bypassDocumentValidation', 'let'],
  writes: true,
  run(command, context) {
    const { store, db, now } = context;
    const name = collectionName(command, 'update', db);
    const updates = requiredArray(command, 'update', 'updates');
    let n = 0;
    let nModified = 0;
    const upserted: Doc[] = [];
    for (const statement of updates) {
      if (isDoc(statement)) checkFields(statement, UPDATE_FIELDS, 'update.updates', ['q', 'u']);
    }
    const errors = runBatch(command, updates, (statement, index) => {
      const wanted = updateStatement(statement, command, context, name);
      const collection = wanted.upsert ? store.findOrCreate(db, name) : store.find(db, name);
      const outcome: UpdateOutcome = { matched: 0, modified: 0 };
      try {
        updateDocuments({ store, collection: collection ?? emptyCollection(db, name), now }, wanted, outcome);
      } finally {
        // of a multi-update that fails midway what is done stays done
        n += outcome.matched + (outcome.upserted ? 1 : 0);
        nModified += outcome.modified;
      }
      if (outcome.upserted) upserted.push({ index, _id: outcome.upserted._id });
    });
    return result({ n, nModified, ...(upserted.length > 0 ? { upserted } : {}) }, errors);
  },
};

function updateStatement(statement: Doc, command: Doc, { store, db, now }: CommandContext, name: string) {
  const collection = store.find(db, name);
  if (statement.sort !== undefined && truthy(statement.multi)) {
    throw failedToParse('Cannot specify sort with multi=true');
  }
  return {
    filter: statement.q,
    update: statement.u,
    arrayFilters: statement.arrayFilters,
    sort: statement.sort,
    multi: truthy(statement.multi),
    upsert: truthy(statement.upsert),
    collation: collationOf(statement, collection),
    hint: hintOf(statement.hint, collection),
    evaluate: evaluateOf({ ...statement, let: mergedLet(command, statement) }, collection, now),
  };
}

/** `c` are the constants that a statement hands to its pipeline. */
function mergedLet(command: Doc, statement: Doc): Doc {
  const constants = isDoc(statement.c)
    ? Object.fromEntries(Object.entries(statement.c).map(([name, value]) => [name, { $literal: value }]))
    : {};
  return { ...(isDoc(command.let) ? command.let : {}), ...constants };
}

const remove: Command = {
  options: ['deletes', 'ordered', 'let'],
  writes: true,
  run(command, { store, db, now }) {
    const name = collectionName(command, 'delete', db);
    const collection = store.find(db, name);
    const deletes = requiredArray(command, 'delete', 'deletes');
    let n = 0;
    for (const statement of deletes) {
      if (isDoc(statement)) checkFields(statement, DELETE_FIELDS, 'delete.deletes', ['q', 'limit']);
    }
    const errors = runBatch(command, deletes, (statement) => {
      const limit = asInteger(statement.limit);
      if (limit !== 0 && limit !== 1) {
        throw failedToParse(
          `The limit field in delete objects must be 0 or 1. Got ${String(statement.limit)}`,
        );
      }
      const wanted = {
        filter: statement.q,
        multi: limit === 0,
        collation: collationOf(statement, collection),
        hint: hintOf(statement.hint, collection),
        evaluate: evaluateOf({ ...statement, let: command.let }, collection, now),
      };
      n += deleteDocuments(
        { store, collection: collection ?? emptyCollection(db, name), now },
        wanted,
      ).deleted;
    });
    return result({ n: integer(n) }, errors);
  },
};

export const writeCommands: Record<string, Command> = {
  insert,
  update,
  delete: remove,
  findAndModify,
  findandmodify: findAndModify,
};
