import type { ParseArgsConfig } from 'node:util';
import type { Terminal } from './terminal.ts';

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
