import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { freePorts } from '../fixtures/launcher.ts';
import { createProcesses } from '../fixtures/processes.ts';

const SERVICES = ['user', 'login', 'gateway'] as const;
export type Service = (typeof SERVICES)[number];
export type Release = 'previous' | 'this';

/** Processes of each service behind one address, as with two pods. */
const REPLICAS = 2;
/** Milliseconds after the exit of a process in which its callers may still meet a closed connection. */
const SLACK = 1_000;

interface Replica {
  name: string;
  port: number;
}

/**
 * Runs the three services, each with two processes behind a balancer of TCP connections.
 * @param folders where the source of each release is.
 * @param env settings of all processes, beside addresses and ports.
 */
export async function createCluster(folders: Record<Release, string>, env: NodeJS.ProcessEnv) {
  const programs = new Map<string, { script: string; env: NodeJS.ProcessEnv }>();
  const processes = createProcesses<string>((name) => {
    const program = programs.get(name);
    if (!program) throw new Error(`unknown process: ${name}`);
    return program;
  });
  const balancers = {
    user: await startBalancer(),
    login: await startBalancer(),
    gateway: await startBalancer(),
  };
  const url = (service: Service) => `http://127.0.0.1:${balancers[service].port}`;
  const replicas: Record<Service, Replica[]> = { user: [], login: [], gateway: [] };
  const restarts: { from: number; to: number }[] = [];
  let started = 0;

  async function add(service: Service, release: Release): Promise<void> {
    const [port = 0] = await freePorts(1);
    started += 1;
    const name = `${service}-${started}-${release}`;
    programs.set(name, {
      script: join(folders[release], 'services', service, 'main.ts'),
      env: {
        ...env,
        PUBLIC_URL: url('gateway'),
        LOGIN_SERVICE_URL: url('login'),
        USER_SERVICE_URL: url('user'),
        [`${service.toUpperCase()}_PORT`]: String(port),
      },
    });
    await processes.start(name);
    replicas[service].push({ name, port });
    balancers[service].targets = replicas[service].map((replica) => replica.port);
  }

  /** Takes the oldest process out of the balancer and stops it. @throws unless it finishes its calls and exits. */
  async function remove(service: Service): Promise<void> {
    const replica = replicas[service].shift() as Replica;
    balancers[service].targets = replicas[service].map(({ port }) => port);
    const restart = { from: performance.now(), to: Number.POSITIVE_INFINITY };
    restarts.push(restart);
    const code = await processes.end(replica.name, 'SIGTERM');
    restart.to = performance.now() + SLACK;
    if (code !== 0)
      throw new Error(`${replica.name} exited with ${code}:\n${processes.output().slice(-4_000)}`);
  }

  return {
    url,
    output: processes.output,
    async start(release: Release): Promise<void> {
      for (const service of SERVICES) for (let i = 0; i < REPLICAS; i += 1) await add(service, release);
    },
    /** Replaces the processes of a service one by one by those of a release, as a rolling update does. */
    async roll(service: Service, release: Release): Promise<void> {
      for (let i = 0; i < REPLICAS; i += 1) {
        await add(service, release);
        await remove(service);
      }
    },
    /** Whether a process was stopping at some time between two moments of `performance.now()`. */
    wasRestarting: (began: number, ended: number) =>
      restarts.some(({ from, to }) => began <= to && ended >= from),
    async stop(): Promise<void> {
      for (const service of SERVICES.toReversed()) {
        await Promise.all(replicas[service].map(({ name }) => processes.end(name, 'SIGTERM')));
        balancers[service].stop();
      }
    },
  };
}

export type Cluster = Awaited<ReturnType<typeof createCluster>>;

/** Forwards each connection to the next of its targets. */
async function startBalancer() {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    const { targets } = balancer;
    const target = connect(targets[connections % targets.length] ?? 0, '127.0.0.1');
    for (const [socket, other] of [
      [client, target],
      [target, client],
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
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const balancer = {
    port: (server.address() as AddressInfo).port,
    /** The ports of the processes that take new connections. */
    targets: [] as number[],
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return balancer;
}
