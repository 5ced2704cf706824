/** One result of testing a connection. */
export interface Finding {
  level: 'ok' | 'warning' | 'error';
  /** What was checked, in a few words. */
  check: string;
  /** What is wrong and what to do, in a sentence. */
  message: string;
}
