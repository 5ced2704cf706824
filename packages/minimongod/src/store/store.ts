import { randomBytes } from 'node:crypto';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type Collation, parseCollation } from '../bson/collation.ts';
import { type Doc, decode, encode } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { type Index, openIndex } from './indexes.ts';

export interface Collection {
  readonly id: number;
  readonly db: string;
  readonly name: string;
  readonly uuid: Buffer;
  readonly options: Doc;
  readonly collation: Collation | undefined;
  /** The _id index first, then in the order of their creation. */
  readonly indexes: Index[];
}

export interface Store {
  /** Runs in one SQLite transaction: all of it or, when it throws, nothing. */
  transaction<T>(work: () => T): T;
  /** A prepared statement, prepared once per text. */
  statement(sql: string): StatementSync;
  find(db: string, name: string): Collection | undefined;
  findOrCreate(db: string, name: string): Collection;
  create(db: string, name: string, options: Doc): Collection;
  drop(collection: Collection): void;
  addIndex(collection: Collection, spec: Doc): Index;
  removeIndex(collection: Collection, index: Index): void;
  replaceIndex(collection: Collection, index: Index, spec: Doc): void;
  noteMultikey(index: Index): void;
  collections(db?: string): Collection[];
  /** The size of the file. */
  bytes(): number;
  close(): void;
}

// WAL with synchronous=NORMAL: a commit is in the operating system's hands before it is acknowledged, so a killed
// process loses nothing; only a power cut may lose the last moments, as MongoDB's default journal interval does.
const SETUP = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -65536;
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
  const database = new DatabaseSync(file, { timeout: 250 });
  // Two servers on one file would each trust their own memory of the catalog; the lock goes with the process.
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  database.exec(SETUP);
  database.exec('BEGIN IMMEDIATE; COMMIT');

  const statements = new Map<string, StatementSync>();
  /** The statements that mention a collection's or an index's table. */
  const mentions = new Map<string, Set<string>>();
  const catalog = new Map<string, Collection>();
  const persistedMultikey = new Map<number, number>();

  function statement(sql: string): StatementSync {
    let prepared = statements.get(sql);
    if (!prepared) {
      prepared = database.prepare(sql);
      statements.set(sql, prepared);
      for (const [table] of sql.matchAll(/\b(?:doc|idx)_\d+\b/g)) {
        mentions.set(table, (mentions.get(table) ?? new Set()).add(sql));
      }
    }
    return prepared;
  }

  function load(): void {
    catalog.clear();
    persistedMultikey.clear();
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
      for (const index of rows) {
        const multikey = fromStored(Number(index.multikey));
        persistedMultikey.set(Number(index.id), multikey);
        collection.indexes.push(openIndex(Number(index.id), decode(index.spec as Uint8Array), multikey));
      }
      catalog.set(namespace(collection.db, collection.name), collection);
    }
  }

  load();

  const store: Store = {
    transaction(work) {
      statement('BEGIN IMMEDIATE').run();
      try {
        const result = work();
        statement('COMMIT').run();
        return result;
      } catch (error) {
        // SQLite may have rolled back on its own, a full disk for one
        if (database.isTransaction) statement('ROLLBACK').run();
        load();
        throw error;
      }
    },
    statement,
    find: (db, name) => catalog.get(namespace(db, name)),
    findOrCreate: (db, name) => catalog.get(namespace(db, name)) ?? store.create(db, name, {}),
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
      catalog.set(namespace(db, name), collection);
      return collection;
    },
    drop(collection) {
      for (const index of collection.indexes) dropIndexTable(index);
      database.exec(`DROP TABLE doc_${collection.id}`);
      statement('DELETE FROM indexes WHERE collection = ?').run(collection.id);
      statement('DELETE FROM collections WHERE id = ?').run(collection.id);
      catalog.delete(namespace(collection.db, collection.name));
      forget(`doc_${collection.id}`);
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
      dropIndexTable(index);
      statement('DELETE FROM indexes WHERE id = ?').run(index.id);
      collection.indexes.splice(collection.indexes.indexOf(index), 1);
    },
    replaceIndex(collection, index, spec) {
      statement('UPDATE indexes SET spec = ? WHERE id = ?').run(encode(spec), index.id);
      collection.indexes[collection.indexes.indexOf(index)] = openIndex(index.id, spec, index.multikey);
    },
    noteMultikey(index) {
      if (persistedMultikey.get(index.id) === index.multikey) return;
      statement('UPDATE indexes SET multikey = ? WHERE id = ?').run(toStored(index.multikey), index.id);
      persistedMultikey.set(index.id, index.multikey);
    },
    collections: (db) =>
      [...catalog.values()].filter((collection) => db === undefined || collection.db === db),
    bytes: () =>
      Number(
        statement('SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size').get()?.n,
      ),
    close() {
      database.close();
    },
  };
  return store;

  function dropIndexTable(index: Index): void {
    database.exec(`DROP TABLE idx_${index.id}`);
    forget(`idx_${index.id}`);
  }

  /** Statements on a table that is gone would only pile up. */
  function forget(table: string): void {
    for (const sql of mentions.get(table) ?? []) statements.delete(sql);
    mentions.delete(table);
  }
}

const ALL_PATHS = -1;

/** Files of before say 1, which names no path; so the bits are stored from the second on. */
function fromStored(multikey: number): number {
  return multikey === 1 ? ALL_PATHS : multikey / 2;
}

function toStored(multikey: number): number {
  return multikey === ALL_PATHS ? 1 : multikey * 2;
}

function namespace(db: string, name: string): string {
  return `${db}.${name}`;
}

/** https://www.mongodb.com/docs/manual/reference/limits/#naming-restrictions */
export function checkNamespace(db: string, name: string): void {
  if (!/^[^/\\. "$*<>:|?\0]{1,63}$/.test(db)) {
    throw new CommandError(73, `Invalid database name: '${db}'`);
  }
  if (name === '' || name.startsWith('.') || name.endsWith('.') || /[$\0]/.test(name)) {
    throw new CommandError(73, `Invalid namespace specified '${db}.${name}'`);
  }
  if (name.startsWith('system.')) {
    throw new CommandError(73, `Invalid system namespace: ${db}.${name}`);
  }
  if (Buffer.byteLength(`${db}.${name}`) > 255) {
    throw new CommandError(73, `Fully qualified namespace is too long. Namespace: ${db}.${name} Max: 255`);
  }
}
