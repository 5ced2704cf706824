import type { FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { type Contract, contractOf } from './errors.ts';

/** The contract of a call: that of its operation, or where there is none, that of the path. */
export function contractOfRequest({ routeOptions, url }: FastifyRequest): Contract {
  const operation = routeOptions.config?.operation;
  if (!operation) return contractOf(url);
  return operation.contract === 'direct' ? 'direct' : 'catalogue';
}

/** OpenID Connect Back-Channel Logout 1.0 §2.8 wants no-store with every answer, failures too. */
const BACKCHANNEL_LOGOUT = /^\/oauth\/backchannel-logout(?:[/?]|$)/;

/** The headers against sniffing and caching that every answer of a route has (CONTRACT.md §Caching). */
export const protectiveHeaders = (contract: Contract, target: string): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  ...((contract === 'direct' || BACKCHANNEL_LOGOUT.test(target)) && { 'cache-control': 'no-store' }),
});

/** The headers of a page, besides its Content-Security-Policy. */
export const DOCUMENT_HEADERS = {
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

export const responseHeaders = fp(async (app: FastifyInstance) => {
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    const headers = protectiveHeaders(contractOfRequest(request), request.url);
    reply.header('x-request-id', request.id).headers(headers);
    // A connection that is kept alive would delay the stop of the service.
    if (stopping) reply.header('connection', 'close');
    done();
  });
});

/** Allows the given origins, by default every origin (CONTRACT.md §CORS). */
export const corsOptions = (origins: string[] | undefined): FastifyCorsOptions => ({
  // Without an origin a request is not cross-origin and needs only `Vary`. Otherwise the plugin gets the list: it also
  // answers preflights of origins that are not in it.
  origin: (origin, respond) => respond(null, origin === undefined ? false : (origins ?? true)),
  credentials: true,
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  exposedHeaders: [
    // The client compares its clock with the server's.
    'Date',
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
