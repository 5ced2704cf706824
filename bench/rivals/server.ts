import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type autocannon from 'autocannon';
import { send } from '../../test/fixtures/http.ts';
import { PERSON } from '../account.ts';

/** What is compared: Gatehouse or a rival. */
export interface Server {
  /** Logs one account in by its password. */
  login(): Promise<unknown>;
  /** The request, as `load` sends it, that returns that account to its bearer. */
  profile: [url: string, options: Partial<autocannon.Options>];
  /** Signs up and verifies the address with the code that was mailed. Absent where no API offers that. */
  signUp?: (email: string) => Promise<unknown>;
  /** Logs the next one of several accounts in by its passkey: options and verification. Absent where no API offers that. */
  passkeyLogin?: () => Promise<unknown>;
  /** Logs the next one of several people in at a provider of social login. Absent where it is not measured. */
  socialLogin?: () => Promise<unknown>;
  stop(): Promise<unknown>;
}

/** The account at a rival. Its address is new in each run, because a rival's database may outlive a run. */
export const ACCOUNT = { email: `bench-${Date.now()}@example.com`, password: PERSON.password };

/** A JVM starts slowly on a busy machine. */
const START_SECONDS = 300;

/** Starts a process and waits until `ready` answers. @throws with the end of its output when it does not. */
export async function startProcess(
  command: string,
  args: string[],
  { ready, env = {} }: { ready: string; env?: Record<string, string> },
) {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  process.once('exit', () => child.kill()); // after an error
  const ended = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output = `${output}${chunk}`.slice(-5_000);
    });
  }
  const stop = async () => {
    child.kill();
    await ended;
  };
  const deadline = Date.now() + START_SECONDS * 1000;
  while (!(await answers(ready))) {
    if (child.exitCode === null && Date.now() < deadline) continue;
    await stop();
    throw new Error(`${command} did not start:\n${output}`);
  }
  return { stop };
}

async function answers(url: string): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, 100));
  const { status } = await send(url).catch(() => ({ status: 0 }));
  return status === 200;
}

/** @throws unless the answer is 2xx. */
export async function expectOk(answer: ReturnType<typeof send>) {
  const { status, headers, body } = await answer;
  if (status < 200 || status > 299) throw new Error(`the server answered ${status}: ${JSON.stringify(body)}`);
  return { headers, body };
}

/** The client of the servers at the provider of social login. */
export const CLIENT = { id: 'bench', secret: 'a secret of the bench' };

/** The cookies of an answer, as the next request sends them. */
export const cookieOf = ({ headers }: { headers: Headers }): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ');

/** Follows a redirect to the provider, which sends the browser back. @returns the address there. */
export const atProvider = async (address: string): Promise<URL> =>
  new URL(String((await send(address)).headers.get('location')));
