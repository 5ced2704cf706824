import type { Collation } from '../bson/collation.ts';
import type { Doc } from '../bson/value.ts';
import { failedToParse } from '../errors.ts';
import type { Evaluate } from '../language/expression.ts';
import { parseUpdate } from '../language/update.ts';
import { upsertDocument } from '../language/upsert.ts';
import { deleteDocument, insertDocument, replaceDocument } from '../store/documents.ts';
import { type Collection, checkNamespace, type Store } from '../store/store.ts';
import { prepareQuery, runQuery, type StoredDocument } from './query.ts';

export interface WriteTarget {
  readonly store: Store;
  readonly collection: Collection;
  readonly now: Date;
}

export interface Statement {
  readonly filter: unknown;
  readonly sort?: unknown;
  readonly collation: Collation | undefined;
  readonly hint?: string | undefined;
  readonly evaluate: Evaluate;
}

export interface UpdateStatement extends Statement {
  readonly update: unknown;
  readonly arrayFilters?: unknown;
  readonly multi: boolean;
  readonly upsert: boolean;
}

export interface UpdateOutcome {
  matched: number;
  modified: number;
  upserted?: Doc;
  /** Of the last document that matched. */
  before?: Doc;
  after?: Doc;
}

/** Every document is an atomic write of its own; the commands around it run in one stretch and one transaction. */
export function updateDocuments(
  { store, collection, now }: WriteTarget,
  statement: UpdateStatement,
  outcome: UpdateOutcome = { matched: 0, modified: 0 },
): UpdateOutcome {
  const query = prepareQuery(store, collection, { ...statement, limit: statement.multi ? 0 : 1 });
  const { update, arrayFilters, collation, evaluate } = statement;
  const request = { filter: query.filter, update, arrayFilters, collation, evaluate, now };
  const parsed = parseUpdate(request);
  if (statement.multi && parsed.kind === 'replacement') {
    throw failedToParse('multi update is not supported for replacement-style update');
  }
  for (const entry of found(store, collection, query)) {
    const before = entry.doc();
    const after = parsed.apply(before);
    const changed = replaceDocument(store, collection, entry.id, before, entry.bson, after);
    outcome.matched++;
    if (changed) outcome.modified++;
    outcome.before = before;
    outcome.after = after;
  }
  if (outcome.matched === 0 && statement.upsert) {
    outcome.upserted = insertDocument(store, collection, upsertDocument(request, parsed));
    outcome.after = outcome.upserted;
  }
  return outcome;
}

export function deleteDocuments(
  { store, collection }: WriteTarget,
  statement: Statement & { multi: boolean },
): { deleted: number; before?: Doc } {
  const query = prepareQuery(store, collection, { ...statement, limit: statement.multi ? 0 : 1 });
  let before: Doc | undefined;
  let deleted = 0;
  for (const entry of found(store, collection, query)) {
    before = entry.doc();
    deleteDocument(store, collection, entry.id, before);
    deleted++;
  }
  return before ? { deleted, before } : { deleted };
}

/** All matches before the first write, so that a write cannot bring a document before the scan a second time. */
function found(
  store: Store,
  collection: Collection,
  query: ReturnType<typeof prepareQuery>,
): StoredDocument[] {
  return [...runQuery(store, collection, query)];
}

/** What an update or delete works on where there is nothing: it still checks what it was given. */
export function emptyCollection(db: string, name: string): Collection {
  checkNamespace(db, name);
  return { id: 0, db, name, uuid: Buffer.alloc(16), options: {}, collation: undefined, indexes: [] };
}
