#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { startMongoServer } from './server.ts';

const USAGE = `Usage: minimongod --data FILE [--port N] [--host H]

A MongoDB-compatible server for one machine: the wire protocol over an SQLite file.

  --data FILE  the SQLite file, created if it does not exist; :memory: keeps nothing
  --port N     the port to listen on (default 27017; 0 picks a free one)
  --host H     the address to listen on (default 127.0.0.1; there is no authentication)
  --help       print this text`;

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function parseOptions() {
  try {
    const { values } = parseArgs({
      options: {
        data: { type: 'string' },
        port: { type: 'string', default: '27017' },
        host: { type: 'string', default: '127.0.0.1' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return values;
  } catch (error) {
    fail(`${(error as Error).message}\n\n${USAGE}`);
  }
}

const options = parseOptions();
if (options.help) {
  console.log(USAGE);
  process.exit(0);
}
const { data, host } = options;
const port = /^\d+$/.test(options.port) ? Number(options.port) : Number.NaN;
if (data === undefined || !(port <= 65_535)) fail(USAGE);

try {
  const server = await startMongoServer({ host, port, data });
  const stop = async () => {
    await server.close();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  // A server that was started with an IPC channel does not outlive its parent.
  if (process.connected) process.once('disconnect', stop);
  console.log(`minimongod listens on ${server.uri}, data in ${data}`);
  // If the parent is gone already, the disconnect event stops the server: ignore the failed send.
  process.send?.('ready', undefined, {}, () => {});
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') fail(`Port ${port} on ${host} is in use.`);
  fail(code === 'ERR_SQLITE_ERROR' ? `Cannot open ${data}: ${message}` : message);
}
