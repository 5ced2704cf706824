import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { PracticeIdp } from '@gatehouse/practice-idp/practice-idp';
import { type Mailbox, startMailbox } from '@gatehouse/standalone/mailbox/mailbox';
import { type MongoServer, startMongoServer } from 'minimongod';
import type { CountsSnapshot } from '../../../services/gateway/policy/counters-memory.ts';
import { startBreakableProxy } from './breakable-proxy.ts';
import { createClock, type MovableClock } from './clock.ts';
import { createIssuer } from './issue-sessions.ts';
import { createMails, type Mail, type MailState, type Waiting } from './mails.ts';
import { startPractice } from './practice.ts';
import { applySeed, type SeedReport } from './seed/apply-seed.ts';
import { type OneSession, seedForSession } from './seed/for-session.ts';
import { readSeed } from './seed/read-seed.ts';
import type { SeedInput } from './seed/schema.ts';
import { presentSession, type TestSession } from './session.ts';
import { refuseProduction, settingsOf } from './settings.ts';
import { type Services, startServices } from './start-services.ts';

export type { Mail, OneSession, SeedInput, SeedReport, TestSession };

/** What can be made to fail. */
export const FAULTS = ['mail', 'database', 'captcha'] as const;
export type Fault = (typeof FAULTS)[number];

export interface GatehouseOptions {
  /** People and organizations, or the path of a YAML file with them. */
  seed?: SeedInput | string;
  /** Settings of the services; .env.example explains each one. */
  env?: Record<string, string>;
  /** The gateway's port; a free one by default. */
  port?: number;
  /** Starts practice identity providers too: Google, Apple, Microsoft, GitHub and GitLab, SAML, OpenID Connect and LDAP. */
  practice?: boolean;
}

/** The state of an instance at a moment. */
export interface Snapshot {
  at: number;
  database: Uint8Array;
  counts: CountsSnapshot;
  mails: MailState;
}

/** Ports that another process takes meanwhile are rare. */
const PORT_TRIES = 5;

/**
 * Starts the three services on 127.0.0.1 with a database in memory, in this process.
 * @throws in production.
 */
export async function startGatehouse({ seed, port, ...options }: GatehouseOptions = {}): Promise<Gatehouse> {
  refuseProduction(process.env, options.env ?? {});
  const people = seed === undefined ? undefined : await readSeed(seed);
  for (let tries = 1; ; tries += 1) {
    try {
      const gate = await start({ ...options, port: port ?? (await freePort()) });
      if (!people) return gate;
      await gate.seed(people).catch(async (error) => {
        await gate.stop();
        throw error;
      });
      return gate;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || port || tries === PORT_TRIES) throw error;
    }
  }
}

/** The gateway's port is known before it listens: mails and identity providers name its address. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function start({
  port,
  env = {},
  practice = false,
}: Omit<GatehouseOptions, 'seed'> & { port: number }) {
  const clock = createClock();
  const { now } = clock;
  const url = `http://localhost:${port}`;
  const failing = new Set<Fault>();
  const started = new AsyncDisposableStack();
  try {
    const mongo = started.adopt(await startMongoServer({ port: 0, data: ':memory:', now }), (each) =>
      each.close(),
    );
    const proxy = started.adopt(await startBreakableProxy(mongo.port), (each) => each.stop());
    const mailbox = started.adopt(
      await startMailbox({ port: 0, now, isDown: () => failing.has('mail') }),
      (each) => each.close(),
    );
    const providers = practice ? started.adopt(await startPractice(url), (each) => each.stop()) : undefined;
    const settings = settingsOf(
      { ...providers?.environment, ...env },
      { url, mongodb: `mongodb://127.0.0.1:${proxy.port}/gatehouse` },
    );
    const services = started.adopt(
      await startServices({ port, settings, mailbox, now, isCaptchaDown: () => failing.has('captcha') }),
      (each) => each.stop(),
    );
    const issuer = started.adopt(
      createIssuer({ config: services.loginConfig, db: services.db, now }),
      (each) => each.close(),
    );
    return gatehouse({
      ...{ url, settings, clock, mongo, proxy, mailbox, services, issuer, failing, providers },
      stop: () => started.disposeAsync(),
    });
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}

interface Parts {
  url: string;
  settings: Record<string, string>;
  clock: MovableClock;
  mongo: MongoServer;
  proxy: Awaited<ReturnType<typeof startBreakableProxy>>;
  mailbox: Mailbox;
  services: Services;
  issuer: ReturnType<typeof createIssuer>;
  failing: Set<Fault>;
  providers: PracticeIdp | undefined;
  stop: () => Promise<void>;
}

export type Gatehouse = ReturnType<typeof gatehouse>;

function gatehouse({
  url,
  settings,
  clock,
  mongo,
  proxy,
  mailbox,
  services,
  issuer,
  failing,
  providers,
  stop,
}: Parts) {
  const { now } = clock;
  const mails = createMails(mailbox);
  /** Lets everything happen that is due by the clock. */
  async function catchUp(): Promise<Date> {
    mongo.sweepExpired();
    await services.runJobs();
    return new Date(now());
  }
  const seed = (people: SeedInput): Promise<SeedReport> =>
    applySeed(people, { ...services, issuer, now, practice: providers?.connections });
  async function heal(fault?: Fault): Promise<void> {
    if (fault === undefined) failing.clear();
    else failing.delete(fault);
    if (failing.has('database')) return;
    proxy.mend();
    // The driver notices by itself that the database is back.
    while (!(await services.db.ping().catch(() => undefined))) await delay(5);
  }

  return {
    /** The gateway's address. */
    url,
    /** Settings for a platform behind the gateway: where it is, and the secrets that they share. */
    env: {
      GATEHOUSE_URL: url,
      JWT_SECRET: settings.JWT_SECRET as string,
      INTERNAL_API_KEY: settings.INTERNAL_API_KEY as string,
      MONGODB_URI: `${mongo.uri}/gatehouse`,
    },
    /** Each move runs the jobs and expirations that it makes due, and then resolves with the new time. */
    clock: {
      now: () => new Date(now()),
      /** Moves the clock ahead. @param duration such as `61s`, `31m` or `14d`. */
      async advance(duration: string | number): Promise<Date> {
        clock.advance(duration);
        return catchUp();
      },
      async set(to: Date | string | number): Promise<Date> {
        clock.set(to);
        return catchUp();
      },
    },
    mail: {
      /** Waits for the oldest mail to an address that no call of `next` has returned. */
      next: mails.next,
      /** Returns all mails to an address, oldest first. */
      all: mails.all,
    },
    /** Waits for a mailed code, and returns it: the newest that no call has returned. */
    code: (address: string, waiting?: Waiting): Promise<string> => mails.code(address, waiting),
    /** Solves a CAPTCHA, for one login. */
    async captcha(): Promise<string> {
      const { solveCaptcha } = await import('./solve-captcha.ts');
      return solveCaptcha(url);
    },
    /** Begins a session without password and CAPTCHA. Who and what is missing is created. */
    async session(wanted: OneSession): Promise<TestSession> {
      const { mfa = false, contract = 'catalogue' } = wanted;
      await seed(seedForSession(wanted));
      const issued = await issuer.issue(wanted.email, { mfa, contract });
      return presentSession(wanted.email, issued, { url, now: now() });
    },
    /** Adds people and organizations. What exists stays as it is. */
    seed,
    /** Keeps the database, the mails, the counts of limits and the time. */
    snapshot: async (): Promise<Snapshot> => ({
      at: now(),
      database: mongo.snapshot(),
      counts: services.counters.snapshot(),
      mails: mails.snapshot(),
    }),
    /** Sets the instance back to a snapshot. A snapshot can be restored any number of times. */
    async restore(snapshot: Snapshot): Promise<void> {
      clock.set(snapshot.at);
      mongo.restore(snapshot.database);
      services.counters.restore(snapshot.counts);
      mails.restore(snapshot.mails);
      await catchUp();
    },
    /** Makes something fail until it heals. `await using` heals it at the end of a block. */
    async fail(fault: Fault): Promise<AsyncDisposable> {
      if (!FAULTS.includes(fault))
        throw new Error(`${JSON.stringify(fault)} cannot fail: ${FAULTS.join(', ')} can`);
      failing.add(fault);
      if (fault === 'database') proxy.break();
      return { [Symbol.asyncDispose]: () => heal(fault) };
    },
    /** Heals one fault, by default all. */
    heal,
    /** The practice identity providers, if they were asked for. */
    practice: providers,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
