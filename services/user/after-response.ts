import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyRequest {
    afterResponse: (() => Promise<void>) | undefined;
  }
}

/** Runs the work that the operations of a scope leave for later. Closing the server waits for it; a crash loses it. */
export const runAfterResponse = fp(async (scope: FastifyInstance) => {
  const running = new Set<Promise<void>>();
  scope.decorateRequest('afterResponse', undefined);
  scope.addHook('onResponse', async (request) => {
    const step = request.afterResponse?.().catch((error: unknown) => {
      request.log.error({ err: error }, 'work after the response failed');
    });
    if (!step) return;
    running.add(step);
    await step;
    running.delete(step);
  });
  scope.addHook('onClose', async () => void (await Promise.all(running)));
});

/** Lets an operation do work once its response has been sent. */
export function afterResponse(request: FastifyRequest, step: () => Promise<void>): void {
  request.afterResponse = step;
}
