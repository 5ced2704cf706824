import { availableParallelism } from 'node:os';
import { verify } from '@node-rs/argon2';
import { launch } from '../test/fixtures/launcher.ts';
import { createAccount, PERSON } from './account.ts';
import { inTurns, load } from './load.ts';

const SECONDS = 4;

/** Logins a second at the login service, relative to bare password verifications on the same cores. */
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
    const [limit = 0, rate = 0] = await inTurns(3, hashing, logins);
    console.log(`  hashing alone  ${limit.toFixed(1)} verifications/s on ${availableParallelism()} cores`);
    console.log(
      `  POST /v2/login ${rate.toFixed(1)} logins/s, ${(rate / limit).toFixed(2)} of hashing alone`,
    );
  } finally {
    await gatehouse.stop();
  }
}
