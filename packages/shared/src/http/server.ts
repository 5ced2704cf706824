import cors from '@fastify/cors';
import Fastify, { type FastifyError, type FastifyInstance, LogController } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import { bodyMemory, json } from './bodies.ts';
import type { Brand } from './card-page.ts';
import { docs } from './docs.ts';
import { errorHandler } from './error-handler.ts';
import { AppError } from './errors.ts';
import { type Checks, health } from './health.ts';
import { createLogger } from './logger.ts';
import { metrics, newRegistry } from './metrics.ts';
import { listenForMetrics } from './metrics-listener.ts';
import { lazyLogger, requestId, requestLog } from './request-log.ts';
import { corsOptions, responseHeaders } from './response-headers.ts';
import { decodableUrl, limitPipelining, refuseMalformed, strictRequests } from './strict-http.ts';

export interface ServerOptions {
  name: 'gateway' | 'login' | 'user';
  /** One sentence for the OpenAPI document. */
  description: string;
  config: Pick<
    Config,
    'HOST' | 'METRICS_PORT' | 'BODY_MEMORY_MB' | 'LOG_LEVEL' | 'TRUST_PROXY' | 'CORS_ORIGINS'
  >;
  /** Whether clients reach the port of this server: it never shows metrics, and shares memory among networks. */
  isPublished?: boolean;
  /** The dependencies that /health checks. */
  checks: Checks;
  /** Adds hooks to every route, including health and documents. */
  hooks?: (app: FastifyInstance) => PromiseLike<unknown>;
  /** The section `webhooks` of the OpenAPI document: the events that this server sends. */
  webhooks?: Record<string, object>;
  /** The brand of the pages that people see. */
  brand?: Brand;
  /** Builds the OpenAPI document if it contains more than the routes of this server. */
  document?: (app: FastifyInstance) => Promise<object>;
  /** Whether bodies have no time limit while they keep flowing. */
  streams?: boolean;
  timeouts?: Partial<typeof TIMEOUTS>;
  /** Returns Unix milliseconds. */
  now?: () => number;
  /** Receives the log lines; standard output by default. */
  logStream?: { write(line: string): void };
}

/** Milliseconds (CONTRACT.md §Timeouts). */
export const TIMEOUTS = {
  headers: 15_000,
  request: 30_000,
  /** For silence on a connection; otherwise clients that do not read their responses would fill the memory. */
  idle: 120_000,
  healthCheck: 2_000,
};

declare module 'fastify' {
  interface FastifyInstance {
    /** The registry behind /metrics. */
    metrics: Registry;
  }
}

/** Creates a server with all that the services share, from logs and limits to health and documents. */
export async function createServer({
  name,
  description,
  config,
  isPublished = false,
  checks,
  hooks,
  webhooks,
  brand,
  document,
  streams = false,
  timeouts = {},
  now = Date.now,
  logStream,
}: ServerOptions) {
  const { headers, request, idle, healthCheck } = { ...TIMEOUTS, ...timeouts };
  const handleError = errorHandler(now);
  const app = Fastify({
    loggerInstance: createLogger(name, config.LOG_LEVEL, logStream),
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: lazyLogger,
    trustProxy: config.TRUST_PROXY,
    rewriteUrl: ({ url = '/' }) => decodableUrl(url),
    requestIdHeader: false,
    genReqId: (raw) => requestId(raw.headers['x-request-id']),
    bodyLimit: 1024 * 1024,
    pluginTimeout: 0, // a repair at start may take long
    routerOptions: { maxParamLength: 16_384 }, // longer than any header: no ID is too long for the router
    connectionTimeout: idle,
    requestTimeout: streams ? 0 : request,
    http: {
      requireHostHeader: false,
      headersTimeout: headers,
      connectionsCheckingInterval: Math.min(headers, 1_000),
    },
    // Requests on open connections are still answered while the service stops.
    return503OnClosing: false,
    frameworkErrors: handleError,
    clientErrorHandler: refuseMalformed,
  }).withTypeProvider<ZodTypeProvider>();

  app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler);
  app.setErrorHandler<FastifyError>(handleError);
  // Fastify passes what fails while an error is sent to the handler of the outer level, and its own is the outermost.
  app.addHook('onRoute', (route) => {
    route.errorHandler = handleError;
  });
  // Before the body of an unknown path is read.
  app.addHook('preParsing', (req, _reply, payload, done) =>
    done(req.is404 ? new AppError('notFound') : null, payload),
  );
  app.setNotFoundHandler((req, reply) => handleError(new AppError('notFound'), req, reply));

  app.decorate('brand', brand);
  const registry = newRegistry();
  app.decorate('metrics', registry);
  await app.register(json);
  await app.register(requestLog, { registry });
  await app.register(responseHeaders);
  await app.register(strictRequests);
  limitPipelining(app.server);
  await app.register(bodyMemory, { max: config.BODY_MEMORY_MB * 1024 * 1024, perNetwork: isPublished });
  await app.register(cors, corsOptions(config.CORS_ORIGINS));
  await hooks?.(app);
  await app.register(docs, {
    name,
    description,
    ...(webhooks && { webhooks }),
    ...(document && { document }),
    now,
  });
  await app.register(health, { name, checks, timeout: healthCheck });
  const { HOST: host, METRICS_PORT: port } = config;
  if (port !== undefined) await listenForMetrics(app, { host, port, registry, timeout: request, now });
  else if (!isPublished) await app.register(metrics, { registry, now });
  return app;
}
