import Fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Registry } from 'prom-client';
import { errorHandler } from './error-handler.ts';
import { AppError } from './errors.ts';
import { metrics } from './metrics.ts';
import { limitPipelining, refuseMalformed, strictRequests } from './strict-http.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The server of METRICS_PORT, if it is set. */
    metricsListener?: FastifyInstance;
  }
}

interface Options {
  host: string;
  port: number;
  registry: Registry;
  /** Milliseconds for a whole request. */
  timeout: number;
  /** Unix milliseconds. */
  now: () => number;
}

/** Serves /metrics and nothing else on a port of its own, which opens and closes with the server. */
export async function listenForMetrics(
  app: FastifyInstance,
  { host, port, registry, timeout, now }: Options,
): Promise<void> {
  const handleError = errorHandler(now);
  const listener = Fastify({
    loggerInstance: app.log,
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: timeout,
    forceCloseConnections: true,
    frameworkErrors: handleError,
    clientErrorHandler: refuseMalformed,
  });
  listener.setErrorHandler(handleError);
  listener.setNotFoundHandler((request, reply) => handleError(new AppError('notFound'), request, reply));
  await listener.register(strictRequests);
  // Before the body of an unknown path is read: it would be held in memory uncounted.
  listener.addHook('onRequest', (request, _reply, done) =>
    done(request.is404 ? new AppError('notFound') : undefined),
  );
  limitPipelining(listener.server);
  await listener.register(metrics, { registry, now });

  app.decorate('metricsListener', listener);
  app.addHook('onReady', async () => {
    await listener.listen({ host, port }).catch((cause) => {
      throw new Error(`cannot listen on HOST ${host}, METRICS_PORT ${port}: ${cause.message}`, { cause });
    });
  });
  app.addHook('onClose', () => listener.close());
}
