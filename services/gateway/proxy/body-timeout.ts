import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a body flows through, and so may take as long as it keeps flowing. */
    streams?: boolean;
  }
}

/** Milliseconds in which a body must arrive; or, of one that flows through, its next bytes. */
const TIMEOUT = 30_000;
const CHECKS = 6;

/** Node's own time-out knows no difference between a slow form and a large upload, so it is off here. */
export const bodyTimeout = fp(async (app: FastifyInstance) => {
  app.addHook('onRequest', async (request) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (length !== undefined || encoding !== undefined) watch(app, request);
  });
});

function watch(app: FastifyInstance, { raw, routeOptions }: FastifyRequest): void {
  const { socket } = raw;
  let seen = socket.bytesRead;
  let silent = 0;
  const timer = setInterval(() => {
    silent = routeOptions.config.streams && socket.bytesRead > seen ? 0 : silent + 1;
    seen = socket.bytesRead;
    if (raw.complete || socket.destroyed) clearInterval(timer);
    else if (silent >= CHECKS) {
      clearInterval(timer);
      app.server.emit('clientError', new Error('the body did not arrive in time'), socket);
      socket.destroySoon(); // with its answer written: the client might keep its side open for ever
    }
  }, TIMEOUT / CHECKS);
  timer.unref();
  raw.once('close', () => clearInterval(timer));
}
