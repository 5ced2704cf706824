import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { connect } from '@gatehouse/shared/data/connect';
import { COLLECTIONS } from '../services/user/database.ts';
import { type Authenticator, softwareAuthenticator } from '../test/fixtures/authenticator.ts';
import { send } from '../test/fixtures/http.ts';
import { launch } from '../test/fixtures/launcher.ts';
import { createAccounts, PERSON } from './account.ts';
import { compare } from './report.ts';

/** Accounts that log in, each with a password and a passkey. */
const PEOPLE = 50;
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
    const people = Array.from({ length: PEOPLE }, (_, index) => ({
      email: `person${index}@example.com`,
      user_id: `User-${200_000 + index}`,
    }));
    await createAccounts(gatehouse.mongodb, people);
    const origin = gatehouse.gateway.replace('127.0.0.1', 'localhost');
    const authenticators = await registerAll(gatehouse.mongodb, origin);

    const post = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await send(`${gatehouse.login}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
      return answer.body;
    };
    const withPassword = (turn: number) => {
      const { email } = people[turn % PEOPLE] as (typeof people)[number];
      return post('/api/v1/auth/login', { email, password: PERSON.password });
    };
    const withPasskey = async (turn: number) => {
      const { passkey_token, options } = await post('/api/v1/auth/login/passkey/options', {});
      const credential = (authenticators[turn % PEOPLE] as Authenticator).get(options);
      return post('/api/v1/auth/login/passkey', { passkey_token, credential });
    };
    const speedOf = async (logIn: (turn: number) => Promise<unknown>, count: number) => {
      let left = count;
      const before = await cpuSeconds(gatehouse.login);
      const client = async () => {
        while (left > 0) {
          left -= 1;
          await logIn(left);
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

/** Gives each account a passkey, as a registration stores it. */
async function registerAll(mongodb: string, origin: string): Promise<Authenticator[]> {
  const db = await connect(mongodb, COLLECTIONS, { appName: 'bench' });
  const authenticators: Authenticator[] = [];
  for (const { _id } of await db.users.find().toArray()) {
    const handle = randomUUID();
    const authenticator = softwareAuthenticator({ origin });
    authenticator.create({ challenge: '', user: { id: handle } });
    await db.passkeys.insertOne({
      _id: authenticator.id,
      passkey_id: randomUUID(),
      account: _id,
      name: 'Bench',
      public_key: authenticator.publicKey,
      counter: 0,
      synced: true,
      aaguid: '00000000-0000-0000-0000-000000000000',
      transports: ['internal'],
      created_at: new Date(),
    });
    await db.users.updateOne({ _id }, { $set: { passkeys: [authenticator.id], passkey_handle: handle } });
    authenticators.push(authenticator);
  }
  await db.close();
  return authenticators;
}
