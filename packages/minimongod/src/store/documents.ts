import { EMPTY_ARRAY } from '../bson/paths.ts';
import { toShell } from '../bson/to-shell.ts';
import {
  type Doc,
  decode,
  encode,
  getField,
  isDeeperThan,
  MAX_DOCUMENT_BYTES,
  setField,
} from '../bson/value.ts';
import { CommandError, MAX_STORED_DEPTH, tooDeep } from '../errors.ts';
import { checkId, withIdFirst } from '../language/document-id.ts';
import { type Index, type IndexKey, indexKeys } from './index-keys.ts';
import type { Collection, Store } from './store.ts';

/** Stores a new document. Checks every unique index before the first write, so that a refusal changes nothing. */
export function insertDocument(store: Store, collection: Collection, given: Doc): Doc {
  const doc = withIdFirst(given);
  checkId(doc._id);
  const bytes = encodeChecked(doc);
  const entries = collection.indexes.map((index) => ({ index, keys: indexKeys(index, doc) }));
  for (const { index, keys } of entries) checkUnique(store, collection, index, keys, 0);
  const insert = store.statement(`INSERT INTO doc_${collection.id} (bson) VALUES (?)`);
  const id = Number(insert.run(bytes).lastInsertRowid);
  for (const { index, keys } of entries) addKeys(store, index, keys, id);
  return doc;
}

/** Replaces the document `before`, stored as `stored`. Returns false if the new one is identical. */
export function replaceDocument(
  store: Store,
  collection: Collection,
  id: number,
  before: Doc,
  stored: Uint8Array,
  after: Doc,
): boolean {
  const bytes = encodeChecked(after);
  if (Buffer.compare(bytes, stored) === 0) return false;
  const affected = collection.indexes
    .filter(({ fields }) => fields.some((name) => getField(before, name) !== getField(after, name)))
    .map((index) => ({ index, old: indexKeys(index, before), keys: indexKeys(index, after) }));
  for (const { index, keys } of affected) checkUnique(store, collection, index, keys, id);
  store.statement(`UPDATE doc_${collection.id} SET bson = ? WHERE id = ?`).run(bytes, id);
  for (const { index, old, keys } of affected) {
    removeKeys(store, index, difference(old, keys), id);
    addKeys(store, index, difference(keys, old), id);
  }
  return true;
}

export function deleteDocument(store: Store, collection: Collection, id: number, doc: Doc): void {
  for (const index of collection.indexes) removeKeys(store, index, indexKeys(index, doc), id);
  store.statement(`DELETE FROM doc_${collection.id} WHERE id = ?`).run(id);
}

/** Fills a new index with the keys of the existing documents. @throws at the first duplicate. */
export function buildIndex(store: Store, collection: Collection, index: Index): void {
  const page = store.statement(
    `SELECT id, bson FROM doc_${collection.id} WHERE id > ? ORDER BY id LIMIT 500`,
  );
  let last = -1;
  for (let rows = page.all(last); rows.length > 0; rows = page.all(last)) {
    for (const { id, bson } of rows) {
      last = Number(id);
      const keys = indexKeys(index, decode(bson as Uint8Array));
      checkUnique(store, collection, index, keys, last);
      addKeys(store, index, keys, last);
    }
  }
}

function difference(keys: IndexKey[], others: IndexKey[]): IndexKey[] {
  const known = new Set(others.map(({ bytes }) => bytes.toString('latin1')));
  return keys.filter(({ bytes }) => !known.has(bytes.toString('latin1')));
}

function addKeys(store: Store, index: Index, keys: IndexKey[], id: number): void {
  if (index.multikey) store.saveMultikey(index);
  const statement = store.statement(`INSERT INTO idx_${index.id} (key, doc) VALUES (?, ?)`);
  for (const key of keys) statement.run(key.bytes, id);
}

function removeKeys(store: Store, index: Index, keys: IndexKey[], id: number): void {
  const statement = store.statement(`DELETE FROM idx_${index.id} WHERE key = ? AND doc = ?`);
  for (const key of keys) statement.run(key.bytes, id);
}

/** @throws DuplicateKey if another document than `id` has one of the keys in a unique index. */
function checkUnique(store: Store, collection: Collection, index: Index, keys: IndexKey[], id: number): void {
  if (!index.unique) return;
  const statement = store.statement(`SELECT 1 FROM idx_${index.id} WHERE key = ? AND doc <> ? LIMIT 1`);
  for (const key of keys) {
    if (statement.get(key.bytes, id)) throw duplicateKey(collection, index, key);
  }
}

/** Under a collation MongoDB prints the ICU sort key instead of the value; here the value itself is printed. */
function duplicateKey({ db, name }: Collection, index: Index, key: IndexKey): CommandError {
  const keyValue: Doc = {};
  Object.keys(index.key).forEach((field, i) => {
    const value = key.values[i];
    setField(keyValue, field, value === EMPTY_ARRAY ? undefined : value);
  });
  const collation = index.collation ? ` collation: ${toShell(index.collation.spec)}` : '';
  return new CommandError(
    11000,
    `E11000 duplicate key error collection: ${db}.${name} index: ${index.name}${collation} dup key: ${toShell(keyValue)}`,
    { keyPattern: index.key, keyValue },
  );
}

function encodeChecked(doc: Doc): Buffer {
  if (isDeeperThan(MAX_STORED_DEPTH, doc)) throw tooDeep(MAX_STORED_DEPTH);
  const bytes = encode(doc);
  const { length } = bytes;
  if (length <= MAX_DOCUMENT_BYTES) return bytes;
  throw new CommandError(
    10334,
    `BSONObj size: ${length} (0x${length.toString(16).toUpperCase()}) is invalid. Size must be between 0 and ${MAX_DOCUMENT_BYTES}(16MB)`,
  );
}
