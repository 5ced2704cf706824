import { randomUUIDv7 } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
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

/** Requests of one connection that are handled at the same time. */
export const MAX_IN_FLIGHT = 16;
/** Requests that may wait behind these. Node.js parses all of a chunk of 64 KiB, and HTTP clients pipeline few. */
const MAX_WAITING = 1_000;
/** Requests that may wait on all connections: each takes two kilobytes. */
const MAX_WAITING_IN_ALL = 4_000;

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

interface Connection {
  inFlight: number;
  waiting: [IncomingMessage, ServerResponse][];
}

/**
 * Limits the requests of one connection that are in flight (RFC 9112 §9.3.2): Node.js handles all pipelined requests at
 * once. Later ones wait, and the socket is not read while they do. Node.js sends the responses in order.
 */
export function limitPipelining(server: Server): void {
  const connections = new WeakMap<Socket, Connection>();
  let waitingInAll = 0;
  const listeners = server.listeners('request') as Handle[];
  server.removeAllListeners('request');

  function connectionOf(socket: Socket): Connection {
    const known = connections.get(socket);
    if (known) return known;
    const connection: Connection = { inFlight: 0, waiting: [] };
    connections.set(socket, connection);
    // Node.js resumes the socket for its own reasons, for example when it has sent a response.
    socket.on('resume', () => {
      if (connection.waiting.length > 0) socket.pause();
    });
    return connection;
  }

  function handle(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    connection.inFlight += 1;
    response.once('close', () => {
      connection.inFlight -= 1;
      // A request that waits behind the last response of a connection cannot be answered.
      if (socket.destroyed || socket.writableEnded) waitingInAll -= connection.waiting.splice(0).length;
      const next = connection.waiting.shift();
      if (next) {
        waitingInAll -= 1;
        handle(connection, ...next);
      }
      if (connection.waiting.length === 0 && socket.isPaused()) socket.resume();
    });
    for (const listener of listeners) listener.call(server, request, response);
  }

  server.on('request', (request, response) => {
    const { socket } = request;
    const connection = connectionOf(socket);
    if (connection.inFlight < MAX_IN_FLIGHT) return handle(connection, request, response);
    if (connection.waiting.length >= MAX_WAITING || waitingInAll >= MAX_WAITING_IN_ALL) {
      socket.destroy();
      return;
    }
    connection.waiting.push([request, response]);
    waitingInAll += 1;
    socket.pause();
  });
}
