import { ObjectId } from 'bson';
import { EMPTY_ARRAY } from '../bson/path.ts';
import { shell } from '../bson/shell.ts';
import { clone, type Doc, encode, getField, isDoc, MAX_DOCUMENT_BYTES, setField } from '../bson/value.ts';
import { badValue, CommandError } from '../errors.ts';
import { isRegex } from '../language/filter.ts';
import { type Index, type IndexKey, indexKeys } from './indexes.ts';
import type { Collection, Store } from './store.ts';

/** Stores a new document; every unique index is asked before anything is written, so that a refusal leaves no trace. */
export function insertDocument(store: Store, collection: Collection, given: Doc): Doc {
  const doc = withIdFirst(given);
  checkId(doc._id);
  const bytes = encodeChecked(doc);
  const keys = collection.indexes.map((index) => indexKeys(index, doc));
  collection.indexes.forEach((index, i) => {
    if (index.unique) checkUniqueIndex(store, collection, index, keys[i] as IndexKey[], 0);
  });
  const { lastInsertRowid } = store
    .statement(`INSERT INTO doc_${collection.id} (bson) VALUES (?)`)
    .run(bytes);
  collection.indexes.forEach((index, i) => {
    addKeys(store, index, keys[i] as IndexKey[], Number(lastInsertRowid));
  });
  return doc;
}

/** Writes a changed document in place of `before`; false when both are the same to the byte. */
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
  const changed = collection.indexes
    .filter(({ fields }) => fields.some((name) => getField(before, name) !== getField(after, name)))
    .map((index) => ({ index, old: indexKeys(index, before), wanted: indexKeys(index, after) }));
  for (const { index, wanted } of changed) {
    if (index.unique) checkUniqueIndex(store, collection, index, wanted, id);
  }
  store.statement(`UPDATE doc_${collection.id} SET bson = ? WHERE id = ?`).run(bytes, id);
  for (const { index, old, wanted } of changed) {
    removeKeys(store, index, without(old, wanted), id);
    addKeys(store, index, without(wanted, old), id);
  }
  return true;
}

export function deleteDocument(store: Store, collection: Collection, id: number, doc: Doc): void {
  for (const index of collection.indexes) removeKeys(store, index, indexKeys(index, doc), id);
  store.statement(`DELETE FROM doc_${collection.id} WHERE id = ?`).run(id);
}

/** Fills a new index from the documents that are there, or throws on the first duplicate. */
export function buildIndex(
  store: Store,
  collection: Collection,
  index: Index,
  docs: Iterable<[number, Doc]>,
): void {
  for (const [id, doc] of docs) {
    const keys = indexKeys(index, doc);
    if (index.unique) checkUniqueIndex(store, collection, index, keys, id);
    addKeys(store, index, keys, id);
  }
}

function without(keys: IndexKey[], others: IndexKey[]): IndexKey[] {
  return keys.filter((key) => !others.some((other) => key.bytes.equals(other.bytes)));
}

function addKeys(store: Store, index: Index, keys: IndexKey[], id: number): void {
  if (index.multikey) store.noteMultikey(index);
  const statement = store.statement(`INSERT INTO idx_${index.id} (key, doc) VALUES (?, ?)`);
  for (const key of keys) statement.run(key.bytes, id);
}

function removeKeys(store: Store, index: Index, keys: IndexKey[], id: number): void {
  const statement = store.statement(`DELETE FROM idx_${index.id} WHERE key = ? AND doc = ?`);
  for (const key of keys) statement.run(key.bytes, id);
}

function checkUniqueIndex(
  store: Store,
  collection: Collection,
  index: Index,
  keys: IndexKey[],
  id: number,
): void {
  const statement = store.statement(`SELECT 1 FROM idx_${index.id} WHERE key = ? AND doc <> ? LIMIT 1`);
  for (const key of keys) {
    if (statement.get(key.bytes, id)) throw duplicateKey(collection, index, key);
  }
}

/**
 * The message is MongoDB's. Under a collation MongoDB shows the ICU sort key in place of the value; there is none
 * here, so the value itself is shown.
 */
function duplicateKey(collection: Collection, index: Index, key: IndexKey): CommandError {
  const keyValue: Doc = {};
  Object.keys(index.key).forEach((name, i) => {
    const value = key.values[i];
    setField(keyValue, name, value === EMPTY_ARRAY ? undefined : value);
  });
  const collation = index.collation ? ` collation: ${shell(index.collation.spec)}` : '';
  return new CommandError(
    11000,
    `E11000 duplicate key error collection: ${collection.db}.${collection.name} index: ${index.name}${collation} dup key: ${shell(keyValue)}`,
    { keyPattern: index.key, keyValue },
  );
}

function encodeChecked(doc: Doc): Buffer {
  const bytes = encode(doc);
  if (bytes.length > MAX_DOCUMENT_BYTES) {
    throw new CommandError(
      10334,
      `BSONObj size: ${bytes.length} (0x${bytes.length.toString(16).toUpperCase()}) is invalid. Size must be between 0 and ${MAX_DOCUMENT_BYTES}(16MB)`,
    );
  }
  return bytes;
}

/** MongoDB keeps _id as the first field and makes one up where there is none. */
export function withIdFirst(doc: Doc): Doc {
  if (Object.keys(doc)[0] === '_id' && doc._id !== undefined) return doc;
  const { _id = new ObjectId(), ...rest } = doc;
  return { _id, ...rest };
}

export function checkId(id: unknown): void {
  if (Array.isArray(id)) throw new CommandError(53, "The '_id' value cannot be of type array");
  if (isRegex(id)) throw new CommandError(53, "The '_id' value cannot be of type regex");
  if (id === undefined) throw badValue("The '_id' value cannot be of type undefined");
  if (isDoc(id)) {
    const dollar = Object.keys(clone(id)).find((name) => name.startsWith('$'));
    if (dollar) {
      throw new CommandError(
        52,
        `_id fields may not contain '$'-prefixed fields: ${dollar} is not valid for storage.`,
      );
    }
  }
}
