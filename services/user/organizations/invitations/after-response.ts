import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    afterResponse: (() => Promise<void>) | undefined;
  }
}

/**
 * Lets an operation do work once its response has been sent. Closing the server waits for it; a crash loses it.
 * @returns the function that takes the work of a request.
 */
export function createAfterResponse(app: FastifyInstance) {
  const running = new Set<Promise<void>>();
  app.decorateRequest('afterResponse', undefined);
  app.addHook('onResponse', async (request) => {
    const step = request.afterResponse?.().catch((error: unknown) => {
      request.log.error({ err: error }, 'work after the response failed');
    });
    if (!step) return;
    running.add(step);
    await step;
    running.delete(step);
  });
  app.addHook('onClose', async () => void (await Promise.all(running)));
  return (request: FastifyRequest, step: () => Promise<void>): void => {
    request.afterResponse = step;
  };
}
