import type { FastifyCorsOptions } from '@fastify/cors';

/** Allows the given origins, by default every origin (CONTRACT.md §CORS). */
export const corsOptions = (origins: string[] | undefined): FastifyCorsOptions => ({
  origin: origins ?? true,
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
