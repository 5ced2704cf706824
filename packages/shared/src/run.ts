import './safe-exit.ts';
import closeWithGrace from 'close-with-grace';
import type { FastifyInstance } from 'fastify';
import { type Config, loadConfig, type Service } from './config.ts';
import { releaseStartMemory } from './release-start-memory.ts';
import { startTracing } from './tracing/start.ts';

/** Milliseconds in which requests in flight can finish when a service stops (CONTRACT.md §Timeouts). */
const GRACE_PERIOD = 9_000;

/** Ends the process at once. `process.exit` runs exit handlers and waits for native threads, which can hang too. */
const kill = () => process.kill(process.pid, 'SIGKILL');

/** Whether the parent at the other end of the IPC channel is gone. */
const isOrphan = () => process.connected === false;

/**
 * Runs one service as a process: reads its settings, starts it, and stops it gracefully on SIGTERM, SIGINT and the
 * loss of the IPC channel to its parent. It is killed if it takes longer than the grace period. A failed start prints
 * its reasons, one per line, and exits with 1.
 */
export async function runService<S extends Service>(
  name: S,
  build: (config: Config<S>) => Promise<{ app: FastifyInstance; port: number }>,
  { gracePeriod = GRACE_PERIOD }: { gracePeriod?: number } = {},
): Promise<void> {
  let app: FastifyInstance | undefined;
  let stopTracing: (() => Promise<void>) | undefined;
  const options = { delay: gracePeriod, logger: false as const, onTimeout: kill };
  const closing = closeWithGrace(options, async ({ err }) => {
    if (err) (app?.log ?? console).error(err, 'stopping after an unexpected error');
    await app?.close();
    await stopTracing?.();
    if (isOrphan()) kill(); // a process that hangs as it exits would stay
  });
  process.once('disconnect', () => closing.close());
  // The parent was gone before the listener was there.
  if (isOrphan()) closing.close();
  try {
    const { config, warnings } = loadConfig(name);
    stopTracing = await startTracing(name, config);
    const built = await build(config);
    app = built.app;
    for (const warning of warnings) app.log.warn(warning);
    await app.ready();
    await app.listen({ host: config.HOST, port: built.port }).catch((cause) => {
      throw new Error(`cannot listen on HOST ${config.HOST}, port ${built.port}: ${cause.message}`, {
        cause,
      });
    });
    // If the parent is gone already, the disconnect event stops the service: ignore the failed send.
    process.send?.('ready', undefined, {}, () => {});
    releaseStartMemory();
  } catch (error) {
    for (const line of String((error as Error).message).split('\n')) console.error(`${name}: ${line}`);
    if (isOrphan()) kill();
    process.exit(1);
  }
}
