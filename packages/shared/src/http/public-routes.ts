import type { FastifyInstance } from 'fastify';

/** Opens the routes of this scope to everybody, free of charge and of log lines: health and documents. */
export function publicRoutes(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, public: true, unmetered: true };
    route.logLevel = 'error';
  });
}
