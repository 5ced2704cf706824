import { rmSync } from 'node:fs';
import { chmod, open } from 'node:fs/promises';
import { backup, DatabaseSync } from 'node:sqlite';

/** Pages of a step. The server answers between two steps. */
const PAGES = 1_000;

/** A file is in use by a server. */
export class FileInUse extends Error {}

/** What a file holds. */
export interface Contents {
  /** The number of documents of each collection, by `database.collection`. */
  documents: Record<string, number>;
  /** What is wrong with the file; empty if it is whole. */
  faults: string[];
}

/**
 * Copies an open database to a file that it replaces, as it is when the copy ends: what this connection writes meanwhile is
 * part of it. The copy is one file, readable by its owner only, and on the disk when this returns.
 */
export async function copyDatabase(database: DatabaseSync, file: string): Promise<void> {
  removeFiles(file);
  try {
    await (await open(file, 'wx', 0o600)).close();
    await backup(database, file, { rate: PAGES });
    // The copy is in WAL mode as well, which would put two files beside it for whoever reads it.
    const copy = new DatabaseSync(file);
    copy.exec('PRAGMA journal_mode = DELETE');
    copy.close();
    await chmod(file, 0o600);
    await syncFile(file);
  } catch (error) {
    removeFiles(file);
    throw error;
  }
}

/** Copies a file that no server uses. @throws {FileInUse} */
export async function backupFile(data: string, file: string): Promise<void> {
  const database = lockFile(data);
  try {
    await copyDatabase(database, file);
  } finally {
    database.close();
  }
}

/**
 * Locks a file against every server, until it is closed.
 * @throws {FileInUse}
 */
export function lockFile(data: string): DatabaseSync {
  const database = new DatabaseSync(data, { timeout: 250 });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
    return database;
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY)
      throw new FileInUse(`${data} is in use by a running database`, { cause: error });
    throw error;
  }
}
const SQLITE_BUSY = 5;

/** Checks a file that no server uses, and counts its documents. It may take a second for each gigabyte. */
export function inspectFile(file: string): Contents {
  const database = new DatabaseSync(file, { readOnly: true });
  const count = (table: string, column = '*') =>
    Number(database.prepare(`SELECT count(${column}) AS n FROM ${table}`).get()?.n);
  try {
    const faults = database
      .prepare('PRAGMA integrity_check(5)')
      .all()
      .map((row) => String(row.integrity_check))
      .filter((line) => line !== 'ok');
    if (faults.length > 0) return { documents: {}, faults };
    const documents: Contents['documents'] = {};
    for (const { id, db, name } of database.prepare('SELECT * FROM collections ORDER BY db, name').all()) {
      const indexes = database
        .prepare('SELECT min(id) AS first FROM indexes WHERE collection = ?')
        .get(id ?? 0);
      const [stored, listed] = [count(`doc_${id}`), count(`idx_${indexes?.first}`, 'DISTINCT doc')];
      documents[`${db}.${name}`] = stored;
      if (stored !== listed) faults.push(`${db}.${name} has ${stored} documents, its index ${listed}`);
    }
    return { documents, faults };
  } catch (error) {
    return { documents: {}, faults: [(error as Error).message] };
  } finally {
    database.close();
  }
}

/** Removes a database with the files that SQLite puts beside it. */
export function removeFiles(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${suffix}`, { force: true });
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.sync().finally(() => handle.close());
}
