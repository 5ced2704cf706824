import type { Doc } from '../bson/value.ts';
import { failedToParse } from '../errors.ts';
import type { Scope } from '../language/expression-context.ts';
import { parseUpdate } from '../language/update.ts';
import { upsertDocument } from '../language/upsert.ts';
import { deleteDocument, insertDocument, replaceDocument } from '../store/documents.ts';
import { type Collection, checkNamespace, type Store } from '../store/store.ts';
import { prepareQuery, type Query, runQuery } from './query.ts';
import type { StoredDocument } from './sorted-read.ts';

export interface Statement {
  readonly filter: unknown;
  readonly sort?: unknown;
  readonly hint?: string | undefined;
  readonly scope: Scope;
  readonly multi: boolean;
}

export interface UpdateStatement extends Statement {
  readonly update: unknown;
  readonly upsert: boolean;
}

export interface UpdateOutcome {
  matched: number;
  modified: number;
  upserted?: Doc;
  /** The last document that matched, before and after the update. */
  before?: Doc;
  after?: Doc;
}

/** Records its progress in `outcome`, so that a failure midway does not lose it. */
export function updateDocuments(
  store: Store,
  collection: Collection,
  statement: UpdateStatement,
  outcome: UpdateOutcome = { matched: 0, modified: 0 },
): UpdateOutcome {
  const query = prepareQuery(store, collection, { ...statement, limit: statement.multi ? 0 : 1 });
  const update = parseUpdate(statement.update, statement.scope);
  if (statement.multi && update.kind === 'replacement') {
    throw failedToParse('multi update is not supported for replacement-style update');
  }
  for (const entry of allMatches(store, collection, query)) {
    const before = entry.doc();
    const after = update.apply(before);
    const changed = replaceDocument(store, collection, entry.id, before, entry.bson, after);
    outcome.matched++;
    if (changed) outcome.modified++;
    outcome.before = before;
    outcome.after = after;
  }
  if (outcome.matched === 0 && statement.upsert) {
    outcome.upserted = insertDocument(store, collection, upsertDocument(query.filter, update));
    outcome.after = outcome.upserted;
  }
  return outcome;
}

export function deleteDocuments(
  store: Store,
  collection: Collection,
  statement: Statement,
): { deleted: number; before?: Doc } {
  const query = prepareQuery(store, collection, { ...statement, limit: statement.multi ? 0 : 1 });
  const outcome: { deleted: number; before?: Doc } = { deleted: 0 };
  for (const entry of allMatches(store, collection, query)) {
    outcome.before = entry.doc();
    deleteDocument(store, collection, entry.id, outcome.before);
    outcome.deleted++;
  }
  return outcome;
}

/** Collects all matches before the first write, so that the scan cannot meet a changed document again. */
function allMatches(store: Store, collection: Collection, query: Query): StoredDocument[] {
  return [...runQuery(store, collection, query)];
}

/** Stands in for a missing collection, so that a statement is checked even if there is nothing to write. */
export function emptyCollection(db: string, name: string): Collection {
  checkNamespace(db, name);
  return { id: 0, db, name, uuid: Buffer.alloc(16), options: {}, collation: undefined, indexes: [] };
}
