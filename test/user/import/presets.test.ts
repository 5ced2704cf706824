import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isUnusable } from '@gatehouse/shared/identity/passwords';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { importPeople } from '../../../services/user/import/import-people.ts';
import type { PresetName } from '../../../services/user/import/presets/presets.ts';
import { postForm } from '../../fixtures/http.ts';
import { type Services, startServices } from '../../fixtures/services.ts';
import { silent } from './silent.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());
beforeEach(async () => {
  await services.db.users.deleteMany({});
});

const BCRYPT_PASSWORD = 'Hello world!';

interface Expected {
  from: PresetName;
  file: string;
  counts: Record<string, number>;
  problems?: string[];
  people: Record<string, object>;
  /** Passwords that log in, by address. */
  passwords?: Record<string, string>;
}

const CASES: Expected[] = [
  {
    from: 'auth0',
    file: 'auth0.ndjson',
    counts: { read: 3, imported: 3, unverified: 1 },
    people: {
      'Ada@example.com': {
        name: 'Ada',
        account_status: 'active',
        imported: { from: 'auth0', at: expect.any(Date), id: '60425dc43519d90068f82973' },
      },
      'grace@example.com': { name: 'grace', verified: false, account_status: 'paused' },
      'edith@example.com': {
        name: 'Edith Clarke',
        account_status: 'disabled',
        language: 'de',
        created_at: '2020-06-01T08:00:00.000Z',
        'user_created_at(DATE)': '2020-06-01',
        last_login: '2026-10-01T09:30:00.000Z',
      },
    },
    passwords: { 'ada@example.com': BCRYPT_PASSWORD },
  },
  {
    from: 'firebase',
    file: 'firebase.json',
    counts: { read: 3, imported: 2, refused: 1 },
    problems: ['30: e-mail is required'],
    people: {
      'ada@example.com': {
        name: 'Ada Lovelace',
        phone: '+442079460000',
        created_at: '2020-09-13T12:26:40.000Z',
        last_login: '2023-11-14T22:13:20.000Z',
      },
      'grace@example.com': { name: 'grace', account_status: 'disabled' },
    },
    passwords: { 'ada@example.com': 'user1password' },
  },
  {
    from: 'supabase',
    file: 'supabase.csv',
    counts: { read: 5, imported: 3, left_out: 2, unverified: 1 },
    people: {
      'ada@example.com': {
        name: 'Ada, Countess of Lovelace',
        created_at: '2024-05-01T09:59:00.000Z',
        last_login: '2026-10-01T09:30:00.000Z',
      },
      'grace@example.com': { verified: false },
      'edith@example.com': { account_status: 'disabled' },
    },
    passwords: { 'ada@example.com': BCRYPT_PASSWORD },
  },
  {
    from: 'clerk',
    file: 'clerk.csv',
    counts: { read: 3, imported: 3, unverified: 1, without_password: 1 },
    problems: ['4: password hash unknown'],
    people: {
      'ada@example.com': { name: 'Ada Lovelace', phone: '+442079460000' },
      'grace@example.com': { name: 'Grace', verified: false },
      'edith@example.com': { name: 'edith', verified: true },
    },
    passwords: { 'ada@example.com': BCRYPT_PASSWORD },
  },
  {
    from: 'keycloak',
    file: 'keycloak.json',
    counts: { read: 4, imported: 2, left_out: 1, refused: 1 },
    problems: ['60: e-mail is required'],
    people: {
      'ada@example.com': { name: 'Ada Lovelace', language: 'de', created_at: '2020-09-13T12:26:40.000Z' },
      'grace@example.com': { name: 'grace', account_status: 'disabled' },
    },
    passwords: { 'ada@example.com': 'lètmein' },
  },
  {
    from: 'cognito',
    file: 'cognito.csv',
    counts: { read: 2, imported: 2, unverified: 1 },
    people: {
      'ada@example.com': { name: 'Ada Lovelace', language: 'de', phone: '+442079460000' },
      'grace@example.com': { name: 'Grace Hopper', verified: false },
    },
  },
  {
    from: 'cognito',
    file: 'cognito.json',
    counts: { read: 1, imported: 1 },
    people: { 'ada@example.com': { name: 'Ada Lovelace', account_status: 'disabled' } },
  },
];

test.each(CASES)(
  'imports the export of $from: $file',
  async ({ from, file, counts, problems = [], people, passwords = {} }) => {
    const report = await importPeople({
      db: services.db,
      source: createReadStream(`test/fixtures/exports/${file}`),
      from,
      hashConfig: await readFile('test/fixtures/exports/firebase-hash-config.txt', 'utf8'),
      now: services.clock.now,
      log: silent,
    });
    const { problems: named, ...counted } = report;
    const none = { existing: 0, imported: 0, left_out: 0, refused: 0, unverified: 0, without_password: 0 };
    expect(counted).toStrictEqual({ ...none, ...counts });
    expect(named.map(({ line, problem }) => `${line}: ${problem}`)).toStrictEqual(problems);

    const stored = await services.db.users.find().toArray();
    expect(stored.map(({ email }) => email).sort()).toStrictEqual(Object.keys(people).sort());
    for (const user of stored) {
      expect(user).toMatchObject(people[user.email] as object);
      expect(user.user_id).toEqual(user.verified ? expect.stringMatching(/^User-\d{6}$/) : undefined);
      if (!user.verified) expect(isUnusable(user.password) && !user.foreign_hash).toBe(true);
      expect(await services.db.features.countDocuments({ user_id: user.user_id ?? 'none' })).toBe(
        user.verified ? 1 : 0,
      );
    }
    for (const [email, password] of Object.entries(passwords)) {
      const login = async (submitted: string) =>
        (await postForm(`${services.login}/v2/login`, { email, password: submitted })).status;
      expect([await login(`${password}x`), await login(password)]).toStrictEqual([401, 200]);
    }
  },
);

test.each([
  [undefined, '--hash-config is required'],
  ['base64_signer_key: abc=, rounds: 8', '--hash-config names no mem_cost'],
])('needs the parameters of Firebase: %j', async (hashConfig, message) => {
  const source = createReadStream('test/fixtures/exports/firebase.json');
  const { db, clock } = services;
  await expect(
    importPeople({ db, source, from: 'firebase', hashConfig, now: clock.now, log: silent }),
  ).rejects.toThrow(message);
  source.destroy();
});
