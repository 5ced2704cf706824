import { parseArgs } from 'node:util';

export const USAGE = `Usage: minimongod --data FILE [--port N] [--host H]

A MongoDB-compatible server for one machine: the wire protocol over an SQLite file.

  --data FILE  the SQLite file, created if it does not exist; :memory: keeps nothing
  --port N     the port to listen on (default 27017; 0 picks a free one)
  --host H     the address to listen on (default 127.0.0.1; there is no authentication)
  --help       print this text`;

export interface Options {
  readonly data: string;
  readonly port: number;
  readonly host: string;
}

/** Parses the command line. Returns undefined for --help. @throws an Error whose message ends with the usage. */
export function parseOptions(args: string[]): Options | undefined {
  const { data, port, host, help } = parse(args);
  if (help) return undefined;
  if (data === undefined || data === '') throw usageError('--data is required');
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw usageError('--port must be a number from 0 to 65535');
  }
  return { data, port: Number(port), host };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        data: { type: 'string' },
        port: { type: 'string', default: '27017' },
        host: { type: 'string', default: '127.0.0.1' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw usageError((error as Error).message);
  }
}

function usageError(message: string): Error {
  return new Error(`${message}\n\n${USAGE}`);
}
