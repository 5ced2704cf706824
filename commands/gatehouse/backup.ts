import { existsSync } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { loadStandaloneConfig } from '@gatehouse/shared/config';
import { DATABASE, describeBackup, SECRETS, sync } from './backup/files.ts';
import { copyFrom } from './backup/source.ts';
import type { Command } from './command.ts';
import { EXIT, UsageError } from './exit.ts';

const USAGE = `Copies the database of "npm start" to a new folder, also while everything runs.

  npx gatehouse backup <folder> [--force] [--without-secrets] [--json]

The folder holds gatehouse.sqlite, secrets.json (the generated JWT_SECRET and CAPTCHA_SECRET, without which second
factors and webhook secrets cannot be read), backup.json with the number of documents, and SHA256SUMS. It appears when
the copy is complete and has been checked. Everything that was acknowledged before the command is part of it. Whoever
has the folder has every account: store it encrypted.

  --force             replaces a folder that exists
  --without-secrets   leaves secrets.json out; keep it elsewhere

Reads DATA_DIR and STANDALONE_MONGO_PORT. For a MongoDB of your own see docs/OPERATIONS.md, "Backup and restore".`;

export const backup: Command = {
  summary: 'copies the database of npm start, also while it runs',
  usage: USAGE,
  options: { force: { type: 'boolean' }, 'without-secrets': { type: 'boolean' } },
  async run({ values, positionals, terminal }) {
    const [given] = positionals;
    if (given === undefined || positionals.length > 1) throw new UsageError('name one folder');
    const folder = resolve(given);
    if (existsSync(folder) && !values.force)
      throw new UsageError(`${given} exists; name another folder, or replace it with --force`);
    const { DATA_DIR, MONGODB_URI: uri, STANDALONE_MONGO_PORT: port } = loadStandaloneConfig();
    const draft = `${folder}.${process.pid}.partial`;
    await mkdir(draft, { recursive: true, mode: 0o700 });
    try {
      // Not at the top, because the image of the services lacks minimongod.
      const { inspectFile } = await import('minimongod/backup');
      terminal.progress('copying the database');
      const copy = join(draft, DATABASE);
      const how = await copyFrom({ uri, port, file: join(DATA_DIR, DATABASE) }, copy);
      terminal.progress('checking the copy');
      const { documents, faults } = inspectFile(copy);
      if (faults.length > 0) throw new Error(`the database is damaged: ${faults.join('; ')}`);
      const secrets = join(DATA_DIR, SECRETS);
      const hasSecrets = !values['without-secrets'] && existsSync(secrets);
      if (hasSecrets) await copyFile(secrets, join(draft, SECRETS));
      const described = { version: 1, made_at: new Date().toISOString(), documents } as const;
      await describeBackup(draft, described);
      await appear(draft, folder);
      const total = Object.values(documents).reduce((sum, count) => sum + count, 0);
      terminal.result({ folder, copied: how, secrets: hasSecrets, ...described }, () => [
        terminal.paint('green', `${total} documents backed up to ${given} and checked`),
        ...(hasSecrets
          ? []
          : ['without secrets: keep JWT_SECRET and the other secrets of your settings too']),
      ]);
      return EXIT.ok;
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  },
};

/** Gives a complete folder its name. A folder that has the name stays until then. */
async function appear(draft: string, folder: string): Promise<void> {
  await sync(draft);
  const former = `${folder}.${process.pid}.former`;
  const isReplaced = existsSync(folder);
  if (isReplaced) await rename(folder, former);
  await rename(draft, folder);
  await sync(dirname(folder));
  if (isReplaced) await rm(former, { recursive: true, force: true });
}
