import type { AuditReport } from '../../../services/user/audit-chain/verify/report.ts';
import { verifyAudit } from '../../../services/user/audit-chain/verify/verify-audit.ts';
import type { Command } from '../command.ts';
import { EXIT, UsageError } from '../exit.ts';
import { openDatabase } from '../open-database.ts';
import type { Terminal } from '../terminal.ts';
import { rangeOf } from './days.ts';
import { verifyKeys } from './keys.ts';

export const verify: Command['run'] = async ({ values, positionals, terminal }) => {
  if (positionals.length > 0) throw new UsageError('verify takes options only');
  const range = rangeOf(values);
  const keys = verifyKeys(values.key);
  const expected = headOf(values.expect);
  const db = await openDatabase();
  try {
    const report = await verifyAudit({
      db,
      keys,
      range,
      ...(expected && { expected }),
      now: Date.now(),
      onProgress: ({ links, problem_count }) =>
        terminal.progress(`${links} links compared, ${problem_count} problems`),
    });
    terminal.result(report, () => linesOf(report, terminal));
    return report.problem_count > 0 ? EXIT.problems : EXIT.ok;
  } finally {
    await db.close();
  }
};

/** A head such as `120:nmJ…`, as verify and the log show it. @throws {UsageError} */
function headOf(text: unknown): { position: number; link: string } | undefined {
  if (text === undefined) return undefined;
  const [, position, link = ''] = /^(\d{1,15}):([\w-]{43})$/.exec(String(text)) ?? [];
  if (position === undefined)
    throw new UsageError('--expect must be a head, a position and a link with a colon between');
  return { position: Number(position), link };
}

const linesOf = (report: AuditReport, { paint }: Terminal): string[] => [
  ...report.problems.map(({ text }) => paint('red', text)),
  ...(report.problem_count > report.problems.length
    ? [`and ${report.problem_count - report.problems.length} more problems`]
    : []),
  ...report.notes.map((note) => paint('yellow', note)),
  `${report.links} links on ${report.days} days, ${report.signed_days} of them signed`,
  `${report.events} events are as they were linked, ${report.erased} of them without the personal fields of a deleted account`,
  `${report.aged} were removed by age, ${report.waiting} wait for their link`,
  ...(report.head === null ? [] : [`head ${report.head}`]),
  report.problem_count > 0
    ? paint('red', `${report.problem_count} problems`)
    : paint('green', 'Nothing was changed, removed or inserted.'),
];
