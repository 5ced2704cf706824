import { readdirSync, readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { COLLECTIONS as GATEWAY } from '../../services/gateway/database.ts';
import { COLLECTIONS as LOGIN } from '../../services/login/database.ts';
import { COLLECTIONS as USER } from '../../services/user/database.ts';

interface Role {
  role: string;
  roles: unknown[];
  privileges: { resource: { db: string; collection: string }; actions: string[] }[];
}

const root = new URL('../../', import.meta.url);

/** Runs the script at a server where some accounts exist, and returns what it asks for. */
function run(existing: string[] = []) {
  const calls: unknown[][] = [];
  const roles: Record<string, Omit<Role, 'role'>> = {};
  const record =
    (name: string) =>
    (...args: unknown[]) =>
      void calls.push([name, ...args]);
  const database = (name: string) => ({
    auth: (...credentials: unknown[]) => void calls.push(['auth', name, ...credentials]),
    getRole: (role: string) => (existing.includes(role) ? { role } : null),
    getUser: (user: string) => (existing.includes(user) ? { user } : null),
    createRole: ({ role, ...rest }: Role) => void Object.assign(roles, { [role]: { ...rest, in: name } }),
    updateRole: (role: string, rest: object) => void Object.assign(roles, { [role]: { ...rest, in: name } }),
    createUser: record('createUser'),
    updateUser: record('updateUser'),
  });
  runInNewContext(readFileSync(new URL('deploy/mongo/accounts.js', root), 'utf8'), {
    db: { getSiblingDB: database },
    process: {
      env: {
        MONGO_INITDB_ROOT_PASSWORD: 'root',
        MONGODB_GATEWAY_PASSWORD: 'g',
        MONGODB_LOGIN_PASSWORD: 'l',
        MONGODB_USER_PASSWORD: 'u',
      },
    },
  });
  return { calls, roles };
}

/** The collections of a role by what it may do there. */
function rightsOf(role: string): Record<string, string> {
  const { privileges = [] } = run().roles[role] ?? {};
  return Object.fromEntries(
    privileges.map(({ resource, actions }) => [resource.collection, actions.toSorted().join(' ')]),
  );
}

const names = (collections: Record<string, { name: string }>) =>
  Object.values(collections).map(({ name }) => name);

const READ = 'createIndex find listIndexes';
const APPEND = 'createIndex insert listIndexes';
const WRITE = 'createIndex find insert listIndexes remove update';
const granting = (actions: string, collections: string[]) =>
  Object.fromEntries(collections.map((collection) => [collection, actions]));

describe('deploy/mongo/accounts.js', () => {
  it('lets the gateway change only what is its own, and add to the audit', () => {
    const reads = ['users', 'operators', 'service_accounts', 'sso_domains'];
    expect(rightsOf('gateway')).toEqual({
      ...granting(WRITE, names(GATEWAY)),
      ...granting(READ, reads),
      ...granting('find', ['organizations', 'departments', 'sso_connections']),
      machine_keys: `${READ} update`,
      ...granting(APPEND, ['audit_events']),
    });
  });

  it('lets the login service read what single sign-on depends on, and use its collections', () => {
    expect(rightsOf('login')).toEqual({
      ...granting('find', ['organizations', 'departments', 'sso_connections']),
      ...granting(WRITE, names(LOGIN)),
    });
  });

  it('lets the user service use its collections, and see the indexes of the others', () => {
    const others = names(GATEWAY).filter((name) => !names(USER).includes(name));
    expect(rightsOf('user')).toEqual({
      ...granting('listIndexes', others),
      ...granting(WRITE, names(USER)),
    });
  });

  it('lets the login service read every collection that shared code joins by name', () => {
    const folder = new URL('packages/shared/src/', root);
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.ts'),
    );
    const joined = sources.flatMap((path) =>
      [...readFileSync(new URL(path, folder), 'utf8').matchAll(/\b(?:from|coll): '(\w+)'/g)].map(
        ([, name = '']) => name,
      ),
    );
    expect(joined).toContain('sso_connections');
    expect(joined.filter((name) => !rightsOf('login')[name]?.includes('find'))).toEqual([]);
  });

  it('grants nothing outside the database of the services', () => {
    for (const { roles, privileges } of Object.values(run().roles)) {
      expect(roles).toEqual([]);
      expect(new Set(privileges.map(({ resource }) => resource.db))).toEqual(new Set(['gatehouse']));
      expect(privileges.every(({ resource }) => resource.collection !== '')).toBe(true);
    }
  });

  it('creates the accounts, each with its own password', () => {
    expect(run().calls).toEqual([
      ['auth', 'admin', 'root', 'root'],
      ['createUser', { user: 'gateway', pwd: 'g', roles: ['gateway'] }],
      ['createUser', { user: 'login', pwd: 'l', roles: ['login'] }],
      ['createUser', { user: 'user', pwd: 'u', roles: ['user'] }],
    ]);
  });

  it('brings existing roles and passwords up to date', () => {
    const { calls, roles } = run(['gateway', 'login', 'user']);
    expect(roles).toEqual(run().roles);
    expect(calls.slice(1)).toEqual([
      ['updateUser', 'gateway', { pwd: 'g', roles: ['gateway'] }],
      ['updateUser', 'login', { pwd: 'l', roles: ['login'] }],
      ['updateUser', 'user', { pwd: 'u', roles: ['user'] }],
    ]);
  });
});
