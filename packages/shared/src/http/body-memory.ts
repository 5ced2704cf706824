import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { AppError } from './errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the body is streamed: it is not held in memory, and is limited by silence instead of by its duration. */
    streams?: boolean;
  }
}

/** Bytes that a chunk takes besides its content: a body may arrive in chunks of one byte. */
const CHUNK_OVERHEAD = 128;
/** Seconds: bodies are held for as long as their calls take. */
const RETRY_AFTER = 1;

/**
 * Bounds the bytes of all bodies that are held in memory at the same time. Each call counts what has arrived of its
 * body until it is answered. What would exceed the bound is refused with `unavailable`.
 * @param max bytes.
 */
export const bodyMemory = fp(async (app: FastifyInstance, { max }: { max: number }) => {
  let held = 0;

  function hold(request: IncomingMessage, response: ServerResponse): void {
    let size = 0;
    const count = (chunk: Buffer) => {
      if (response.headersSent) return; // Node.js discards the rest of a refused body
      size += chunk.length + CHUNK_OVERHEAD;
      held += chunk.length + CHUNK_OVERHEAD;
      if (held <= max || request.listenerCount('error') === 0) return;
      request.off('data', count);
      request.emit('error', new AppError('unavailable', { retryAfter: RETRY_AFTER }));
    };
    // Unlike `on`, this does not start the flow before somebody reads.
    request.prependListener('data', count);
    response.once('close', () => {
      request.off('data', count);
      held -= size;
    });
  }

  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.is404) throw new AppError('notFound'); // reads no body
    if (!request.routeOptions.config?.streams) hold(request.raw, reply.raw);
    done(null, payload);
  });
});
