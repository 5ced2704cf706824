import { createServer } from 'node:net';
import { checkDatabase } from '@gatehouse/shared/checks/database';
import type { Finding } from '@gatehouse/shared/checks/finding';
import { loadConfig } from '@gatehouse/shared/config';
import { startMailbox } from '@gatehouse/standalone/mailbox/mailbox';
import { MongoClient } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkAuditChain } from '../../commands/gatehouse/doctor/audit-chain.ts';
import { SERVICE_COLLECTIONS } from '../../commands/gatehouse/doctor/collections.ts';
import { checkRecords, REFERENCES } from '../../commands/gatehouse/doctor/records.ts';
import { checkRedis } from '../../commands/gatehouse/doctor/redis.ts';
import { checkSettings } from '../../commands/gatehouse/doctor/settings.ts';
import { COLLECTIONS as GATEWAY_COLLECTIONS } from '../../services/gateway/database.ts';
import { COLLECTIONS as LOGIN_COLLECTIONS } from '../../services/login/database.ts';
import { COLLECTIONS } from '../../services/user/database.ts';
import { checkMail } from '../../services/user/mail/check.ts';
import { freshDatabase } from '../fixtures/database.ts';
import { accountRecord } from '../fixtures/members.ts';
import { withOptions } from '../fixtures/mongodb.ts';
import { type AuditTrail, auditTrail } from '../user/audit-chain/audit-trail.ts';

const SECRET = '3d8b1f0c5a7e49d2b6c4f81a0e93d75c2b18f6a4d09e7c35';
const SAFE = {
  JWT_SECRET: SECRET,
  CAPTCHA_SECRET: SECRET.split('').reverse().join(''),
  PUBLIC_URL: 'https://accounts.example.com',
};

const HASH = `$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$${'A'.repeat(43)}`;

/** What was found other than `ok`. */
const troubles = (findings: readonly Finding[]) => findings.filter(({ status }) => status !== 'ok');

describe('the settings', () => {
  test.each([
    ['a short secret', { JWT_SECRET: 'short' }, 'JWT_SECRET is shorter than 32 bytes'],
    ['a guessable secret', { JWT_SECRET: 'ab'.repeat(32) }, 'JWT_SECRET repeats itself or few characters'],
    ['a secret that is used twice', { CAPTCHA_SECRET: SECRET }, 'CAPTCHA_SECRET equals JWT_SECRET'],
    [
      'a secret of another service that is used twice',
      { INTERNAL_API_KEY: SECRET },
      'INTERNAL_API_KEY equals JWT_SECRET',
    ],
  ])('%s is a warning, and fails in production', (_what, env, found) => {
    const judged = (NODE_ENV: string) => troubles(checkSettings({ ...SAFE, ...env, NODE_ENV }).findings);
    expect(judged('development')).toMatchObject([{ status: 'warn', found: expect.stringContaining(found) }]);
    expect(judged('production')).toMatchObject([{ status: 'fail', found: expect.stringContaining(found) }]);
  });

  test('that no service starts with are named without their value', () => {
    const { settings, findings } = checkSettings({ ...SAFE, MONGODB_URI: 'a secret address' });
    expect(settings).toStrictEqual({ gateway: undefined, login: undefined, user: undefined });
    expect(findings).toMatchObject([
      { status: 'fail', found: expect.stringContaining('MONGODB_URI must be a URL') },
    ]);
    expect(JSON.stringify(findings)).not.toContain('a secret address');
  });

  test('are judged alone for one service', () => {
    const { CAPTCHA_SECRET: _, ...user } = SAFE;
    expect(troubles(checkSettings(user).findings)).toMatchObject([
      { status: 'fail', found: expect.stringContaining('CAPTCHA_SECRET is required') },
    ]);
    expect(troubles(checkSettings(user, ['user']).findings)).toStrictEqual([]);
  });

  test('that are safe are said to be so', () => {
    expect(troubles(checkSettings({ ...SAFE, NODE_ENV: 'production' }).findings)).toStrictEqual([]);
  });
});

describe('the database', () => {
  const definitions = { ...COLLECTIONS, ...LOGIN_COLLECTIONS, ...GATEWAY_COLLECTIONS };
  let fresh: Awaited<ReturnType<typeof freshDatabase<typeof definitions>>>;
  beforeAll(async () => {
    fresh = await freshDatabase(definitions);
  });
  afterAll(() => fresh.drop());
  beforeEach(async () => {
    for (const collection of [fresh.db.users, fresh.db.features, fresh.db.memberships])
      await collection.deleteMany({});
  });

  const server = async (uri = fresh.uri, now?: () => number) =>
    troubles(
      await checkDatabase(uri, { collections: SERVICE_COLLECTIONS, ...(now && { now }) }, async () => []),
    );
  const records = async () =>
    troubles(
      await checkDatabase(fresh.uri, { collections: SERVICE_COLLECTIONS }, (db) =>
        checkRecords(db, () => {}),
      ),
    );

  test('that has all it needs gives no trouble', async () => {
    const account = accountRecord({ password: HASH });
    await fresh.db.users.insertOne(account);
    await fresh.db.features.insertOne({ user_id: account.user_id } as never);
    expect(await records()).toStrictEqual([]);
  });

  test.each([
    ['readPreference', 'secondary', 'readPreference=secondary'],
    ['w', '0', 'w=0'],
  ])('must not be asked with %s=%s', async (option, value, found) => {
    expect(await server(withOptions(fresh.uri, { [option]: value }))).toMatchObject([
      { check: 'MongoDB address', status: 'fail', found: expect.stringContaining(found) },
    ]);
  });

  test('that cannot be reached fails in words', async () => {
    const findings = await server(`mongodb://127.0.0.1:${await closedPort()}/gatehouse`);
    expect(findings).toMatchObject([
      { check: 'MongoDB', status: 'fail', found: expect.stringContaining('cannot be reached') },
    ]);
    expect(await server('mongodb://')).toMatchObject([{ check: 'MongoDB', status: 'fail' }]);
  }, 15_000);

  test.each([
    [2_000, 'warn'],
    [-60_000, 'fail'],
  ])('whose clock is %i ms away: %s', async (skew, status) => {
    expect(await server(fresh.uri, () => Date.now() + skew)).toMatchObject([
      { check: 'MongoDB clock', status },
    ]);
  });

  test('without an index is told which', async () => {
    await fresh.db.features.dropIndexes();
    expect(await server()).toMatchObject([
      { check: 'indexes', status: 'warn', found: 'features: gatehouse_user_id is missing' },
    ]);
    await fresh.db.features.createIndex({ user_id: 1 }, { unique: true, name: 'an older name' });
    expect(await server()).toStrictEqual([]);
    await fresh.db.features.createIndex({ assigned_at: 1 });
    expect(await server()).toMatchObject([
      { check: 'indexes', status: 'warn', found: 'features: assigned_at_1 is not one of ours' },
    ]);
    await fresh.db.features.dropIndex('assigned_at_1');
  });

  test('names records that refer to nothing, passwords that are plain, and accounts without a user_id', async () => {
    await fresh.db.users.insertMany([
      accountRecord({ password: 'secret' }),
      accountRecord({ password: HASH, user_id: undefined }),
    ]);
    await fresh.db.features.insertMany([{ user_id: 'User-1' }, { user_id: 'User-2' }] as never);
    expect(await records()).toMatchObject([
      { check: 'accounts', status: 'warn', found: '1 verified accounts have no user_id' },
      { check: 'passwords', status: 'warn', found: expect.stringContaining('1 are stored as submitted') },
      { check: 'features.user_id', status: 'warn', found: '2 name none of users, for example User-1' },
    ]);
  });

  test.each(REFERENCES.map(([name, field, target]) => ({ name, field, target })))(
    'names orphans of $name.$field',
    async ({ name, field, target }) => {
      const orphan =
        field === '_id'
          ? 'nobody'
          : field.split('.').reduceRight<unknown>((value, part) => ({ [part]: value }), 'nobody');
      const client = await MongoClient.connect(fresh.uri);
      const collection = client.db().collection(name);
      try {
        const record = typeof orphan === 'string' ? { _id: orphan as never } : (orphan as object);
        const { insertedId } = await collection.insertOne({ ...record, email: 'orphan@example.com', seq: 1 });
        const found = `1 name none of ${target}, for example nobody`;
        expect(await records()).toContainEqual(
          expect.objectContaining({ check: `${name}.${field}`, status: 'warn', found }),
        );
        await collection.deleteOne({ _id: insertedId });
      } finally {
        await client.close();
      }
    },
  );

  test('names a user_id that several accounts have', async () => {
    const index = (await fresh.db.users.indexes()).find(({ key }) => 'user_id' in key);
    await fresh.db.users.dropIndex(index?.name as string);
    const twice = { user_id: 'User-100007', password: HASH };
    await fresh.db.users.insertMany([accountRecord(twice), accountRecord(twice)]);
    expect(await records()).toMatchObject([
      { check: 'indexes' },
      { check: 'user_ids', status: 'fail', found: 'several accounts have User-100007' },
    ]);
  });
});

/** A port where nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('the audit chain', () => {
  let trail: AuditTrail;
  beforeEach(async () => {
    trail = await auditTrail();
  });
  afterEach(() => trail.drop());
  const judged = async (later = 0) => {
    const client = await MongoClient.connect(trail.uri);
    try {
      return await checkAuditChain(client.db(), trail.clock.now() + later);
    } finally {
      await client.close();
    }
  };
  const event = { action: 'login', user_id: 'User-1' } as const;

  test('that is empty gives no trouble', async () => {
    expect(await judged()).toEqual({ check: 'audit chain', status: 'ok', found: 'holds no event yet' });
  });

  test('that nobody signs is a warning', async () => {
    await trail.store(event);
    await trail.link();
    expect(await judged()).toEqual({
      check: 'audit chain',
      status: 'warn',
      found: '1 events are not signed',
      advice: expect.stringContaining('AUDIT_SIGNING_KEY'),
    });
  });

  test('is signed within an hour, or it is a warning since when it is not', async () => {
    await trail.store(event);
    await trail.link();
    await trail.sign();
    const signed_at = new Date(trail.clock.now()).toISOString();
    const signed = { check: 'audit chain', status: 'ok', found: `signed to event 1, at ${signed_at}` };
    expect(await judged(7_200_000)).toEqual(signed);
    await trail.store(event);
    await trail.link();
    expect(await judged(3_599_999)).toEqual(signed);
    expect(await judged(3_600_000)).toMatchObject({
      status: 'warn',
      found: `the 1 latest events are not signed, since ${signed_at}`,
    });
  });
});

describe('the servers', () => {
  const user = (SMTP_URL: string) => loadConfig('user', { ...SAFE, SMTP_URL }).config;
  const gateway = (REDIS_URL: string) => loadConfig('gateway', { ...SAFE, REDIS_URL }).config;

  test('a mail server that accepts connections is well', async () => {
    const mailbox = await startMailbox({ port: 0 });
    try {
      expect(await checkMail(user(`smtp://127.0.0.1:${mailbox.port}`))).toMatchObject({ status: 'ok' });
    } finally {
      await mailbox.close();
    }
  });

  test('a mail server that is down fails, Redis is a warning', async () => {
    const port = await closedPort();
    expect(await checkMail(user(`smtp://127.0.0.1:${port}`))).toMatchObject({ status: 'fail' });
    expect(await checkRedis(gateway(`redis://127.0.0.1:${port}`))).toMatchObject([{ status: 'warn' }]);
    expect(await checkRedis(gateway(''))).toMatchObject([{ status: 'ok' }]);
  });
});
