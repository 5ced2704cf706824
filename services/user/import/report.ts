/** Problems that a report names: those with the smallest line numbers. */
const MAX_PROBLEMS = 20;

/** What an import did; in a dry run, what it would do. */
export interface ImportReport {
  /** Rows of the file. */
  read: number;
  imported: number;
  /** Rows whose address has an account. It stays as it is. */
  existing: number;
  /** Rows that are no people, such as service accounts. */
  left_out: number;
  /** Rows that cannot become an account. */
  refused: number;
  /** Of the imported: whose address nobody has verified. They have no password. */
  unverified: number;
  /** Of the imported: whose password hash cannot be verified. They choose a new password. */
  without_password: number;
  problems: { line: number; problem: string }[];
}

export const emptyReport = (): ImportReport => ({
  read: 0,
  imported: 0,
  existing: 0,
  left_out: 0,
  refused: 0,
  unverified: 0,
  without_password: 0,
  problems: [],
});

export function noteProblem({ problems }: ImportReport, line: number, problem: string): void {
  problems.push({ line, problem });
  problems.sort((one, other) => one.line - other.line).splice(MAX_PROBLEMS);
}

export function refuseRow(report: ImportReport, line: number, problem: string): void {
  report.refused += 1;
  noteProblem(report, line, problem);
}
