import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withForeignHash } from '@gatehouse/shared/identity/passwords';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { COLLECTIONS } from '../../services/user/database.ts';
import { freshDatabase } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { accountRecord } from '../fixtures/members.ts';
import { runGatehouse } from './run-gatehouse.ts';

type Fresh = Awaited<ReturnType<typeof freshDatabase<typeof COLLECTIONS>>>;

let fresh: Fresh;
let folder: string;
beforeAll(async () => {
  fresh = await freshDatabase(COLLECTIONS);
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-command-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await fresh.drop();
});
beforeEach(async () => {
  for (const collection of [fresh.db.users, fresh.db.features]) await collection.deleteMany({});
});

const environment = (env: NodeJS.ProcessEnv = {}) => ({
  PATH: process.env.PATH,
  MONGODB_URI: fresh.uri,
  ...env,
});

const gatehouse = (args: string[], env?: NodeJS.ProcessEnv) => runGatehouse(args, environment(env));

/** A file in the folder of this test. */
async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const people = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      email: `p${index}@example.com`,
      verified: true,
      password_hash: '{SHA}bROMo65UVjGzq9caTwds51nFcAs=',
    }),
  ).join('\n');

const COMMANDS = ['doctor', 'users', 'organizations', 'operators', 'apply', 'import', 'export'];

describe('npx gatehouse', () => {
  test('lists its commands, and explains each', async () => {
    for (const args of [['--help'], ['help'], ['-h']]) {
      const { code, stdout } = await gatehouse(args);
      expect(code).toBe(0);
      for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    }
    for (const command of COMMANDS) {
      const { code, stdout } = await gatehouse([command, '--help']);
      expect(code).toBe(0);
      expect(stdout).toContain(`npx gatehouse ${command}`);
    }
  });

  test.each([
    [['imprt'], 'unknown command "imprt"'],
    [['toString'], 'unknown command "toString"'],
    [['import', '--from', 'auth0'], 'name one file'],
    [['import', 'people.json'], '--from must be one of gatehouse, auth0'],
    [['import', 'people.json', '--from', 'constructor'], '--from must be one of'],
    [['export', 'a', 'b'], 'name one file'],
    [['doctor', '--fix'], "Unknown option '--fix'"],
    [['doctor', '--time-url', 'ntp://time'], '--time-url must be a URL'],
    [['operators'], 'say what: list, add, link, remove'],
    [['operators', 'constructor'], 'say what: list, add, link, remove'],
    [['operators', 'list', 'all'], 'operators list takes no argument'],
    [['operators', 'add'], 'operators add takes <who>'],
    [['operators', 'add', 'User-1', '--level', 'admin'], '--reason must say why'],
    [['operators', 'add', 'User-1', '--level', 'admin', '--reason', '  x '], '--reason must say why'],
    [
      ['operators', 'remove', 'User-1', '--reason', 'has left'],
      'Remove the operator User-1? Nobody can be asked here: add --yes',
    ],
    [
      ['users', 'delete', 'User-1', '--reason', 'asked for it'],
      'Delete the account of User-1? Nobody can be asked here: add --yes',
    ],
    [['doctor', '--service', 'mongo'], '--service must be one of gateway, login, user'],
  ])('ends with 2 for a wrong command line: %j', async (args, message) => {
    const { code, stdout, stderr } = await gatehouse(args);
    expect({ code, stdout }).toStrictEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`gatehouse: ${message}`);
  });

  test('ends with 3 when it cannot read the file', async () => {
    const { code, stderr } = await gatehouse(['import', join(folder, 'none.json'), '--from', 'auth0']);
    expect(code).toBe(3);
    expect(stderr).toContain('ENOENT');
  });
});

describe('npx gatehouse import', () => {
  test('writes the result alone to standard output, and ends with 1 where rows are refused', async () => {
    const path = await file('two.jsonl', `${people(1)}\n{"email":"nobody"}\n`);
    const { code, stdout } = await gatehouse(['import', path, '--from', 'gatehouse', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toStrictEqual({
      dry_run: false,
      read: 2,
      imported: 1,
      existing: 0,
      left_out: 0,
      refused: 1,
      unverified: 0,
      without_password: 0,
      problems: [{ line: 2, problem: 'e-mail must be a plain e-mail address' }],
    });
    const again = await gatehouse(['import', path, '--from', 'gatehouse']);
    expect(again.stdout).toContain('1 have an account');
    expect(again.stdout).toContain('line 2: e-mail must be a plain e-mail address');
    // No terminal, no colors.
    expect(again.stdout).not.toContain('\u001b');
  });

  test('that is killed in the middle goes on, and creates every person once', async () => {
    const count = 6_000;
    const path = await file('many.jsonl', people(count));
    const args = ['commands/gatehouse.ts', 'import', path, '--from', 'gatehouse'];
    const first = spawn(process.execPath, args, { env: environment(), stdio: 'ignore' });
    const ended = new Promise((resolve) => first.once('exit', (_code, signal) => resolve(signal)));
    const { users, features } = fresh.db;
    await eventually(async () => expect(await users.estimatedDocumentCount()).toBeGreaterThan(0));
    first.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');
    const before = await users.countDocuments();
    expect(before).toBeLessThan(count);

    const { stdout } = await gatehouse(['import', path, '--from', 'gatehouse', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      read: count,
      imported: count - before,
      existing: before,
      refused: 0,
    });
    expect(await users.countDocuments()).toBe(count);
    const ids = await users.distinct('user_id');
    expect(ids).toHaveLength(count);
    expect(await features.countDocuments({ user_id: { $in: ids as string[] } })).toBe(count);
    expect(await users.countDocuments({ features_assigned: true })).toBe(count);
  });
});

describe('npx gatehouse export', () => {
  const hash = `$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$${'A'.repeat(43)}`;
  const foreign = '$2y$05$CCCCCCCCCCCCCCCCCCCCC.z6PrHbuSsMSSwIGFy1JGevQZf6CqJ1y';

  test('writes what an import elsewhere reads back', async () => {
    const free = { subscription_plan: 'Free' };
    const accounts = [
      accountRecord({
        ...free,
        password: hash,
        phone: '+44 20 7946 0000',
        company: 'Ada, "Ltd"',
        last_login: '2026-01-15T09:30:00.000Z',
        created_at: '2026-01-15T09:30:00.000Z',
      }),
      accountRecord({
        ...withForeignHash(foreign),
        language: 'de',
        subscription_id: 'enterprise',
        subscription_plan: 'Enterprise',
      }),
      accountRecord({ ...free, password: hash, account_status: 'disabled', user_id: 'User-1234567' }),
      accountRecord({
        ...free,
        password: hash,
        verified: false,
        account_status: 'paused',
        user_id: undefined,
      }),
    ];
    await fresh.db.users.insertMany(accounts);
    const path = join(folder, 'export.jsonl');
    const { code, stdout } = await gatehouse(['export', path, '--json']);
    expect({ code, ...JSON.parse(stdout) }).toStrictEqual({
      code: 0,
      exported: 4,
      left_out: 0,
      plain_passwords: 0,
      other_ways_in: 0,
    });
    expect((await stat(path)).mode & 0o777).toBe(0o600);

    const elsewhere = await freshDatabase(COLLECTIONS);
    try {
      const env = { MONGODB_URI: elsewhere.uri };
      expect((await gatehouse(['import', path, '--from', 'gatehouse'], env)).code).toBe(0);
      const moved = await elsewhere.db.users.find().toArray();
      const fields = [
        'email',
        'user_id',
        'name',
        'verified',
        'account_status',
        'phone',
        'company',
        'language',
      ] as const;
      const more = ['last_login', 'subscription_id', 'subscription_plan', 'subscription_date'] as const;
      const comparable = (user: object) =>
        [...fields, ...more].map((field) => (user as Record<string, unknown>)[field]);
      const sorted = (users: object[]) => users.map(comparable).sort();
      expect(sorted(moved)).toStrictEqual(sorted(accounts));
      const hashOf = (index: number) => {
        const user = moved.find(({ email }) => email === accounts[index]?.email);
        return { password: user?.password, foreign_hash: user?.foreign_hash };
      };
      expect(hashOf(0)).toStrictEqual({ password: hash, foreign_hash: undefined });
      expect(hashOf(1)).toStrictEqual(withForeignHash(foreign));
      // Nobody has proven the address of the last one.
      expect(hashOf(3).password).not.toBe(hash);
    } finally {
      await elsewhere.drop();
    }
  });

  test('names what it leaves behind, and overwrites nothing', async () => {
    await fresh.db.users.insertMany([
      accountRecord({ password: 'secret' }),
      accountRecord({ password: hash, links: ['google:1'] }),
      accountRecord({ password: hash, deletion: { begun_at: new Date() } }),
    ]);
    const path = join(folder, 'plain.jsonl');
    const { code, stdout } = await gatehouse(['export', path, '--json']);
    expect({ code, ...JSON.parse(stdout) }).toStrictEqual({
      code: 1,
      exported: 2,
      left_out: 1,
      plain_passwords: 1,
      other_ways_in: 1,
    });
    const before = await readFile(path, 'utf8');
    expect(before).not.toContain('secret');
    expect((await gatehouse(['export', path])).code).toBe(3);
    expect(await readFile(path, 'utf8')).toBe(before);
  });
});
