import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createLogger } from '@gatehouse/shared/http/logger';
import { importPeople } from '../../services/user/import/import-people.ts';
import { PRESETS, type PresetName } from '../../services/user/import/presets/presets.ts';
import type { ImportReport } from '../../services/user/import/report.ts';
import type { Command } from './command.ts';
import { EXIT, UsageError } from './exit.ts';
import { openDatabase } from './open-database.ts';
import type { Terminal } from './terminal.ts';

const USAGE = `Creates an account for each person in the export of another system. Password hashes are taken over: people log in with
the password that they have, and the first login replaces its hash.

  npx gatehouse import <file> --from <system> [options]      (reads MONGODB_URI)

  <file>                 the export; - reads standard input
  --from <system>        ${Object.keys(PRESETS).join(', ')}
  --hash-config <file>   the password hash parameters of a Firebase project
  --trust-addresses      treats every address as verified; without it, people whose address is not verified get an
                         account without a password, which opens once they prove the address
  --dry-run              writes nothing, and counts what would happen
  --json                 writes the counts as JSON

An address that has an account is skipped, so after an interruption the same command goes on. Services may run meanwhile.
The exit code is ${EXIT.problems} if rows were refused or passwords could not be taken over.`;

/** Options as they are, or undefined. */
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const importCommand: Command = {
  summary: 'creates the accounts of people from another system',
  usage: USAGE,
  options: {
    from: { type: 'string' },
    'hash-config': { type: 'string' },
    'trust-addresses': { type: 'boolean' },
    'dry-run': { type: 'boolean' },
  },
  async run({ values, positionals, terminal }) {
    const [file] = positionals;
    const from = text(values.from) ?? '';
    if (file === undefined || positionals.length > 1) throw new UsageError('name one file');
    if (!Object.hasOwn(PRESETS, from))
      throw new UsageError(`--from must be one of ${Object.keys(PRESETS).join(', ')}`);
    const config = text(values['hash-config']);
    const hashConfig = config === undefined ? undefined : await readFile(config, 'utf8');
    const isDryRun = values['dry-run'] === true;
    const source = file === '-' ? process.stdin : createReadStream(file);
    // A file that cannot be opened fails when it is read; until then its error has no other listener.
    source.on('error', () => {});
    const db = await openDatabase();
    try {
      const report = await importPeople({
        db,
        source,
        from: from as PresetName,
        hashConfig,
        trustsAddresses: values['trust-addresses'] === true,
        isDryRun,
        now: Date.now,
        log: createLogger('import', 'silent'),
        onProgress: ({ read, imported }) =>
          terminal.progress(`${read} rows read, ${imported} people imported`),
      });
      terminal.result({ dry_run: isDryRun, ...report }, () => linesOf(report, isDryRun, terminal));
      return report.refused > 0 || report.without_password > 0 ? EXIT.problems : EXIT.ok;
    } finally {
      await db.close();
    }
  },
};

function linesOf(report: ImportReport, isDryRun: boolean, { paint }: Terminal): string[] {
  const named = report.refused + report.without_password;
  return [
    `${report.read} rows read`,
    paint('green', `${report.imported} people ${isDryRun ? 'would be ' : ''}imported`),
    `  ${report.unverified} of them without a verified address`,
    `  ${report.without_password} of them with a password hash that cannot be verified`,
    `${report.existing} have an account`,
    `${report.left_out} are no people`,
    paint(report.refused > 0 ? 'red' : 'reset', `${report.refused} refused`),
    ...report.problems.map(({ line, problem }) => `  line ${line}: ${problem}`),
    ...(named > report.problems.length ? [`  and ${named - report.problems.length} more problems`] : []),
  ];
}
