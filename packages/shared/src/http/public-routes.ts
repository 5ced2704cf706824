import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether calls are exempt from rate limits. */
    unmetered?: boolean;
  }
}

/** Makes the routes of this scope public, exempt from rate limits if `unmetered`, and absent from the log. */
export function publicRoutes(scope: FastifyInstance, { unmetered = true } = {}): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, public: true, unmetered };
    route.logLevel = 'error';
  });
}
