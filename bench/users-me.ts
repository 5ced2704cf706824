import { launch } from '../test/fixtures/launcher.ts';
import { bearer, createAccount, PERSON } from './account.ts';
import { load } from './load.ts';
import { startPeer } from './peer.ts';
import { compare } from './report.ts';

/** GET /api/v1/users/me at the user service, relative to a bare Fastify route with one findOne. */
export async function usersMe(): Promise<void> {
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn' } });
  try {
    await gatehouse.up;
    await createAccount(gatehouse.mongodb);
    const authorization = await bearer(gatehouse.login);
    const bare = await startPeer('find-one', gatehouse.mongodb, PERSON.user_id);
    const path = '/api/v1/users/me';
    await compare('users-me', {
      unit: 'requests/s',
      rounds: 5,
      measures: {
        'Fastify and one findOne': () => load(bare.url + path, { connections: 64 }),
        [`GET ${path}`]: () => load(gatehouse.user + path, { headers: { authorization }, connections: 64 }),
      },
      ratios: [{ of: `GET ${path}`, over: 'Fastify and one findOne', goal: 1 }],
    });
    bare.stop();
  } finally {
    await gatehouse.stop();
  }
}
