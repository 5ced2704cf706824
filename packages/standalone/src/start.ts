import { connect as dial } from 'node:net';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadStandaloneConfig } from '@gatehouse/shared/config';
import { MongoClient } from 'mongodb';
import { type Child, startChild } from './child.ts';
import { keptSecrets } from './secrets.ts';

const USAGE = `Starts Gatehouse: the gateway, the login and the user service, and, where nothing is configured,
a database and a mailbox to go with them. Ctrl-C stops everything.

  npm start

Settings come from the environment or a file .env; .env.example explains each.`;

const here = (path: string) => new URL(path, import.meta.url);

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const began = performance.now();
  const config = loadStandaloneConfig();
  const folder = resolve(config.DATA_DIR);
  const database = config.MONGODB_URI ?? `mongodb://127.0.0.1:${config.STANDALONE_MONGO_PORT}/gatehouse`;
  const env = {
    NODE_COMPILE_CACHE: join(folder, 'compile-cache'),
    LOGIN_SERVICE_URL: `http://127.0.0.1:${config.LOGIN_PORT}`,
    USER_SERVICE_URL: `http://127.0.0.1:${config.USER_PORT}`,
    SMTP_URL: `smtp://127.0.0.1:${config.STANDALONE_SMTP_PORT}`,
    PUBLIC_URL: `http://localhost:${config.GATEWAY_PORT}`,
    MONGODB_URI: database,
    ...(await keptSecrets(folder)),
    ...Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== '')),
  };

  const stopping = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.resolve());
  // npm that is ended by SIGTERM does not always pass it on: without it there is nobody to start for.
  const { ppid } = process;
  if (process.env.npm_lifecycle_event === 'start') {
    setInterval(() => process.ppid !== ppid && stopping.resolve(), 500).unref();
  }

  const parts: Child[] = [];
  const ownDatabase =
    config.MONGODB_URI === undefined && !(await mongodbAnswers(config.STANDALONE_MONGO_PORT));
  if (ownDatabase) {
    const args = ['--port', String(config.STANDALONE_MONGO_PORT), '--data', join(folder, 'gatehouse.sqlite')];
    parts.push(startChild('database', new URL(import.meta.resolve('minimongod/cli')), args, env));
  }
  if (config.SMTP_URL === undefined) {
    const ports = [
      '--smtp-port',
      String(config.STANDALONE_SMTP_PORT),
      '--http-port',
      String(config.STANDALONE_MAILBOX_PORT),
    ];
    parts.push(startChild('mailbox', here('mailbox/main.ts'), ports, env));
  }
  // The gateway speaks for the clients' addresses; the services behind it believe what is on this machine.
  const gateway = startChild('gateway', here('../../../services/gateway/main.ts'), [], env);
  const services = [
    gateway,
    startChild('login', here('../../../services/login/main.ts'), [], { TRUST_PROXY: 'loopback', ...env }),
    startChild('user', here('../../../services/user/main.ts'), [], { TRUST_PROXY: 'loopback', ...env }),
  ];
  const all = [...parts, ...services];

  const up = Promise.all(all.map(({ ready }) => ready)).then(() => {
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(`
Gatehouse is up (${seconds} s). Ctrl-C stops it.

  gateway   http://localhost:${config.GATEWAY_PORT}    its API: http://localhost:${config.GATEWAY_PORT}/docs
  login     http://localhost:${config.LOGIN_PORT}
  user      http://localhost:${config.USER_PORT}
${config.SMTP_URL === undefined ? `  mailbox   http://localhost:${config.STANDALONE_MAILBOX_PORT}    every code that is mailed lands here\n` : ''}  database  ${ownDatabase ? `${database} (kept in ${config.DATA_DIR})` : hostsOf(database)}

Try:  curl localhost:${config.GATEWAY_PORT}/v2/signup -d email=ada@example.com -d password=correct-horse -d name=Ada
`);
  });
  const death = Promise.race(all.map(async ({ name, ended }) => ({ name, code: await ended })));
  const first = await Promise.race([
    stopping.promise,
    death,
    up.then(() => Promise.race([stopping.promise, death])),
  ]);

  if (first) console.error(`${first.name} ended (exit code ${first.code}); stopping the others`);
  // The entrance first, so that what is in flight behind it can still be answered.
  await gateway.stop();
  await Promise.all(services.map((service) => service.stop()));
  await Promise.all(parts.map((part) => part.stop()));
  return first ? 1 : 0;
}

/** The part of a MongoDB address that may be shown; several members make it no URL. */
const hostsOf = (uri: string): string => uri.replace(/^[^:]+:\/\/(?:[^/]*@)?/, '').replace(/[/?].*$/, '');

/** Whether a MongoDB listens on this machine's port. @throws when something else does. */
async function mongodbAnswers(port: number): Promise<boolean> {
  const taken = await new Promise<boolean>((resolve) => {
    const socket = dial({ host: '127.0.0.1', port, timeout: 1_000 });
    socket
      .once('connect', () => resolve(true))
      .once('timeout', () => resolve(false))
      .once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
  if (!taken) return false;
  const client = new MongoClient(`mongodb://127.0.0.1:${port}`, { serverSelectionTimeoutMS: 1_000 });
  try {
    await client.db('admin').command({ ping: 1 });
    return true;
  } catch (error) {
    throw new Error(`port ${port} is taken, and not by a MongoDB; set STANDALONE_MONGO_PORT or MONGODB_URI`, {
      cause: error,
    });
  } finally {
    await client.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  for (const line of (error as Error).message.split('\n')) console.error(`start: ${line}`);
  process.exitCode = 1;
}
process.exit();
