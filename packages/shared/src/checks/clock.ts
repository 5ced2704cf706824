import { type Finding, fail, ok, warn } from './finding.ts';

/** Milliseconds between two clocks. Leases of deliveries last five seconds, and one-time codes a minute. */
const MAX_SKEW = { warn: 1_000, fail: 5_000 };

const ADVICE =
  'synchronize the clocks of all hosts (chrony or systemd-timesyncd); tokens, codes and leases need them';

/** When a clock was read, by the clock of this machine, and what it said; Unix milliseconds. */
export interface Reading {
  asked: number;
  answered: number;
  said: number;
  /** How exact the other clock's answer is, in milliseconds. */
  precision?: number;
}

/** Compares another clock with that of this machine. */
export function clockFinding(check: string, { asked, answered, said, precision = 1 }: Reading): Finding {
  // The answer was made between the two, so only what lies outside is certain.
  const early = asked - said - precision;
  const late = said - answered;
  const skew = Math.round(Math.max(early, late, 0));
  const found = skew === 0 ? 'agrees with this machine' : `${skew} ms away from the clock of this machine`;
  if (skew >= MAX_SKEW.fail) return fail(check, found, ADVICE);
  return skew >= MAX_SKEW.warn ? warn(check, found, ADVICE) : ok(check, found);
}

/** The `Date` of a response or a greeting; it has whole seconds. */
export const wholeSeconds = (date: string): { said: number; precision: number } => ({
  said: Date.parse(date),
  precision: 1_000,
});
