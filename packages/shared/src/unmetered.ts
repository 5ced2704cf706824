import type { FastifyInstance } from 'fastify';

/** Makes the routes of this scope free of charge and of log lines: they are asked for every few seconds. */
export function unmetered(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, unmetered: true };
    route.logLevel = 'error';
  });
}
