import { launch } from '../test/fixtures/launcher.ts';
import { load } from './load.ts';
import { startPeer } from './peer.ts';
import { compare } from './report.ts';

/** GET /health/live of each service, relative to a bare Fastify route. */
export async function healthLive(): Promise<void> {
  const bare = await startPeer('fastify-route');
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn' } });
  try {
    await gatehouse.up;
    const live = (origin: string) => () => load(`${origin}/health/live`);
    await compare('health-live', {
      unit: 'requests/s',
      rounds: 5,
      measures: {
        'bare Fastify': live(bare.url),
        login: live(gatehouse.login),
        user: live(gatehouse.user),
        gateway: live(gatehouse.gateway),
      },
      ratios: ['login', 'user', 'gateway'].map((of) => ({ of, over: 'bare Fastify', goal: 0.7 })),
    });
  } finally {
    bare.stop();
    await gatehouse.stop();
  }
}
