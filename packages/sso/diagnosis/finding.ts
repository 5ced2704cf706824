/** One result of testing a connection. */
export interface Finding {
  level: 'ok' | 'warning' | 'error';
  /** The name of the check. */
  check: string;
  /** The problem and its remedy, in a sentence. */
  message: string;
}
