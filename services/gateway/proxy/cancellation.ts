import type { FastifyReply } from 'fastify';

/** A signal that aborts when the client disconnects before it has the whole response. */
export function abortOnDisconnect({ raw }: FastifyReply): AbortSignal {
  const disconnected = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) disconnected.abort();
  });
  return disconnected.signal;
}
