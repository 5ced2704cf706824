import { Readable } from 'node:stream';
import { isUnusable } from '@gatehouse/shared/identity/passwords';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { importPeople } from '../../../services/user/import/import-people.ts';
import { accountRecord } from '../../fixtures/members.ts';
import { type Services, startServices } from '../../fixtures/services.ts';
import { silent } from './silent.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());
beforeEach(async () => {
  for (const collection of [services.db.users, services.db.features, services.db.auditEvents])
    await collection.deleteMany({});
});

type Options = Partial<Parameters<typeof importPeople>[0]>;

const importText = (text: string | Buffer, options: Options = {}) =>
  importPeople({
    db: services.db,
    source: Readable.from(chunksOf(Buffer.from(text))),
    from: 'gatehouse',
    now: services.clock.now,
    log: silent,
    ...options,
  });

/** Small pieces, so that records and characters are cut anywhere. */
function* chunksOf(text: Buffer) {
  for (let at = 0; at < text.length; at += 7) yield text.subarray(at, at + 7);
}

const lines = (...people: object[]) => people.map((person) => `${JSON.stringify(person)}\n`).join('');
const person = (email: string, fields: object = {}) => ({ email, verified: true, ...fields });
const emails = async () => (await services.db.users.find().toArray()).map(({ email }) => email).sort();

describe('a row that cannot become an account', () => {
  test.each([
    ['no address', {}, 'e-mail is required'],
    ['an address that is no string', person(['a@example.com'] as never), 'e-mail must be a string'],
    [
      'a look-alike with a Kelvin sign',
      person('\u212aate@example.com'),
      'e-mail must be a plain e-mail address',
    ],
    ['a full-width address', person('ａda@example.com'), 'e-mail must be a plain e-mail address'],
    ['a display name', person('Ada <ada@example.com>'), 'e-mail must be a plain e-mail address'],
    [
      'a line break',
      person('ada@example.com\nBcc: all@example.com'),
      'e-mail must be a plain e-mail address',
    ],
    ['a local domain', person('ada@localhost'), 'e-mail must have a public domain'],
    [
      'another form of user_id',
      person('ada@example.com', { user_id: 'admin' }),
      'user_id must be User- and at least six digits',
    ],
    [
      'an operator as user_id',
      person('ada@example.com', { user_id: { $ne: null } }),
      'user_id must be User- and at least six digits',
    ],
  ])('%s', async (_what, row, problem) => {
    const report = await importText(lines(row, person('next@example.com')));
    expect(report).toMatchObject({ read: 2, imported: 1, refused: 1 });
    expect(report.problems[0]?.problem).toContain(problem);
    expect(report.problems[0]?.line).toBe(1);
    expect(await emails()).toStrictEqual(['next@example.com']);
  });

  test.each([
    ['broken UTF-8', Buffer.from('{"email": "\xff@example.com"}\n', 'latin1'), 'is not UTF-8'],
    ['no JSON', '{"email": \n', 'is not a JSON object'],
    ['a list', '["ada@example.com"]\n', 'is not a JSON object'],
    ['a megabyte', `{"email": "${'a'.repeat(1_000_000)}@example.com"}\n`, 'is longer than 64 KiB'],
  ])('%s', async (_what, row, problem) => {
    const text = Buffer.concat([
      Buffer.from(lines(person('first@example.com'))),
      Buffer.from(row),
      Buffer.from(lines(person('next@example.com'))),
    ]);
    const report = await importText(text);
    expect(report.problems).toStrictEqual([{ line: 2, problem }]);
    expect(await emails()).toStrictEqual(['first@example.com', 'next@example.com']);
  });

  test('a million problems leave twenty in the report, the first ones', async () => {
    const report = await importText('nonsense {\n'.repeat(200), { from: 'auth0' });
    expect(report).toMatchObject({ imported: 0 });
    const hostile = await importText(`{"email": "x"}\n`.repeat(1_200));
    expect(hostile).toMatchObject({ read: 1_200, refused: 1_200 });
    expect(hostile.problems.map(({ line }) => line)).toStrictEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });
});

describe('an address', () => {
  test('becomes one account, in whatever spelling and however often it comes', async () => {
    const rows = ['Ada@example.com', 'ada@EXAMPLE.com', 'ada@example.com'].map((email) => person(email));
    expect(await importText(lines(...rows))).toMatchObject({ read: 3, imported: 1, existing: 2 });
    expect(await emails()).toStrictEqual(['Ada@example.com']);
    expect(await importText(lines(...rows))).toMatchObject({ read: 3, imported: 0, existing: 3 });
  });

  test('keeps the account that it has', async () => {
    await services.db.users.insertOne(accountRecord({ email: 'ada@example.com' }));
    const before = await services.db.users.findOne();
    const row = person('ADA@example.com', {
      name: 'Mallory',
      password_hash: '{SSHA}AAAA',
      user_id: 'User-999999',
    });
    expect(await importText(lines(row))).toMatchObject({ existing: 1, imported: 0 });
    expect(await services.db.users.find().toArray()).toStrictEqual([before]);
  });

  test('that nobody has verified gives an account without a password, unless the operator vouches for it', async () => {
    const row = { email: 'ada@example.com', password_hash: '{SHA}bROMo65UVjGzq9caTwds51nFcAs=' };
    expect(await importText(lines(row))).toMatchObject({ imported: 1, unverified: 1 });
    const user = await services.db.users.findOne();
    expect(user).toMatchObject({ verified: false, account_status: 'paused' });
    expect(user).not.toHaveProperty('user_id');
    expect(isUnusable(user?.password)).toBe(true);
    await services.db.users.deleteMany({});
    expect(await importText(lines(row), { trustsAddresses: true })).toMatchObject({
      imported: 1,
      unverified: 0,
    });
    expect(await services.db.users.findOne()).toMatchObject({
      verified: true,
      foreign_hash: row.password_hash,
    });
  });
});

describe('a hash', () => {
  test.each([
    ['$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'too costly'],
    [`$argon2id$v=19$m=4194304,t=9,p=1$c2FsdHNhbHQ$${'A'.repeat(43)}`, 'too costly'],
    ['secret', 'unknown'],
    [`$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`, 'unknown'],
    ['x'.repeat(60_000), 'unknown'],
  ])('that nobody could log in with leaves an account without a password: %s', async (password_hash, why) => {
    const report = await importText(lines(person('ada@example.com', { password_hash })));
    expect(report).toMatchObject({ imported: 1, without_password: 1 });
    expect(report.problems).toStrictEqual([{ line: 1, problem: `password hash ${why}` }]);
    const user = await services.db.users.findOne();
    expect(isUnusable(user?.password)).toBe(true);
    expect(user).not.toHaveProperty('foreign_hash');
  });

  test('is taken over as it is if it is argon2id', async () => {
    const password_hash = `$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$${'A'.repeat(43)}`;
    await importText(lines(person('ada@example.com', { password_hash })));
    const user = await services.db.users.findOne();
    expect(user).toMatchObject({ password: password_hash });
    expect(user).not.toHaveProperty('foreign_hash');
  });
});

describe('a user_id', () => {
  test('is kept where it is free, and refused where it is or was used', async () => {
    await services.db.users.insertOne(accountRecord({ email: 'holder@example.com', user_id: 'User-500001' }));
    await services.db.deletedUsers.insertOne({ _id: 'User-500002' } as never);
    const ids = ['User-500001', 'User-500002', 'User-500003', 'User-500003', 'User-1234567'];
    const rows = ids.map((user_id, index) => person(`p${index}@example.com`, { user_id }));
    const report = await importText(lines(...rows));
    expect(report).toMatchObject({ imported: 2, refused: 3 });
    expect(report.problems.map(({ line }) => line)).toStrictEqual([1, 2, 4]);
    expect(await services.db.users.findOne({ email: 'p2@example.com' })).toMatchObject({
      user_id: 'User-500003',
    });
    expect(await services.db.features.distinct('user_id')).toHaveLength(2);
  });
});

describe('an import', () => {
  test('cleans names, and never reads operators or prototypes from a row', async () => {
    const rows = `{"email":"a@example.com","verified":true,"name":"Ada\\u202e\\n Lovelace","__proto__":{"verified":true},"account_status":{"$ne":1},"phone":{"$gt":""},"created_at":{"$date":1},"role":["admin"],"language":"fr"}\n`;
    await importText(rows);
    const { _id, password, created_at, address_since, imported, user_id, subscription_date, ...user } =
      (await services.db.users.findOne()) ?? ({} as never);
    expect(user).toStrictEqual({
      email: 'a@example.com',
      name: 'Ada Lovelace',
      verified: true,
      account_status: 'active',
      payment_status: 'pending',
      'user_created_at(DATE)': expect.any(String),
      subscription_id: 'free',
      subscription_plan: 'Free',
      features_assigned: true,
    });
  });

  test('only counts in a dry run', async () => {
    const rows = lines(person('ada@example.com'), person('ada@example.com'), { email: 'x' });
    expect(await importText(rows, { isDryRun: true })).toMatchObject({
      read: 3,
      imported: 1,
      existing: 1,
      refused: 1,
    });
    for (const collection of [services.db.users, services.db.features, services.db.auditEvents])
      expect(await collection.countDocuments()).toBe(0);
  });

  test('leaves one audit event, which names no person', async () => {
    await importText(lines(person('ada@example.com'), person('grace@example.com'), { email: 'x' }));
    const events = await services.db.auditEvents.find().toArray();
    expect(events).toMatchObject([
      {
        action: 'account.import',
        outcome: 'success',
        user_id: null,
        email: null,
        after: { from: 'gatehouse', imported: '2', existing: '0', refused: '1' },
      },
    ]);
  });

  test('twice at once creates every person once', async () => {
    const rows = lines(...Array.from({ length: 1_200 }, (_, index) => person(`p${index}@example.com`)));
    const reports = await Promise.all([importText(rows), importText(rows)]);
    expect(reports.map(({ imported }) => imported).reduce((sum, each) => sum + each)).toBe(1_200);
    expect(reports.map(({ refused }) => refused)).toStrictEqual([0, 0]);
    expect(await services.db.users.countDocuments()).toBe(1_200);
    expect(new Set(await services.db.users.distinct('user_id')).size).toBe(1_200);
  });
});
