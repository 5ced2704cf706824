import { launch } from '../test/fixtures/launcher.ts';
import { bearer, createAccounts, PERSON } from './account.ts';
import { load } from './load.ts';
import { startPeer } from './peer.ts';
import { compare, LIMITS } from './report.ts';

const CONNECTIONS = 64;

/**
 * GET /api/v1/users/me at the user service, relative to a bare Fastify route with one findOne. Each connection reads an
 * account of its own.
 */
export async function usersMe(): Promise<void> {
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn' } });
  try {
    await gatehouse.up;
    const people = Array.from({ length: CONNECTIONS }, (_, index) => ({
      ...PERSON,
      email: `bench${index}@example.com`,
      user_id: `User-${100_000 + index}`,
    }));
    await createAccounts(gatehouse.mongodb, people);
    const headers: Record<string, string>[] = [];
    for (const person of people) {
      headers.push({ authorization: await bearer(gatehouse.login, person), 'x-user-id': person.user_id });
    }
    const bare = await startPeer('find-one', gatehouse.mongodb);
    const path = '/api/v1/users/me';
    const reading = (origin: string) => () => {
      let connection = 0;
      return load(origin + path, {
        connections: CONNECTIONS,
        setupClient: (client) => client.setHeaders(headers[connection++ % CONNECTIONS] ?? {}),
      });
    };
    await compare('users-me', {
      chart: LIMITS,
      unit: 'requests/s',
      rounds: 5,
      measures: {
        'Fastify and one findOne': reading(bare.url),
        [`GET ${path}`]: reading(gatehouse.user),
      },
      ratios: [{ of: `GET ${path}`, over: 'Fastify and one findOne', goal: 1 }],
    });
    bare.stop();
  } finally {
    await gatehouse.stop();
  }
}
