import { randomUUID } from 'node:crypto';
import { load } from './load.ts';
import { startPeer } from './peer.ts';
import { compare } from './report.ts';
import { startBetterAuth } from './rivals/better-auth.ts';
import { startGatehouse } from './rivals/gatehouse.ts';
import { startGoTrue } from './rivals/gotrue.ts';
import { startKeycloak } from './rivals/keycloak.ts';
import type { Server } from './rivals/server.ts';

const OURS = 'Gatehouse';

type Work = 'login' | 'profile' | 'signup to verified' | 'passkey login' | 'social login';

interface Rival {
  start: (provider: string) => Promise<Server>;
  /** The variables that it needs, with examples. */
  needs: Record<string, string>;
  /** Our rate over theirs. */
  goals: Partial<Record<Work, number>>;
}

const RIVALS: Record<string, Rival> = {
  'better-auth': {
    start: startBetterAuth,
    needs: {},
    goals: { login: 5, profile: 5, 'signup to verified': 8 },
  },
  GoTrue: {
    start: startGoTrue,
    needs: { GOTRUE: '/path/to/auth', GOTRUE_DATABASE_URL: 'postgres://…' },
    goals: { login: 5, profile: 3, 'signup to verified': 3 },
  },
  Keycloak: {
    start: startKeycloak,
    needs: { KEYCLOAK: '/path/to/keycloak-26' },
    goals: { login: 6, profile: 3 },
  },
};

/** Seconds of one measurement of logins or signups, and parallel ones. */
const SECONDS = 4;
const PARALLEL = 16;

interface Measure {
  work: Work;
  rounds: number;
  /** @returns what measures the rate of a server, unless it lacks this work. */
  of(server: Server): (() => Promise<number>) | undefined;
}

const MEASURES: Measure[] = [
  { work: 'login', rounds: 5, of: ({ login }) => rate(login) },
  {
    work: 'profile',
    rounds: 5,
    of({ profile: [url, options] }) {
      return () => load(url, { ...options, connections: 64 });
    },
  },
  {
    work: 'signup to verified',
    rounds: 5,
    of({ signUp }) {
      return signUp && rate(() => signUp(`person-${randomUUID()}@example.com`));
    },
  },
  { work: 'passkey login', rounds: 5, of: ({ passkeyLogin }) => passkeyLogin && rate(passkeyLogin) },
  { work: 'social login', rounds: 5, of: ({ socialLogin }) => socialLogin && rate(socialLogin) },
];

/** Logins by password, by passkey and at a provider, profile reads and verified signups, relative to the rivals that are there. */
export async function rivals(): Promise<void> {
  const servers: Record<string, Server> = {};
  const provider = await startPeer('login-provider');
  try {
    servers[OURS] = await startGatehouse(provider.url);
    for (const [name, { start, needs }] of Object.entries(RIVALS)) {
      if (Object.keys(needs).every((variable) => process.env[variable]))
        servers[name] = await start(provider.url);
      else console.log(`  ${name} is not measured without ${assignments(needs)}`);
    }
    for (const measure of MEASURES) await compareServers(servers, measure);
  } finally {
    await Promise.all(Object.values(servers).map((server) => server.stop()));
    provider.stop();
  }
}

async function compareServers(servers: Record<string, Server>, { work, rounds, of }: Measure): Promise<void> {
  const measures: Record<string, () => Promise<number>> = {};
  for (const [name, server] of Object.entries(servers)) {
    const measure = of(server);
    if (measure) measures[`${name} ${work}`] = measure;
  }
  // Warms up: the first requests of a server compile its code.
  for (const measure of Object.values(measures)) await measure();
  const ratios = Object.entries(RIVALS).flatMap(([name, { goals }]) => {
    const over = `${name} ${work}`;
    const goal = goals[work];
    return over in measures ? [{ of: `${OURS} ${work}`, over, ...(goal && { goal }) }] : [];
  });
  await compare(work, { unit: '/s', rounds, measures, ratios, chart: 'Compared with rivals' });
}

const assignments = (variables: Record<string, string>) =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

/**
 * Measures calls a second. Those begun in time are waited for and count: a server may work on all of them at once, and
 * then answers none early.
 */
const rate = (call: () => Promise<unknown>) => async () => {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  let count = 0;
  const worker = async () => {
    while (seconds() < SECONDS) {
      await call();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return count / seconds();
};
