import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const HOST = '127.0.0.1';

/** A proxy before a server on this machine, which can cut all connections and refuse new ones, as a network may. */
export async function startBreakableProxy(port: number) {
  const sockets = new Set<Socket>();
  let isBroken = false;
  const server = createServer({ noDelay: true }, (client) => {
    if (isBroken) return client.resetAndDestroy();
    const upstream = connect({ port, host: HOST, noDelay: true });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket
        .on('error', () => {})
        .once('close', () => {
          sockets.delete(socket);
          other.destroy();
        });
      socket.pipe(other);
    }
  }).listen(0, HOST);
  await once(server, 'listening');
  const cut = () => {
    // A reset, because the driver never times out a command that it writes while a connection closes in order.
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    break() {
      isBroken = true;
      cut();
    },
    mend() {
      isBroken = false;
    },
    async stop() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
