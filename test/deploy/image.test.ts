import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Entry {
  link?: boolean;
  resolved?: string;
  dependencies?: Record<string, string>;
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Entry> };

/** The folders of the services and of every workspace that they depend on, directly or not. */
function workspacesOfServices(): string[] {
  const found = new Set(Object.keys(packages).filter((path) => /^services\/\w+$/.test(path)));
  for (const folder of found) {
    for (const name of Object.keys(packages[folder]?.dependencies ?? {})) {
      const { link, resolved } = packages[`node_modules/${name}`] ?? {};
      if (link && resolved) found.add(resolved);
    }
  }
  return [...found].toSorted();
}

describe('the image', () => {
  const workspaces = workspacesOfServices();

  it('is made of the services and of packages that they use', () => {
    expect(workspaces).toEqual(
      expect.arrayContaining(['packages/shared', 'services/gateway', 'services/login', 'services/user']),
    );
  });

  it('installs the dependencies of these workspaces and of no other', () => {
    const copied = [...read('Dockerfile').matchAll(/^COPY (\S+)\/package\.json (\S+)\/$/gm)];
    expect(copied.map(([, from]) => from).toSorted()).toEqual(workspaces);
    expect(copied.map(([, , to]) => to).toSorted()).toEqual(workspaces);
  });

  it('is labeled with the version and license of package.json', () => {
    const { version, license } = JSON.parse(read('package.json'));
    const labels = [...read('Dockerfile').matchAll(/org\.opencontainers\.image\.(\w+)="(.*)"/g)];
    expect(Object.fromEntries(labels.map(([, name, value]) => [name, value]))).toMatchObject({
      version,
      licenses: license,
    });
  });

  it('is built from these workspaces and the commands alone', () => {
    const [first, ...rules] = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(first).toBe('*');
    const sent = rules.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1));
    expect(sent.toSorted()).toEqual([
      'commands',
      'package-lock.json',
      'package.json',
      ...workspaces.filter((folder) => folder.startsWith('packages/')),
      'services',
    ]);
    // The last rule that matches decides.
    expect(rules.slice(sent.length)).toContain('**/node_modules');
  });
});
