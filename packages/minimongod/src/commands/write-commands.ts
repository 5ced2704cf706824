import { asInteger, type Doc, integer, isDoc, truthy } from '../bson/value.ts';
import {
  CommandError,
  failedToParse,
  missingField,
  typeMismatch,
  unknownField,
  writeError,
} from '../errors.ts';
import { deleteDocuments, emptyCollection, type UpdateOutcome, updateDocuments } from '../plan/write.ts';
import { insertDocument } from '../store/documents.ts';
import { type Command, collectionName, hintOf, requiredArray, scopeOf } from './command.ts';
import { MAX_BATCH } from './server-commands.ts';

/** Runs the statements of a batch one by one; an ordered batch ends at the first error. */
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
      // An error of the server, such as a full disk, fails the command and rolls back its transaction.
      if (!(error instanceof CommandError)) throw error;
      errors.push(writeError(index, error));
      if (ordered) break;
    }
  }
  return errors;
}

function checkFields(statement: unknown, path: string, required: string[], optional: string[]): void {
  if (!isDoc(statement)) return;
  const unknown = Object.keys(statement).find(
    (field) => !required.includes(field) && !optional.includes(field),
  );
  if (unknown !== undefined) throw unknownField(`${path}.${unknown}`);
  const missing = required.find((field) => statement[field] === undefined);
  if (missing !== undefined) throw missingField(`${path}.${missing}`);
}

const insert: Command = {
  options: 'documents ordered bypassDocumentValidation',
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
    return { n, ...(errors.length > 0 ? { writeErrors: errors } : {}) };
  },
};

const update: Command = {
  options: 'updates ordered bypassDocumentValidation',
  writes: true,
  run(command, { store, db, now }) {
    const name = collectionName(command, 'update', db);
    const updates = requiredArray(command, 'update', 'updates');
    for (const statement of updates) {
      checkFields(statement, 'update.updates', ['q', 'u'], ['multi', 'upsert', 'collation', 'hint', 'sort']);
    }
    let n = 0;
    let nModified = 0;
    const upserted: Doc[] = [];
    const errors = runBatch(command, updates, (statement, index) => {
      const multi = truthy(statement.multi);
      const upsert = truthy(statement.upsert);
      if (statement.sort !== undefined && multi) throw failedToParse('Cannot specify sort with multi=true');
      const existing = upsert ? store.findOrCreate(db, name) : store.find(db, name);
      const outcome: UpdateOutcome = { matched: 0, modified: 0 };
      const { q: filter, u: change, sort } = statement;
      const hint = hintOf(statement.hint, existing);
      const scope = scopeOf(statement, existing, now);
      try {
        const collection = existing ?? emptyCollection(db, name);
        updateDocuments(
          store,
          collection,
          { filter, update: change, sort, hint, scope, multi, upsert },
          outcome,
        );
      } finally {
        // A multi-update that fails midway keeps the updates it has made.
        n += outcome.matched + (outcome.upserted ? 1 : 0);
        nModified += outcome.modified;
      }
      if (outcome.upserted) upserted.push({ index, _id: outcome.upserted._id });
    });
    return {
      n,
      nModified,
      ...(upserted.length > 0 ? { upserted } : {}),
      ...(errors.length > 0 ? { writeErrors: errors } : {}),
    };
  },
};

const remove: Command = {
  options: 'deletes ordered',
  writes: true,
  run(command, { store, db, now }) {
    const name = collectionName(command, 'delete', db);
    const deletes = requiredArray(command, 'delete', 'deletes');
    for (const statement of deletes) {
      checkFields(statement, 'delete.deletes', ['q', 'limit'], ['collation', 'hint']);
    }
    const existing = store.find(db, name);
    let n = 0;
    const errors = runBatch(command, deletes, (statement) => {
      const limit = asInteger(statement.limit);
      if (limit !== 0 && limit !== 1) {
        throw failedToParse(
          `The limit field in delete objects must be 0 or 1. Got ${String(statement.limit)}`,
        );
      }
      const hint = hintOf(statement.hint, existing);
      const scope = scopeOf(statement, existing, now);
      const collection = existing ?? emptyCollection(db, name);
      n += deleteDocuments(store, collection, {
        filter: statement.q,
        hint,
        scope,
        multi: limit === 0,
      }).deleted;
    });
    return { n: integer(n), ...(errors.length > 0 ? { writeErrors: errors } : {}) };
  },
};

export const writeCommands: Record<string, Command> = { insert, update, delete: remove };
