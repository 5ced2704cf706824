import { connect } from '@gatehouse/shared/data/connect';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COLLECTIONS } from '../../../services/user/database.ts';
import { dropDatabase, freshMongodbUri } from '../../fixtures/database.ts';
import { postForm } from '../../fixtures/http.ts';
import { mailedCode, type Services, startServices } from '../../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices({ env: { PASSWORD_STORAGE: 'plain' } });
});
afterAll(() => services.stop());

let people = 0;
/** Stores a record as an older service may have left it. */
async function store(fields: Record<string, unknown>): Promise<string> {
  people += 1;
  const email = `Old${people}@example.com`;
  await services.db.users.insertOne({ email, password: 'secret', name: 'Old', ...fields } as never);
  return email;
}
const post = async (operation: string, fields: Record<string, string>) => {
  const base = operation === 'login' ? services.login : services.user;
  const { status, body } = await postForm(`${base}/v2/${operation}`, fields);
  return { status, body };
};
const record = (email: string) => services.db.users.findOne({ email });
const newCode = async (email: string) => {
  expect((await post('forgot-password', { email })).status).toBe(200);
  return mailedCode(services.mailbox, email);
};

describe('two spellings of one address', () => {
  async function collection(...emails: unknown[]) {
    const uri = await freshMongodbUri();
    const client = new MongoClient(uri);
    await client
      .db()
      .collection('users')
      .insertMany(emails.map((email) => (email === undefined ? {} : { email })));
    await client.close();
    return uri;
  }

  test('prevent the start and are named', async () => {
    const uri = await collection(
      'Ada@example.com',
      'grace@example.com',
      'ADA@example.com',
      'Eve@x.org',
      'eve@X.org',
    );
    const failure = await connect(uri, COLLECTIONS, { appName: 'test' }).catch(({ message }) => message);
    expect(failure).toMatch(/^Two accounts share one e-mail address: [^;]*; [^;]*$/);
    for (const name of ['Ada@example.com', 'ADA@example.com', 'Eve@x.org', 'eve@X.org'])
      expect(failure).toContain(name);
    expect(failure).not.toContain('grace');
    await dropDatabase(uri);
  });

  test('prevent the start when they are equal', async () => {
    const uri = await collection('ada@example.com', 'ada@example.com');
    await expect(connect(uri, COLLECTIONS, { appName: 'test' })).rejects.toThrow(
      'Two accounts share one e-mail address: ada@example.com, ada@example.com',
    );
    await dropDatabase(uri);
  });

  test('are named when only the collation equates them', async () => {
    const uri = await collection('kim@example.com', '\u212aim@example.com');
    const failure = await connect(uri, COLLECTIONS, { appName: 'test' }).catch(({ message }) => message);
    expect(failure).toMatch(/^Two accounts share one e-mail address: /);
    expect(failure).toContain('\u212aim@example.com');
    await dropDatabase(uri);
  });

  test.each([
    ['ä@example.com, Ä@example.com', 'ä@example.com', 'Ä@example.com'],
    ['3 records without one', undefined, null, undefined],
    ['5, 5', 5, 5],
  ])('are reported as %s', async (shown, ...emails) => {
    const uri = await collection(...emails);
    await expect(connect(uri, COLLECTIONS, { appName: 'test' })).rejects.toThrow(
      `Two accounts share one e-mail address: ${shown}`,
    );
    await dropDatabase(uri);
  });

  test('do not prevent a start, or a second one, when they differ', async () => {
    const uri = await collection('Ada@example.com', 'ada@example.org', 'a.da@example.com');
    for (let start = 0; start < 2; start += 1)
      await (await connect(uri, COLLECTIONS, { appName: 'test' })).close();
    await dropDatabase(uri);
  });
});

describe.each([1, 'yes', 'false', { at: 'some time' }, true])(
  'verified: %j counts as verified',
  (verified) => {
    test('logs in, cannot sign up again, and keeps its status when a code is verified', async () => {
      const email = await store({ verified, account_status: 'legacy' });
      expect(await post('signup', { email, password: 'eve', name: 'Eve' })).toEqual({
        status: 400,
        body: { detail: 'Email already registered' },
      });
      expect(await post('login', { email: email.toLowerCase(), password: 'secret' })).toEqual({
        status: 200,
        body: { message: 'Login successful', token: expect.any(String), user_id: null },
      });
      const otp = await newCode(email);
      const { body } = await post('verify-otp', { email, otp });
      expect(body).toStrictEqual({
        message: 'OTP verified successfully',
        user_id: expect.stringMatching(/^User-\d{6}$/),
      });
      expect(await record(email)).toMatchObject({
        account_status: 'legacy',
        user_id: body.user_id,
        password: 'secret',
      });
    });
  },
);

describe.each([[false], [null], [0], [''], [undefined]])('verified: %j counts as unverified', (verified) => {
  const fields = verified === undefined ? {} : { verified };

  test('cannot log in, and signs up again', async () => {
    const email = await store(fields);
    expect(await post('login', { email, password: 'secret' })).toMatchObject({ status: 403 });
    expect(await post('signup', { email, password: 'new', name: 'New' })).toMatchObject({ status: 200 });
    expect(await record(email)).toMatchObject({ name: 'New', otp: mailedCode(services.mailbox, email) });
    expect(await services.db.users.countDocuments({ email })).toBe(1);
  });

  test('is activated by a code', async () => {
    const email = await store({ ...fields, account_status: 'paused' });
    const { status, body } = await post('verify-otp', { email, otp: await newCode(email) });
    expect(status).toBe(200);
    expect(await record(email)).toMatchObject({
      verified: true,
      account_status: 'active',
      user_id: body.user_id,
    });
    expect(await post('login', { email, password: 'secret' })).toMatchObject({ status: 200 });
  });
});

test('a user_id with an underscore is kept', async () => {
  const email = await store({ verified: true, account_status: 'active', user_id: 'User_123456' });
  expect(await post('verify-otp', { email, otp: await newCode(email) })).toEqual({
    status: 200,
    body: { message: 'OTP verified successfully', user_id: 'User_123456' },
  });
  expect(await services.db.features.countDocuments({ user_id: 'User_123456' })).toBe(1);
});

describe('a record of another shape', () => {
  const otp_expiration = 4_000_000_000;
  test.each<[string, Record<string, unknown>]>([
    ['an address alone', { password: undefined, name: undefined }],
    ['nulls', { password: null, name: null, verified: null, user_id: null, otp: null, otp_expiration: null }],
    ['a numeric password', { verified: true, password: 42 }],
    ['a numeric code', { otp: 123_456, otp_expiration }],
    ['a code of five digits', { otp: '12345', otp_expiration }],
    ['a code without an expiry', { otp: '123456' }],
    ['an expiry as a string', { otp: '123456', otp_expiration: '1000000000' }],
    ['an expiry as a date', { otp: '123456', otp_expiration: new Date(1_000_000_000_000) }],
    ['a fractional expiry', { otp: '123456', otp_expiration: 1_000_000_000.5 }],
    ['a numeric user_id', { verified: true, user_id: 123_456 }],
    ['a document as a name', { name: { first: 'Ada' } }],
  ])('works: %s', async (_what, fields) => {
    const email = await store(fields);
    const guess = { email, otp: '123456' };
    for (const [operation, form, allowed] of [
      ['login', { email, password: '42' }, [401]],
      ['verify-otp', guess, [400]],
      ['reset-password', { ...guess, new_password: 'eve' }, [400]],
      ['forgot-password', { email }, [200]],
      ['signup', { email, password: 'secret', name: 'Ada' }, [200, 400]],
    ] as const)
      expect({ operation, ...(await post(operation, form)) }).toEqual({
        operation,
        status: expect.toBeOneOf([...allowed]),
        body: expect.toBeOneOf([{ detail: expect.any(String) }, { token: expect.any(String) }]),
      });
    // A newly issued code works.
    const form = { email, otp: mailedCode(services.mailbox, email), new_password: 'new' };
    const { status, body } = await post('verify-otp', form);
    expect({ status, body }).toEqual({
      status: 200,
      body: { message: 'OTP verified successfully', user_id: expect.stringMatching(/./) },
    });
    expect(await post('reset-password', form)).toMatchObject({ status: 200 });
    expect(await post('login', { email, password: 'new' })).toMatchObject({ status: 200 });
  });
});
