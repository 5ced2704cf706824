import { type Doc, isDoc } from '../bson/value.ts';
import { failedToParse } from '../errors.ts';
import { truthy } from '../language/filter.ts';
import { parseProjection } from '../language/projection.ts';
import { deleteDocuments, emptyCollection, updateDocuments } from '../plan/write.ts';
import { type Command, collationOf, collectionName, evaluateOf, hintOf } from './command.ts';

export const findAndModify: Command = {
  options: [
    'query',
    'sort',
    'remove',
    'update',
    'new',
    'fields',
    'upsert',
    'arrayFilters',
    'collation',
    'hint',
    'let',
    'bypassDocumentValidation',
  ],
  writes: true,
  run(command, { store, db, now }) {
    const name = collectionName(
      command,
      command.findAndModify === undefined ? 'findandmodify' : 'findAndModify',
      db,
    );
    const removing = truthy(command.remove);
    const returnsNew = truthy(command.new);
    const upsert = truthy(command.upsert);
    if (removing && command.update !== undefined) {
      throw failedToParse('Cannot specify both an update and remove=true');
    }
    if (!removing && command.update === undefined) {
      throw failedToParse('Either an update or remove=true must be specified');
    }
    if (removing && upsert) throw failedToParse('Cannot specify both upsert=true and remove=true');
    if (removing && returnsNew) {
      throw failedToParse(
        "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document",
      );
    }
    const existing = upsert ? store.findOrCreate(db, name) : store.find(db, name);
    const collection = existing ?? emptyCollection(db, name);
    const evaluate = evaluateOf(command, collection, now);
    const collation = collationOf(command, collection);
    const statement = {
      filter: command.query ?? {},
      sort: command.sort,
      multi: false,
      collation,
      hint: hintOf(command.hint, existing),
      evaluate,
    };
    const project =
      isDoc(command.fields) && Object.keys(command.fields).length > 0
        ? parseProjection(command.fields, { evaluate, collation })
        : (doc: Doc) => doc;
    const target = { store, collection, now };
    if (removing) {
      const { deleted, before } = deleteDocuments(target, statement);
      return { lastErrorObject: { n: deleted }, value: before ? project(before) : null };
    }
    const { update: change, arrayFilters } = command;
    const outcome = updateDocuments(target, { ...statement, update: change, arrayFilters, upsert });
    const value = returnsNew ? outcome.after : outcome.before;
    return {
      lastErrorObject: {
        n: outcome.matched + (outcome.upserted ? 1 : 0),
        updatedExisting: outcome.matched > 0,
        ...(outcome.upserted ? { upserted: outcome.upserted._id } : {}),
      },
      value: value ? project(value) : null,
    };
  },
};
