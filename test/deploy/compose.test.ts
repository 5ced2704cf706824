import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { loadConfig, type Service, variablesOf } from '@gatehouse/shared/config';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startHttp } from '../fixtures/gateway.ts';

interface ComposeFile {
  services: Record<
    string,
    {
      ports?: string[];
      environment?: Record<string, string | null>;
      healthcheck?: { test: string[]; interval: string };
    }
  >;
}

/** A Compose file with its anchors merged, as `docker compose config` reads it. */
const compose = (path: string): ComposeFile =>
  parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'), { merge: true });

const base = compose('docker-compose.yml');
const overlay = compose('deploy/compose.dev.yml');
const ours: Service[] = ['gateway', 'login', 'user'];
const secrets: Record<string, string> = {
  JWT_SECRET: 'thirty-two bytes or more, for a test only',
  CAPTCHA_SECRET: 'c'.repeat(32),
};

/** Replaces `${NAME:-default}` and `${NAME:?message}` from `env`, as Compose does. */
const fillIn = (text: string, env: Record<string, string>) =>
  text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name, operator, rest) => {
    const value = env[name] || (operator === '-' ? rest : '');
    if (operator === '?' && value === '') throw new Error(`${name} ${rest}`);
    return value;
  });

/** The environment of a container. A variable without a value is passed on only if it is set. */
const environmentOf = (service: Service, env: Record<string, string>): Record<string, string> => {
  const listed = Object.entries(base.services[service]?.environment ?? {});
  return Object.fromEntries(
    listed.flatMap(([name, text]) => {
      const value = text === null ? env[name] : fillIn(text, env);
      return value === undefined ? [] : [[name, value]];
    }),
  );
};

describe('docker-compose.yml', () => {
  it('publishes only the port of the gateway', () => {
    const published = Object.entries(base.services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => `${name} ${fillIn(port, {})}`),
    );
    expect(published).toEqual(['gateway 8000:8000']);
  });

  describe.each(ours)('%s', (service) => {
    it('receives only variables that the service reads', () => {
      const known = [...variablesOf(service), 'NODE_ENV'];
      const given = Object.keys(base.services[service]?.environment ?? {});
      expect(given.filter((name) => !known.includes(name))).toEqual([]);
    });

    it('starts in production with both secrets set', () => {
      const env = { NODE_ENV: 'production', ...environmentOf(service, secrets) };
      expect(loadConfig(service, env)).toMatchObject({
        config: { MONGODB_URI: 'mongodb://mongo:27017/gatehouse' },
        warnings: [],
      });
    });

    it('names a missing secret', () => {
      expect(() => environmentOf(service, {})).toThrow(/^JWT_SECRET needs 32 bytes/);
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

describe('deploy/compose.dev.yml', () => {
  it('changes only the ports of existing services', () => {
    for (const [name, service] of Object.entries(overlay.services)) {
      expect(base.services).toHaveProperty(name);
      expect(Object.keys(service)).toEqual(['ports']);
    }
  });

  it('publishes on this machine only', () => {
    const ports = Object.values(overlay.services).flatMap(({ ports = [] }) => ports);
    expect(ports.map((port) => port.split(':').slice(0, -1).join(':')).toSorted()).toEqual([
      '127.0.0.1:1025',
      '127.0.0.1:27017',
      '127.0.0.1:8001',
      '127.0.0.1:8002',
      '127.0.0.1:8025',
    ]);
  });
});
