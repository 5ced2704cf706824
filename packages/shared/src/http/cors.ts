import type { FastifyCorsOptions } from '@fastify/cors';

/** Allows the given origins, by default every origin (CONTRACT.md §CORS). */
export const corsOptions = (origins: string[] | undefined): FastifyCorsOptions => ({
  // Without an origin a request is not cross-origin and needs only `Vary`. Otherwise the plugin gets the list: it also
  // answers preflights of origins that are not in it.
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
  ],
  maxAge: 600,
});
