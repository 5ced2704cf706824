import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** An upstream's response; a streamed body is still to be read. */
export interface UpstreamResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Readable | Buffer | string;
}

/** Sends an upstream's response to the client. A body that breaks off in the middle cuts the client's connection. */
export function relay(reply: FastifyReply, { status, headers, body }: UpstreamResponse): FastifyReply {
  const vary = reply.getHeader('vary');
  reply.code(status).headers(headers);
  if (vary && headers.vary && headers.vary !== vary) reply.header('vary', `${vary}, ${headers.vary}`);
  // The rest of a request that was answered early is never read, so no other request can follow it.
  if (!reply.request.raw.complete) reply.header('connection', 'close');
  // Before the first byte has been sent, a body that fails is a 503.
  if (body instanceof Readable) body.once('error', (error) => Object.assign(error, { statusCode: 503 }));
  return reply.serializer((text: string) => text).send(body);
}

/** A signal that aborts when the client disconnects before it has the whole response. */
export function abortOnDisconnect({ raw }: FastifyReply): AbortSignal {
  const disconnected = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) disconnected.abort();
  });
  return disconnected.signal;
}
