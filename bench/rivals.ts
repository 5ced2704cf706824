import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@gatehouse/shared/data/connect';
import { COLLECTIONS } from '../services/user/database.ts';
import { postForm, postJson, send } from '../test/fixtures/http.ts';
import { freePorts, launch } from '../test/fixtures/launcher.ts';
import { bearer, createAccount, PERSON } from './account.ts';
import { load } from './load.ts';
import { compare } from './report.ts';

const FOLDER = 'bench/rivals';
/** Signups in one measurement, and parallel ones. */
const SIGNUPS = 60;
const PARALLEL = 8;

/**
 * Password logins, profile reads and verified signups, relative to better-auth. Our codes are mailed to the mailbox and
 * read from the database; its codes are mailed nowhere.
 */
export async function rivals(): Promise<void> {
  if (!existsSync(`${FOLDER}/node_modules`)) {
    console.log('  installing the rivals from npm');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: FOLDER });
  }
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn' } });
  const rival = await startBetterAuth();
  try {
    await gatehouse.up;
    await createAccount(gatehouse.mongodb);
    const db = await connect(gatehouse.mongodb, COLLECTIONS, { appName: 'bench' });
    const authorization = await bearer(gatehouse.login);
    const cookie = await rival.signUp(PERSON.email, PERSON.password);
    const credentials = { email: PERSON.email, password: PERSON.password };
    const form = 'application/x-www-form-urlencoded';
    await compare('login', {
      unit: '/s',
      rounds: 5,
      measures: {
        'better-auth login': () =>
          load(`${rival.url}/api/auth/sign-in/email`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', origin: rival.url },
            body: JSON.stringify(credentials),
          }),
        'Gatehouse login': () =>
          load(`${gatehouse.login}/v2/login`, {
            method: 'POST',
            headers: { 'content-type': form },
            body: new URLSearchParams(credentials).toString(),
          }),
      },
      ratios: [{ of: 'Gatehouse login', over: 'better-auth login', goal: 5 }],
    });
    await compare('profile', {
      unit: '/s',
      rounds: 5,
      measures: {
        'better-auth session': () =>
          load(`${rival.url}/api/auth/get-session`, { headers: { cookie }, connections: 64 }),
        'Gatehouse profile': () =>
          load(`${gatehouse.user}/api/v1/users/me`, { headers: { authorization }, connections: 64 }),
      },
      ratios: [{ of: 'Gatehouse profile', over: 'better-auth session', goal: 5 }],
    });
    await compare('signup', {
      unit: '/s',
      rounds: 3,
      measures: {
        'better-auth signup to verified': () => inParallel(rival.verifiedSignUp),
        'Gatehouse signup to verified': () =>
          inParallel(async (email) => {
            await postForm(`${gatehouse.user}/v2/signup`, {
              email,
              password: PERSON.password,
              name: 'Bench',
            });
            const otp = (await db.users.findOne({ email }))?.otp ?? '';
            const { status } = await postForm(`${gatehouse.user}/v2/verify-otp`, { email, otp });
            if (status !== 200) throw new Error(`verify-otp answered ${status}`);
          }),
      },
      ratios: [{ of: 'Gatehouse signup to verified', over: 'better-auth signup to verified', goal: 8 }],
    });
    await db.close();
  } finally {
    await rival.stop();
    await gatehouse.stop();
  }
}

async function startBetterAuth() {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-rival-'));
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    process.execPath,
    [`${FOLDER}/better-auth.mjs`, String(port), join(folder, 'auth.sqlite')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await once(child.stdout, 'data');
  const post = async (path: string, body: object) => {
    const answer = await postJson(`${url}/api/auth/${path}`, body, { origin: url });
    if (answer.status !== 200) throw new Error(`better-auth answered ${answer.status} to ${path}`);
    return answer;
  };
  /** @returns the cookie of the session that begins. */
  const signUp = async (email: string, password: string) => {
    const { headers } = await post('sign-up/email', { email, password, name: 'Bench' });
    return headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  };
  return {
    url,
    signUp,
    async verifiedSignUp(email: string) {
      await signUp(email, PERSON.password);
      const { body: otp } = await send(`${url}/codes?email=${encodeURIComponent(email)}`);
      await post('email-otp/verify-email', { email, otp });
    },
    async stop() {
      child.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

let people = 0;

/** @returns signups a second. */
async function inParallel(signUp: (email: string) => Promise<unknown>): Promise<number> {
  const began = performance.now();
  const emails = Array.from({ length: SIGNUPS }, (_, index) => `person${people + index}@example.com`);
  people += SIGNUPS;
  const worker = async () => {
    for (let email = emails.pop(); email; email = emails.pop()) await signUp(email);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return SIGNUPS / ((performance.now() - began) / 1000);
}
