import { createHmac } from 'node:crypto';
import { createPasswords } from '@gatehouse/shared/identity/passwords';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildLoginService } from '../../services/login/app.ts';
import { decodeToken, postForm, postJson, send } from '../fixtures/http.ts';
import { newMember } from '../fixtures/members.ts';
import { JWT_SECRET, listen, type Services, startServices, testConfig } from '../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices({ env: { LOG_LEVEL: 'trace' } });
});
afterAll(() => services.stop());

/** Stores an active account with a plain password, as in older collections, and without features. */
const stored = (fields?: object) =>
  newMember(services.db, { password: 'correct horse', features_assigned: undefined, ...fields });

const attempt = (email: string, password: string) =>
  postForm(`${services.login}/v2/login`, { email, password });
async function login(email: string, password: string) {
  const { status, body } = await attempt(email, password);
  return { status, body };
}

const unknown = { status: 404, body: { detail: 'User does not exist, please create a new account.' } };
const wrong = { status: 401, body: { detail: 'Invalid credentials' } };
const unverified = { status: 403, body: { detail: 'Account not verified' } };
const granted = (user_id: string | null | undefined) => ({
  status: 200,
  body: { message: 'Login successful', token: expect.any(String), user_id },
});

describe('POST /v2/login', () => {
  test('1. returns 404 for an unknown e-mail', async () => {
    expect(await login('nobody@example.com', 'correct horse')).toEqual(unknown);
  });

  test('2. returns 401 for a wrong password', async () => {
    const { email } = await stored();
    expect(await login(email, 'wrong horse')).toEqual(wrong);
  });

  test('2. comes before 3: returns 401 for a wrong password of an unverified account', async () => {
    const { email } = await stored({ verified: false });
    expect(await login(email, 'wrong horse')).toEqual(wrong);
  });

  test('3. returns 403 for the correct password of an unverified account', async () => {
    const { email } = await stored({ verified: false, account_status: 'paused', user_id: undefined });
    expect(await login(email, 'correct horse')).toEqual(unverified);
  });

  test.each([
    { account_status: 'disabled' },
    { account_status: 'disabled', verified: false },
    { account_status: 'disabled', deprovisioned: { by: 'sso:1', account_status: 'active' } },
  ])('returns 401 for the correct password of a disabled account: %j', async (fields) => {
    const { email } = await stored(fields);
    const before = await services.db.users.findOne({ email });
    for (const password of ['correct horse', 'wrong horse'])
      expect(await login(email, password)).toEqual(wrong);
    expect(await services.db.users.findOne({ email })).toEqual(before);
  });

  test('3. asks for verified alone: a record that is still paused gets its token', async () => {
    const { email, user_id } = await stored({ account_status: 'paused' });
    expect(await login(email, 'correct horse')).toEqual(granted(user_id));
  });

  test('4. returns a token and the user_id for the correct password, with no-store', async () => {
    const { email, user_id } = await stored();
    const { status, headers, body } = await attempt(email, 'correct horse');
    expect({ status, body }).toEqual(granted(user_id));
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  test('the token has exactly email, user_id and an exp in 30 minutes', async () => {
    const { email, user_id } = await stored();
    const { token } = (await login(email, 'correct horse')).body;
    const { header, payload } = decodeToken(token);
    expect(payload).toEqual({ email, user_id, exp: services.clock.seconds() + 1800 });
    expect(header).toEqual({
      alg: 'HS256',
      typ: 'JWT',
      sid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    });
    const [signed, signature] = [token.slice(0, token.lastIndexOf('.')), token.split('.')[2]];
    expect(signature).toBe(createHmac('sha256', JWT_SECRET).update(signed).digest('base64url'));
  });

  test('two logins in one second are two sessions', async () => {
    const { email } = await stored();
    const tokens = await Promise.all([1, 2].map(() => login(email, 'correct horse')));
    const sids = tokens.map(({ body }) => decodeToken(body.token).header.sid);
    expect(new Set(sids).size).toBe(2);
  });

  test('a refusal has no token and no cookie', async () => {
    const { email } = await stored();
    const { body, headers } = await attempt(email, 'wrong horse');
    expect(Object.keys(body)).toStrictEqual(['detail']);
    expect(headers.get('set-cookie')).toBeNull();
  });

  test('does not change a record with a hashed password, not even last_login', async () => {
    const { email } = await stored({ features_assigned: true, last_login: '2026-01-01T00:00:00.000Z' });
    await login(email, 'correct horse');
    const before = await services.db.users.findOne({ email });
    expect(await login(email, 'correct horse')).toMatchObject({ status: 200 });
    expect(await services.db.users.findOne({ email })).toEqual(before);
  });

  test('replaces a plain password with its hash once it has been right', async () => {
    const user = await stored({ features_assigned: true });
    const { email } = user;
    const passwordOf = async () => (await services.db.users.findOne({ email }))?.password;
    await login(email, 'wrong horse');
    expect(await passwordOf()).toBe('correct horse');
    // Both contracts do; concurrent logins succeed.
    const answers = await Promise.all([
      login(email, 'correct horse'),
      postJson(`${services.login}/api/v1/auth/login`, { email, password: 'correct horse' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await passwordOf()).toMatch(/^\$argon2id\$/);
    expect(await services.db.users.findOne({ email })).toEqual({
      ...user,
      password: await passwordOf(),
      login_networks: [expect.any(String)],
      sign_ins: [{ id: expect.any(String), day: expect.any(Date) }],
    });
    expect((await login(email, 'correct horse')).status).toBe(200);
    expect(await login(email, 'wrong horse')).toEqual(wrong);
  });

  test.each(['GET', 'PUT', 'PATCH', 'DELETE'])('%s returns 404', async (method) => {
    const { status, body } = await send(`${services.login}/v2/login`, { method });
    expect({ status, body }).toEqual({ status: 404, body: { detail: 'Not found' } });
  });

  test.each(['/v2/Login', '/v2/login/', '/v2//login', '/v2/loginx'])('POST %s returns 404', async (path) => {
    expect(
      (await postForm(`${services.login}${path}`, { email: 'a@example.com', password: 'x' })).status,
    ).toBe(404);
  });
});

describe('verified', () => {
  test.each([[true], [1], ['yes'], ['false'], [-1], [new Date()], [{}], [[]]])(
    '%j is truthy: 200',
    async (verified) => {
      const { email, user_id } = await stored({ verified });
      expect(await login(email, 'correct horse')).toEqual(granted(user_id));
    },
  );

  test.each([[false], [0], [''], [null], [undefined], [Number.NaN]])(
    '%j is falsy or absent: 403',
    async (verified) => {
      const { email } = await stored({ verified });
      expect(await login(email, 'correct horse')).toEqual(unverified);
    },
  );
});

describe('user_id', () => {
  test.each([[undefined], [null]])('%j in the record becomes null in response and token', async (user_id) => {
    const { email } = await stored({ user_id });
    const answer = await login(email, 'correct horse');
    expect(answer).toStrictEqual(granted(null));
    expect(decodeToken(answer.body.token).payload).toEqual({
      email,
      user_id: null,
      exp: services.clock.seconds() + 1800,
    });
    expect(await services.db.features.countDocuments({ user_id: null as unknown as string })).toBe(0);
  });

  test.each(['User_123456', 'legacy-7'])('%s of an older record is returned unchanged', async (user_id) => {
    const { email } = await stored({ user_id });
    expect(await login(email, 'correct horse')).toEqual(granted(user_id));
  });
});

describe('a plain stored password is compared exactly', () => {
  test.each<[stored: string, submitted: string]>([
    ['secret', 'secret '],
    ['secret', ' secret'],
    ['secret ', 'secret'],
    ['secret', 'Secret'],
    ['secret', 'secre'],
    ['secret', 'secrett'],
    ['secret', 'secret\u0000'],
    ['secret', 'secret\n'],
    ['0123', '123'],
    ['1e3', '1000'],
    ['café', 'cafe\u0301'],
    ['ß', 'ss'],
    ['K', '\u212a'],
    ['true', '1'],
    ['*', 'anything'],
  ])('stored %j does not match %j', async (password, submitted) => {
    const { email } = await stored({ password });
    expect(await login(email, submitted)).toEqual(wrong);
  });

  test.each([
    'secret ',
    ' ',
    '\t',
    '\u0000',
    'a\r\nb',
    'p&=+ %ü;',
    '🜁'.repeat(100),
    'cafe\u0301',
    '$argon2id$ but not a hash',
    `{"$ne":""}`,
    'x'.repeat(5000),
  ])('%j matches itself', async (password) => {
    const { email, user_id } = await stored({ password });
    expect(await login(email, password)).toEqual(granted(user_id));
  });

  test.each([[undefined], [null], [12345], [true], [['12345']], [{ $ne: '' }]])(
    'a stored %j matches no submitted password',
    async (password) => {
      const { email } = await stored({ password });
      for (const submitted of ['12345', 'null', 'undefined', 'true', '[object Object]']) {
        expect(await login(email, submitted)).toEqual(wrong);
      }
    },
  );
});

describe('a password stored as argon2id', () => {
  test('matches only the password, not its hash', async () => {
    const password = await createPasswords().encode('correct horse ', 'argon2id');
    const { email, user_id } = await stored({ password });
    expect(await login(email, 'correct horse ')).toEqual(granted(user_id));
    expect(await login(email, 'correct horse')).toEqual(wrong);
    expect(await login(email, password)).toEqual(wrong);
  });
});

describe('e-mail', () => {
  test.each([
    'ada.lovelace@example.com',
    'ADA.LOVELACE@EXAMPLE.COM',
    '  Ada.Lovelace@example.com\t',
    '\u00a0ada.lovelace@Example.Com',
  ])('%j finds Ada.Lovelace@Example.com, and the claims keep that spelling', async (email) => {
    if (!(await services.db.users.findOne({ email: 'Ada.Lovelace@Example.com' }))) {
      await stored({ email: 'Ada.Lovelace@Example.com', user_id: 'User-999001' });
    }
    const answer = await login(email, 'correct horse');
    expect(answer).toStrictEqual(granted('User-999001'));
    expect(decodeToken(answer.body.token).payload.email).toBe('Ada.Lovelace@Example.com');
  });

  test.each(['\u212aate@example.com', 'ｋate@example.com', 'kate@example．com', 'kate@example.com\u0000'])(
    '%j is not kate@example.com: 404',
    async (email) => {
      if (!(await services.db.users.findOne({ email: 'kate@example.com' }))) {
        await stored({ email: 'kate@example.com' });
      }
      expect(await login(email, 'correct horse')).toEqual(unknown);
    },
  );

  test.each([
    '.*',
    '^person1',
    'person1@example.c.m',
    '{"$ne":""}',
    '{"$gt":""}',
    '$email',
    "' || '1'=='1",
    '%',
  ])('%j is plain text: 404', async (email) => {
    await stored();
    expect(await login(email, 'correct horse')).toEqual(unknown);
  });

  test('older records may have any text as e-mail', async () => {
    await stored({ email: 'root', user_id: 'User-999002' });
    expect(await login('root', 'correct horse')).toEqual(granted('User-999002'));
  });
});

test('there is no lockout: the correct password works after a hundred failures', async () => {
  const { email, user_id } = await stored();
  for (let batch = 0; batch < 10; batch += 1) {
    const failures = await Promise.all(Array.from({ length: 10 }, () => login(email, 'wrong horse')));
    expect(failures).toEqual(Array(10).fill(wrong));
  }
  expect(await login(email, 'correct horse')).toEqual(granted(user_id));
});

describe('features', () => {
  test('a login completes an interrupted activation exactly once', async () => {
    const { email, user_id = '' } = await stored();
    const answers = await Promise.all(Array.from({ length: 10 }, () => login(email, 'correct horse')));
    expect(answers).toEqual(Array(10).fill(granted(user_id)));
    expect(await services.db.features.find({ user_id }, { projection: { _id: 0 } }).toArray()).toEqual([
      {
        user_id,
        subscription_id: 'free',
        subscription_plan: 'Free',
        assigned_at: new Date(services.clock.now()).toISOString(),
      },
    ]);
    expect(await services.db.users.findOne({ email })).toMatchObject({ features_assigned: true });
  });

  test('an existing record is not changed', async () => {
    const { email, user_id = '' } = await stored();
    const own = {
      user_id,
      subscription_id: 'pro',
      subscription_plan: 'Professional',
      assigned_at: 'earlier',
    };
    await services.db.features.insertOne({ ...own });
    await login(email, 'correct horse');
    expect(await services.db.features.find({ user_id }, { projection: { _id: 0 } }).toArray()).toEqual([own]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['a wrong password', {}, 'wrong horse'],
    ['an unverified account', { verified: false }, 'correct horse'],
  ])('%s assigns no features', async (_, fields, password) => {
    const { email, user_id = '' } = await stored(fields);
    await login(email, password);
    expect(await services.db.features.countDocuments({ user_id })).toBe(0);
  });
});

test('the log contains no password, token or stored secret', async () => {
  const kept = { password: 'a password only here', otp: '918273' };
  const { email } = await stored({ email: 'logged@example.com', ...kept });
  const { token } = (await login(email, kept.password)).body;
  await login(email, 'a guess only here');
  const body = `email=x%40example.com&password=a+doubled+secret&password=a+doubled+secret`;
  await send(`${services.login}/v2/login?password=in-the-query`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Bearer a-bearer' },
    body,
  });
  const log = services.logged.join('');
  expect(log).toContain(email);
  for (const secret of [
    kept.password,
    'a guess only here',
    kept.otp,
    token,
    token.split('.')[2],
    'doubled secret',
    'doubled+secret',
    'in-the-query',
    'a-bearer',
    JWT_SECRET,
  ]) {
    expect(log).not.toContain(secret);
  }
});

test('PASSWORD_STORAGE=plain leaves a plain password', async () => {
  const config = testConfig('login', { PASSWORD_STORAGE: 'plain' });
  const app = await buildLoginService({ config, db: services.db, now: services.clock.now });
  const url = await listen(app);
  const { email } = await stored();
  expect((await postForm(`${url}/v2/login`, { email, password: 'correct horse' })).status).toBe(200);
  expect(await services.db.users.findOne({ email })).toMatchObject({ password: 'correct horse' });
  await app.close();
});
