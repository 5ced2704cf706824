import { createServer, type Socket } from 'node:net';
import { runCommand } from './commands/dispatch.ts';
import { openStore } from './store/store.ts';
import { startTtlSweep, sweepExpired } from './store/ttl.ts';
import { createCursors } from './wire/cursors.ts';
import { createFramer, frameReply, parseMessage } from './wire/messages.ts';

export interface MongoServerOptions {
  /** The SQLite file, created if it does not exist; ':memory:' keeps nothing. */
  data: string;
  /** 0 picks a free port. */
  port: number;
  /** 127.0.0.1 by default: there is no authentication. */
  host?: string;
  /** Milliseconds between two sweeps of the TTL indexes, by default 2,000; MongoDB sweeps every 60 seconds. */
  ttlInterval?: number;
  /** Unix milliseconds, for `$$NOW` and the TTL indexes; by default the time of the system. */
  now?: () => number;
}

export interface MongoServer {
  readonly port: number;
  readonly uri: string;
  /** Deletes what the TTL indexes have expired by now, in place of waiting for the next sweep. */
  sweepExpired(): void;
  /** Returns all databases as they are between two commands. */
  snapshot(): Uint8Array;
  /** Sets all databases back to a snapshot. Open cursors end. @throws unless `data` is ':memory:'. */
  restore(snapshot: Uint8Array): void;
  close(): Promise<void>;
}

/** A client that does not read its last reply must not prevent a shutdown. */
const CLOSE_TIMEOUT_MS = 1000;
const IDLE_CURSOR_CHECK_MS = 60_000;
/** With more than this unread by a client, its requests wait, so that replies do not fill the memory. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** Starts a MongoDB-compatible server. Rejects if the port or the file is not available. */
export async function startMongoServer(options: MongoServerOptions): Promise<MongoServer> {
  const { data, port, host = '127.0.0.1', ttlInterval = 2000, now = Date.now } = options;
  const store = openStore(data);
  const cursors = createCursors();
  const sockets = new Set<Socket>();
  let connections = 0;

  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    serve(socket, { store, cursors, clock: now, connectionId: ++connections });
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
  const idleCheck = setInterval(cursors.closeIdle, IDLE_CURSOR_CHECK_MS).unref();
  const stopSweep = startTtlSweep(store, {
    interval: ttlInterval,
    now,
    onError: (error) => console.error('TTL sweep:', error),
  });

  const address = server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  let closing: Promise<void> | undefined;
  return {
    port: bound,
    uri: `mongodb://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    sweepExpired: () => sweepExpired(store, now()),
    snapshot: store.snapshot,
    restore(snapshot) {
      cursors.closeAll();
      store.restore(snapshot);
    },
    close() {
      closing ??= new Promise((resolve) => {
        clearInterval(idleCheck);
        stopSweep();
        server.close(() => {
          store.close();
          resolve();
        });
        // Commands run synchronously, so none is in progress now; pending replies are still sent.
        for (const socket of sockets) socket.destroySoon();
        setTimeout(() => {
          for (const socket of sockets) socket.destroy();
        }, CLOSE_TIMEOUT_MS).unref();
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
        const reply = runCommand(request.command, connection);
        if (request.moreToCome) continue;
        if (Buffer.isBuffer(reply)) socket.write(frameReply(request, reply));
        else void reply.then((later) => socket.writable && socket.write(frameReply(request, later)));
      }
    } catch {
      // A protocol error: the start of the next message is unknown, so the connection ends.
      socket.destroy();
      return;
    }
    if (socket.writableLength > MAX_UNREAD_BYTES) {
      socket.pause();
      socket.once('drain', () => socket.resume());
    }
  });
}
