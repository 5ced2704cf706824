import '@gatehouse/shared/safe-exit';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadStandaloneConfig, type StandaloneConfig } from '@gatehouse/shared/config';
import { releaseStartMemory } from '@gatehouse/shared/release-start-memory';
import { type Component, startChild } from './child.ts';
import { runMailbox } from './mailbox/run.ts';
import { runPractice } from './practice.ts';
import { loadSecrets } from './secrets.ts';
import { runSeed } from './seed.ts';

const USAGE = `Starts Gatehouse: the gateway, the login service and the user service, plus a database and a mailbox
unless they are configured. Ctrl-C stops everything.

  npm start [-- --practice] [--seed <file>]

  --practice   starts practice identity providers too: buttons of Google, Apple, Microsoft, GitHub and GitLab on the
               sign-in page, with people and failures to choose from (docs/SOCIAL.md)
  --seed       adds the people and organizations of a YAML file that are missing, and prints who signs in with what
               (packages/testing/seed.yaml)

Settings come from the environment or from .env; .env.example explains each one.`;

/** Milliseconds from the signal until each has ended or is killed: 10 s in all, with some to spare. */
const STOP_BY = { gateway: 4_000, services: 6_500, dependencies: 8_500 };

const relative = (path: string) => new URL(path, import.meta.url);

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      practice: { type: 'boolean' },
      seed: { type: 'string' },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const startedAt = performance.now();
  const config = loadStandaloneConfig();
  refuseStandIns(config);
  if (values.seed !== undefined && config.NODE_ENV === 'production')
    throw new Error('--seed is refused in production');
  const folder = resolve(config.DATA_DIR);
  const database = config.MONGODB_URI ?? `mongodb://127.0.0.1:${config.STANDALONE_MONGO_PORT}/gatehouse`;
  const gatehouse = process.env.PUBLIC_URL || `http://localhost:${config.GATEWAY_PORT}`;
  const practice = values.practice ? await runPractice(config, gatehouse) : undefined;
  const env = {
    NODE_COMPILE_CACHE: join(folder, 'compile-cache'),
    LOGIN_SERVICE_URL: `http://127.0.0.1:${config.LOGIN_PORT}`,
    USER_SERVICE_URL: `http://127.0.0.1:${config.USER_PORT}`,
    SMTP_URL: `smtp://127.0.0.1:${config.STANDALONE_SMTP_PORT}`,
    PUBLIC_URL: gatehouse,
    MONGODB_URI: database,
    ...(config.NODE_ENV !== 'production' && TRIALS),
    // The receivers of a seed's webhooks are on this machine.
    ...(values.seed !== undefined && { WEBHOOK_ALLOW_PRIVATE: 'on' }),
    ...(await loadSecrets(folder)),
    ...Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== '')),
    ...practice?.environment,
  };

  const stopping = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.resolve());
  // npm does not always forward SIGTERM: stop when it is gone.
  const { ppid } = process;
  if (process.env.npm_lifecycle_event === 'start') {
    setInterval(() => process.ppid !== ppid && stopping.resolve(), 500).unref();
  }

  const dependencies: Component[] = practice ? [practice.component] : [];
  const ownDatabase =
    config.MONGODB_URI === undefined && !(await mongodbListens(config.STANDALONE_MONGO_PORT));
  if (ownDatabase) {
    const args = ['--port', String(config.STANDALONE_MONGO_PORT), '--data', join(folder, 'gatehouse.sqlite')];
    dependencies.push(startChild('database', new URL(import.meta.resolve('minimongod/cli')), args, env));
  }
  // The services trust the client address that the gateway forwards from this machine. One process can have
  // METRICS_PORT: the ports of the others are private and serve /metrics too.
  const serviceEnv = { TRUST_PROXY: 'loopback', ...env, METRICS_PORT: '' };
  // The user service first, because it takes longest.
  const user = startChild('user', relative('../../../services/user/main.ts'), [], serviceEnv);
  const gateway = startChild('gateway', relative('../../../services/gateway/main.ts'), [], env);
  const login = startChild('login', relative('../../../services/login/main.ts'), [], serviceEnv);
  const services = [gateway, login, user];
  if (config.SMTP_URL === undefined) {
    dependencies.push(runMailbox(config.STANDALONE_SMTP_PORT, config.STANDALONE_MAILBOX_PORT));
  }
  const all = [...dependencies, ...services];

  const up = Promise.all(all.map(({ ready }) => ready)).then(async () => {
    releaseStartMemory();
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`
Gatehouse is up (${seconds} s). Ctrl-C stops it.

  gateway   http://localhost:${config.GATEWAY_PORT}    its API: http://localhost:${config.GATEWAY_PORT}/docs
  login     http://localhost:${config.LOGIN_PORT}
  user      http://localhost:${config.USER_PORT}
${config.SMTP_URL === undefined ? `  mailbox   http://localhost:${config.STANDALONE_MAILBOX_PORT}    receives every mail\n` : ''}${practice ? `  practice  ${practice.base}/social    plays Google, Apple, Microsoft and GitHub\n` : ''}  database  ${ownDatabase ? `${database} (stored in ${config.DATA_DIR})` : hostsOf(database)}

Try:  curl localhost:${config.GATEWAY_PORT}/v2/signup -d email=ada@example.com -d password=correct-horse -d name=Ada
`);
    if (values.seed === undefined) return;
    await runSeed(values.seed, { env: serviceEnv, connections: practice?.connections });
  });
  const exit = Promise.race(all.map(async ({ name, ended }) => ({ name, code: await ended })));
  const exited = await Promise.race([
    stopping.promise,
    exit,
    up.then(() => Promise.race([stopping.promise, exit])),
  ]);

  if (exited) console.error(`${exited.name} ended (exit code ${exited.code}); stopping the others`);
  // The gateway first: requests in flight still need the services behind it.
  const stoppingAt = performance.now();
  const leftUntil = (end: number) => Math.max(0, end - (performance.now() - stoppingAt));
  await gateway.stop(leftUntil(STOP_BY.gateway));
  await Promise.all(services.map((service) => service.stop(leftUntil(STOP_BY.services))));
  await Promise.all(dependencies.map((child) => child.stop(leftUntil(STOP_BY.dependencies))));
  return exited ? 1 : 0;
}

/** For trials and tests outside production. */
const TRIALS = {
  // Identity providers on this machine.
  SSO_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
  // A test suite signs up hundreds of accounts from one address within a minute.
  RATE_LIMIT_ANONYMOUS_PER_MINUTE: '10000',
  RATE_LIMIT_V2_PER_MINUTE: '10000',
  ADMIN_CONSOLE: 'on',
};

/** The database and the mailbox that stand in for servers have no authentication. @throws in production */
function refuseStandIns(config: StandaloneConfig): void {
  if (config.NODE_ENV !== 'production') return;
  const missing = (['MONGODB_URI', 'SMTP_URL'] as const).filter((server) => config[server] === undefined);
  if (missing.length === 0) return;
  throw new Error(missing.map((server) => `${server} is required in production`).join('\n'));
}

/** The hosts of a MongoDB URI, without its credentials. `URL` cannot parse a URI with several hosts. */
const hostsOf = (uri: string): string => uri.replace(/^[^:]+:\/\/(?:[^/]*@)?/, '').replace(/[/?].*$/, '');

/** Tells whether a MongoDB listens on the local port. @throws when another server does. */
async function mongodbListens(port: number): Promise<boolean> {
  const connected = await new Promise<boolean>((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 1_000 });
    socket
      .once('connect', () => resolve(true))
      .once('timeout', () => resolve(false))
      .once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
  if (!connected) return false;
  // `npm run bench -- startup`: the launcher takes 44 MB without the driver, 51 MB with it.
  const { MongoClient } = await import('mongodb');
  const client = new MongoClient(`mongodb://127.0.0.1:${port}`, { serverSelectionTimeoutMS: 5_000 });
  const failed = once(client, 'serverHeartbeatFailed').then(([{ failure }]) => Promise.reject(failure));
  try {
    await Promise.race([client.db('admin').command({ ping: 1 }), failed]);
    return true;
  } catch (error) {
    throw new Error(`port ${port} is in use, but not by MongoDB; set STANDALONE_MONGO_PORT or MONGODB_URI`, {
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
