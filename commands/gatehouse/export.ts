import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { emptyExportReport, exportPeople } from '../../services/user/import/export-people.ts';
import type { Command } from './command.ts';
import { EXIT, UsageError } from './exit.ts';
import { openDatabase } from './open-database.ts';

const USAGE = `Writes every account with its password hash, a JSON object on each line. Whoever has the file can guess passwords:
store it encrypted, and delete it.

  npx gatehouse export <file> [--json]      (reads MONGODB_URI)

The file is created, readable by you alone; an existing one is not overwritten. "npx gatehouse import --from gatehouse"
reads it back. Second factors, passkeys, links to providers, organizations and chatbots are not part of it, nor are
passwords that are stored as submitted: run "npm run hash-passwords" before. The exit code is ${EXIT.problems} if there are
such passwords.`;

export const exportCommand: Command = {
  summary: 'writes every account with its password hash to a file',
  usage: USAGE,
  options: {},
  async run({ positionals, terminal }) {
    const [file] = positionals;
    if (file === undefined || positionals.length > 1) throw new UsageError('name one file');
    const db = await openDatabase();
    try {
      const handle = await open(file, 'wx', 0o600);
      const report = emptyExportReport();
      const lines = exportPeople(db.users, report);
      async function* watched() {
        for await (const line of lines) {
          if (report.exported % 1_000 === 0) terminal.progress(`${report.exported} accounts written`);
          yield line;
        }
      }
      await pipeline(Readable.from(watched()), handle.createWriteStream());
      terminal.result(report, () => [
        `${report.exported} accounts written to ${file}`,
        `${report.left_out} left out, because their deletion has begun`,
        `${report.other_ways_in} have a second factor, passkeys or links, which are not in the file`,
        ...(report.plain_passwords > 0
          ? [
              `${report.plain_passwords} without their password, which is not hashed: run npm run hash-passwords`,
            ]
          : []),
      ]);
      return report.plain_passwords > 0 ? EXIT.problems : EXIT.ok;
    } finally {
      await db.close();
    }
  },
};
