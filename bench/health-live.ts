import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePorts, launch } from '../test/fixtures/launcher.ts';
import { inTurns, load } from './load.ts';

/** GET /health/live of each service over a bare Fastify route. */
export async function healthLive(): Promise<void> {
  const [port] = await freePorts(1);
  const bare = spawn(process.execPath, ['bench/bare-fastify.ts', String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(bare.stdout, 'data');
  const gatehouse = await launch({ env: { LOG_LEVEL: 'info' } });
  try {
    if (!(await gatehouse.up)) throw new Error(gatehouse.output());
    const peers = [`http://127.0.0.1:${port}`, gatehouse.login, gatehouse.user, gatehouse.gateway];
    const [bareRate = 0, ...rates] = await inTurns(
      3,
      ...peers.map((origin) => () => load(`${origin}/health/live`)),
    );
    console.log(`  bare Fastify   ${bareRate.toFixed(0)} requests/s`);
    for (const [index, name] of ['login', 'user', 'gateway'].entries()) {
      const rate = rates[index] ?? 0;
      console.log(
        `  ${name.padEnd(14)} ${rate.toFixed(0)} requests/s, ${(rate / bareRate).toFixed(2)} of bare Fastify`,
      );
    }
  } finally {
    bare.kill();
    await gatehouse.stop();
  }
}
