import { connect } from '@gatehouse/shared/data/connect';
import { createPasswords } from '@gatehouse/shared/identity/passwords';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildLoginService } from '../../services/login/app.ts';
import { COLLECTIONS, type Database } from '../../services/user/database.ts';
import { failuresAt, outcome } from '../fixtures/envelope.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type Answered, decodeToken, postForm, postJson, send } from '../fixtures/http.ts';
import { newMember } from '../fixtures/members.ts';
import { listen, mailedCode, type Services, startServices, testConfig } from '../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices({ env: { LOG_LEVEL: 'info' } });
});
afterAll(() => services.stop());

const newUser = (fields?: object) => newMember(services.db, fields);

const post = (body: unknown, headers?: Record<string, string>, where = services.login) =>
  postJson(`${where}/api/v1/auth/login`, body, headers);
const logIn = (credentials: object, where?: string) => post(credentials, {}, where);
const me = (token: string) =>
  send(`${services.user}/api/v1/users/me`, { headers: { authorization: `Bearer ${token}` } });
const failure = failuresAt(() => services.clock.now());

describe('POST /api/v1/auth/login', () => {
  test('returns a token for one hour and the user_id', async () => {
    const { email, user_id } = await newUser();
    const answer = await logIn({ email, password: 'secret' });
    expect(outcome(answer)).toStrictEqual({
      status: 200,
      body: { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600, user_id },
    });
    expect(Object.keys(answer.body)).toStrictEqual(['access_token', 'token_type', 'expires_in', 'user_id']);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { header, payload } = decodeToken(answer.body.access_token);
    expect(payload).toEqual({ email, user_id, exp: services.clock.seconds() + 3600 });
    expect(header).toEqual({
      alg: 'HS256',
      typ: 'JWT',
      sid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    });
    const beganAt = Number.parseInt(header.sid.replace('-', '').slice(0, 12), 16);
    expect(beganAt).toBe(services.clock.now());
  });

  test('two logins in one second are two sessions', async () => {
    const { email } = await newUser();
    const answers = await Promise.all([1, 2].map(() => logIn({ email, password: 'secret' })));
    const [one, two] = answers.map(({ body }) => decodeToken(body.access_token));
    expect(one?.payload).toEqual(two?.payload);
    expect(one?.header.sid).not.toBe(two?.header.sid);
  });

  test('accepts the e-mail in any case and with surrounding spaces, and keeps its spelling at signup in the claims', async () => {
    const { email } = await newUser();
    const answer = await logIn({ email: `  ${email.toUpperCase()}\n`, password: 'secret' });
    expect(answer.status).toBe(200);
    expect(decodeToken(answer.body.access_token).payload.email).toBe(email);
  });

  test.each([undefined, null, 483_920])('a record with the user_id %j gets null', async (user_id) => {
    const { email } = await newUser({ user_id });
    const { status, body } = await logIn({ email, password: 'secret' });
    expect({ status, user_id: body.user_id }).toEqual({ status: 200, user_id: null });
    expect(decodeToken(body.access_token).payload.user_id).toBeNull();
  });

  test('the response does not tell an unknown e-mail from a wrong password', async () => {
    const { email } = await newUser();
    const wrong = await logIn({ email, password: 'Secret' });
    const unknown = await logIn({ email: 'nobody@example.com', password: 'secret' });
    expect(outcome(wrong)).toStrictEqual(failure(wrong, 401, 'INVALID_CREDENTIALS', 'Invalid credentials'));
    expect(outcome(unknown)).toStrictEqual(
      failure(unknown, 401, 'INVALID_CREDENTIALS', 'Invalid credentials'),
    );
    const seen = ({ headers }: Answered) =>
      [...headers.keys()].filter((name) => name !== 'date' && name !== 'x-request-id');
    expect(seen(wrong)).toEqual(seen(unknown));
  });

  test('hashes the submitted password whatever is stored: the time reveals no account', async () => {
    const passwords = createPasswords({ maxQueued: 0 });
    const config = testConfig('login');
    const app = await buildLoginService({ config, db: services.db, passwords, now: services.clock.now });
    const url = await listen(app);
    const { email } = await newUser();
    for (const known of [email, 'nobody@example.com'])
      expect((await logIn({ email: known, password: 'secret' }, url)).status).toBe(503);
    // The Direct contract reveals accounts on purpose. A plain password that cannot be hashed fails no login.
    const direct = async (known: string) =>
      (await postForm(`${url}/v2/login`, { email: known, password: 'secret' })).status;
    expect([await direct('nobody@example.com'), await direct(email)]).toEqual([404, 200]);
    expect(await services.db.users.findOne({ email })).toMatchObject({ password: 'secret' });
    await app.close();
  });

  test('a stored hash that costs too much matches nothing and is logged with its record', async () => {
    const password = `$argon2id$v=19$m=4294967295,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
    const user = await newUser({ password });
    services.logged.length = 0;
    expect((await logIn({ email: user.email, password: 'secret' })).status).toBe(401);
    const warnings = services.logged.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
    expect(warnings).toMatchObject([
      { _id: String(user._id), msg: expect.stringContaining('costs too much') },
    ]);
  });

  test.each([false, undefined, null, 0, ''])(
    'verified %j: 403 for the correct password, 401 for a wrong one',
    async (verified) => {
      const { email } = await newUser({ verified });
      const right = await logIn({ email, password: 'secret' });
      expect(outcome(right)).toStrictEqual(
        failure(right, 403, 'ACCOUNT_NOT_VERIFIED', 'Account not verified'),
      );
      const wrong = await logIn({ email, password: 'wrong' });
      expect(outcome(wrong)).toStrictEqual(failure(wrong, 401, 'INVALID_CREDENTIALS', 'Invalid credentials'));
    },
  );

  test('refuses a disabled account like a wrong password, and audits why', async () => {
    const { email } = await newUser({ account_status: 'disabled' });
    const right = await logIn({ email, password: 'secret' });
    expect(outcome(right)).toStrictEqual(failure(right, 401, 'INVALID_CREDENTIALS', 'Invalid credentials'));
    const event = { action: 'login', outcome: 'account disabled' };
    await eventually(async () =>
      expect(await services.db.auditEvents.find({ email: email.toLowerCase() }).toArray()).toMatchObject([
        event,
      ]),
    );
  });

  test.each(['secret ', ' secret', 'Secret', 'secret\0', 'secre', 'ｓecret'])(
    'a password is compared exactly: %j',
    async (password) => {
      const { email } = await newUser();
      expect((await logIn({ email, password })).status).toBe(401);
    },
  );

  test('both contracts check a hashed password', async () => {
    const email = 'hashed@example.com';
    await postForm(`${services.user}/v2/signup`, { email, password: 'pä$$', name: 'H' });
    await postForm(`${services.user}/v2/verify-otp`, { email, otp: mailedCode(services.mailbox, email) });
    expect((await logIn({ email, password: 'pä$$' })).status).toBe(200);
    expect((await logIn({ email, password: 'pa$$' })).status).toBe(401);
    expect((await postForm(`${services.login}/v2/login`, { email, password: 'pä$$' })).status).toBe(200);
  });

  test('audits every attempt with its outcome and logs no secret', async () => {
    const { email, user_id } = await newUser({ password: 'hunter-two' });
    const { email: unverified } = await newUser({ verified: false });
    services.logged.length = 0;
    const { body } = await logIn({ email, password: 'hunter-two' });
    await logIn({ email, password: 'hunter-three' });
    await logIn({ email: unverified, password: 'secret' });
    await logIn({ email: 'stranger@example.com', password: 'hunter-four' });
    const emails = [email, unverified, 'stranger@example.com'].map((address) => address.toLowerCase());
    // A refusal does not wait for its event.
    await eventually(async () => {
      const events = await services.db.auditEvents
        .find({ email: { $in: emails } })
        .sort({ event_id: 1 })
        .toArray();
      expect(events.map(({ action, outcome: how, user_id: who }) => [action, how, who])).toEqual([
        ['login', 'success', user_id],
        ['login', 'wrong password', user_id],
        ['login', 'not verified', expect.any(String)],
        ['login', 'unknown account', null],
      ]);
    });
    expect(services.logged.join('')).not.toMatch(/hunter/);
    expect(services.logged.join('')).not.toContain(body.access_token);
  });

  test('ignores unknown fields', async () => {
    const { email } = await newUser({ verified: false });
    const answer = await post(
      `{"email":${JSON.stringify(email)},"password":"secret","verified":true,"user_id":"User-1","$set":{"verified":true},"recaptcha_token":1}`,
    );
    expect(answer.status).toBe(403);
  });

  test.each(['/api/v1/auth/login', '/v2/login'])(
    'POST %s with the old password that overlaps a reset opens no session',
    async (path) => {
      const { email } = await newUser();
      // This login has compared the password and is held at its audit event.
      const slow = await connect(services.uri, COLLECTIONS, { appName: 'slow' });
      const compared = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      const insertOne = async () => {
        compared.resolve();
        await released.promise;
      };
      const db: Database = { ...slow, auditEvents: Object.assign(slow.auditEvents, { insertOne }) };
      const app = await buildLoginService({ config: testConfig('login'), db, now: services.clock.now });
      const login = await listen(app);
      const credentials = { email, password: 'secret' };
      const attempt = path === '/v2/login' ? postForm(login + path, credentials) : logIn(credentials, login);
      await compared.promise;

      services.clock.advance(1);
      await postForm(`${services.user}/v2/forgot-password`, { email });
      const fields = { email, otp: mailedCode(services.mailbox, email), new_password: 'new' };
      expect((await postForm(`${services.user}/v2/reset-password`, fields)).status).toBe(200);
      services.clock.advance(1);
      released.resolve();
      const { body } = await attempt;
      expect((await me(body.access_token ?? body.token)).status).toBe(401);

      const again = await logIn({ email, password: 'new' });
      expect((await me(again.body.access_token)).status).toBe(200);
      await app.close();
      await slow.close();
    },
  );
});

describe('invalid bodies', () => {
  const MALFORMED = 'The request is malformed';
  const MISSING = 'A required field is missing';
  const missing = (details: string) => [400, 'MISSING_FIELD', MISSING, details] as const;
  const invalid = (details: string) => [400, 'INVALID_FORMAT', MALFORMED, details] as const;
  const deep = (open: string, close: string) => open.repeat(10_000) + close.repeat(10_000);

  test.each<[string, string, readonly [number, string, string, string]]>([
    ['nothing', '', missing('body is required')],
    ['null', 'null', missing('body is required')],
    ['a number', '1', invalid('body must be a JSON object')],
    ['a text', '"email"', invalid('body must be a JSON object')],
    ['true', 'true', invalid('body must be a JSON object')],
    ['an array', '[{"email":"a@b.c","password":"x"}]', invalid('body must be a JSON object')],
    ['an empty object', '{}', missing('email is required')],
    ['no password', '{"email":"a@b.c"}', missing('password is required')],
    ['no email', '{"password":"x"}', missing('email is required')],
    ['an empty e-mail', '{"email":"","password":"x"}', missing('email is required')],
    ['an e-mail of spaces', '{"email":"  ","password":"x"}', missing('email is required')],
    ['an empty password', '{"email":"a@b.c","password":""}', missing('password is required')],
    ['an e-mail that is a number', '{"email":1,"password":"x"}', invalid('email must be a string')],
    ['an e-mail that is null', '{"email":null,"password":"x"}', invalid('email must be a string')],
    ['an operator as e-mail', '{"email":{"$gt":""},"password":"x"}', invalid('email must be a string')],
    ['an array as e-mail', '{"email":["a@b.c"],"password":"x"}', invalid('email must be a string')],
    [
      'an operator as password',
      '{"email":"a@b.c","password":{"$ne":1}}',
      invalid('password must be a string'),
    ],
    [
      'a deep password',
      `{"email":"a@b.c","password":${deep('[', ']')}}`,
      invalid('password must be a string'),
    ],
    ['10,000 arrays', deep('[', ']'), invalid('body must be a JSON object')],
    ['10,000 objects', deep('{"a":', '}').replace('}', '1}'), missing('email is required')],
    ['10,000 arrays, never closed', '['.repeat(10_000), invalid(MALFORMED)],
    ['a truncated object', '{"email":"a@b.c","password":"x"', invalid(MALFORMED)],
    ['two objects', '{"email":"a@b.c","password":"x"}{}', invalid(MALFORMED)],
    ['single quotes', "{'email':'a@b.c','password':'x'}", invalid(MALFORMED)],
    ['a trailing comma', '{"email":"a@b.c","password":"x",}', invalid(MALFORMED)],
    ['NaN', 'NaN', invalid(MALFORMED)],
    ['a form', 'email=a%40b.c&password=x', invalid(MALFORMED)],
    ['a space', ' ', invalid(MALFORMED)],
    ['__proto__', '{"__proto__":{"email":"a@b.c"},"password":"x"}', invalid(MALFORMED)],
    ['a constructor', '{"constructor":{"prototype":{"email":"a"}}}', invalid(MALFORMED)],
  ])('%s', async (_, body, expected) => {
    const answer = await post(body);
    expect(outcome(answer)).toStrictEqual(failure(answer, ...expected));
  });

  test.each([
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=b',
    'text/json',
    'application/xml',
    'application/jsonp',
    'nonsense',
    ';;/=',
  ])('the content type %s', async (type) => {
    const answer = await post('{"email":"a@b.c","password":"x"}', { 'content-type': type });
    expect(outcome(answer)).toStrictEqual(failure(answer, 400, 'INVALID_FORMAT', MALFORMED));
  });

  test('text/plain is a string, whatever it contains', async () => {
    const answer = await post('{"email":"a@b.c","password":"x"}', { 'content-type': 'text/plain' });
    expect(outcome(answer)).toStrictEqual(failure(answer, ...invalid('body must be a JSON object')));
  });

  test('no content type', async () => {
    const answer = await send(`${services.login}/api/v1/auth/login`, {
      method: 'POST',
      body: new TextEncoder().encode('{"email":"a@b.c","password":"x"}'), // bytes get no default content type
    });
    expect(outcome(answer)).toStrictEqual(failure(answer, 400, 'INVALID_FORMAT', MALFORMED));
  });

  test('accepts other spellings of the JSON content type', async () => {
    const { email } = await newUser();
    const json = JSON.stringify({ email, password: 'secret' });
    const type = 'application/json; charset=utf-8';
    expect((await post(json, { 'content-type': type })).status).toBe(200);
    expect((await post(json, { 'content-type': 'Application/JSON' })).status).toBe(200);
  });

  test('more than 64 KiB', async () => {
    const answer = await post(JSON.stringify({ email: 'a@b.c', password: 'x'.repeat(64 * 1024) }));
    expect(outcome(answer)).toStrictEqual(failure(answer, 400, 'INVALID_FORMAT', MALFORMED));
  });

  test('longer texts below the limit are wrong credentials', async () => {
    for (const field of ['email', 'password']) {
      const answer = await logIn({ email: 'a@b.c', password: 'x', [field]: 'x'.repeat(60_000) });
      expect(outcome(answer)).toStrictEqual(
        failure(answer, 401, 'INVALID_CREDENTIALS', 'Invalid credentials'),
      );
    }
  });

  test('bytes that are not UTF-8', async () => {
    const { email } = await newUser({ password: '\ufffd' });
    const head = new TextEncoder().encode(`{"email":"${email}","password":"`);
    const answer = await post(new Uint8Array([...head, 0xff, 0x22, 0x7d]));
    expect(outcome(answer)).toStrictEqual(failure(answer, 400, 'INVALID_FORMAT', MALFORMED));
  });

  test('lone surrogates and NUL are wrong credentials', async () => {
    for (const text of ['\\ud800', '\\u0000', 'a\\u0000@b.c']) {
      const answer = await post(`{"email":"${text}","password":"${text}"}`);
      expect(answer.status).toBe(401);
    }
  });

  test.each(['GET', 'PUT', 'PATCH', 'DELETE'])('%s returns 401 without a bearer', async (method) => {
    const answer = await send(`${services.login}/api/v1/auth/login`, { method });
    expect(outcome(answer)).toStrictEqual(failure(answer, 401, 'INVALID_TOKEN', 'No authorization header'));
  });
});
