import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/**
 * Milliseconds that the gateway may read nothing: longer than the gateway waits for its client. While a client reads
 * slowly, the buffers in between empty for minutes before the gateway reads on.
 */
const IDLE_TIMEOUT = 600_000;

/** Sends chunks as fast as they are read. A client that disconnects ends the iteration. */
export function sendStream(reply: FastifyReply, chunks: AsyncIterable<string | Uint8Array>): FastifyReply {
  reply.raw.setTimeout(IDLE_TIMEOUT);
  return reply.send(Readable.from(chunks, { objectMode: false }));
}

/** Answers a HEAD, which would read the whole of a stream and replace the length of everything else. */
export const sendNothing = (reply: FastifyReply): FastifyReply => reply.send(Readable.from([]));
