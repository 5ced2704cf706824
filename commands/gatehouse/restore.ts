import { existsSync } from 'node:fs';
import { copyFile, link, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { loadStandaloneConfig } from '@gatehouse/shared/config';
import { type BackupContents, DATABASE, readBackup, SECRETS, sha256, sync } from './backup/files.ts';
import type { Command } from './command.ts';
import { EXIT, UsageError } from './exit.ts';

const USAGE = `Puts a backup in the place of the database of "npm start", which must be stopped.

  npx gatehouse restore <folder> [--force] [--json]

The backup is checked first: its checksums, the database file, and the number of documents. The database goes to
DATA_DIR, with the secrets if the backup has them, and appears when it is complete.

  --force   replaces a database and secrets that exist; what happened after the backup is lost

Reads DATA_DIR. For a MongoDB of your own see docs/OPERATIONS.md, "Backup and restore".`;

export const restore: Command = {
  summary: 'puts a backup in the place of the database of npm start',
  usage: USAGE,
  options: { force: { type: 'boolean' } },
  async run({ values, positionals, terminal }) {
    const [given] = positionals;
    if (given === undefined || positionals.length > 1) throw new UsageError('name one folder');
    const source = resolve(given);
    const target = resolve(loadStandaloneConfig().DATA_DIR);
    terminal.progress('checking the backup');
    const { checksums, ...contents } = await readBackup(source);
    await refuseConflicts(source, target, { force: values.force === true });
    await mkdir(target, { recursive: true, mode: 0o700 });
    const draft = join(target, `${DATABASE}.restoring`);
    try {
      terminal.progress('copying the database');
      await copyChecked(join(source, DATABASE), draft, checksums.get(DATABASE));
      await checkContents(draft, contents);
      // Before the database: with other secrets it would start, and nobody's second factor would work.
      if (checksums.has(SECRETS)) await copySecrets(source, target, checksums.get(SECRETS));
      await replaceDatabase(draft, join(target, DATABASE));
      await sync(target);
    } finally {
      await rm(draft, { force: true });
    }
    const total = Object.values(contents.documents).reduce((sum, count) => sum + count, 0);
    const result = { folder: target, secrets: checksums.has(SECRETS), ...contents };
    terminal.result(result, () => [
      terminal.paint('green', `${total} documents of ${contents.made_at} restored to ${target}`),
    ]);
    return EXIT.ok;
  },
};

/** Imported at use, because the image of the services lacks minimongod. */
const files = () => import('minimongod/backup');

/** @throws {UsageError} if the database runs, or if something would be replaced without --force. */
async function refuseConflicts(source: string, target: string, { force }: { force: boolean }): Promise<void> {
  const database = join(target, DATABASE);
  if (existsSync(database)) {
    // Throws while a database uses the file.
    (await files()).lockFile(database).close();
    if (!force) throw new UsageError(`${database} exists; --force replaces it`);
  }
  const [given, present] = await Promise.all(
    [source, target].map((folder) => readFile(join(folder, SECRETS)).catch(() => undefined)),
  );
  if (given && present && !given.equals(present) && !force)
    throw new UsageError(`${join(target, SECRETS)} has other secrets; --force replaces them`);
}

async function copyChecked(from: string, to: string, sum: string | undefined): Promise<void> {
  await copyFile(from, to);
  await sync(to);
  if ((await sha256(to)) !== sum) throw new Error(`the copy of ${from} differs from it`);
}

async function checkContents(file: string, expected: BackupContents): Promise<void> {
  const { documents, faults } = (await files()).inspectFile(file);
  for (const [name, count] of Object.entries(expected.documents))
    if (documents[name] !== count)
      faults.push(`${name} has ${documents[name] ?? 0} documents instead of ${count}`);
  if (faults.length > 0) throw new Error(`the backup is damaged: ${faults.join('; ')}`);
}

async function copySecrets(source: string, target: string, sum: string | undefined): Promise<void> {
  const draft = join(target, `${SECRETS}.restoring`);
  await copyChecked(join(source, SECRETS), draft, sum);
  await rename(draft, join(target, SECRETS));
}

/** Puts the restored file in the place of the database, and never under one that has just started. */
async function replaceDatabase(draft: string, database: string): Promise<void> {
  if (!existsSync(database)) {
    // Fails if a start has just created the file.
    await link(draft, database);
    return;
  }
  const former = (await files()).lockFile(database);
  try {
    // Without this, the writes beside the former file would be applied to the restored one.
    former.exec('PRAGMA journal_mode = DELETE');
    await rename(draft, database);
  } finally {
    former.close();
  }
}
