import { launch } from '../test/fixtures/launcher.ts';
import { load } from './load.ts';
import { startPeer } from './peer.ts';
import { compare, LIMITS } from './report.ts';

/** GET /health/live of each service, relative to a bare Fastify route. */
export async function healthLive(): Promise<void> {
  const bare = await startPeer('fastify-route');
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn' } });
  try {
    await gatehouse.up;
    const live = (origin: string) => () => load(`${origin}/health/live`);
    await compare('health-live', {
      chart: LIMITS,
      unit: 'requests/s',
      rounds: 5,
      measures: {
        'bare Fastify': live(bare.url),
        'GET /health/live, login service': live(gatehouse.login),
        'GET /health/live, user service': live(gatehouse.user),
        'GET /health/live, gateway': live(gatehouse.gateway),
      },
      ratios: ['login service', 'user service', 'gateway'].map((name) => ({
        of: `GET /health/live, ${name}`,
        over: 'bare Fastify',
        goal: 0.7,
      })),
    });
  } finally {
    bare.stop();
    await gatehouse.stop();
  }
}
