import { randomUUIDv7 } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { AppError, contractOf, renderError } from './errors.ts';
import { protectiveHeaders } from './response-headers.ts';

/** Refuses, in the shape of the contract, requests that Node.js would refuse in its own. */
export const strictRequests = fp(async (app: FastifyInstance) => {
  // Node.js would answer 417, which neither contract has. The hook below answers 400 instead, in order.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // Async on purpose: the body of a small request has arrived when a later hook refuses it.
  app.addHook('onRequest', async (request, reply) => {
    const { origin, host, expect, 'access-control-request-method': preflight } = request.headers;
    if (expect !== undefined && expect.toLowerCase() !== '100-continue') throw new AppError('invalidFormat');
    if (request.method === 'OPTIONS' && !(origin && preflight)) throw new AppError('notFound');
    // The router would serve the absolute form (CONTRACT.md §Paths).
    if (!request.raw.url?.startsWith('/')) throw new AppError('notFound');
    // RFC 9112 §3.2; the answer of Node.js has no body.
    if (host === undefined && request.raw.httpVersion === '1.1') {
      reply.header('connection', 'close');
      throw new AppError('invalidFormat');
    }
  });
});

/** Escapes a path that cannot be decoded. Fastify would skip all hooks for it; escaped, it is an unknown path. */
export function decodableUrl(url: string): string {
  if (!url.includes('%')) return url;
  const [path = '', ...query] = url.split(/(?=\?)/);
  try {
    decodeURI(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + query.join('');
  }
}

/** Answers 400 on the socket to a request that is not HTTP or timed out, because it reaches no route. */
export function refuseMalformed(error: Error & { code?: string; rawPacket?: unknown }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const { _httpMessage: pending } = socket as { _httpMessage?: ServerResponse };
  // The client would take these bytes for the answer to an earlier request, or for a part of it.
  if (pending && (pending.headersSent || pending.req.complete)) {
    socket.destroy();
    return;
  }
  const { rawPacket } = error;
  const line = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1', 0, 1024) : '';
  const target = pending?.req.url ?? line.split(' ', 2)[1] ?? '';
  const contract = contractOf(target);
  const requestId = randomUUIDv7();
  const failure = new AppError('invalidFormat', { cause: error });
  const body = JSON.stringify(renderError(failure, { contract, requestId, now: Date.now() }));
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-ID: ${requestId}`,
    'Connection: close',
    ...Object.entries(protectiveHeaders(contract, target)).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
