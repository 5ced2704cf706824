import { launch } from '../test/fixtures/launcher.ts';
import { bearer, createAccount, PERSON } from './account.ts';
import { inTurns, load } from './load.ts';
import { startPeer } from './peer.ts';

/** GET /api/v1/users/me at the user service, relative to a bare Fastify route with one findOne. */
export async function usersMe(): Promise<void> {
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn' } });
  try {
    await gatehouse.up;
    await createAccount(gatehouse.mongodb);
    const authorization = await bearer(gatehouse.login);
    const bare = await startPeer('find-one', gatehouse.mongodb, PERSON.user_id);
    const path = '/api/v1/users/me';
    const [limit = 0, rate = 0] = await inTurns(
      5,
      () => load(bare.url + path),
      () => load(gatehouse.user + path, { headers: { authorization } }),
    );
    bare.stop();
    console.log(`  one findOne    ${limit.toFixed(0)} requests/s`);
    console.log(
      `  GET users/me   ${rate.toFixed(0)} requests/s, ${(rate / limit).toFixed(2)} of one findOne`,
    );
  } finally {
    await gatehouse.stop();
  }
}
