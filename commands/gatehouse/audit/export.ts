import { access, mkdir, open as openFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { dayName } from '@gatehouse/shared/identity/audit-chain/records';
import { EXPORT_FORMATS, exportDay, exportedDays } from '../../../services/user/audit-chain/export-days.ts';
import type { Command } from '../command.ts';
import { EXIT, UsageError } from '../exit.ts';
import { openDatabase } from '../open-database.ts';
import { rangeOf } from './days.ts';

export const exportAudit: Command['run'] = async ({ values, positionals, terminal }) => {
  const [folder] = positionals;
  if (folder === undefined || positionals.length > 1) throw new UsageError('name one folder');
  const range = rangeOf(values);
  const format = EXPORT_FORMATS.find((known) => known === (values.format ?? 'jsonl'));
  if (!format) throw new UsageError(`--format must be one of ${EXPORT_FORMATS.join(', ')}`);
  const db = await openDatabase();
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const result = { written: 0, skipped: 0 };
    for await (const { day, isOver } of exportedDays(db, range)) {
      const name = join(folder, `audit-${dayName(day)}`);
      const open = `${name}.open.${format}`;
      const file = isOver ? `${name}.${format}` : open;
      if (isOver && (await exists(file))) {
        result.skipped += 1;
        continue;
      }
      terminal.progress(`writing ${file}`);
      // Readable by whoever runs the command alone. A file is complete once it has its name.
      const handle = await openFile(`${file}.part`, 'w', 0o600);
      await pipeline(Readable.from(exportDay(db, day, format)), handle.createWriteStream());
      await rename(`${file}.part`, file);
      // What was written while the day went on.
      if (isOver) await rm(open, { force: true });
      result.written += 1;
    }
    terminal.result({ folder, ...result }, () => [
      `${result.written} days written to ${folder}`,
      `${result.skipped} were there already`,
    ]);
    return EXIT.ok;
  } finally {
    await db.close();
  }
};

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
