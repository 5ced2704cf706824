import { existsSync } from 'node:fs';
import { copyFile, realpath, rename, rm } from 'node:fs/promises';
import { MongoClient } from 'mongodb';
import { UsageError } from '../exit.ts';

const NOT_OURS =
  'MONGODB_URI is a MongoDB, which has tools of its own: see docs/OPERATIONS.md, "Backup and restore"';

interface Source {
  /** The address of a database that was configured. */
  uri: string | undefined;
  /** Where the one of `npm start` listens. */
  port: number;
  /** The file of the one of `npm start`. */
  file: string;
}

/**
 * Copies the database of `npm start` to a file: while it runs, by a command to it; otherwise from its file.
 * @returns how it was copied.
 * @throws {UsageError} for any other database.
 */
export async function copyFrom({ uri, port, file }: Source, to: string): Promise<'online' | 'offline'> {
  if (uri === undefined) {
    // Not at the top, because the image of the services lacks minimongod.
    const { backupFile, FileInUse } = await import('minimongod/backup');
    if (!existsSync(file)) throw new UsageError(`there is no database: ${file} does not exist`);
    try {
      await backupFile(file, to);
      return 'offline';
    } catch (error) {
      if (!(error instanceof FileInUse)) throw error;
    }
  }
  const copy = await askForCopy(uri ?? `mongodb://127.0.0.1:${port}`);
  try {
    if (uri === undefined && (await realpath(copy)) !== `${await realpath(file)}.backup`)
      throw new UsageError(`the database on port ${port} is not that of ${file}: set STANDALONE_MONGO_PORT`);
    // The folder of the backup may be on another disk.
    await rename(copy, to).catch(() => copyFile(copy, to));
  } finally {
    await rm(copy, { force: true });
  }
  return 'online';
}

/** @returns the path of the copy, on the machine of the database. */
async function askForCopy(uri: string): Promise<string> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 5_000, appName: 'backup' });
  try {
    const { gitVersion } = await client.db('admin').command({ buildInfo: 1 });
    if (gitVersion !== 'minimongod') throw new UsageError(NOT_OURS);
    const { file } = await client.db('admin').command({ backup: 1 });
    if (!existsSync(file))
      throw new Error(`the database has made the copy ${file}, which is not on this machine`);
    return file as string;
  } finally {
    await client.close();
  }
}
