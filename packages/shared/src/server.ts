import { randomUUIDv7 } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import cors from '@fastify/cors';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { Histogram, Registry } from 'prom-client';
import type { Config } from './config.ts';
import { docs } from './docs.ts';
import { AppError, contractOf, renderError, toAppError } from './errors.ts';
import { type Checks, health } from './health.ts';

export interface ServerOptions {
  name: 'gateway' | 'login' | 'user';
  /** One sentence for the OpenAPI document. */
  description: string;
  config: Pick<Config, 'LOG_LEVEL' | 'TRUST_PROXY' | 'CORS_ORIGINS'>;
  /** What the service depends on, asked by /health. */
  checks: Checks;
  /** Hooks that every route shall have, health and documents included. */
  hooks?: (app: FastifyInstance) => Promise<void>;
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
}

/** What every service shares: logs, ids, limits, time-outs, validation, CORS, errors, health, metrics, docs. */
export async function createServer({
  name,
  description,
  config,
  checks,
  hooks,
  now = Date.now,
  logStream,
}: ServerOptions) {
  const render = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const failure = toAppError(error);
    if (failure.status >= 500) request.log.error({ err: failure.cause ?? failure }, failure.message);
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
    rewriteUrl: ({ url = '/' }) => (isDecodable(url) ? url : url.replaceAll('%', '%25')),
    requestIdHeader: false,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    bodyLimit: 1024 * 1024,
    connectionTimeout: 0,
    requestTimeout: 30_000,
    http: { requireHostHeader: false, headersTimeout: 15_000, connectionsCheckingInterval: 1_000 },
    // Connections that are still in use when a service stops get their answers.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => render(error, request, reply),
    clientErrorHandler: refuseMalformed,
  }).withTypeProvider<ZodTypeProvider>();

  // Node would answer 417 itself, which no contract knows: a hook answers, in its turn.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler<FastifyError>(render);
  app.setNotFoundHandler((request, reply) => render(new AppError('notFound'), request, reply));

  const registry = new Registry();
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the request line to the end of the answer',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    const { origin, host, expect, 'access-control-request-method': preflight } = request.headers;
    if (expect !== undefined && expect.toLowerCase() !== '100-continue') throw new AppError('invalidFormat');
    if (request.method === 'OPTIONS' && !(origin && preflight)) throw new AppError('notFound');
    // RFC 9112 §3.2; checked here, since Node's own answer would have no body.
    if (host === undefined && request.raw.httpVersion === '1.1') {
      reply.header('connection', 'close');
      throw new AppError('invalidFormat');
    }
  });
  // A kept-alive connection would hold up the end of a service that stops.
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (stopping) reply.header('connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
    const path = request.url.split('?', 1)[0];
    request.log.info(
      { method: request.method, path, status: reply.statusCode, ms: reply.elapsedTime },
      'answered',
    );
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
    ],
    maxAge: 600,
  });
  await hooks?.(app);
  await app.register(docs, { name, description });
  await app.register(health, { name, checks, registry });
  return app;
}

function isDecodable(url: string): boolean {
  try {
    decodeURI(url);
    return true;
  } catch {
    return false;
  }
}

/** The client's own id when it is one that logs and headers can carry, else a new one. */
const requestId = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUIDv7();

/** Bytes that are not HTTP, or that took too long, reach no route: the answer is written by hand. */
function refuseMalformed(error: Error & { code?: string; rawPacket?: unknown }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const { _httpMessage: pending } = socket as { _httpMessage?: ServerResponse };
  // These bytes would be taken for the answer, or a part of it, of an earlier request.
  if (pending && (pending.headersSent || pending.req.complete)) {
    socket.destroy();
    return;
  }
  const { rawPacket } = error;
  const line = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1', 0, 1024) : '';
  const contract = contractOf(pending?.req.url ?? line.split(' ', 2)[1] ?? '');
  const requestId = randomUUIDv7();
  const failure = new AppError('invalidFormat', { cause: error });
  const body = JSON.stringify(renderError(failure, { contract, requestId, now: Date.now() }));
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-ID: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
