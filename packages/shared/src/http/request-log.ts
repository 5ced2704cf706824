import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { Histogram, type Registry } from 'prom-client';

/** Says of every request that it was answered: its id in a header, a log line, a metric. */
export const requestLog = fp(async (app: FastifyInstance, { registry }: { registry: Registry }) => {
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the request line to the end of the answer',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, url } = request;
    const [status, ms] = [reply.statusCode, reply.elapsedTime];
    duration.observe({ method, route: routeOptions.url ?? 'none', status }, ms / 1000);
    request.log.info({ method, path: url.split('?', 1)[0], status, ms }, 'answered');
  });
});
