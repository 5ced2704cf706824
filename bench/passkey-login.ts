import { setTimeout } from 'node:timers/promises';
import { postJson, send } from '../test/fixtures/http.ts';
import { launch } from '../test/fixtures/launcher.ts';
import { PERSON } from './account.ts';
import { createPasskeys, logInWithPasskey, PEOPLE } from './passkeys.ts';
import { compare } from './report.ts';
import { expectOk, inTurns } from './rivals/server.ts';

/** Logins in one measurement. */
const [PASSWORDS, PASSKEYS] = [100, 1_000];
const CLIENTS = 16;

/** Milliseconds for which a service answers the same metrics. */
const METRICS_AGE = 5_100;

/** Logins with a passkey, two calls each, relative to logins with a password, for each second of CPU of the login service. */
export async function passkeyLogin(): Promise<void> {
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn' } });
  try {
    await gatehouse.up;
    const people = inTurns(PEOPLE);
    const authenticators = inTurns(await createPasskeys(gatehouse));

    const withPassword = () => {
      const body = { email: people.next().value.email, password: PERSON.password };
      return expectOk(postJson(`${gatehouse.login}/api/v1/auth/login`, body));
    };
    const withPasskey = () => logInWithPasskey(gatehouse.login, authenticators.next().value);
    const speedOf = async (logIn: () => Promise<unknown>, count: number) => {
      let left = count;
      const before = await cpuSeconds(gatehouse.login);
      const client = async () => {
        while (left > 0) {
          left -= 1;
          await logIn();
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
      return count / ((await cpuSeconds(gatehouse.login)) - before);
    };
    // The first ones load the library and are compiled.
    await speedOf(withPasskey, PASSKEYS);
    await compare('passkey-login', {
      unit: '/s of CPU',
      rounds: 3,
      measures: {
        password: () => speedOf(withPassword, PASSWORDS),
        passkey: () => speedOf(withPasskey, PASSKEYS),
      },
      ratios: [{ of: 'passkey', over: 'password', goal: 10 }],
    });
  } finally {
    await gatehouse.stop();
  }
}

/** Seconds that all cores have worked for a service. */
async function cpuSeconds(service: string): Promise<number> {
  await setTimeout(METRICS_AGE);
  const { body } = await send(`${service}/metrics`);
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(body)?.[1]);
}
