import { postJson } from '../test/fixtures/http.ts';
import { launch } from '../test/fixtures/launcher.ts';
import { PERSON } from './account.ts';
import { createPasskeys, logInWithPasskey } from './passkeys.ts';
import { inTurns, PEOPLE } from './people.ts';
import { compare } from './report.ts';
import { expectOk } from './rivals/server.ts';
import { processOf, speedOf } from './speed.ts';

/** Logins in one measurement. Rounds are short, because the speed of a shared machine drifts. */
const [PASSWORDS, PASSKEYS] = [40, 400];
const CLIENTS = 16;
const WARM_UPS = 5;

/**
 * Logins with a passkey, two calls each, relative to logins with a password, for each second of CPU time of the login
 * service. All its threads count, so hashing does; the database and the client of the benchmark count for neither.
 */
export async function passkeyLogin(): Promise<void> {
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn' } });
  try {
    await gatehouse.up;
    const people = inTurns(PEOPLE);
    const authenticators = inTurns(await createPasskeys(gatehouse));
    const service = processOf(gatehouse.pid, 'login');

    const withPassword = () => {
      const body = { email: people.next().value.email, password: PERSON.password };
      return expectOk(postJson(`${gatehouse.login}/api/v1/auth/login`, body));
    };
    const withPasskey = () => logInWithPasskey(gatehouse.login, authenticators.next().value);
    const measure = (logIn: () => Promise<unknown>, count: number) => async () => {
      let left = count;
      const client = async () => {
        while (left > 0) {
          left -= 1;
          await logIn();
        }
      };
      const clients = () => Promise.all(Array.from({ length: CLIENTS }, client));
      return (await speedOf(service, count, clients)).byProcessor;
    };
    const measures = {
      password: measure(withPassword, PASSWORDS),
      passkey: measure(withPasskey, PASSKEYS),
    };
    // The first ones load the library and are compiled.
    for (let warmUp = 0; warmUp < WARM_UPS; warmUp += 1) await measures.passkey();
    await compare('passkey-login', {
      unit: '/s of CPU',
      rounds: 9,
      measures,
      ratios: [{ of: 'passkey', over: 'password', goal: 10 }],
    });
  } finally {
    await gatehouse.stop();
  }
}
