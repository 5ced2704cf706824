import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether calls are exempt from rate limits. */
    unmetered?: boolean;
  }
}

/** Makes the routes of this scope public, exempt from rate limits and absent from the log: health and documents. */
export function publicRoutes(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, public: true, unmetered: true };
    route.logLevel = 'error';
  });
}
