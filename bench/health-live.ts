import { launch } from '../test/fixtures/launcher.ts';
import { inTurns, load } from './load.ts';
import { startPeer } from './peer.ts';

/** GET /health/live of each service, relative to a bare Fastify route. */
export async function healthLive(): Promise<void> {
  const bare = await startPeer('fastify-route');
  const gatehouse = await launch();
  try {
    await gatehouse.up;
    const peers = [bare.url, gatehouse.login, gatehouse.user, gatehouse.gateway];
    const [limit = 0, ...rates] = await inTurns(
      3,
      ...peers.map((origin) => () => load(`${origin}/health/live`)),
    );
    console.log(`  bare Fastify   ${limit.toFixed(0)} requests/s`);
    for (const [index, name] of ['login', 'user', 'gateway'].entries()) {
      const rate = rates[index] ?? 0;
      console.log(
        `  ${name.padEnd(14)} ${rate.toFixed(0)} requests/s, ${(rate / limit).toFixed(2)} of bare Fastify`,
      );
    }
  } finally {
    bare.stop();
    await gatehouse.stop();
  }
}
