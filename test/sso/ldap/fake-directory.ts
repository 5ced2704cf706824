import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A TCP server that answers as a test tells it to, and counts connections. */
export async function startFakeDirectory(onConnection: (socket: Socket, turn: number) => void) {
  const sockets = new Set<Socket>();
  let turns = 0;
  const server = createServer((socket) => {
    turns += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    onConnection(socket, turns);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return turns;
    },
    /** Connections that the client has not closed. */
    get open() {
      return sockets.size;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** An ExtendedResponse to the request with the id 1. */
export const startTlsResponse = (result = 0) =>
  Buffer.from([0x30, 0x0c, 0x02, 0x01, 0x01, 0x78, 0x07, 0x0a, 0x01, result, 0x04, 0x00, 0x04, 0x00]);

/** A BindResponse that says success. */
export const bindSuccess = (id: number) =>
  Buffer.from([0x30, 0x0c, 0x02, 0x01, id, 0x61, 0x07, 0x0a, 0x01, 0x00, 0x04, 0x00, 0x04, 0x00]);
