import { availableParallelism } from 'node:os';
import { verify } from '@node-rs/argon2';
import { launch } from '../test/fixtures/launcher.ts';
import { createAccount, PERSON } from './account.ts';
import { load } from './load.ts';
import { startPeer } from './peer.ts';
import { compare, LIMITS } from './report.ts';

const SECONDS = 4;

/**
 * Logins a second at the login service, relative to bare password verifications on the same cores, and to the least
 * that a login takes on this database.
 */
export async function login(): Promise<void> {
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn' } });
  try {
    await gatehouse.up;
    const stored = await createAccount(gatehouse.mongodb);
    const { email, password } = PERSON;
    const hashing = async () => {
      const end = performance.now() + SECONDS * 1000;
      let count = 0;
      const worker = async () => {
        while (performance.now() < end) {
          await verify(stored, password);
          count += 1;
        }
      };
      await Promise.all(Array.from({ length: availableParallelism() }, worker));
      return count / SECONDS;
    };
    const logins = () =>
      load(`${gatehouse.login}/v2/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ email, password }).toString(),
        duration: SECONDS,
      });
    const least = await startPeer('bare-login', gatehouse.mongodb);
    const leastLogins = () =>
      load(`${least.url}/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
        duration: SECONDS,
      });
    await compare('login', {
      chart: LIMITS,
      unit: '/s',
      rounds: 5,
      measures: {
        'argon2id alone': hashing,
        'a read, argon2id and a write': leastLogins,
        'POST /v2/login': logins,
      },
      ratios: [
        { of: 'POST /v2/login', over: 'argon2id alone', goal: 0.95 },
        { of: 'POST /v2/login', over: 'a read, argon2id and a write' },
      ],
    });
    least.stop();
  } finally {
    await gatehouse.stop();
  }
}
