#!/usr/bin/env node
import './safe-exit.ts';
import { type Options, parseOptions, USAGE } from './options.ts';
import { startMongoServer } from './server.ts';

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (!options) {
    console.log(USAGE);
    return;
  }
  const server = await startMongoServer(options).catch((error) => {
    throw startError(error, options);
  });
  const stop = () => {
    void server.close().then(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  // A server that was started with an IPC channel does not outlive its parent.
  process.once('disconnect', stop);
  if (process.connected === false) stop(); // the parent was gone before the listener was there
  console.log(`minimongod listens on ${server.uri}, data in ${options.data}`);
  // If the parent is gone already, the disconnect event stops the server: ignore the failed send.
  process.send?.('ready', undefined, {}, () => {});
}

function startError(error: NodeJS.ErrnoException, { data, port, host }: Options): Error {
  if (error.code === 'EADDRINUSE') return new Error(`Port ${port} on ${host} is in use.`);
  if (error.code === 'ERR_SQLITE_ERROR') return new Error(`Cannot open ${data}: ${error.message}`);
  return error;
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
