import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type Collation, parseCollation } from '../bson/collation.ts';
import { type Doc, decode, encode } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { copyDatabase } from './backup.ts';
import { type Index, openIndex } from './index-keys.ts';

export interface Collection {
  readonly id: number;
  readonly db: string;
  readonly name: string;
  readonly uuid: Buffer;
  readonly options: Doc;
  readonly collation: Collation | undefined;
  /** The _id index, then the others in the order of their creation. */
  readonly indexes: Index[];
}

export interface Store {
  /** Runs in one SQLite transaction, which is rolled back if `work` throws. */
  transaction<T>(work: () => T): T;
  /** A prepared statement; each SQL text is prepared once. */
  statement(sql: string): StatementSync;
  find(db: string, name: string): Collection | undefined;
  findOrCreate(db: string, name: string): Collection;
  create(db: string, name: string, options: Doc): Collection;
  drop(collection: Collection): void;
  addIndex(collection: Collection, spec: Doc): Index;
  removeIndex(collection: Collection, index: Index): void;
  /** Persists the multikey bits of an index if they have changed. */
  saveMultikey(index: Index): void;
  collections(db?: string): Collection[];
  /** The size of the file in bytes. */
  size(): number;
  /**
   * Copies the database to a file beside its own, while commands run.
   * @throws {CommandError} if it is in memory, or being copied.
   */
  backup(): Promise<string>;
  /** Returns everything as one SQLite database. */
  snapshot(): Uint8Array;
  /** Replaces everything by a snapshot. @throws unless the data is in memory. */
  restore(snapshot: Uint8Array): void;
  close(): void;
}

// WAL with synchronous=NORMAL: the operating system has a commit before it is acknowledged, so a killed process
// loses nothing. A power failure may lose the last moments, as with MongoDB's default journal interval.
// A commit that has rebalanced a B-tree walks the whole page cache, so the cache is small: the operating system caches
// the file as well. With 64 MiB, that walk took 7% of the CPU time of a busy server.
const SETUP = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -8192;
  PRAGMA temp_store = MEMORY;
  CREATE TABLE IF NOT EXISTS collections (
    id INTEGER PRIMARY KEY, db TEXT NOT NULL, name TEXT NOT NULL, uuid BLOB NOT NULL, options BLOB NOT NULL,
    UNIQUE (db, name)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS indexes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, collection INTEGER NOT NULL REFERENCES collections (id),
    spec BLOB NOT NULL, multikey INTEGER NOT NULL DEFAULT 0
  ) STRICT;
`;

export function openStore(file: string): Store {
  if (!isInMemory(file)) makePrivate(file);
  let database = new DatabaseSync(file, { timeout: 250 });
  // Two servers on one file would each trust their own catalog. The lock ends with the process.
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  database.exec(SETUP);
  database.exec('BEGIN IMMEDIATE; COMMIT');

  const statements = new Map<string, StatementSync>();
  /** The statements that use the table of a collection or index. */
  const statementsOfTable = new Map<string, Set<string>>();
  const catalog = new Map<string, Collection>();
  const savedMultikey = new Map<number, number>();

  function statement(sql: string): StatementSync {
    let prepared = statements.get(sql);
    if (!prepared) {
      prepared = database.prepare(sql);
      statements.set(sql, prepared);
      for (const [table] of sql.matchAll(/\b(?:doc|idx)_\d+\b/g)) {
        statementsOfTable.set(table, (statementsOfTable.get(table) ?? new Set()).add(sql));
      }
    }
    return prepared;
  }

  function loadCatalog(): void {
    catalog.clear();
    savedMultikey.clear();
    for (const row of statement('SELECT * FROM collections ORDER BY id').all()) {
      const options = decode(row.options as Uint8Array);
      const collection: Collection = {
        id: Number(row.id),
        db: String(row.db),
        name: String(row.name),
        uuid: Buffer.from(row.uuid as Uint8Array),
        options,
        collation: parseCollation(options.collation),
        indexes: [],
      };
      const rows = statement('SELECT * FROM indexes WHERE collection = ? ORDER BY id').all(collection.id);
      for (const { id, spec, multikey } of rows) {
        savedMultikey.set(Number(id), Number(multikey));
        collection.indexes.push(openIndex(Number(id), decode(spec as Uint8Array), Number(multikey)));
      }
      catalog.set(`${collection.db}.${collection.name}`, collection);
    }
  }

  loadCatalog();
  let isCopying = false;

  const store: Store = {
    transaction(work) {
      statement('BEGIN IMMEDIATE').run();
      try {
        const result = work();
        statement('COMMIT').run();
        return result;
      } catch (error) {
        // SQLite has already rolled back after some errors, such as a full disk.
        if (database.isTransaction) statement('ROLLBACK').run();
        loadCatalog();
        throw error;
      }
    },
    statement,
    find: (db, name) => catalog.get(`${db}.${name}`),
    findOrCreate: (db, name) => store.find(db, name) ?? store.create(db, name, {}),
    create(db, name, options) {
      checkNamespace(db, name);
      const uuid = randomBytes(16);
      const { lastInsertRowid } = statement(
        'INSERT INTO collections (db, name, uuid, options) VALUES (?, ?, ?, ?)',
      ).run(db, name, uuid, encode(options));
      const id = Number(lastInsertRowid);
      database.exec(`CREATE TABLE doc_${id} (id INTEGER PRIMARY KEY, bson BLOB NOT NULL)`);
      const collation = parseCollation(options.collation);
      const collection: Collection = { id, db, name, uuid, options, collation, indexes: [] };
      const spec: Doc = { v: 2, key: { _id: 1 }, name: '_id_' };
      if (collation) spec.collation = collation.spec;
      store.addIndex(collection, spec);
      catalog.set(`${db}.${name}`, collection);
      return collection;
    },
    drop(collection) {
      for (const index of collection.indexes) dropTable(`idx_${index.id}`);
      dropTable(`doc_${collection.id}`);
      statement('DELETE FROM indexes WHERE collection = ?').run(collection.id);
      statement('DELETE FROM collections WHERE id = ?').run(collection.id);
      catalog.delete(`${collection.db}.${collection.name}`);
    },
    addIndex(collection, spec) {
      const { lastInsertRowid } = statement('INSERT INTO indexes (collection, spec) VALUES (?, ?)').run(
        collection.id,
        encode(spec),
      );
      const id = Number(lastInsertRowid);
      database.exec(
        `CREATE TABLE idx_${id} (key BLOB NOT NULL, doc INTEGER NOT NULL, PRIMARY KEY (key, doc)) WITHOUT ROWID`,
      );
      const index = openIndex(id, spec, 0);
      collection.indexes.push(index);
      return index;
    },
    removeIndex(collection, index) {
      dropTable(`idx_${index.id}`);
      statement('DELETE FROM indexes WHERE id = ?').run(index.id);
      collection.indexes.splice(collection.indexes.indexOf(index), 1);
    },
    saveMultikey({ id, multikey }) {
      if ((savedMultikey.get(id) ?? 0) === multikey) return;
      statement('UPDATE indexes SET multikey = ? WHERE id = ?').run(multikey, id);
      savedMultikey.set(id, multikey);
    },
    collections: (db) =>
      [...catalog.values()].filter((collection) => db === undefined || collection.db === db),
    size() {
      const sql = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size';
      return Number(statement(sql).get()?.bytes);
    },
    async backup() {
      if (isInMemory(file)) throw new CommandError(20, 'a database in memory cannot be backed up');
      if (isCopying) throw new CommandError(117, 'another backup is running');
      isCopying = true;
      try {
        const copy = resolve(`${file}.backup`);
        await copyDatabase(database, copy);
        return copy;
      } finally {
        isCopying = false;
      }
    },
    snapshot: () => database.serialize(),
    restore(snapshot) {
      // SQLite would let go of the file and continue in memory.
      if (file !== ':memory:') throw new Error('Only data in memory can be restored');
      // A new connection: in one with statements in use, `deserialize` has crashed Node 26.
      const restored = new DatabaseSync(file);
      restored.deserialize(snapshot);
      database.close();
      database = restored;
      statements.clear();
      statementsOfTable.clear();
      database.exec(SETUP);
      loadCatalog();
    },
    close() {
      database.close();
    },
  };
  return store;

  /** Drops a table with the statements prepared for it, which would otherwise pile up. */
  function dropTable(table: string): void {
    database.exec(`DROP TABLE ${table}`);
    for (const sql of statementsOfTable.get(table) ?? []) statements.delete(sql);
    statementsOfTable.delete(table);
  }
}

/** Also for a URI, which the tests use for databases in memory. */
const isInMemory = (file: string): boolean => /^(?::memory:$|file:)/.test(file);

/** Makes the file readable by its owner only. SQLite gives the files beside it the same mode. */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'a', 0o600));
  } catch {
    return; // SQLite reports the reason
  }
  for (const path of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(path)) chmodSync(path, 0o600);
}

/** https://www.mongodb.com/docs/manual/reference/limits/#naming-restrictions */
export function checkNamespace(db: string, name: string): void {
  const invalid = (message: string) => new CommandError(73, message);
  if (!/^[^/\\. "$*<>:|?\0]{1,63}$/.test(db)) throw invalid(`Invalid database name: '${db}'`);
  if (name === '' || name.startsWith('.') || name.endsWith('.') || /[$\0]/.test(name)) {
    throw invalid(`Invalid namespace specified '${db}.${name}'`);
  }
  if (name.startsWith('system.')) throw invalid(`Invalid system namespace: ${db}.${name}`);
  if (Buffer.byteLength(`${db}.${name}`) > 255) {
    throw invalid(`Fully qualified namespace is too long. Namespace: ${db}.${name} Max: 255`);
  }
}
