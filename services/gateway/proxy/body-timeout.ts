import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { hasBody } from './request-body.ts';

const CHECKS = 6;

/**
 * Limits how long a body may take, or how long a streamed body may be silent. Node's requestTimeout cannot tell a
 * slow form from a large upload, so it is off.
 * @param timeout in milliseconds.
 */
export const bodyTimeout = fp(async (app: FastifyInstance, { timeout }: { timeout: number }) => {
  app.addHook('onRequest', (request, _reply, done) => {
    if (hasBody(request)) watch(app, request, timeout);
    done();
  });
});

function watch(app: FastifyInstance, { raw, routeOptions }: FastifyRequest, timeout: number): void {
  const { socket } = raw;
  let seen = socket.bytesRead;
  let silent = 0;
  const timer = setInterval(() => {
    silent = routeOptions.config.streams && socket.bytesRead > seen ? 0 : silent + 1;
    seen = socket.bytesRead;
    if (raw.complete || socket.destroyed) clearInterval(timer);
    else if (silent >= CHECKS) {
      clearInterval(timer);
      app.server.emit('clientError', new Error('The request body timed out'), socket);
      socket.destroySoon(); // flushes the response; the client may never close its side
    }
  }, timeout / CHECKS);
  timer.unref();
  raw.once('close', () => clearInterval(timer));
}
