import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

/** A year, for this host alone: an operator may serve its subdomains without TLS. */
const HEADER = 'max-age=31536000';

/** Tells browsers to reach this host only over TLS (RFC 6797). */
export const strictTransport = fp(async (app: FastifyInstance) => {
  app.addHook('onSend', async (_request, reply) => {
    reply.header('strict-transport-security', HEADER);
  });
});
