import { readFileSync } from 'node:fs';
import { loadConfig, type Service, variablesOf } from '@gatehouse/shared/config';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface ComposeFile {
  services: Record<string, { ports?: string[]; environment?: Record<string, string | null> }>;
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

/** `${NAME:-default}` and `${NAME:?message}` as Compose fills them in from `env`. */
const fillIn = (text: string, env: Record<string, string>) =>
  text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name, operator, rest) => {
    const value = env[name] || (operator === '-' ? rest : '');
    if (operator === '?' && value === '') throw new Error(`${name} ${rest}`);
    return value;
  });

/** What a container gets; a variable without a value is passed on only when it is set. */
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
  it('publishes a port of the gateway and of nothing else', () => {
    const published = Object.entries(base.services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => `${name} ${fillIn(port, {})}`),
    );
    expect(published).toEqual(['gateway 8000:8000']);
  });

  describe.each(ours)('%s', (service) => {
    it('gets only variables that it knows', () => {
      const known = [...variablesOf(service), 'NODE_ENV'];
      const given = Object.keys(base.services[service]?.environment ?? {});
      expect(given.filter((name) => !known.includes(name))).toEqual([]);
    });

    it('starts in production with the two secrets set', () => {
      const env = { NODE_ENV: 'production', ...environmentOf(service, secrets) };
      expect(loadConfig(service, env)).toMatchObject({
        config: { MONGODB_URI: 'mongodb://mongo:27017/gatehouse' },
        warnings: [],
      });
    });

    it('is refused in words by Compose when a secret is missing', () => {
      expect(() => environmentOf(service, {})).toThrow(/^JWT_SECRET needs 32 bytes/);
    });
  });

  it('points every address at a service of the file', () => {
    const addresses = ours
      .flatMap((service) => Object.values(environmentOf(service, secrets)))
      .filter((value) => value.includes('://'));
    const unknown = addresses.filter((address) => !(new URL(address).hostname in base.services));
    expect(unknown).toEqual([]);
  });

  it.each(['login', 'user'] as const)('lets %s believe the gateway on the private network', (service) => {
    expect(environmentOf(service, secrets).TRUST_PROXY).toBe('uniquelocal');
  });

  it('leaves whom the gateway believes to the operator', () => {
    expect(environmentOf('gateway', secrets)).not.toHaveProperty('TRUST_PROXY');
  });
});

describe('deploy/compose.dev.yml', () => {
  it('changes ports only, of services that exist', () => {
    for (const [name, service] of Object.entries(overlay.services)) {
      expect(base.services).toHaveProperty(name);
      expect(Object.keys(service)).toEqual(['ports']);
    }
  });

  it('opens to this machine alone', () => {
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
