import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPracticeIdp } from '@gatehouse/practice-idp/practice-idp';
import { createSigningKey } from '@gatehouse/practice-idp/signing-key';
import { startMailbox } from '@gatehouse/standalone/mailbox/mailbox';
import { MongoClient } from 'mongodb';
import { MARKS } from '../../services/user/jobs.ts';
import { createCaller } from './caller.ts';
import { createCluster, type Release, type Service } from './cluster.ts';
import { eventually } from './eventually.ts';
import { accounts } from './load/accounts.ts';
import type { Context, Load } from './load/load.ts';
import { newOrganization, roles } from './load/roles.ts';
import { scim } from './load/scim.ts';
import { sessions } from './load/sessions.ts';
import { connectProvider, singleSignOn } from './load/single-sign-on.ts';
import { webhooks } from './load/webhooks.ts';

/**
 * What `.ci/upgrade` runs: the previous release and this one side by side on one database, under load.
 *
 *   node test/upgrade/run.ts FOLDER_OF_PREVIOUS_RELEASE MONGODB_URI
 */
const [previous = '', mongodb = ''] = process.argv.slice(2);

/** Every service goes ahead of and behind every other: forward, back, and forward in another order. */
const ROLLS: readonly [Service, Release][] = [
  ['user', 'this'],
  ['login', 'this'],
  ['gateway', 'this'],
  ['user', 'previous'],
  ['login', 'previous'],
  ['gateway', 'previous'],
  ['login', 'this'],
  ['gateway', 'this'],
  ['user', 'this'],
];
/** Milliseconds of load between two rolls, and between two steps of a client. */
const BETWEEN = 3_000;
const PAUSE = 100;

const secret = () => randomBytes(32).toString('hex');
const internalKey = secret();
const mailbox = await startMailbox({ port: 0 });
const cluster = await createCluster(
  { previous, this: process.cwd() },
  {
    MONGODB_URI: mongodb,
    JWT_SECRET: secret(),
    CAPTCHA_SECRET: secret(),
    CAPTCHA_PROVIDER: 'none',
    INTERNAL_API_KEY: internalKey,
    WEBHOOK_ALLOW_PRIVATE: 'on',
    SSO_ALLOWED_NETWORKS: '127.0.0.0/8',
    RATE_LIMIT: 'off',
    TRUST_PROXY: '127.0.0.1',
    LOG_LEVEL: 'warn',
    SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`,
  },
);
const idp = await startPracticeIdp({
  port: 0,
  ldapPort: 0,
  gatehouse: cluster.url('gateway'),
  key: await createSigningKey(),
});
const caller = createCaller(cluster);
const context: Context = {
  cluster,
  call: caller.call,
  mailbox,
  internalKey,
  practice: { base: idp.base, connection: idp.connections.oidc },
};
const client = new MongoClient(mongodb);
const began = performance.now();
const log = (text: string) =>
  console.log(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}`);

/** Documents that still have a mark, by mark. A name without words is none: its job looks at names, not at a mark. */
async function unfinished(): Promise<string[]> {
  const marks = Object.keys(MARKS).filter((mark) => mark !== 'users.name_words');
  const counted = await Promise.all(
    marks.map(async (mark) => {
      const [collection = '', ...path] = mark.split('.');
      const count = await client
        .db()
        .collection(collection)
        .countDocuments({ [path.join('.')]: { $exists: true } });
      return { mark, count };
    }),
  );
  return counted.filter(({ count }) => count > 0).map(({ mark, count }) => `${count} ${mark}`);
}

let stop = async () => {};
const loading = new AbortController();
try {
  await cluster.start('previous');
  log('two processes of each service of the previous release');
  const organization = await newOrganization(context, 'provider@example.com', 'Engines');
  const connected = await connectProvider(context, organization);
  const hooks = await webhooks(context);
  stop = async () => void (await hooks.stop());
  const loads: Record<string, Load> = {
    accounts: accounts(context),
    sessions: await sessions(context),
    roles: await roles(context),
    webhooks: hooks,
    'single sign-on': singleSignOn(context),
    scim: scim(context, connected),
  };
  const failures: Error[] = [];
  const clients = Object.entries(loads).map(async ([name, load]) => {
    while (!loading.signal.aborted) {
      await load.step();
      await sleep(PAUSE);
    }
    return name;
  });
  for (const each of clients)
    each.catch((error) => {
      failures.push(error);
      loading.abort();
    });
  for (const [service, release] of ROLLS) {
    if (loading.signal.aborted) break;
    await cluster.roll(service, release);
    await sleep(BETWEEN);
    log(
      `${service} is of ${release === 'this' ? 'this' : 'the previous'} release, ${caller.counts.calls} calls`,
    );
  }
  loading.abort();
  await Promise.allSettled(clients);
  if (failures.length > 0) throw failures[0];
  for (const load of Object.values(loads)) log(await load.verify());
  await eventually(async () => (await unfinished()).length === 0 || undefined).catch(async () => {
    throw new Error(`work is left: ${(await unfinished()).join(', ')}`);
  });
  const statuses = Object.entries(caller.answers).map(([status, count]) => `${count} of ${status}`);
  log(
    `${caller.counts.calls} calls: ${statuses.join(', ')}, ${caller.counts.cut} cut by a restart and repeated`,
  );
} catch (error) {
  console.error(error);
  console.error(cluster.output().slice(-8_000));
  process.exitCode = 1;
} finally {
  loading.abort();
  await client.close();
  await cluster.stop();
  await idp.stop();
  await stop();
  await mailbox.close();
}
