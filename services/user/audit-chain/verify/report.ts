/** What is wrong, in words, with what it concerns. */
export interface Problem {
  kind: 'changed' | 'removed' | 'inserted' | 'chain' | 'signature';
  text: string;
  event_id?: string;
  /** In the chain. */
  position?: number;
  /** The UTC day of the chain. */
  day?: string;
}

export interface AuditReport {
  /** Links that were checked. */
  links: number;
  /** Events that are as they were linked, apart from what may change. */
  events: number;
  days: number;
  signed_days: number;
  /** Events that were removed because of their age. */
  aged: number;
  /** Events without the personal fields of a deleted account. */
  erased: number;
  /** Events that have no link yet. */
  waiting: number;
  /** The last link: write it down elsewhere, and pass it to --expect later. */
  head: string | null;
  /** In words; they change nothing about the result. */
  notes: string[];
  problem_count: number;
  /** The first ones. */
  problems: Problem[];
}

/** Problems that are kept: a report fits into memory whatever happened. */
const MAX_PROBLEMS = 1_000;

export const emptyReport = (): AuditReport => ({
  links: 0,
  events: 0,
  days: 0,
  signed_days: 0,
  aged: 0,
  erased: 0,
  waiting: 0,
  head: null,
  notes: [],
  problem_count: 0,
  problems: [],
});

export function addProblem(report: AuditReport, problem: Problem): void {
  report.problem_count += 1;
  if (report.problems.length < MAX_PROBLEMS) report.problems.push(problem);
}
