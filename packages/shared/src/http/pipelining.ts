import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
