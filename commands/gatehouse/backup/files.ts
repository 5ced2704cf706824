import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';

/** The files of a backup. All but the checksums are named in them. */
export const DATABASE = 'gatehouse.sqlite';
export const SECRETS = 'secrets.json';
const CONTENTS = 'backup.json';
/** As `sha256sum --check` reads it. */
const CHECKSUMS = 'SHA256SUMS';

const contents = z.object({
  version: z.literal(1),
  made_at: z.string(),
  documents: z.record(z.string(), z.int()),
});

/** What a backup says about itself. */
export type BackupContents = z.infer<typeof contents>;

export async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Completes a folder that has the database and, if there are any, the secrets. */
export async function describeBackup(folder: string, described: BackupContents): Promise<void> {
  await writeSynced(join(folder, CONTENTS), `${JSON.stringify(described, null, 2)}\n`);
  const names = [DATABASE, SECRETS, CONTENTS].filter((name) => existsSync(join(folder, name)));
  const lines: string[] = [];
  for (const name of names) lines.push(`${await sha256(join(folder, name))}  ${name}\n`);
  await writeSynced(join(folder, CHECKSUMS), lines.join(''));
}

/** Reads a backup. @throws if a file of it is missing or was changed. */
export async function readBackup(
  folder: string,
): Promise<BackupContents & { checksums: ReadonlyMap<string, string> }> {
  const lines = await readFile(join(folder, CHECKSUMS), 'utf8').catch((cause) => {
    throw new Error(`${folder} is no backup: it has no ${CHECKSUMS}`, { cause });
  });
  const checksums = new Map<string, string>();
  for (const [, sum = '', name = ''] of lines.matchAll(/^([0-9a-f]{64}) {2}(.+)$/gm))
    checksums.set(name, sum);
  for (const name of [DATABASE, CONTENTS])
    if (!checksums.has(name)) throw new Error(`${CHECKSUMS} does not name ${name}`);
  for (const [name, sum] of checksums) {
    if (![DATABASE, SECRETS, CONTENTS].includes(name)) throw new Error(`${CHECKSUMS} names ${name}`);
    const found = await sha256(join(folder, name)).catch(() => undefined);
    if (found !== sum) throw new Error(`${name} is not what was backed up: its checksum differs`);
  }
  return { ...contents.parse(JSON.parse(await readFile(join(folder, CONTENTS), 'utf8'))), checksums };
}

async function writeSynced(file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600, flag: 'wx', flush: true });
}

/** Writes a file to the disk, or the names in a folder. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}
