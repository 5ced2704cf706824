import { type Doc, isDoc, truthy } from '../bson/value.ts';
import { failedToParse } from '../errors.ts';
import { parseProjection } from '../language/projection.ts';
import { deleteDocuments, emptyCollection, updateDocuments } from '../plan/write.ts';
import { type Command, collectionName, hintOf, scopeOf } from './command.ts';

export const findAndModify: Command = {
  options: 'query sort remove update new fields upsert collation hint bypassDocumentValidation',
  writes: true,
  run(command, { store, db, now }) {
    const name = collectionName(command, 'findAndModify', db);
    const remove = truthy(command.remove);
    const returnNew = truthy(command.new);
    const upsert = truthy(command.upsert);
    checkOptions({ remove, returnNew, upsert, update: command.update !== undefined });
    const existing = upsert ? store.findOrCreate(db, name) : store.find(db, name);
    const collection = existing ?? emptyCollection(db, name);
    const scope = scopeOf(command, collection, now);
    const statement = {
      filter: command.query,
      sort: command.sort,
      hint: hintOf(command.hint, existing),
      scope,
      multi: false,
    };
    const { fields } = command;
    const project =
      isDoc(fields) && Object.keys(fields).length > 0 ? parseProjection(fields, scope) : (doc: Doc) => doc;
    if (remove) {
      const { deleted, before } = deleteDocuments(store, collection, statement);
      return { lastErrorObject: { n: deleted }, value: before ? project(before) : null };
    }
    const outcome = updateDocuments(store, collection, { ...statement, update: command.update, upsert });
    const { matched, upserted } = outcome;
    const value = returnNew ? outcome.after : outcome.before;
    return {
      lastErrorObject: {
        n: matched + (upserted ? 1 : 0),
        updatedExisting: matched > 0,
        ...(upserted ? { upserted: upserted._id } : {}),
      },
      value: value ? project(value) : null,
    };
  },
};

function checkOptions(given: {
  remove: boolean;
  returnNew: boolean;
  upsert: boolean;
  update: boolean;
}): void {
  const { remove, returnNew, upsert, update } = given;
  if (!remove && !update) throw failedToParse('Either an update or remove=true must be specified');
  if (remove && update) throw failedToParse('Cannot specify both an update and remove=true');
  if (remove && upsert) throw failedToParse('Cannot specify both upsert=true and remove=true');
  if (remove && returnNew) {
    throw failedToParse(
      "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document",
    );
  }
}
