import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { loadConfig, type Service, variablesOf } from '@gatehouse/shared/config';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startHttp } from '../fixtures/gateway.ts';

interface ComposeFile {
  services: Record<
    string,
    {
      image?: string;
      entrypoint?: string[];
      command?: string | string[];
      ports?: string[] | null;
      volumes?: string[];
      restart?: string;
      networks?: string[];
      environment?: Record<string, string | null>;
      init?: boolean;
      healthcheck?: { test: string[]; interval: string };
    }
  >;
  networks: Record<string, { internal?: boolean } | null>;
}

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** A Compose file with its anchors merged, as `docker compose config` reads it. `!reset` becomes null. */
const compose = (path: string): ComposeFile =>
  parse(read(path).replaceAll('!reset []', 'null'), { merge: true });

const base = compose('docker-compose.yml');
const overlay = compose('deploy/compose.dev.yml');
const tls = compose('deploy/compose.tls.yml');
const files = ['docker-compose.yml', 'deploy/compose.dev.yml', 'deploy/compose.tls.yml'];
const ours: Service[] = ['gateway', 'login', 'user'];
const secrets: Record<string, string> = {
  JWT_SECRET: 'thirty-two bytes or more, for a test only',
  CAPTCHA_SECRET: 'another thirty-two bytes or more, for a test',
  MONGODB_GATEWAY_PASSWORD: 'd0'.repeat(32),
  MONGODB_LOGIN_PASSWORD: 'd1'.repeat(32),
  MONGODB_USER_PASSWORD: 'd2'.repeat(32),
  MONGODB_ROOT_PASSWORD: 'e1'.repeat(32),
  REDIS_PASSWORD: 'f2'.repeat(32),
};

/** Replaces `${NAME:-default}` and `${NAME:?message}` from `env`, as Compose does. */
const fillIn = (text: string, env: Record<string, string>) =>
  text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name, operator, rest) => {
    const value = env[name] || (operator === '-' ? rest : '');
    if (operator === '?' && value === '') throw new Error(`${name} ${rest}`);
    return value;
  });

/** The environment of a container. A variable without a value is passed on only if it is set. */
const environmentOf = (service: string, env: Record<string, string>): Record<string, string> => {
  const listed = Object.entries(base.services[service]?.environment ?? {});
  return Object.fromEntries(
    listed.flatMap(([name, text]) => {
      const value = text === null ? env[name] : fillIn(text, env);
      return value === undefined ? [] : [[name, value]];
    }),
  );
};

/** The variable of a service's password at MongoDB. */
const passwordOf = (service: string) => `MONGODB_${service.toUpperCase()}_PASSWORD`;

/** The settings of providers that Gatehouse knows by name. */
const PROVIDER = /^SOCIAL_(?:GOOGLE|MICROSOFT|APPLE|GITHUB|GITLAB)_[A-Z_]+$/;

/** The ports that a file publishes, with an overlay on it, as `service host:container`. */
function publishedBy(file: ComposeFile, over: ComposeFile = { services: {}, networks: {} }): string[] {
  const names = new Set([...Object.keys(file.services), ...Object.keys(over.services)]);
  return [...names].flatMap((name) => {
    const more = over.services[name]?.ports;
    const ports = more === null ? [] : [...(file.services[name]?.ports ?? []), ...(more ?? [])];
    return ports.map((port) => `${name} ${fillIn(port, {})}`);
  });
}

describe.each(files)('%s', (path) => {
  const { services } = compose(path);

  it('uses only variables that .env.example explains', () => {
    const explained = [...read('.env.example').matchAll(/^([A-Z\d_]+)=/gm)].map(([, name]) => name);
    const used = [
      ...[...read(path).matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name]) => name ?? ''),
      ...Object.values(services).flatMap(({ environment = {} }) =>
        Object.keys(environment).filter((name) => environment[name] === null),
      ),
    ];
    expect(used.filter((name) => !explained.includes(name) && !PROVIDER.test(name))).toEqual([]);
  });

  it('mounts only files that exist, and volumes that it declares', () => {
    const { volumes = {} } = parse(read(path).replaceAll('!reset []', 'null'), { merge: true });
    const mounted = Object.values(services).flatMap(({ volumes = [] }) => volumes);
    const sources = mounted.map((mount) => mount.split(':')[0] ?? '');
    const unknown = sources.filter(
      (source) => !(source.startsWith('.') ? existsSync(new URL(source, root)) : source in volumes),
    );
    expect(unknown).toEqual([]);
  });

  it('publishes no port of metrics', () => {
    const ports = Object.values(services).flatMap(({ ports }) => ports ?? []);
    expect(ports.filter((port) => port.includes('9464') || port.includes('METRICS_PORT'))).toEqual([]);
  });
});

it('.env.example names what only Compose reads, and Compose reads it', () => {
  const [, section = ''] =
    /--- Only for `docker compose up` ---\n(.*?)\n# ---/s.exec(read('.env.example')) ?? [];
  const named = [...section.matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);
  expect(named).toHaveLength(5);
  for (const name of named) expect(read('docker-compose.yml')).toContain(`\${${name}`);
});

describe('docker-compose.yml', () => {
  it('publishes only the port of the gateway', () => {
    expect(publishedBy(base)).toEqual(['gateway 8000:8000']);
  });

  describe.each(ours)('%s', (service) => {
    it('receives only variables that the service reads', () => {
      const known = [...variablesOf(service), 'NODE_ENV'];
      const given = Object.keys(base.services[service]?.environment ?? {});
      expect(given.filter((name) => !known.includes(name) && !PROVIDER.test(name))).toEqual([]);
    });

    it('receives every variable that the service reads, but those that the file and the image decide', () => {
      const given = Object.keys(base.services[service]?.environment ?? {});
      const decided = [
        'NODE_ENV',
        'HOST',
        'GATEWAY_PORT',
        'LOGIN_PORT',
        'USER_PORT',
        'WEBHOOK_ALLOW_PRIVATE',
      ];
      const missing = variablesOf(service).filter((name) => !given.includes(name));
      expect(missing.filter((name) => !decided.includes(name))).toEqual([]);
    });

    it('runs a program that the image contains', () => {
      const [program = '', ...args] = base.services[service]?.command ?? [];
      expect(args).toEqual([]);
      expect(program).toBe(`services/${service}/main.ts`);
      expect(existsSync(new URL(program, root))).toBe(true);
    });

    it('starts in production with the secrets set', () => {
      const env = { NODE_ENV: 'production', ...environmentOf(service, secrets) };
      expect(loadConfig(service, env)).toMatchObject({
        config: {
          MONGODB_URI: `mongodb://${service}:${secrets[passwordOf(service)]}@mongo:27017/gatehouse?replicaSet=rs0`,
        },
        warnings: [],
      });
    });

    it('shows metrics on a port of its own', () => {
      const { config } = loadConfig(service, environmentOf(service, secrets));
      expect(config.METRICS_PORT).toBe(9464);
    });

    it('is not process 1, which ignores SIGTERM until it has a handler', () => {
      expect(base.services[service]?.init).toBe(true);
    });

    it('names a missing secret', () => {
      const { [passwordOf(service)]: _, ...others } = secrets;
      const text = `${passwordOf(service)} needs random hex digits`;
      expect(() => environmentOf(service, others)).toThrow(text);
      expect(() => environmentOf(service, { ...secrets, JWT_SECRET: '' })).toThrow(
        /^JWT_SECRET needs 32 bytes/,
      );
    });

    it('checks the health of the port that the service listens on', () => {
      const { config } = loadConfig(service, environmentOf(service, secrets));
      const port = Object.entries(config).find(([name]) => name === `${service.toUpperCase()}_PORT`)?.[1];
      expect(base.services[service]?.healthcheck).toMatchObject({
        test: ['CMD', 'node', '--eval', expect.stringContaining(`http://127.0.0.1:${port}/health/live`)],
        interval: '10s',
      });
    });
  });

  it.each([
    [200, 0],
    [503, 1],
    ['refused', 1],
  ] as const)('the health check of a service turns %s into exit code %s', async (answer, code) => {
    const http = await startHttp((_request, response) => void response.writeHead(Number(answer)).end());
    if (answer === 'refused') await http.stop();
    const [, command = '', ...args] = base.services.login?.healthcheck?.test ?? [];
    const local = args.map((arg) => arg.replace('http://127.0.0.1:8001', http.url));
    const [exitCode] = await once(spawn(command, local, { stdio: 'ignore' }), 'exit');
    if (answer !== 'refused') await http.stop();
    expect(exitCode).toBe(code);
  });

  it('refers only to services of the file', () => {
    const addresses = ours
      .flatMap((service) => Object.values(environmentOf(service, secrets)))
      .filter((value) => value.includes('://'));
    const unknown = addresses.filter((address) => !(new URL(address).hostname in base.services));
    expect(unknown).toEqual([]);
  });

  it.each(['login', 'user'] as const)('lets %s trust the gateway on the private network', (service) => {
    expect(environmentOf(service, secrets).TRUST_PROXY).toBe('uniquelocal');
  });

  it('leaves the proxies that the gateway trusts to the operator', () => {
    expect(environmentOf('gateway', secrets)).not.toHaveProperty('TRUST_PROXY');
  });
});

describe.each(Object.entries({ ...base.services, caddy: tls.services.caddy }))(
  'the container %s',
  (_name, container) => {
    it('has no privileges, a read-only file system, and bounds', () => {
      expect(container).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        mem_limit: expect.stringMatching(/^\d+[mg]$/),
        pids_limit: expect.any(Number),
        logging: { driver: 'local', options: { 'max-size': '20m', 'max-file': '5' } },
      });
    });
  },
);

describe('networks', () => {
  const membersOf = (network: string) =>
    Object.keys(base.services).filter((name) => base.services[name]?.networks?.includes(network));

  it('lets the edge reach the gateway alone', () => {
    expect(membersOf('edge')).toEqual(['gateway']);
    expect(base.services.gateway?.networks).toEqual(['edge', 'backend']);
  });

  it('lets only the user service call out, beside the gateway', () => {
    expect(membersOf('egress')).toEqual(['user']);
    expect(membersOf('backend').toSorted()).toEqual(Object.keys(base.services).toSorted());
    expect(base.networks).toEqual({ edge: null, backend: { internal: true }, egress: null });
  });
});

describe('images', () => {
  it('are pinned to a minor version or better', () => {
    const services = [...Object.values(base.services), ...Object.values(tls.services)];
    const images = services.flatMap(({ image = [] }) => image);
    expect(images).toHaveLength(5);
    for (const image of images) expect(image).toMatch(/^[\w/]+:v?\d+\.\d+(?:\.\d+)?$/);
  });

  it('are built on the Node that package.json pins', () => {
    const { dependencies } = JSON.parse(read('package.json'));
    const bases = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    expect(new Set(bases)).toEqual(new Set([`node:${dependencies.node}-slim`]));
  });
});

describe('redis', () => {
  it('requires the password that the gateway and the health check have', () => {
    const { command = '' } = base.services.redis ?? {};
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Compose interpolates it.
    expect(command).toContain('--requirepass ${REDIS_PASSWORD} ');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Compose interpolates it.
    expect(base.services.redis?.environment).toEqual({ REDISCLI_AUTH: '${REDIS_PASSWORD}' });
    const { REDIS_URL = '' } = environmentOf('gateway', secrets);
    expect(new URL(REDIS_URL).password).toBe(secrets.REDIS_PASSWORD);
  });
});

describe('mongo', () => {
  const { entrypoint = [], command = [] } = base.services.mongo ?? {};

  it('passes the password of the operator on, and no other', () => {
    expect(environmentOf('mongo', secrets)).toEqual({
      HOME: '/tmp',
      MONGO_INITDB_ROOT_USERNAME: 'root',
      MONGO_INITDB_ROOT_PASSWORD: secrets.MONGODB_ROOT_PASSWORD,
    });
  });

  it.runIf(process.platform === 'linux')('writes a key file that only its owner reads, at each start', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-mongo-'));
    const key = join(folder, 'key');
    const started = join(folder, 'docker-entrypoint.sh');
    writeFileSync(started, '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    const [shell = '', ...args] = [...entrypoint, ...command]
      .flat()
      .map((text) => text.replaceAll('$$', '$').replaceAll('/tmp/key', key));
    const env = { PATH: `${folder}:${process.env.PATH}`, MONGO_INITDB_ROOT_PASSWORD: 'e1e1e1' };
    try {
      for (let start = 0; start < 2; start += 1) {
        const output = execFileSync(shell, args, {
          env,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        expect(output).toBe(`mongod --replSet rs0 --keyFile ${key}\n`);
        expect(readFileSync(key, 'utf8')).toBe('e1e1e1\n');
        expect(statSync(key).mode & 0o777).toBe(0o400);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  /** Runs the health check against a server in a certain state. */
  function check({ status, hello }: { status: () => unknown; hello: object }) {
    const result = {};
    runInNewContext(read('deploy/mongo/health.js'), {
      db: {
        getSiblingDB: () => ({
          auth: (...credentials: unknown[]) => void Object.assign(result, { auth: credentials }),
        }),
        hello: () => hello,
      },
      rs: { status, initiate: (config: object) => void Object.assign(result, { initiated: config }) },
      process: { env: { MONGO_INITDB_ROOT_PASSWORD: 'secret' } },
      quit: (code: number) => void Object.assign(result, { code }),
    });
    return result;
  }
  const failing = (codeName: string) => () => {
    throw Object.assign(new Error(codeName), { codeName });
  };

  it('is unhealthy until the replica set is initiated, and initiates it', () => {
    expect(check({ status: failing('NotYetInitialized'), hello: {} })).toEqual({
      auth: ['root', 'secret'],
      initiated: { _id: 'rs0', members: [{ _id: 0, host: 'mongo:27017' }] },
      code: 1,
    });
  });

  it.each([
    [{ setName: 'rs0', isWritablePrimary: true, secondary: false }, 0],
    [{ setName: 'rs0', isWritablePrimary: false, secondary: true }, 0],
    [{ setName: 'rs0', isWritablePrimary: false, secondary: false }, 1],
    [{ isWritablePrimary: true }, 1],
  ])('%j: exit code %i', (hello, code) => {
    expect(check({ status: () => ({ ok: 1 }), hello })).toEqual({ auth: ['root', 'secret'], code });
  });

  it('is unhealthy while the image prepares the data folder', () => {
    expect(() => check({ status: failing('NoReplicationEnabled'), hello: {} })).toThrow(
      'NoReplicationEnabled',
    );
  });
});

describe('deploy/compose.dev.yml', () => {
  it('changes only the ports of existing services', () => {
    for (const [name, service] of Object.entries(overlay.services)) {
      expect(base.services).toHaveProperty(name);
      expect(Object.keys(service)).toEqual(['ports']);
    }
  });

  it('opens the backend network, without which no port of it is published', () => {
    expect(overlay.networks).toEqual({ backend: { internal: false } });
  });

  it('publishes on this machine only', () => {
    const ports = Object.values(overlay.services).flatMap(({ ports }) => ports ?? []);
    expect(ports.map((port) => port.split(':').slice(0, -1).join(':')).toSorted()).toEqual([
      '127.0.0.1:1025',
      '127.0.0.1:27017',
      '127.0.0.1:8001',
      '127.0.0.1:8002',
      '127.0.0.1:8025',
    ]);
  });
});

describe('deploy/compose.tls.yml', () => {
  it('publishes Caddy alone, and no longer the gateway', () => {
    expect(publishedBy(base, tls)).toEqual(['caddy 80:80', 'caddy 443:443', 'caddy 443:443/udp']);
  });

  it('lets Caddy reach the gateway alone, which trusts its network alone', () => {
    const [[name, network] = []] = Object.entries(tls.networks);
    expect(name).toBe('proxy');
    const members = { ...base.services, ...tls.services };
    expect(Object.keys(members).filter((service) => members[service]?.networks?.includes('proxy'))).toEqual([
      'gateway',
      'caddy',
    ]);
    expect(tls.services.caddy?.networks).toEqual(['proxy']);
    const subnet = tls.services.gateway?.environment?.TRUST_PROXY ?? '';
    expect(network).toEqual({ ipam: { config: [{ subnet }] } });
    expect(
      loadConfig('gateway', { ...environmentOf('gateway', secrets), TRUST_PROXY: subnet }).config,
    ).toMatchObject({ TRUST_PROXY: subnet });
  });

  it('keeps certificates, and needs the address for clients', () => {
    const { environment = {}, volumes } = tls.services.caddy ?? {};
    expect(volumes).toContain('caddy:/data');
    expect(() => fillIn(environment.PUBLIC_URL ?? '', {})).toThrow(/^PUBLIC_URL needs the address/);
  });

  it('forwards to the port that the gateway listens on', () => {
    const { config } = loadConfig('gateway', environmentOf('gateway', secrets));
    expect(read('deploy/caddy/Caddyfile')).toContain(
      `reverse_proxy gateway:${'GATEWAY_PORT' in config && config.GATEWAY_PORT}`,
    );
  });
});
