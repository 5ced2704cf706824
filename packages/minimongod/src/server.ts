import { createServer, type Socket } from 'node:net';
import { runCommand } from './commands/dispatch.ts';
import { openStore } from './store/store.ts';
import { startTtlSweep } from './store/ttl.ts';
import { createCursors } from './wire/cursors.ts';
import { createFramer, frameReply, parseMessage } from './wire/messages.ts';

export interface MongoServerOptions {
  /** 127.0.0.1 unless given: there is no authentication. */
  host?: string;
  /** 0 picks a free one. */
  port: number;
  /** The SQLite file, created if it does not exist; ':memory:' keeps nothing. */
  data: string;
}

export interface MongoServer {
  readonly port: number;
  readonly uri: string;
  close(): Promise<void>;
}

/** A client that does not read its last answer does not hold the end up. */
const CLOSE_PATIENCE_MS = 1000;
const IDLE_CURSOR_CHECK_MS = 60_000;
/** More than this unread by a client, and its requests wait: it must not fill our memory. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** A standalone MongoDB for one machine: the wire protocol over SQLite. Rejects when port or file cannot be had. */
export async function startMongoServer({
  host = '127.0.0.1',
  port,
  data,
}: MongoServerOptions): Promise<MongoServer> {
  const store = openStore(data);
  const cursors = createCursors();
  const sockets = new Set<Socket>();
  const startedAt = Date.now();
  let connections = 0;

  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    serve(socket, { store, cursors, startedAt, connectionId: ++connections });
    socket.once('close', () => sockets.delete(socket));
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (error) {
    store.close();
    throw error;
  }
  const idleCheck = setInterval(cursors.closeIdle, IDLE_CURSOR_CHECK_MS);
  idleCheck.unref();
  const stopSweep = startTtlSweep(store, (error) => console.error('TTL sweep:', error));

  const address = server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  let closing: Promise<void> | undefined;
  return {
    port: bound,
    uri: `mongodb://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close() {
      closing ??= new Promise((resolve) => {
        clearInterval(idleCheck);
        stopSweep();
        server.close(() => {
          store.close();
          resolve();
        });
        // commands are synchronous: nothing is under way now, and what is written already is sent first
        for (const socket of sockets) socket.destroySoon();
        setTimeout(() => {
          for (const socket of sockets) socket.destroy();
        }, CLOSE_PATIENCE_MS).unref();
      });
      return closing;
    },
  };
}

function serve(socket: Socket, connection: Parameters<typeof runCommand>[1]): void {
  const frame = createFramer();
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    try {
      for (const message of frame(chunk as Buffer)) {
        const request = parseMessage(message);
        const body = runCommand(request.command, connection);
        if (!request.silent) socket.write(frameReply(request, body));
      }
    } catch {
      // nothing tells where the next message begins: only this connection ends
      socket.destroy();
      return;
    }
    if (socket.writableLength > MAX_UNREAD_BYTES) {
      socket.pause();
      socket.once('drain', () => socket.resume());
    }
  });
}
