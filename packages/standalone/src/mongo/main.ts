import { parseArgs } from 'node:util';
import { startMongoServer } from './server.ts';

const USAGE = `Usage: node main.ts --port N --file PATH [--host H]

A MongoDB-compatible server for one machine: the wire protocol over an SQLite file.

  --port N     port to listen on (0 picks a free one)
  --file PATH  the SQLite file; :memory: keeps nothing
  --host H     address to listen on (127.0.0.1; there is no authentication)
  --help       this text`;

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function options() {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string' },
        file: { type: 'string' },
        host: { type: 'string', default: '127.0.0.1' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return values;
  } catch (error) {
    fail(`${(error as Error).message}\n\n${USAGE}`);
  }
}

const { port: wanted, file, host, help } = options();
if (help) {
  console.log(USAGE);
  process.exit(0);
}
const port = Number(wanted);
if (file === undefined || wanted === undefined || !Number.isInteger(port) || port < 0 || port > 65_535) {
  fail(USAGE);
}

try {
  const server = await startMongoServer({ host, port, file });
  const stop = () => {
    server.close().then(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  // started with an IPC channel, it does not outlive its parent
  if (process.connected) process.once('disconnect', stop);
  console.log(`MongoDB-compatible server on ${server.uri}, data in ${file}`);
  // a parent that is gone already is no error: the disconnect ends us
  process.send?.('ready', undefined, {}, () => {});
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') fail(`Port ${port} on ${host} is in use.`);
  fail(code === 'ERR_SQLITE_ERROR' ? `Cannot open ${file}: ${message}` : message);
}
