import type { FastifyCorsOptions } from '@fastify/cors';

/** Allows the given origins, by default every origin (CONTRACT.md §CORS). */
export const corsOptions = (origins: string[] | undefined): FastifyCorsOptions => ({
  // A request without an origin is no cross-origin request and needs only `Vary`. For any other origin the answer is a
  // list, so that a preflight of an origin that is not in it is still answered.
  origin: (origin, respond) => respond(null, origin === undefined ? false : (origins ?? true)),
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
  ].join(', '), // the plugin would join them for every answer
  maxAge: 600,
});
