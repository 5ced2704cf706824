import closeWithGrace from 'close-with-grace';
import type { FastifyInstance } from 'fastify';
import { type Config, loadConfig, type Service } from './config.ts';

/** Milliseconds in which requests in flight can finish when a service stops (CONTRACT.md §Timeouts). */
const GRACE_PERIOD = 9_000;

/**
 * Runs one service as a process: reads its settings, starts it, and stops it gracefully on SIGTERM, SIGINT and
 * the loss of the IPC channel to its parent. A failed start prints its reasons, one per line, and exits with 1.
 */
export async function runService<S extends Service>(
  name: S,
  build: (config: Config<S>) => Promise<{ app: FastifyInstance; port: number }>,
): Promise<void> {
  let app: FastifyInstance | undefined;
  const closing = closeWithGrace({ delay: GRACE_PERIOD, logger: false }, async ({ err }) => {
    if (err) (app?.log ?? console).error(err, 'stopping after an unexpected error');
    await app?.close();
  });
  process.once('disconnect', () => closing.close());
  try {
    const { config, warnings } = loadConfig(name);
    const built = await build(config);
    app = built.app;
    for (const warning of warnings) app.log.warn(warning);
    await app.listen({ host: config.HOST, port: built.port }).catch((cause) => {
      throw new Error(`cannot listen on HOST ${config.HOST}, port ${built.port}: ${cause.message}`, {
        cause,
      });
    });
    process.send?.('ready');
  } catch (error) {
    for (const line of String((error as Error).message).split('\n')) console.error(`${name}: ${line}`);
    process.exit(1);
  }
}
