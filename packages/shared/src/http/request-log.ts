import { randomUUIDv7 } from 'node:crypto';
import type { FastifyBaseLogger, FastifyInstance, FastifyServerOptions } from 'fastify';
import fp from 'fastify-plugin';
import { Histogram, type Registry } from 'prom-client';
import { userIdOf } from '../identity/users.ts';
import '../identity/principal.ts';

/** Returns the request ID of the client if it is safe in logs and headers, otherwise a new one. */
export const requestId = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUIDv7();

/** Rounds to tenths: more digits are noise. */
const tenths = (ms: number): number => Math.round(ms * 10) / 10;

/** A machine key or a token that somebody has put into a path by mistake, where it is no bearer. */
const BEARERS = /gh_[0-9A-Za-z]{16}_[0-9A-Za-z]+|ey[\w-]+\.[\w-]+\.[\w-]+/g;

/** The path without the query and without bearers. */
const loggedPath = (url: string): string => (url.split('?', 1)[0] ?? '').replaceAll(BEARERS, '[bearer]');

/** Logs and measures every request. */
export const requestLog = fp(async (app: FastifyInstance, { registry }: { registry: Registry }) => {
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request line to the end of the response',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, url } = request;
    const [status, ms] = [reply.statusCode, reply.elapsedTime];
    duration.observe({ method, route: routeOptions.url ?? 'none', status }, ms / 1000);
    // Health and documents log failures only.
    if (!routeOptions.logLevel) {
      const user_id = request.principal && userIdOf(request.principal.user);
      const path = loggedPath(url);
      app.log.info({ reqId: request.id, method, path, status, ms: tenths(ms), user_id }, 'request completed');
    }
    done();
  });
});

type Create = NonNullable<FastifyServerOptions['childLoggerFactory']>;

/**
 * The loggers of requests, created when they write a line: most requests write none, and a child of a logger that redacts
 * is expensive. `npm run bench -- health-live`, goal 0.70: the gateway reaches 0.49 with it, 0.43 without it.
 */
export const lazyLogger: Create = (parent, bindings, options) => {
  let created: FastifyBaseLogger | undefined;
  const get = (name: string | symbol) => {
    created ??= parent.child(bindings, options);
    return Reflect.get(created, name);
  };
  return new Proxy(parent, {
    get: (_, name) =>
      typeof Reflect.get(parent, name) === 'function'
        ? (...args: unknown[]) => get(name).apply(created, args)
        : get(name),
  });
};
