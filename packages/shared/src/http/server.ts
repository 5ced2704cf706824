import { randomUUIDv7 } from 'node:crypto';
import cors from '@fastify/cors';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import { docs } from './docs.ts';
import { AppError, contractOf, renderError, toAppError } from './errors.ts';
import { type Checks, health } from './health.ts';
import { json } from './json.ts';
import { requestLog } from './request-log.ts';
import { refuseMalformed, strictRequests } from './strict-http.ts';

export interface ServerOptions {
  name: 'gateway' | 'login' | 'user';
  /** One sentence for the OpenAPI document. */
  description: string;
  config: Pick<Config, 'LOG_LEVEL' | 'TRUST_PROXY' | 'CORS_ORIGINS'>;
  /** What the service depends on, asked by /health. */
  checks: Checks;
  /** Hooks that every route shall have, health and documents included. */
  hooks?: (app: FastifyInstance) => PromiseLike<unknown>;
  /** The OpenAPI document, where it holds more than this server's routes. */
  document?: (app: FastifyInstance) => Promise<object>;
  /** Whether bodies may take as long as they flow; else a request has 30 seconds. */
  streams?: boolean;
  /** Unix milliseconds; a test sets its own clock. */
  now?: () => number;
  /** Where log lines go; standard output when absent. */
  logStream?: { write(line: string): void };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether calls are free of charge where calls are counted. */
    unmetered?: boolean;
  }
  interface FastifyInstance {
    /** What /metrics shows. */
    metrics: Registry;
  }
}

/** What every service shares: logs, ids, limits, time-outs, validation, CORS, errors, health, metrics, docs. */
export async function createServer({
  name,
  description,
  config,
  checks,
  hooks,
  document,
  streams = false,
  now = Date.now,
  logStream,
}: ServerOptions) {
  const render = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const failure = toAppError(error);
    // Of a client that has gone, nothing went wrong here.
    if (failure.status >= 500 && !reply.raw.destroyed)
      request.log.error({ err: failure.cause ?? failure }, failure.message);
    else request.log.debug({ reason: failure.reason }, failure.message);
    reply.header('x-request-id', request.id);
    if (failure.extra.retryAfter !== undefined) reply.header('retry-after', failure.extra.retryAfter);
    // What is left of a body that was refused half-way is not read to its end.
    if (!request.raw.complete) reply.header('connection', 'close');
    const contract = contractOf(request.url);
    return reply
      .code(failure.status)
      .send(renderError(failure, { contract, requestId: request.id, now: now() }));
  };

  const app = Fastify({
    logger: {
      level: config.LOG_LEVEL,
      base: { service: name },
      // A net below the rule that nobody logs these.
      redact: ['password', 'new_password', 'otp', 'token', 'recaptcha_token', 'authorization'].flatMap(
        (secret) => [secret, `*.${secret}`],
      ),
      ...(logStream && { stream: logStream }),
    },
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.TRUST_PROXY,
    // An address that cannot be decoded would pass no hook: as its own text it is simply unknown.
    rewriteUrl: ({ url = '/' }) => decodable(url),
    requestIdHeader: false,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    bodyLimit: 1024 * 1024,
    routerOptions: { maxParamLength: 16_384 }, // longer than any header: an id of any length is just unknown
    connectionTimeout: 0,
    requestTimeout: streams ? 0 : 30_000,
    http: { requireHostHeader: false, headersTimeout: 15_000, connectionsCheckingInterval: 1_000 },
    // Connections that are still in use when a service stops get their answers.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => render(error, request, reply),
    clientErrorHandler: refuseMalformed,
  }).withTypeProvider<ZodTypeProvider>();

  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler<FastifyError>(render);
  app.setNotFoundHandler((request, reply) => render(new AppError('notFound'), request, reply));

  const registry = new Registry();
  app.decorate('metrics', registry);
  await app.register(json);
  await app.register(requestLog, { registry });
  await app.register(strictRequests);
  // A kept-alive connection would hold up the end of a service that stops.
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (stopping) reply.header('connection', 'close');
  });

  await app.register(cors, {
    origin: config.CORS_ORIGINS ?? true,
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    exposedHeaders: [
      'X-Request-ID',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'Retry-After',
      'API-Version',
      'Deprecation',
      'Sunset',
      'Link',
    ],
    maxAge: 600,
  });
  await hooks?.(app);
  await app.register(docs, { name, description, ...(document && { document }) });
  await app.register(health, { name, checks, registry });
  return app;
}

function decodable(url: string): string {
  const [path = '', ...query] = url.split(/(?=\?)/);
  try {
    decodeURI(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + query.join('');
  }
}

/** The client's own id when it is one that logs and headers can carry, else a new one. */
const requestId = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUIDv7();
