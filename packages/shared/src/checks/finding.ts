/** What a check found, in words for an operator. */
export interface Finding {
  /** What was looked at, for example `MongoDB clock`. */
  check: string;
  /** `warn`: it works, but something will go wrong; `fail`: something does not work, or production refuses to start. */
  status: 'ok' | 'warn' | 'fail';
  found: string;
  /** What to do; absent when all is well. */
  advice?: string;
}

export const ok = (check: string, found: string): Finding => ({ check, status: 'ok', found });
export const warn = (check: string, found: string, advice: string): Finding => ({
  check,
  status: 'warn',
  found,
  advice,
});
export const fail = (check: string, found: string, advice: string): Finding => ({
  check,
  status: 'fail',
  found,
  advice,
});
