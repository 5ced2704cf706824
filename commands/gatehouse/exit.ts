/** What the process ends with. */
export const EXIT = {
  ok: 0,
  /** The command has run, and its result names problems. */
  problems: 1,
  usage: 2,
  failed: 3,
} as const;

/** The command line or a setting is wrong. The message names it. */
export class UsageError extends Error {}
