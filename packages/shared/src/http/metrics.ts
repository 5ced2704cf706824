import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { publicRoutes } from './public-routes.ts';
import { sendDocument, sharedDocument } from './shared-document.ts';

interface Options {
  registry: Registry;
  /** Unix milliseconds. */
  now: () => number;
}

/** GET /metrics, for Prometheus. */
export async function metrics(app: FastifyInstance, { registry, now }: Options): Promise<void> {
  publicRoutes(app, { unmetered: false });
  const process = processMetrics();
  const current = sharedDocument(
    registry.contentType,
    () => Registry.merge([registry, process]).metrics(),
    now,
  );
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) =>
    sendDocument(request, reply, await current()),
  );
}

export const newRegistry = (): Registry => new Registry();

let ofProcess: Registry | undefined;

/** Memory, CPU and event loop of the process. Each collection starts timers that never end, so there is one. */
function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = newRegistry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}
