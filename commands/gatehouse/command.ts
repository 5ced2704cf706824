import type { ParseArgsConfig } from 'node:util';
import type { Terminal } from './terminal.ts';

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

interface Call {
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  positionals: string[];
  terminal: Terminal;
}

export interface Command {
  /** Half a line for the list of commands. */
  summary: string;
  /** What `--help` shows. */
  usage: string;
  options: NonNullable<ParseArgsConfig['options']>;
  /** @returns one of EXIT. */
  run(call: Call): Promise<number>;
}
