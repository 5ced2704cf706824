import { type CreateIndexesOptions, type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshMongodbUri } from '../../fixtures/database.ts';
import { postForm } from '../../fixtures/http.ts';
import { mailedCode, type Services, startServices } from '../../fixtures/services.ts';

/** Records as an older application stored them (spec §User record): passwords are plain. */
const unverified = (email: string, now: Date): Document => ({
  email,
  password: 'correct horse',
  name: 'Grace Hopper',
  verified: false,
  otp: '123456',
  otp_expiration: Math.floor(now.getTime() / 1000) - 1,
  account_status: 'paused',
  payment_status: 'pending',
  'user_created_at(DATE)': '2025-03-01',
  subscription_id: 'free',
  subscription_date: '2025-03-01',
});
const active = (email: string, now: Date): Document => ({
  ...unverified(email, now),
  name: 'Ada Lovelace',
  verified: true,
  user_id: 'User-100001',
  account_status: 'active',
  subscription_plan: 'Starter',
  subscription_expiry: '2027-03-01T00:00:00.000Z',
  created_at: '2025-03-01T09:30:00.000Z',
  last_login: '2026-01-01T00:00:00.000Z',
  phone: '+44 20 7946 0000',
  company: 'Analytical Engines',
  role: 'Engineer',
});

describe.each<[string, CreateIndexesOptions | undefined]>([
  ['no index on email', undefined],
  ['an ordinary index email_1', {}],
  ['a unique index email_1', { unique: true }],
])('a users collection with %s', (_what, options) => {
  let services: Services;
  beforeAll(async () => {
    const address = await freshMongodbUri();
    const client = new MongoClient(address);
    const users = client.db().collection('users');
    const now = new Date();
    await users.insertMany([active('Ada@example.com', now), unverified('grace@example.com', now)]);
    if (options) await users.createIndex({ email: 1 }, options);
    await client.close();
    services = await startServices({ address });
  });
  afterAll(() => services.stop());

  const post = async (operation: string, fields: Record<string, string>) => {
    const base = operation === 'login' ? services.login : services.user;
    const { status, body } = await postForm(`${base}/v2/${operation}`, fields);
    return { status, body };
  };

  test('keeps its indexes, beside those of the services', async () => {
    const names = (await services.db.users.indexes()).map(({ name }) => name);
    expect(names).toContain('gatehouse_email');
    expect(names.includes('email_1')).toBe(options !== undefined);
  });

  test('lets an active account log in with its plain password, in any case of the address', async () => {
    const token = expect.any(String);
    for (const email of ['Ada@example.com', 'ada@example.com'])
      expect(await post('login', { email, password: 'correct horse' })).toEqual({
        status: 200,
        body: { message: 'Login successful', token, user_id: 'User-100001' },
      });
    expect(await post('login', { email: 'ada@example.com', password: 'Correct horse' })).toEqual({
      status: 401,
      body: { detail: 'Invalid credentials' },
    });
  });

  test('refuses a signup with the address of an active account', async () => {
    expect(await post('signup', { email: 'ADA@example.com', password: 'x', name: 'X' })).toEqual({
      status: 400,
      body: { detail: 'Email already registered' },
    });
  });

  test('resets a plain password', async () => {
    const email = 'ada@example.com';
    expect((await post('forgot-password', { email })).status).toBe(200);
    const otp = mailedCode(services.mailbox, 'Ada@example.com');
    expect((await post('reset-password', { email, otp, new_password: 'new' })).status).toBe(200);
    expect((await post('login', { email, password: 'new' })).status).toBe(200);
    expect((await post('login', { email, password: 'correct horse' })).status).toBe(401);
  });

  test('lets an unverified account sign up again and verify', async () => {
    const email = 'grace@example.com';
    expect((await post('login', { email, password: 'correct horse' })).status).toBe(403);
    expect((await post('signup', { email, password: 'new', name: 'Grace' })).status).toBe(200);
    const { status, body } = await post('verify-otp', { email, otp: mailedCode(services.mailbox, email) });
    expect({ status, message: body.message }).toEqual({
      status: 200,
      message: 'OTP verified successfully',
    });
    expect((await post('login', { email, password: 'new' })).status).toBe(200);
  });

  test('takes a new account, once', async () => {
    const signup = (email: string) => post('signup', { email, password: 'x', name: 'X' });
    await Promise.all([signup('eve@example.com'), signup('EVE@example.com'), signup('Eve@example.com')]);
    const stored = await services.db.users.find({ email: /^eve@/i }).toArray();
    expect(stored).toHaveLength(1);
  });
});
